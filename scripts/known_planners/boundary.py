"""What the border between OMPL's C++ and our compiled checks costs: the same motions asked without it."""

import time
from typing import NamedTuple
from unittest.mock import patch

import numpy as np

from dynamics import Arm
from hopfield_nav.extensions.clearance import Scene, motion_is_free
from hopfield_nav.extensions.known_world import sampling
from known_planners.counting import Counting


class Boundary(NamedTuple):
    """Seconds for all of OMPL's questions: planning, our answers, and the compiled checks alone."""

    questions: int
    planning: float
    answers: float
    compiled: float


def measure(arm: Arm, scene: Scene, starts: np.ndarray, goals: np.ndarray) -> Boundary:
    """Plan the pairs, then check all motions and positions that OMPL asked about in one compiled call."""
    with patch.object(sampling, "Checks", Counting):
        Counting.seconds, begin = 0.0, time.perf_counter()
        _plan(arm, scene, starts, goals)
        planning, answers = time.perf_counter() - begin, Counting.seconds
        Counting.asked = []  # apart, so that remembering takes none of the plans' time
        _plan(arm, scene, starts, goals)
        ends, Counting.asked = np.array(Counting.asked), None
    begin = time.perf_counter()
    motion_is_free(arm, scene, ends[:, 0], ends[:, 1])
    return Boundary(len(ends), planning, answers, time.perf_counter() - begin)


def _plan(arm: Arm, scene: Scene, starts: np.ndarray, goals: np.ndarray) -> None:
    for i, (q, T) in enumerate(zip(starts, goals, strict=True)):
        sampling.plan_sampling(arm, scene, q, [T], seed=i)
