"""Closed axes that are cut, because a path over them would turn a joint beyond its limits."""

import math
from typing import NamedTuple

import numpy as np

from dynamics import Arm
from hopfield_nav.extensions.whole_arm.grid import TURN, JointGrid

_ASIDE = 1e-6  # [rad] so far behind the arm lies a cut beside it, which may be at the centre of a cell
Cuts = tuple[tuple[int, float], ...]  # joints, and angles over which they shall not turn [rad]


def within_limits(arm: Arm, grid: JointGrid, rows: np.ndarray) -> np.ndarray:
    """(..., n) bool: whether angles (..., n) [rad] are within their limits; True where axes are open."""
    low, high = arm.position_limits.T
    return (rows >= low) & (rows <= high) | ~np.array(grid.periodic)


def one_more(cuts: Cuts, arm: Arm, joint: int, angle: float) -> list[Cuts]:
    """The same cuts and one more: a turn of a joint within its limits, that holds its angle now [rad]."""
    low, high = arm.position_limits[joint]
    least, most = max(low, angle - TURN + _ASIDE), min(angle - _ASIDE, high - TURN)
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
        found = self.cells(steps)
        return found[(self.periodic | (np.abs(found[:, 0] - found[:, 1]) <= 1)).all(axis=1)]

    def back(self, cells: np.ndarray | None) -> np.ndarray | None:
        """Cells (..., n) of this map, as the whole one counts them; None stays None."""
        return None if cells is None else (cells + np.array(self.shift)) % np.array(self.shape)


def opened(cuts: Cuts, grid: JointGrid) -> Opened:
    """The map of a grid, open where it is cut."""
    shift, closed = [0] * len(grid.shape), list(grid.periodic)
    for joint, begin in cuts:
        at = np.where(np.arange(len(shift)) == joint, begin, grid.lower)
        shift[joint] = (math.floor(grid.along(at)[joint] - 0.5) + 1) % grid.shape[joint]
        closed[joint] = False
    return Opened(tuple(shift), grid.shape, tuple(closed))
