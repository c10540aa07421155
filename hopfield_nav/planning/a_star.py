"""A* over the cells of the map (Hart, Nilsson and Raphael 1968)."""

import heapq
from collections.abc import Sequence

import numpy as np

from dynamics.kernels.decorators import kernel
from hopfield_nav.planning.ascent import beside, locate
from hopfield_nav.planning.closed import closed_keys, is_closed
from hopfield_nav.planning.neighbourhood import neighbourhood_of
from hopfield_nav.planning.plan import NO_PATH, Plan, way_back


def plan_a_star(
    blocked: np.ndarray,
    start: Sequence[int],
    goal: Sequence[int],
    radius: float = 1.0,
    closed: np.ndarray | Sequence | None = None,
) -> Plan:
    """The shortest path over cells.

    A blocked start or goal counts as free, as in ``planning.replan``. ``closed`` are pairs of cells
    without a step between them, see `planning.plan_path`.

    Raises ``BadInput``: a radius below 1, or closed steps that are none of the grid.
    """
    near = neighbourhood_of(blocked.shape, radius)
    keys = closed_keys(closed, near)
    grid = np.array(blocked, dtype=bool)
    grid[tuple(start)] = False
    grid[tuple(goal)] = False
    first = int(np.ravel_multi_index(tuple(start), grid.shape))
    last = int(np.ravel_multi_index(tuple(goal), grid.shape))
    shape = np.array(grid.shape, np.int64)
    # whether all steps go along one axis: then the path is at least the sum over the axes
    city = bool((np.count_nonzero(near.offset, axis=1) == 1).all())
    flat = grid.reshape(-1)
    before, length = _search(flat, shape, near.offset, near.length, first, last, city, keys)
    if not np.isfinite(length):
        return Plan(None, NO_PATH, np.inf, "a_star")
    cells = np.stack(np.unravel_index(way_back(before, first, last), grid.shape), axis=1)
    return Plan(cells, "", float(length), "a_star")


@kernel
def _least(i, last, shape, city):
    """What is left of the path from the cell i to the last one at least, in cells.

    ``city``: all steps go along one axis, as in the streets of a city.
    """
    total = 0.0
    for a in range(shape.size - 1, -1, -1):
        gap = abs(i % shape[a] - last % shape[a])
        total += gap if city else gap * gap
        i //= shape[a]
        last //= shape[a]
    return total if city else np.sqrt(total)


@kernel
def _search(blocked, shape, offset, length, first, last, city, closed):
    """Where each cell was reached from, and the length of the path; inf where there is none."""
    known = np.full(blocked.size, np.inf)  # length of the shortest path to each cell so far
    before = np.full(blocked.size, -1, np.int64)
    done = np.zeros(blocked.size, np.bool_)
    at = np.empty(shape.size, np.int64)
    wrap = np.zeros(shape.size, np.bool_)
    known[first] = 0.0
    queue = [(_least(first, last, shape, city), first)]
    while len(queue) > 0:
        _, i = heapq.heappop(queue)
        if i == last:
            return before, known[last]
        if done[i]:
            continue
        done[i] = True
        locate(i, shape, at)
        for k in range(len(offset)):
            j = beside(at, offset, k, shape, wrap)
            if j < 0 or blocked[j] or known[i] + length[k] >= known[j]:
                continue
            if is_closed(closed, i * len(offset) + k):
                continue
            known[j] = known[i] + length[k]
            before[j] = i
            heapq.heappush(queue, (known[j] + _least(j, last, shape, city), j))
    return before, np.inf
