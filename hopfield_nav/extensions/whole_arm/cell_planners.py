"""What is asked for a path over cells: the network, the least sum of costs, or a planner of the user.

Each is asked again and again while checks close more steps. A closed axis may be cut where a path over it would turn
a joint beyond its limits.
"""

import math
from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from dynamics import Arm
from hopfield_nav.extensions.whole_arm import numbers
from hopfield_nav.extensions.whole_arm.grid import TURN, JointGrid
from hopfield_nav.navigation.map import Cell, Step, pairs
from hopfield_nav.navigation.planners import WithPlan
from hopfield_nav.planning import Replanner, cheapest_path, first_axis_first, neighbourhood_of
from hopfield_nav.plugin import BelievedMap

AxisCuts = tuple[tuple[int, float], ...]  # joints, and angles over which they shall not turn [rad]


class CellPlanner(Protocol):
    """Plans from one cell."""

    def plan(self, goals: np.ndarray, closed: set[Step], cuts: AxisCuts) -> np.ndarray | None:
        """The cells (k, n) of a path to one of the goals (g, n), past closed steps and over no cut; None: none."""


class Network:
    """The network: shortest paths past blocked cells. It settles on from its last answer while steps are closed."""

    def __init__(self, grid: JointGrid, here: Cell, blocked: np.ndarray) -> None:
        self._grid, self._here, self._blocked = grid, here, blocked
        self._near = neighbourhood_of(grid.shape, periodic=grid.periodic, ties=first_axis_first(len(here)))
        self._replanner: Replanner | None = None
        self._asked: tuple[list[list[int]], AxisCuts] | None = None
        self._closed = set[Step]()

    def plan(self, goals: np.ndarray, closed: set[Step], cuts: AxisCuts) -> np.ndarray | None:  # noqa: D102
        asked = goals.tolist(), cuts
        if self._replanner is not None and self._asked == asked:
            self._replanner.close(pairs(closed - self._closed, self._grid.shape))
        else:
            shut = _shut(closed, cuts, self._grid)
            self._replanner = Replanner(self._blocked, goals, self._near, shut)
        self._asked, self._closed = asked, closed
        return self._replanner.path(self._here)


class Costs(NamedTuple):
    """Cheapest paths: a step costs 1, and a cell what ``cost`` says."""

    grid: JointGrid
    here: Cell
    cost: np.ndarray

    def plan(self, goals: np.ndarray, closed: set[Step], cuts: AxisCuts) -> np.ndarray | None:  # noqa: D102
        return cheapest_path(self.cost, self.here, goals, _shut(closed, cuts, self.grid), self.grid.periodic)


class Own(NamedTuple):
    """A planner of the user, and the map for it by goals and closed steps. It knows nothing of cuts."""

    planner: WithPlan
    believed: Callable[[np.ndarray, set[Step]], BelievedMap]

    def plan(self, goals: np.ndarray, closed: set[Step], _: AxisCuts) -> np.ndarray | None:  # noqa: D102
        return self.planner.plan(self.believed(goals, closed)).cells


def within_limits(arm: Arm, grid: JointGrid, rows: np.ndarray) -> np.ndarray:
    """(..., n) bool: whether angles (..., n) [rad] are within their limits; True where axes are open."""
    low, high = arm.position_limits.T
    return (rows >= low) & (rows <= high) | ~np.array(grid.periodic)


def one_more(cuts: AxisCuts, arm: Arm, joint: int, angle: float) -> list[AxisCuts]:
    """The same cuts and one more: a turn of a joint within its limits, that holds its angle now [rad]."""
    low, high = arm.position_limits[joint]
    least, most = max(low, angle - TURN + numbers.CUT_ASIDE), min(angle - numbers.CUT_ASIDE, high - TURN)
    begins = dict.fromkeys((float(np.clip(angle - 0.5 * TURN, least, most)), least, most))
    return [(*cuts, (joint, begin)) for begin in begins]


def cut_steps(cut: tuple[int, float], grid: JointGrid) -> np.ndarray:
    """(m, 2, n) cells before and behind a cut: the steps over it."""
    joint, begin = cut
    is_joint, shape = np.arange(len(grid.shape)) == joint, np.array(grid.shape)
    first = math.floor(grid.along(np.where(is_joint, begin, grid.lower))[joint] - 0.5) + 1
    others = np.indices(np.where(is_joint, 1, shape)).reshape(len(shape), -1).T
    return np.stack([others + is_joint * (first - 1), others + is_joint * first], axis=1) % shape


def _shut(closed: set[Step], cuts: AxisCuts, grid: JointGrid) -> np.ndarray:
    """Closed steps and those over cuts, as the planners take them."""
    return np.concatenate([pairs(closed, grid.shape), *(cut_steps(cut, grid) for cut in cuts)])
