"""Cells or steps are closed: repair a settled limit network instead of settling it anew.

First, in order of their distance, all cells that have lost their last shortest path are cleared (Even and Shiloach
1981); then they are reached again from the cells around them, nearest first (Ramalingam and Reps 1996).
Labels are sums of the same steps in the same order as those of a new start, so they are equal to the last bit.
"""

from heapq import heappop, heappush

import numpy as np

from dynamics.kernels.decorators import inlined, kernel
from hopfield_nav.planning.ascent import beside, locate, neighbour, own_place
from hopfield_nav.planning.closed import is_closed

GIVEN_UP = -1


@inlined
def _is_held(field, at, own):
    """Whether a neighbour of the cell `at` still gives it its label `own`."""
    label, nothing, step, offset, shape, wrap, place, closed = field
    first = own_place(at, place) * step.size
    for k in range(step.size):
        j = neighbour(at, offset, k, shape, wrap, place)
        if j >= 0 and label[j] != nothing and label[j] + step[k] == own and not is_closed(closed, first + k):
            return True
    return False


@inlined
def _best(field, at):
    """Label that the neighbours give the cell `at`; `nothing` where none has one."""
    label, nothing, step, offset, shape, wrap, place, closed = field
    best, first = nothing, own_place(at, place) * step.size
    for k in range(step.size):
        j = neighbour(at, offset, k, shape, wrap, place)
        if j < 0 or label[j] == nothing or is_closed(closed, first + k):
            continue
        if best == nothing or label[j] + step[k] < best:
            best = label[j] + step[k]
    return best


@kernel
def _push_children(field, at, own, heap):
    """Queue the neighbours of the cell `at` whose label may come from its former label `own`."""
    label, _, step, offset, shape, wrap, place, _ = field
    for k in range(step.size):
        j = neighbour(at, offset, k, shape, wrap, place)
        if j >= 0 and label[j] == own + step[k]:
            heappush(heap, (label[j], beside(at, offset, k, shape, wrap)))


@kernel
def _settle_again(field, blocked, heap, most):
    """Clear the queued cells that have no shortest path any more, and all that lose theirs; reach them again.

    In place; returns how many were cleared, or GIVEN_UP.
    """
    label, nothing, shape, place = field.label, field.nothing, field.shape, field.place
    at, cleared = np.empty(shape.size, np.int64), np.empty(most, np.int64)
    count = 0
    while len(heap) > 0:
        own, j = heappop(heap)
        locate(j, shape, at)
        i = own_place(at, place)
        if label[i] != own or _is_held(field, at, own):
            continue
        if count == most:
            return GIVEN_UP
        cleared[count] = j
        count += 1
        label[i] = nothing
        _push_children(field, at, own, heap)
    if count > 0:
        _reach_again(field, blocked, cleared[:count])
    return count


@kernel
def block(field, blocked, cell, most):
    """Repair the labels of a limit.Field, in place, after the ``cell``, not a target, is blocked.

    ``blocked`` (cells,) includes it; cells are counted in C order. Returns how many cells lost their label, or
    GIVEN_UP if more than ``most``, after which the labels are worthless.
    """
    at = np.empty(field.shape.size, np.int64)
    locate(cell, field.shape, at)
    i = own_place(at, field.place)
    own = field.label[i]
    if own == field.nothing:
        return 0
    heap = [(own, np.int64(cell))]
    heap.pop()
    field.label[i] = field.nothing
    _push_children(field, at, own, heap)
    return _settle_again(field, blocked, heap, most)


@kernel
def close(field, blocked, cells, steps, most):
    """Repair the labels, in place, after steps, among those of `field.closed`, are closed; as `block`.

    ``cells`` (m,) are those from which the steps with these numbers (m,) lead, in both directions.
    """
    label, nothing, step, offset, shape, wrap, place, _ = field
    at = np.empty(shape.size, np.int64)
    heap = [(label[0], np.int64(0))]
    heap.pop()
    for n in range(cells.size):
        locate(cells[n], shape, at)
        i, j = own_place(at, place), neighbour(at, offset, steps[n], shape, wrap, place)
        if label[i] != nothing and label[j] != nothing and label[j] + step[steps[n]] == label[i]:
            heappush(heap, (label[i], cells[n]))
    return _settle_again(field, blocked, heap, most)


@kernel
def _reach_again(field, blocked, cells):
    """Give cleared ``cells`` (m,), in C order, their labels from around, in place."""
    label, nothing, step, offset, shape, wrap, place, closed = field
    at = np.empty(shape.size, np.int64)
    heap = [(label[0], np.int64(0))]
    heap.pop()
    for n in range(cells.size):
        locate(cells[n], shape, at)
        best = _best(field, at)
        if best != nothing and not blocked[cells[n]]:
            heappush(heap, (label.dtype.type(best), cells[n]))
    while len(heap) > 0:
        own, cell = heappop(heap)
        locate(cell, shape, at)
        i = own_place(at, place)
        if label[i] != nothing and label[i] <= own:
            continue
        label[i] = own
        for k in range(step.size):
            j = neighbour(at, offset, k, shape, wrap, place)
            if j < 0 or is_closed(closed, i * step.size + k):
                continue
            beyond = label.dtype.type(own + step[k])
            if label[j] == nothing or beyond < label[j]:
                other = beside(at, offset, k, shape, wrap)
                if not blocked[other]:
                    heappush(heap, (beyond, other))
