"""A grid over the joint angles: cells and their centres."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dynamics import Arm, BadInput
from hopfield_nav.world import World


class JointGrid(NamedTuple):
    """Equal cells between two angles of every joint.

    Attributes:
        lower: (n,) angles at which the first cells begin [rad].
        upper: (n,) angles at which the last cells end [rad].
        shape: cells of each joint; the only cell of an axis has its centre in the middle of the two angles.
    """

    lower: np.ndarray
    upper: np.ndarray
    shape: tuple[int, ...]

    @property
    def spacing(self) -> np.ndarray:
        """Width of the cells of each joint (n,) [rad]."""
        return (self.upper - self.lower) / np.array(self.shape)

    def centre(self, cell: Sequence[int] | np.ndarray) -> np.ndarray:
        """Joint angles in the middle of cells (..., n) [rad]; a cell may lie outside."""
        return self.lower + (np.asarray(cell) + 0.5) * self.spacing

    def cell_of(self, q: np.ndarray) -> tuple[int, ...]:
        """The cell whose centre is nearest to joint angles (n,) [rad]; it may lie outside."""
        width = np.where(self.spacing > 0.0, self.spacing, np.inf)  # an axis of one angle has one cell
        return tuple(int(c) for c in np.floor((np.asarray(q) - self.lower) / width))

    def inside(self, cell: Sequence[int]) -> bool:
        """Whether the grid has this cell."""
        return all(0 <= c < size for c, size in zip(cell, self.shape, strict=True))

    def axis_values(self) -> list[np.ndarray]:
        """Angles of the centres along each axis [rad]."""
        pairs = zip(self.lower, self.spacing, self.shape, strict=True)
        return [low + (np.arange(size) + 0.5) * width for low, width, size in pairs]


def default_bounds(arm: Arm, start: np.ndarray, shape: Sequence[int]) -> JointGrid:
    """One turn of every joint, half of it to each side of the start, as far as the joint limits allow.

    An axis of one cell ends as far below the start as above: its only angle is that of the start.

    Args:
        arm: the arm.
        start: (n,) joint angles [rad].
        shape: cells of each joint.

    Raises:
        BadInput: a start of another shape or beyond the limits, or a shape that is not n numbers from 1 on.
    """
    n, middle, sizes = len(arm.dh), np.asarray(start, dtype=np.float64), tuple(int(size) for size in shape)
    low, high = arm.position_limits.T
    if len(sizes) != n or min(sizes) < 1:
        raise BadInput("wrong shape of a joint grid", found=sizes, allowed=f"{n} numbers from 1 on")
    if middle.shape != (n,) or not np.all((low < middle) & (middle < high)):
        raise BadInput("wrong start of a joint grid", found=start, allowed=f"{n} angles within the limits")
    below, above = np.minimum(math.pi, middle - low), np.minimum(math.pi, high - middle)
    single = np.array(sizes) == 1
    both = np.minimum(below, above)
    return JointGrid(middle - np.where(single, both, below), middle + np.where(single, both, above), sizes)


def grid_of(world: World, arm: Arm, start: np.ndarray) -> JointGrid:
    """The map of a world; an axis of one cell has the start's angle."""
    grid = default_bounds(arm, start, world.map.shape)
    given = world.map
    lower = grid.lower if given.lower is None else np.array(given.lower)
    upper = grid.upper if given.upper is None else np.array(given.upper)
    bad = np.flatnonzero(~(lower < upper))
    if bad.size:
        i = int(bad[0])
        raise BadInput(
            "no room between the bounds of a joint", where=f"map.lower.{i}", found=float(lower[i]),
            allowed=f"below {upper[i]:.6g} rad",
        )  # fmt: skip
    return JointGrid(lower, upper, grid.shape)
