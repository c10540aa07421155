"""The cheapest path over a grid whose cells cost something beside the step: Dial's buckets, one step wide.

Every step costs 1 and what the cell costs that it leads to, so nothing improves a cell of its own bucket (Dial 1969).
The network has no such costs: methods of the literature that it is compared with plan so.
"""

from collections.abc import Sequence

import numpy as np

from dynamics import BadInput
from dynamics.kernels.decorators import inlined, kernel
from hopfield_nav.planning.ascent import beside, locate
from hopfield_nav.planning.closed import closed_keys, is_closed
from hopfield_nav.planning.neighbourhood import first_axis_first, neighbourhood_of

MAX_COST = 1000.0  # that a cell may cost; more is taken for as much
_END = -1


def cheapest_path(
    cost: np.ndarray,
    start: tuple[int, ...],
    goals: np.ndarray,
    closed: np.ndarray | None = None,
    periodic: Sequence[bool] | None = None,
) -> np.ndarray | None:
    """The path along the axes (k, rank) with the least sum of steps and costs; None where there is none.

    Costs are those of the cells, at least 0, in steps; infinite where a cell is blocked. The start's own does not
    count; the cheapest of the goals (m, rank) is taken, among equals the earlier axis first. Axes may be periodic;
    ``closed`` (k, 2, rank) are pairs of neighbouring cells between which there is no step.

    Raises ``BadInput``: a start or goal outside the grid, a negative cost or NaN, or closed steps that are none.
    """
    shape = cost.shape
    ends = np.concatenate([np.array(start, dtype=np.int64)[None], np.asarray(goals).reshape(-1, len(shape))])
    outside = ((ends < 0) | (ends >= np.array(shape))).any(axis=1)
    if outside.any():
        allowed = f"below {shape}"
        raise BadInput("cell outside the grid", found=ends[outside.argmax()].tolist(), allowed=allowed)
    if not (cost >= 0.0).all():
        raise BadInput("a cost is no cost", found=float(np.nanmin(cost)), allowed="0 or more")
    near = neighbourhood_of(shape, periodic=periodic, ties=first_axis_first(len(shape)))
    first, *last = np.ravel_multi_index(tuple(ends.T), shape)
    flat = np.ascontiguousarray(cost, dtype=np.float32).reshape(-1)
    keys = closed_keys(closed, near)
    ends = np.array(last, dtype=np.int64)
    found = _search(flat, np.array(shape), near.wrap, near.offset, keys, np.int64(first), ends)
    return None if found.size == 0 else np.column_stack(np.unravel_index(found, shape))


@kernel
def _search(cost, shape, wrap, offset, closed, start, goals):
    """Cells from the start to a goal, counted in C order; empty where there is no path."""
    total = np.full(cost.size, np.inf, np.float32)  # from a cell to the nearest goal
    head = np.full(int(MAX_COST) + 3, _END, np.int64)
    cell, after = np.empty(goals.size + 1024, np.int64), np.empty(goals.size + 1024, np.int64)
    used, spare, waiting, now = 0, _END, 0, 0
    at = np.empty(shape.size, np.int64)
    for goal in goals:
        if cost[goal] < np.inf and total[goal] > 0.0:
            total[goal] = 0.0
            cell[used], after[used], head[0] = goal, head[0], used
            used += 1
            waiting += 1
    while waiting > 0 and total[start] >= now:
        node = head[now % head.size]
        if node == _END:
            now += 1
            continue
        head[now % head.size], after[node], spare = after[node], spare, node
        waiting -= 1
        c = cell[node]
        if int(total[c]) != now:  # it was reached more cheaply since
            continue
        locate(c, shape, at)
        reached = total[c] + np.float32(1.0) + min(cost[c], np.float32(MAX_COST))
        for k in range(offset.shape[0]):
            other = beside(at, offset, k, shape, wrap)
            if other < 0 or cost[other] == np.inf or reached >= total[other]:
                continue
            if is_closed(closed, other * offset.shape[0] + (k ^ 1)):  # the step back, as ties are "+u, -u, +v, …"
                continue
            total[other] = reached
            if spare != _END:
                fresh, spare = spare, after[spare]
            else:
                if used == cell.size:
                    cell, after = np.concatenate((cell, cell)), np.concatenate((after, after))
                fresh = used
                used += 1
            slot = int(reached) % head.size
            cell[fresh], after[fresh], head[slot] = other, head[slot], fresh
            waiting += 1
    path = np.empty(0 if total[start] == np.inf else int(total[start]) + 2, np.int64)  # a step costs 1 or more
    if path.size == 0:
        return path
    path[0] = start
    return path[: _descend(total, cost, shape, wrap, offset, closed, at, path)].copy()


@inlined
def _descend(total, cost, shape, wrap, offset, closed, at, path):
    """Go on with a path down the totals, by the first step that leads to what a cell's own is made of."""
    count = 1
    while total[path[count - 1]] > 0.0:
        c = path[count - 1]
        locate(c, shape, at)
        best, best_total = np.int64(_END), np.float32(np.inf)
        for k in range(offset.shape[0]):
            other = beside(at, offset, k, shape, wrap)
            if other < 0 or is_closed(closed, c * offset.shape[0] + k):
                continue
            reached = total[other] + np.float32(1.0) + min(cost[other], np.float32(MAX_COST))
            if reached < best_total:
                best, best_total = other, reached
        path[count] = best
        count += 1
    return count
