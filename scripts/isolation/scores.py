"""Scores of isolation: confusion matrix, share of true links in the set, size of the set, intervals."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopfield_nav.isolation import Isolation
from hopfield_nav.sweeps import share

LINKS = 6


class Scores(NamedTuple):
    """What became of contacts whose link is known.

    Attributes:
        confusion: (7, 7) contacts by true link (row) and best guess (column; 0: none).
        in_set: (7,) contacts by true link whose link is in the set.
        set_size: (k,) number of links in each set.
        set_area: (k,) area of the patches in each set [m²].
        apart: (k,) distance from best point to true one where the best link is right [m], else NaN.
    """

    confusion: np.ndarray
    in_set: np.ndarray
    set_size: np.ndarray
    set_area: np.ndarray
    apart: np.ndarray


def score(links: list[int], points: list[np.ndarray], found: list[Isolation], area: np.ndarray) -> Scores:
    """Score isolations against true links (from 1) and points [m]; ``area`` (m,) of every patch [m²]."""
    confusion, in_set = np.zeros((LINKS + 1, LINKS + 1), dtype=int), np.zeros(LINKS + 1, dtype=int)
    for link, result in zip(links, found, strict=True):
        confusion[link, result.best_link] += 1
        in_set[link] += link in result.links
    apart = [
        np.linalg.norm(r.best_point - p) if r.best_link == link else np.nan
        for link, p, r in zip(links, points, found, strict=True)
    ]
    return Scores(
        confusion,
        in_set,
        np.array([len(r.links) for r in found]),
        np.array([area[r.patches].sum() for r in found]),
        np.array(apart),
    )


def right(scores: Scores, links: range | tuple[int, ...]) -> tuple[float, float, float, int]:
    """Share of right guesses over some links: value, 95 % interval, n."""
    rows = list(links)
    return _share(int(np.diag(scores.confusion)[rows].sum()), int(scores.confusion[rows].sum()))


def covered(scores: Scores) -> tuple[float, float, float, int]:
    """Share of contacts whose link is in the set: value, 95 % interval, n."""
    return _share(int(scores.in_set.sum()), int(scores.confusion.sum()))


def _share(count: int, n: int) -> tuple[float, float, float, int]:
    value = share(count, n)
    return float(value.estimate), float(value.low), float(value.high), n


def text(value: tuple[float, float, float, int], with_count: bool = True) -> str:
    """As ``91.2 % (89.8–92.5), n = 1759``."""
    estimate, low, high = (f"{100 * v:.1f}".replace("100.0", "100") for v in value[:3])
    return f"{estimate} % ({low}–{high})" + (f", n = {value[3]}" if with_count else "")


def lines(name: str, scores: Scores) -> list[str]:
    """The scores in words."""
    apart = scores.apart[np.isfinite(scores.apart)]
    distance = f"{100 * np.median(apart):.1f} cm" if len(apart) else "–"
    return [
        f"{name}: true link in the set {text(covered(scores))}; best guess right on links 2–6 "
        f"{text(right(scores, range(2, 7)))}, on 5 and 6 {text(right(scores, (5, 6)))}; set of "
        f"{scores.set_size.mean():.2f} links and {1e4 * scores.set_area.mean():.0f} cm² on average; best "
        f"point {distance} from the true one (median)",
        *("   " + " ".join(f"{c:5d}" for c in row) for row in scores.confusion[1:]),
    ]
