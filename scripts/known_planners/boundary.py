"""What the border between OMPL's C++ and our compiled checks costs: the same motions asked without it."""

import time
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from dynamics import Arm
from hopfield_nav.clearance import Scene, motion_is_free
from hopfield_nav.extensions.known_world import Checks, sampling


class Boundary(NamedTuple):
    """Seconds for all of OMPL's questions: planning, our answers, and the compiled checks alone."""

    questions: int
    planning: float
    answers: float
    compiled: float


class _Recording(Checks):
    """Checks that remember what was asked."""

    asked: list[tuple[list[float], list[float]]]

    def _free(self, first: Any, second: Any) -> bool:
        self.asked.append((first[0 : self.n], second[0 : self.n]))
        return super()._free(first, second)


def measure(arm: Arm, scene: Scene, starts: np.ndarray, goals: np.ndarray) -> Boundary:
    """Plan the pairs, then check all motions and positions that OMPL asked about in one compiled call."""
    plans = _plans(arm, scene, starts, goals)
    _Recording.asked = []  # apart, so that remembering takes none of the plans' time
    with patch.object(sampling, "Checks", _Recording):
        _plans(arm, scene, starts, goals)
    ends = np.array(_Recording.asked)
    begin = time.perf_counter()
    motion_is_free(arm, scene, ends[:, 0], ends[:, 1])
    compiled = time.perf_counter() - begin
    return Boundary(len(ends), sum(p.time for p in plans), sum(p.check_time for p in plans), compiled)


def _plans(arm: Arm, scene: Scene, starts: np.ndarray, goals: np.ndarray) -> list[sampling.SamplingPlan]:
    pairs = enumerate(zip(starts, goals, strict=True))
    return [sampling.plan_sampling(arm, scene, q, [T], seed=i) for i, (q, T) in pairs]
