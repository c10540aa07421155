"""Where on the arm a touch may have been."""

from typing import NamedTuple

import numpy as np


class ContactHypotheses(NamedTuple):
    """Where a touch may have been.

    Attributes:
        points: (k, 3) middles of the places, likeliest first, base axes [m].
        links: (k,) int, of the arm.
        weights: (k,) of each; their sum is at most 1.
    """

    points: np.ndarray
    links: np.ndarray
    weights: np.ndarray


NOWHERE = ContactHypotheses(np.zeros((0, 3)), np.zeros(0, dtype=int), np.zeros(0))
