"""The network "limit" in the plane where all steps are equally long: hops to the target, cell by cell.

A wave in the plane is a line. A block of `limit_bits` would hold a few of its cells, and in a maze one, so they wait
in a queue, and a byte a cell says where the wave may still go. The grid has a rim of one cell that is shut; the place
of a cell is a sum of one number an axis, which ``place`` lists.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from dynamics.kernels.decorators import inlined, kernel

ARMS = 64  # cells of a wave, up to which it is taken for the arms of one in a maze


class Plane(NamedTuple):
    """The layout of one grid; arrays are read-only because the result is cached."""

    shape: np.ndarray  # (2,) cells along each axis
    place: np.ndarray  # (2, longest) int64; the place of a cell is the sum of its entries


@lru_cache(maxsize=8)
def plane(shape: tuple[int, int]) -> Plane:
    """Lay out a grid with its rim."""
    place = np.zeros((2, max(shape)), np.int64)
    place[0, : shape[0]] = np.arange(1, shape[0] + 1) * (shape[1] + 2)
    place[1, : shape[1]] = np.arange(1, shape[1] + 1)
    found = Plane(np.array(shape), place)
    for array in found:
        array.setflags(write=False)
    return found


def plane_levels(blocked: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Levels (places,) int32 of a wave over a bool grid from the targets' cells (m, 2), which count as free.

    They are those of `plane_wave`. NumPy lays large arrays in large pages, which a compiled function does not.
    """
    shut = np.ones((blocked.shape[0] + 2, blocked.shape[1] + 2), bool)
    shut[1:-1, 1:-1] = blocked
    level = np.zeros(shut.size, np.int32)
    plane_wave(shut, cells, level)
    return level


@kernel
def plane_wave(grid, cells, level):
    """Number all cells by their hops from the nearest of the targets' cells (m, 2), whose level is 1.

    The wave enters the cells of a ``grid`` with a rim that are False, sets them to True, and writes 1 + hops into
    ``level`` (places,) of zeros; both in place. A wave of one cell, or a wide one, mostly goes on as it did
    before, which the processor foresees. That of a maze has several arms, and where each turns is foreseen by
    nothing: it is let in without a branch.
    """
    row, shut = grid.shape[1], grid.reshape(-1)
    here, there = np.empty(shut.size, np.int64), np.empty(shut.size, np.int64)
    count, hop = 0, 0
    for m in range(len(cells)):
        grid[cells[m, 0] + 1, cells[m, 1] + 1] = False
    for m in range(len(cells)):
        count = _enter((cells[m, 0] + 1) * row + cells[m, 1] + 1, shut, here, count)
    while count > 0:
        hop += 1
        reached = 0
        in_arms = 1 < count <= ARMS
        for n in range(count):
            i = here[n]
            level[i] = hop
            if in_arms:
                reached = _enter_along(i, row, shut, there, reached)
                reached = _enter_along(i, 1, shut, there, reached)
            else:
                for j in (i + row, i - row, i + 1, i - 1):
                    reached = _enter(j, shut, there, reached)
        here, there, count = there, here, reached


@inlined
def _enter(place, shut, queue, count):
    """The wave enters a cell that is open; returns the number of queued cells."""
    if not shut[place]:
        shut[place] = True
        queue[count] = place
        count += 1
    return count


@inlined
def _enter_along(place, step, shut, queue, count):
    """The wave enters the cells on both sides that are open, mostly one at most; returns the number of queued cells."""
    ahead, behind = np.int64(shut[place + step]), np.int64(shut[place - step])
    shut[place + step] = shut[place - step] = True
    queue[count] = place + step * (behind - ahead)
    count += ahead ^ behind
    if ahead + behind == 0:
        queue[count], queue[count + 1] = place + step, place - step
        count += 2
    return count
