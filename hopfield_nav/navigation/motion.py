"""What the navigator hands on: the path of the tool that a plan gives, and the motion along it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopfield_nav.loop import Trajectory
from hopfield_nav.navigation.beliefs import Step


class Approach(NamedTuple):
    """A leg that leads along the last part of a step, to where a surface should bar it.

    Attributes:
        leg: its number.
        step: it ends at the centre of one of the step's cells.
    """

    leg: int
    step: Step


class Slide(NamedTuple):
    """How the arm slides along a surface.

    Attributes:
        normal: (3,) from the surface, a unit vector.
        axis: (3,) unit vector about which it goes counter-clockwise around what is touched.
    """

    normal: np.ndarray
    axis: np.ndarray


class PlannedMotion(NamedTuple):
    """A path and its trajectory; without a trajectory, the outcome of the run and its reason.

    Attributes:
        start: cell from which the path begins.
        cells: (k, rank) of the path.
        trajectory: of the joints.
        outcome: of the run, where there is no trajectory.
        reason: for it.
        places: (m + 1, 3) where the tool is at the trajectory's knots [m].
        undecided: whether at the end of the trajectory a new decision is due, as after a retreat.
        passing: whether its first leg is the rest of one on which a touch is passed by.
        retreats: whether its first leg leads back from a touch.
        look: when the torque of the touch before is to be looked at, if at all [s].
        approach: of a surface that is followed, if it is one.
        reaction: whether it brings the arm to rest after an alarm, or slides; the decision is due as soon as
            that is over.
        slide: how the arm slides before it goes on, if it does.
    """

    start: tuple[int, ...]
    cells: np.ndarray
    trajectory: Trajectory | None
    outcome: str = ""
    reason: str = ""
    places: np.ndarray | None = None
    undecided: bool = False
    passing: bool = False
    retreats: bool = False
    look: float = np.inf
    approach: Approach | None = None
    reaction: bool = False
    slide: Slide | None = None


class ToolPath(NamedTuple):
    """Where a plan leads the tool: cells (k, rank), poses (m, 4, 4), and whether those are at any angle."""

    cells: np.ndarray
    poses: np.ndarray
    any_angle: bool
