"""Where a touch may have been, and what an earlier run felt, as a later one over the same map loads it."""

from typing import NamedTuple

import numpy as np

from hopfield_nav.navigation.map.beliefs import Cell, Step


class ContactHypotheses(NamedTuple):
    """Where a touch may have been."""

    points: np.ndarray  # (k, 3) middles of the places, likeliest first, base axes [m]
    links: np.ndarray  # (k,) int, of the arm
    weights: np.ndarray  # (k,) of each; their sum is at most 1


NOWHERE = ContactHypotheses(np.zeros((0, 3)), np.zeros(0, dtype=int), np.zeros(0))


class PriorMap(NamedTuple):
    """Facts and beliefs, and what they rest on."""

    steps: dict[Step, float]  # certainty of every touched step that it is closed; 1 for facts
    cells: dict[Cell, float]  # certainty of cells that they are occupied; none on a map of joint angles
    # of every touch, where on the arm it may have been; on a map of joint angles alone
    places: list[ContactHypotheses]
    free: np.ndarray  # (m, n) configurations in which the arm was and touched nothing [rad]
