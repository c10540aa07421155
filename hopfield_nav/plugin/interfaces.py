"""What methods are told, and what those in plain Python have to offer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np


class Sensed(NamedTuple):
    """What the control computer knows at the start of a control period."""

    # (1,) simulated time [s]
    time: np.ndarray
    # (n,) measured joint angles [rad] and velocities [rad/s]
    q: np.ndarray
    qd: np.ndarray
    # (n,) reference [rad, rad/s, rad/s²]
    q_ref: np.ndarray
    qd_ref: np.ndarray
    qdd_ref: np.ndarray
    # (n,) torque commanded over the last period [N·m]
    tau: np.ndarray
    # (6,) what a sensor at the flange measures, the payload taken off: force [N] and moment about
    # the flange frame's origin [N·m] that the world exerts on the tool, flange axes; zero without
    # one
    wrench: np.ndarray
    # (6,) what the estimator has made of all this, for the control law: the wrench at the tool
    # point, base axes; of the period before when the estimator itself is called
    felt: np.ndarray
    # (n,) what friction takes from the motors, as the controller's model has it [N·m]
    friction: np.ndarray
    # (n,) by how much ``friction`` may be wrong while a gear's strain is not known [N·m]
    friction_doubt: np.ndarray


def make_sensed(n: int) -> Sensed:
    """A record of zeros for an arm with ``n`` joints."""
    return Sensed(
        time=np.zeros(1),
        q=np.zeros(n),
        qd=np.zeros(n),
        q_ref=np.zeros(n),
        qd_ref=np.zeros(n),
        qdd_ref=np.zeros(n),
        tau=np.zeros(n),
        wrench=np.zeros(6),
        felt=np.zeros(6),
        friction=np.zeros(n),
        friction_doubt=np.zeros(n),
    )


@dataclass(frozen=True, eq=False)
class BelievedMap:
    """A map of cells, of any rank, with all that is believed on it.

    What a method gets cannot be written.
    """

    # bool grid: what is known to be there, the rim, and what the arm cannot reach
    blocked: np.ndarray
    # float32 grid, -ln(1 - certainty) that a cell is occupied; 0 where nothing speaks for it
    against: np.ndarray
    # (m, 2, rank) int, pairs of neighbouring cells: the steps between them are closed
    closed: np.ndarray
    # (m,) how certain it is that each is closed; 1: it is proven, and no path may lead there
    certainty: np.ndarray
    # (rank,) cell
    start: tuple[int, ...]
    # (g, rank) int, cells; one of them is to be reached
    goals: np.ndarray
    # (k, rank) int, from any cell to those beside it
    moves: np.ndarray
    # length of the longest of these moves [cells]
    radius: float = 1.0
    # of the run
    seed: int = 0

    def read_only(self) -> "BelievedMap":
        """The same map, its arrays views that cannot be written."""
        views: dict[str, Any] = {}
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                views[name] = read_only(value)
        return replace(self, **views)


class Planner(Protocol):
    """Plans over a map."""

    def plan(self, believed: BelievedMap) -> Any:
        """A path: (k, rank) cells from the start to a goal, each a move from the one before.

        None: there is no path. Start and goals count as free. Of the paths to several goals the
        program takes the one against which least is believed.
        """


class Touch(Protocol):
    """What is known when a response is asked.

    It is asked after a touch, and at the end of the motion that it answered before.
    """

    # [s]
    time: float
    # its start is the cell from which the arm goes on
    believed: BelievedMap
    # (rank,) where the arm was touched, or is now, in cells
    place: np.ndarray
    # (rank,) of its motion, a unit vector in cells; zero at rest
    direction: np.ndarray
    # (rank,) that it felt along the axes of the map: of the tool [N], of joints [N·m]; zero at rest
    force: np.ndarray
    # (2, rank) cells of the step that was touched; None where it was none
    step: np.ndarray | None

    def path(self, start: tuple[int, ...]) -> np.ndarray | None:
        """The path of the world's planner from a cell to the goal, (k, rank) cells.

        None: it finds none.
        """


class Response(Protocol):
    """Chooses the motion after a touch.

    An answer is (k, rank) waypoints in cells, k at least 1: the arm goes back to the start of the
    map, and straight over the waypoints; then ``on_rest`` is asked. None: a new path of the
    planner, to the goal.
    """

    def on_touch(self, touch: Touch) -> Any:
        """The waypoints after a touch, or None."""

    def on_rest(self, touch: Touch) -> Any:
        """The waypoints after those before, on which nothing was touched, or None."""


@dataclass(frozen=True, eq=False)
class ContactReport:
    """What touches have told of the places of obstacles, on a map of joint angles.

    It cannot be written.
    """

    # the map; its ``against`` is what the built-in strategies believe
    believed: BelievedMap
    # (k, 3) where the arm may have been touched, base axes [m]
    points: np.ndarray
    # (k,) how likely each point is; those of one touch sum to 1 at most
    weights: np.ndarray
    # (k,) int, number of the touch that each point is of
    touches: np.ndarray
    # of a point (3,) and a distance [m], the bool grid of the cells where the arm is nearer to it
    near: Callable[[np.ndarray, float], np.ndarray]


class CollisionEvidence(NamedTuple):
    """What speaks against the cells of a map."""

    # float32 grid, at least 0: -ln(1 - certainty) that a cell is blocked; the path risks the least
    cells: np.ndarray
    # (k, 3) places [m] through which no step shall sweep, unless the path risks their weights
    points: np.ndarray = np.zeros((0, 3))
    # (k,) how certain each place is
    weights: np.ndarray = np.zeros(0)
    # float32 grid: what takes the place of ``cells`` where the path would else risk more than one
    # half; None: they stay
    at_last: np.ndarray | None = None


# What ``CollisionEvidence`` and ``ContactReport`` were called before: files of users keep working.
Against = CollisionEvidence
Felt = ContactReport


class Belief(Protocol):
    """Says what a touch blocks on a map of joint angles.

    It is asked before every path.
    """

    def believe(self, felt: ContactReport) -> Any:
        """``CollisionEvidence``, or None: nothing but the steps that were touched."""


@dataclass(frozen=True)
class Measures:
    """Columns of a user's own in the table of a sweep or a bench, from every finished run."""

    # of a ``Run``, a mapping from the names of columns to numbers, text or None
    function: Callable[[Any], Mapping[str, Any]]
    # unit of every column, "1" where there is none and "" for text
    columns: Mapping[str, str]


def read_only(array: np.ndarray) -> np.ndarray:
    """A view that cannot be written."""
    view = array.view()
    view.flags.writeable = False
    return view
