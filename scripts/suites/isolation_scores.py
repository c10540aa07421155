"""Scores of isolation: confusion matrix, share of true links in the set, size of the set, intervals."""

from typing import NamedTuple

import numpy as np

from hopfield_nav.extensions.isolation import Isolation

LINKS = 6


class Scores(NamedTuple):
    """What became of contacts whose link is known."""

    confusion: np.ndarray  # (7, 7) contacts by true link (row) and best guess (column; 0: none)
    in_set: np.ndarray  # (7,) contacts by true link whose link is in the set
    set_size: np.ndarray  # (k,) number of links in each set


def score(links: list[int], found: list[Isolation]) -> Scores:
    """Score isolations against true links (from 1)."""
    confusion, in_set = np.zeros((LINKS + 1, LINKS + 1), dtype=int), np.zeros(LINKS + 1, dtype=int)
    for link, result in zip(links, found, strict=True):
        confusion[link, result.best_link] += 1
        in_set[link] += link in result.links
    return Scores(confusion, in_set, np.array([len(r.links) for r in found]))


def counts(scores: Scores) -> list[float]:
    """Numbers of contacts, and of those with their link in the set; right guesses and contacts on some links.

    The links are 2 to 6, then 5 and 6; the last number is the sum of the sizes of the sets.
    """
    found = [scores.confusion.sum(), scores.in_set.sum()]
    for links in ([2, 3, 4, 5, 6], [5, 6]):
        found += [np.diag(scores.confusion)[links].sum(), scores.confusion[links].sum()]
    return [float(value) for value in (*found, scores.set_size.sum())]
