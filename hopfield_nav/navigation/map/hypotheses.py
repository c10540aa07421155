"""Where on the arm a touch may have been."""

from typing import NamedTuple

import numpy as np


class ContactHypotheses(NamedTuple):
    """Where a touch may have been."""

    points: np.ndarray  # (k, 3) middles of the places, likeliest first, base axes [m]
    links: np.ndarray  # (k,) int, of the arm
    weights: np.ndarray  # (k,) of each; their sum is at most 1


NOWHERE = ContactHypotheses(np.zeros((0, 3)), np.zeros(0, dtype=int), np.zeros(0))
