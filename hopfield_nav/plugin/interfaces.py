"""What methods are told, and what a planner, a response, a belief and measures in plain Python look like."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np


class Sensed(NamedTuple):
    """What the control computer knows at the start of a control period."""

    time: np.ndarray  # (1,) simulated time [s]
    # q, qd: (n,) measured joint angles [rad] and velocities [rad/s]
    q: np.ndarray
    qd: np.ndarray
    # q_ref, qd_ref, qdd_ref: (n,) reference [rad, rad/s, rad/s²]
    q_ref: np.ndarray
    qd_ref: np.ndarray
    qdd_ref: np.ndarray
    tau: np.ndarray  # (n,) torque commanded over the last period [N·m]
    # (6,) what a sensor at the flange measures, the payload taken off: force [N] and moment about
    # the flange frame's origin [N·m] that the world exerts on the tool, flange axes; zero without
    # one
    wrench: np.ndarray
    # (6,) what the estimator has made of all this, for the control law: the wrench at the tool
    # point, base axes; of the period before when the estimator itself is called
    felt: np.ndarray
    # (n,) what friction takes from the motors, as the controller's model has it [N·m]
    friction: np.ndarray
    # (n,) by how much it may be wrong while a gear's strain is not known [N·m]
    friction_doubt: np.ndarray


def make_sensed(n: int) -> Sensed:
    """A record of zeros for an arm with ``n`` joints."""
    q, qd, q_ref, qd_ref, qdd_ref, tau = np.zeros((6, n))
    wrench, felt, friction, doubt = np.zeros(6), np.zeros(6), np.zeros(n), np.zeros(n)
    return Sensed(np.zeros(1), q, qd, q_ref, qd_ref, qdd_ref, tau, wrench, felt, friction, doubt)


@dataclass(frozen=True, eq=False)
class BelievedMap:
    """A map of cells, of any rank, with all that is believed on it; a method's own copy cannot be written."""

    # bool grid: what is known to be there, the rim, and what the arm cannot reach
    blocked: np.ndarray
    # float32 grid, -ln(1 - certainty) that a cell is occupied; 0 where nothing speaks for it
    against: np.ndarray
    # (m, 2, rank) int, pairs of neighbouring cells: the steps between them are closed
    closed: np.ndarray
    certainty: np.ndarray  # (m,) of each of them; 1 where it is proven, and no path may lead there
    start: tuple[int, ...]  # (rank,) cell
    goals: np.ndarray  # (g, rank) int, cells; one of them is to be reached
    moves: np.ndarray  # (k, rank) int, from any cell to those beside it
    radius: float = 1.0  # of these moves [cells]
    seed: int = 0  # of the run

    def read_only(self) -> "BelievedMap":
        """The same, its arrays views that cannot be written."""
        views: dict[str, Any] = {
            k: read_only(v) for k, v in vars(self).items() if isinstance(v, np.ndarray)
        }
        return replace(self, **views)


class Planner(Protocol):
    """Plans over a map."""

    def plan(self, believed: BelievedMap) -> Any:
        """(k, rank) cells from the start to a goal, each a move from the one before; None: there is no path.

        Start and goals count as free. Then the program takes the path against which least is
        believed.
        """


class Touch(Protocol):
    """What is known when a response is asked: after a touch, or at the end of what it answered before."""

    time: float  # [s]
    believed: BelievedMap  # its start is the cell from which the arm goes on
    place: np.ndarray  # (rank,) where the arm was touched, or is now, in cells
    direction: np.ndarray  # (rank,) of its motion, a unit vector in cells; zero at rest
    force: np.ndarray  # (rank,) that it felt along the axes of the map, of the tool [N], of joints [N·m]; zero at rest
    step: np.ndarray | None  # (2, rank) cells of the step that was touched; None where it was none

    def path(self, start: tuple[int, ...]) -> np.ndarray | None:
        """(k, rank) cells from a cell to the goal, of the world's planner; None where it finds none."""


class Response(Protocol):
    """Chooses the motion after a touch.

    An answer is (k, rank) waypoints in cells, k at least 1: the arm goes back to the start of the
    map, and straight over the waypoints; then ``on_rest`` is asked. None: a new path of the
    planner, to the goal.
    """

    def on_touch(self, touch: Touch) -> Any:
        """The waypoints after a touch, or None."""

    def on_rest(self, touch: Touch) -> Any:
        """The waypoints at the end of those before, or None; nothing was touched on them."""


@dataclass(frozen=True, eq=False)
class ContactReport:
    """What touches have told of the places of obstacles, on a map of joint angles; it cannot be written."""

    believed: BelievedMap  # the map; ``against`` is what the built-in strategies believe
    points: np.ndarray  # (k, 3) where the arm may have been touched, base axes [m]
    weights: np.ndarray  # (k,) how likely each is; those of one touch sum to 1 at most
    touches: np.ndarray  # (k,) int, number of the touch that each is of
    # of a point (3,) and a distance [m], the bool grid of the cells where the arm is nearer to it
    near: Callable[[np.ndarray, float], np.ndarray]


class CollisionEvidence(NamedTuple):
    """What speaks against the cells of a map."""

    cells: np.ndarray  # float32 grid, at least 0: -ln(1 - certainty) that a cell is blocked; the path risks the least
    # (k, 3) places through which no step shall sweep, unless so much is risked [m]
    points: np.ndarray = np.zeros((0, 3))
    weights: np.ndarray = np.zeros(0)  # (k,) how certain each is
    # float32 grid: what takes the place of ``cells`` where the path would else risk more than one
    # half; None: they stay
    at_last: np.ndarray | None = None


# what both were called before: files of users keep working
Against = CollisionEvidence
Felt = ContactReport


class Belief(Protocol):
    """Says what a touch blocks on a map of joint angles; asked before every path."""

    def believe(self, felt: ContactReport) -> Any:
        """``CollisionEvidence``, or None: nothing but the steps that were touched."""


@dataclass(frozen=True)
class Measures:
    """Columns of a user's own in the table of a sweep or a bench, from every finished run."""

    # of a ``Run``, a mapping from the names of columns to numbers, text or None
    function: Callable[[Any], Mapping[str, Any]]
    columns: Mapping[str, str]  # unit of every column, "1" where there is none and "" for text


def read_only(array: np.ndarray) -> np.ndarray:
    """A view that cannot be written."""
    view = array.view()
    view.flags.writeable = False
    return view
