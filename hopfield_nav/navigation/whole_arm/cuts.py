"""Closed axes that are cut, because a path over them would turn a joint beyond its limits."""

import math

import numpy as np

from dynamics import Arm
from hopfield_nav.navigation.whole_arm.grid import TURN, JointGrid

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


def steps_over(cuts: Cuts, grid: JointGrid) -> np.ndarray:
    """Pairs (m, 2, n) of the cells that cuts part."""
    shape, found = grid.shape, [np.zeros((0, 2, len(grid.shape)), dtype=int)]
    for joint, begin in cuts:
        at = np.where(np.arange(len(shape)) == joint, begin, grid.lower)
        last = math.floor(grid.along(at)[joint] - 0.5)
        line = [np.arange(n) if k != joint else np.array([last, last + 1]) % n for k, n in enumerate(shape)]
        cells = np.stack(np.meshgrid(*line, indexing="ij"), axis=-1)
        found.append(np.moveaxis(cells, joint, -2).reshape(-1, 2, len(shape)))
    return np.concatenate(found)
