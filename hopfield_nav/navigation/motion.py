"""What the navigator hands on: the path of the tool that a plan gives, and the motion along it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopfield_nav.loop import Trajectory


class PlannedMotion(NamedTuple):
    """A path and its trajectory; without a trajectory, the outcome of the run and its reason."""

    start: tuple[int, ...]
    cells: np.ndarray
    trajectory: Trajectory | None
    outcome: str = ""
    reason: str = ""


class ToolPath(NamedTuple):
    """Where a plan leads the tool: cells (k, rank), poses (m, 4, 4), and whether those are at any angle."""

    cells: np.ndarray
    poses: np.ndarray
    any_angle: bool
