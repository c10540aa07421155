"""The network "limit" in the plane where all steps are equally long: hops to the target, cell by cell.

A wave in the plane is a line. A block of `limit_bits` would hold a few of its cells, and in a maze one, so they wait
in a queue, and a byte a cell says where the wave may still go. The grid has a rim of one cell that is shut.
"""

from functools import lru_cache

import numpy as np

from dynamics.kernels.decorators import inlined, kernel
from hopfield_nav.planning.limit_bits import NONE, ONE

ARMS = np.uint64(64)  # cells of a wave, up to which they are taken for those of a maze


@lru_cache(maxsize=8)
def plane_places(shape: tuple[int, int]) -> np.ndarray:
    """The table (2, longest) whose entries add up to the place of a cell; read-only because it is cached."""
    place = np.zeros((2, max(shape)), np.int64)
    for along, n, step in zip(place, shape, (shape[1] + 2, 1), strict=True):
        along[:n] = np.arange(1, n + 1) * step
    place.setflags(write=False)
    return place


def plane_levels(blocked: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Levels (places,) int32 of a wave over a bool grid from the targets' cells (m, 2), which count as free.

    They are those of `plane_wave`. NumPy keeps large arrays in large pages, which compiled code does not.
    """
    shut = np.ones((blocked.shape[0] + 2, blocked.shape[1] + 2), bool)
    shut[1:-1, 1:-1] = blocked
    level = np.zeros(shut.size, np.int32)
    plane_wave(shut, cells, level)
    return level


@kernel
def plane_wave(grid, cells, level):
    """Number all cells by their hops from the nearest of the targets' cells (m, 2), whose level is 1.

    The wave enters the cells of a bool ``grid`` with a rim that are not shut, shuts them, and writes 1 + hops into
    ``level`` (places,) of zeros; both in place. One cell alone, or a wide wave, mostly goes on as before, which the
    processor foresees. Where each of the few cells of a wave in a maze turns it does not: they ask without a branch.
    """
    row, shut = np.uint64(grid.shape[1]), grid.reshape(-1)
    here, there = np.empty(shut.size, np.uint64), np.empty(shut.size, np.uint64)
    count, hop = NONE, 0
    for m in range(len(cells)):
        grid[cells[m, 0] + 1, cells[m, 1] + 1] = False
    for m in range(len(cells)):
        count = _enter(np.uint64(cells[m, 0] + 1) * row + np.uint64(cells[m, 1] + 1), shut, here, count)
    while count > NONE:
        hop += 1
        reached = NONE
        in_maze = ONE < count <= ARMS
        for n in range(count):
            i = here[n]
            level[i] = hop
            if in_maze:
                reached = _enter_along(i, row, shut, there, reached)
                reached = _enter_along(i, ONE, shut, there, reached)
            else:
                for j in (i + row, i - row, i + ONE, i - ONE):
                    reached = _enter(j, shut, there, reached)
        here, there, count = there, here, reached


@inlined
def _enter(place, shut, queue, count):
    """The wave enters a cell that is open; returns the number of queued cells."""
    if not shut[place]:
        shut[place] = True
        queue[count] = place
        count += ONE
    return count


@inlined
def _enter_along(place, step, shut, queue, count):
    """The wave enters the cells on both sides, of which one at most is mostly open; as `_enter`."""
    ahead, behind = np.uint64(shut[place + step]), np.uint64(shut[place - step])
    shut[place + step] = shut[place - step] = True
    queue[count] = place + step * (behind - ahead)
    count += ahead ^ behind
    if ahead | behind == NONE:
        queue[count], queue[count + ONE] = place + step, place - step
        count += ONE + ONE
    return count
