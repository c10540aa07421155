"""What the navigator hands on: motions along the paths that plans give; and the plans, as a record has them."""

from enum import Enum, auto
from typing import NamedTuple

import numpy as np

from hopfield_nav.loop import Trajectory
from hopfield_nav.navigation.map import Cell, Step
from hopfield_nav.planning import Landscape
from hopfield_nav.plugin import is_ours
from hopfield_nav.world import PlannerSection, World

NETWORK, AGAINST_BELIEFS, OWN = "network", "against_beliefs", "own"


class MotionPhase(Enum):
    """What a motion is for, and so what comes at its end."""

    TO_GOAL = auto()  # over a path to the goal
    RETREAT = auto()  # back from a touch; how to go on is decided at its end
    TRIAL = (
        auto()
    )  # of what was felt, or along the tool from the start; how to go on is decided at its end
    EXPLORE = auto()  # over waypoints of a response, which is asked again at its end
    REACTION = auto()  # brings the arm to rest after an alarm; decided as soon as it rests
    SLIDE = auto()  # along what was felt; decided as soon as the way is free, or nothing is felt


class FirstSegment(Enum):
    """What the first segment of a motion is."""

    OF_PATH = auto()  # like every other
    RETREAT = auto()  # back from a touch
    REST = auto()  # the rest of one on which a touch is passed by


class Reference(NamedTuple):
    """Where the reference is, and how it moves, when a motion begins."""

    time: float  # [s]
    # q, qd, qdd: (n,) joint angles [rad], velocities [rad/s] and accelerations [rad/s²]
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray


class Approach(NamedTuple):
    """A segment that leads along the last part of a step, to where a surface should bar it."""

    segment: int  # its number
    step: Step  # it ends at the centre of one of the step's cells


class Slide(NamedTuple):
    """How the arm slides along a surface."""

    normal: np.ndarray  # (3,) from the surface, a unit vector
    axis: (
        np.ndarray
    )  # (3,) unit vector about which it goes counter-clockwise around what is touched


class PlannedMotion(NamedTuple):
    """A path and its trajectory; without a trajectory, the outcome of the run and its reason."""

    start: Cell  # cell from which the path begins
    cells: np.ndarray  # (k, rank) of the path
    trajectory: Trajectory | None  # of the joints
    outcome: str = ""  # of the run, where there is no trajectory
    reason: str = ""  # for it
    places: np.ndarray | None = None  # (m + 1, 3) where the tool is at the trajectory's knots [m]
    phase: MotionPhase = MotionPhase.TO_GOAL  # what it is for
    first_segment: FirstSegment = FirstSegment.OF_PATH  # what its first segment is
    localize_at: float = (
        np.inf
    )  # when the torque of the touch before is to be looked at, if at all [s]
    approach: Approach | None = None  # of a surface that is followed, if it is one
    slide: Slide | None = None  # how the arm slides before it goes on, if it does
    error_bound: float = (
        0.0  # of the probability that the outcome no_path is wrong, where beliefs tell it
    )

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


class NotedPlan(NamedTuple):
    """A plan that a motion was made of, or that there was no path for one."""

    # by: NETWORK, a climb; AGAINST_BELIEFS, over what is believed to be closed, which is no climb;
    # OWN, a planner from outside the program
    time: float  # of the simulation [s]
    by: str
    cells: np.ndarray  # (k, rank) of the path; k = 0 where there is none
    activation: (
        np.ndarray | None
    )  # grid of the network that was asked last: ln sigma, or minus the distance


def planned_by(section: PlannerSection) -> str:
    """Who plans in a world."""
    return NETWORK if is_ours("planner", section.kind) else OWN


class PlanNotes:
    """Notes every plan of a run in order; of several at the same time the last alone."""

    def __init__(self, world: World) -> None:
        self._keeps = world.record.keeps_network(int(np.prod(world.map.shape)))
        self._shape = tuple(world.map.shape)
        self.plans: list[NotedPlan] = []

    def note(
        self, time: float, by: str, cells: np.ndarray | None, landscape: Landscape | None
    ) -> None:
        """Note a plan at a simulated time [s]; a network over another grid than the world's is not kept."""
        if not self._keeps:
            return
        there = landscape is not None and landscape.near.shape == self._shape
        path = np.zeros((0, len(self._shape)), dtype=int) if cells is None else cells
        if self.plans and self.plans[-1].time == time:
            self.plans.pop()
        self.plans.append(
            NotedPlan(time, by, path, landscape.activation if landscape and there else None)
        )
