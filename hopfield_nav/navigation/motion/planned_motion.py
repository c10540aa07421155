"""What a navigator answers: a motion of the joints along a path, or the end of the run."""

from enum import Enum, auto
from typing import NamedTuple

import numpy as np

from hopfield_nav.loop import Trajectory
from hopfield_nav.navigation.map import Cell, Step
from hopfield_nav.navigation.motion.grade import Grade


class MotionPhase(Enum):
    """What a motion is for, and so what comes at its end."""

    TO_GOAL = auto()  # over a path to the goal
    RETREAT = auto()  # back from a touch; how to go on is decided at its end
    # of what was felt, or along the tool from the start; how to go on is decided at its end
    TRIAL = auto()
    EXPLORE = auto()  # over waypoints of a response, which is asked again at its end
    REACTION = auto()  # brings the arm to rest after an alarm; decided as soon as it rests
    SLIDE = auto()  # along what was felt; decided as soon as the way is free, or nothing is felt


class FirstSegment(Enum):
    """What the first segment of a motion is."""

    OF_PATH = auto()  # like every other
    RETREAT = auto()  # back from a touch of a map of facts and beliefs
    REST = auto()  # the rest of one on which a touch is passed by


class Reference(NamedTuple):
    """Where the reference is, and how it moves, when a motion begins."""

    time: float  # [s]
    # q, qd, qdd: (n,) joint angles [rad], velocities [rad/s] and accelerations [rad/s²]
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray


class PartOfStep(NamedTuple):
    """A segment that leads along the last part of a step, to where something should bar it."""

    segment: int  # its number
    step: Step  # it ends at the centre of one of the step's cells


class Slide(NamedTuple):
    """How the arm slides along a surface."""

    normal: np.ndarray  # (3,) from the surface, a unit vector
    axis: np.ndarray  # (3,) about which it goes counter-clockwise around what is touched, too


class PlannedMotion(NamedTuple):
    """A path and its trajectory; without a trajectory, the outcome of the run and its reason."""

    start: Cell  # cell from which the path begins
    cells: np.ndarray  # (k, rank) of the path
    trajectory: Trajectory | None  # of the joints
    # outcome, reason: of the run, where there is no trajectory
    outcome: str = ""
    reason: str = ""
    places: np.ndarray | None = None  # (m + 1, 3) where the tool is at the trajectory's knots [m]
    phase: MotionPhase = MotionPhase.TO_GOAL  # what it is for
    first_segment: FirstSegment = FirstSegment.OF_PATH  # what its first segment is
    # of the whole arm: when the torque of the touch before is looked at, if at all [s]
    localize_at: float = np.inf
    part_of_step: PartOfStep | None = None  # a segment that ends a step it did not begin, if any
    slide: Slide | None = None  # of a response that slides: how, before the arm goes on
    # of the probability that the outcome no_path is wrong, where beliefs tell it
    error_bound: float = 0.0
    grade: Grade | None = None  # what the outcome no_path rests on

    @property
    def approach(self) -> PartOfStep | None:
        """The segment that leads to a surface that is followed, if one does."""
        return self.part_of_step

    @property
    def needs_decision(self) -> bool:
        """Whether at its end it is to be decided how to go on."""
        return self.phase is not MotionPhase.TO_GOAL

    @property
    def reacts(self) -> bool:
        """Whether the reference does not lead: the arm is brought to rest, or slides."""
        return self.phase in (MotionPhase.REACTION, MotionPhase.SLIDE)

    @property
    def passes_by(self) -> bool:
        """Whether it goes on past a touch."""
        return self.trajectory is not None and self.first_segment is FirstSegment.REST

    @property
    def retreats(self) -> bool:
        """Whether it begins by leading back from a touch."""
        return self.first_segment is FirstSegment.RETREAT


def no_cells(rank: int) -> np.ndarray:
    """A path of no cells (0, rank)."""
    return np.zeros((0, rank), dtype=int)


def no_motion(start: Cell, rank: int, reason: str, grade: Grade) -> PlannedMotion:
    """The end of a run for want of a path from a cell, on a map with so many axes."""
    return PlannedMotion(start, no_cells(rank), None, "no_path", reason, grade=grade)
