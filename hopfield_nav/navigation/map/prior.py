"""What an earlier run felt, as a later one over the same map loads it."""

from typing import NamedTuple

import numpy as np

from hopfield_nav.navigation.map.beliefs import Cell, Step
from hopfield_nav.navigation.map.hypotheses import ContactHypotheses


class PriorMap(NamedTuple):
    """Facts and beliefs, and what they rest on."""

    steps: dict[Step, float]  # certainty of every touched step that it is closed; 1 for facts
    cells: dict[Cell, float]  # certainty of cells that they are occupied; none on a map of joint angles
    # of every touch, where on the arm it may have been; on a map of joint angles alone
    places: list[ContactHypotheses]
    free: np.ndarray  # (m, n) configurations in which the arm was and touched nothing [rad]
