"""Certainties that a path may risk: what then counts as blocked, and how few will do."""

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from hopfield_nav.extensions.whole_arm.step_checks import Place
from hopfield_nav.navigation.map import LIKELY, Step
from hopfield_nav.plugin import Against

LADDER = (0.0, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 0.95, 0.99, 0.999, 1.0)  # certainties that may be risked
LEAST = 1e-4  # of -ln(1 - certainty): less is what is left where something was taken back
_Path = TypeVar("_Path")


def doubtful(against: np.ndarray, certainty: float) -> np.ndarray:
    """Whether more than a certainty, one of ``LADDER``, speaks against each cell, as -ln(1 - certainty)."""
    least = max(-np.log1p(-certainty), LEAST) if certainty < 1.0 else np.inf
    return np.asarray(against > least)


def likely_places(doubts: Against, certainty: float) -> set[Place]:
    """The places of more weight than a certainty that may be risked, and than ``LIKELY``."""
    heavy = doubts.points[doubts.weights > max(LIKELY, certainty)] if certainty < 1.0 else doubts.points[:0]
    return {(float(x), float(y), float(z)) for x, y, z in heavy}


def least_doubt(
    below: Callable[[float, set[Step]], _Path | None], closed: set[Step], enough: float | None = None
) -> tuple[_Path | None, float]:
    """By halving: the path with the least certainty of ``LADDER`` beyond the first, and that certainty.

    With ``enough``, one of ``LADDER``, there is a path for sure; by default that is asked first.
    """
    best, low = None, 1
    high = LADDER.index(LADDER[-1] if enough is None else enough)
    if enough is None:
        best = below(LADDER[high], closed)
        if best is None:
            return None, LADDER[high]
    while low < high:
        middle = (low + high) // 2
        tried = below(LADDER[middle], closed)
        best, low, high = (best, middle + 1, high) if tried is None else (tried, low, middle)
    return best or below(LADDER[high], closed), LADDER[high]
