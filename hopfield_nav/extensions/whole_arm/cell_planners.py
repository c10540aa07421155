"""The network, asked for a path over cells again and again while checks close more steps.

A closed axis may be cut where a path over it would turn
a joint beyond its limits.
"""

import math
from typing import NamedTuple

import numpy as np

from dynamics import Arm
from hopfield_nav.extensions.whole_arm import numbers
from hopfield_nav.extensions.whole_arm.grid import TURN, JointGrid
from hopfield_nav.navigation.map import Cell, Step, pairs
from hopfield_nav.planning import Landscape, Replanner, first_axis_first, neighbourhood_of

AxisCuts = tuple[tuple[int, float], ...]  # joints, and angles over which they shall not turn [rad]


class Network:
    """The network: shortest paths past blocked cells. It settles on from its last answer while steps are closed."""

    def __init__(self, grid: JointGrid, here: Cell, blocked: np.ndarray) -> None:
        self._grid, self._here, self._blocked = grid, here, blocked
        self._replanner: Replanner | None = None
        self._asked: tuple[list[list[int]], AxisCuts] | None = None
        self._closed = set[Step]()

    @property
    def landscape(self) -> Landscape | None:
        """The network as it stands; None where a cut parts the map."""
        cut = self._asked is None or self._asked[1]
        return None if self._replanner is None or cut else self._replanner.landscape

    def plan(self, goals: np.ndarray, closed: set[Step], cuts: AxisCuts) -> np.ndarray | None:  # noqa: D102
        map_, shape, asked = opened(cuts, self._grid), self._grid.shape, (goals.tolist(), cuts)
        if self._replanner is not None and self._asked == asked:
            self._replanner.close(map_.steps(pairs(closed - self._closed, shape)))
        else:
            near = neighbourhood_of(shape, periodic=map_.periodic, ties=first_axis_first(len(shape)))
            shut = map_.steps(pairs(closed, shape))
            self._replanner = Replanner(map_.of(self._blocked), map_.cells(goals), near, shut)
        self._asked, self._closed = asked, closed
        return map_.back(self._replanner.path(tuple(map_.cells(np.array(self._here)))))


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


class Opened(NamedTuple):
    """A map whose cut axes begin behind their cuts and end there: steps between its cells are those over no cut."""

    shift: tuple[int, ...]  # number of the cell of each axis that is its first
    shape: tuple[int, ...]
    periodic: tuple[bool, ...]  # which axes are left closed

    def of(self, values: np.ndarray) -> np.ndarray:
        """Numbers about the cells of the map, in the order of this one."""
        return np.roll(values, tuple(-k for k in self.shift), range(len(self.shape))) if any(self.shift) else values

    def cells(self, cells: np.ndarray) -> np.ndarray:
        """Cells (..., n) of the map, as this one counts them."""
        return (cells - np.array(self.shift)) % np.array(self.shape)

    def steps(self, steps: np.ndarray) -> np.ndarray:
        """The same of pairs of neighbours (m, 2, n), without those that a cut parts."""
        ends = self.cells(steps)
        return ends[(self.periodic | (np.abs(ends[:, 0] - ends[:, 1]) <= 1)).all(axis=1)]

    def back(self, cells: np.ndarray | None) -> np.ndarray | None:
        """Cells (..., n) of this map, as the whole one counts them; None stays None."""
        return None if cells is None else (cells + np.array(self.shift)) % np.array(self.shape)


def opened(cuts: AxisCuts, grid: JointGrid) -> Opened:
    """The map of a grid, open where it is cut."""
    shift, closed = [0] * len(grid.shape), list(grid.periodic)
    for joint, begin in cuts:
        at = np.where(np.arange(len(shift)) == joint, begin, grid.lower)
        shift[joint] = (math.floor(grid.along(at)[joint] - 0.5) + 1) % grid.shape[joint]
        closed[joint] = False
    return Opened(tuple(shift), grid.shape, tuple(closed))
