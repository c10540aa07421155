"""Steepest ascent in a settled network, from activations to cells (ragazzon2012, 6.1.2, C.2.3).

Columns of the neighbour table stand in tie order, so the first of equally good neighbours is taken.
Activations that differ by rounding alone count as equal.
"""

import numpy as np

from dynamics.kernels.decorators import inlined, kernel
from hopfield_nav.planning.closed import is_closed
from hopfield_nav.planning.sum_exact import RADIX

SAME_ACTIVATION = 1e-10  # relative
SAME_DISTANCE = 1e-12  # relative

UNREACHED = 0  # hops of a place to which none lead; the target has 1


@kernel
def _larger(mantissa, exponent, i, j):
    """Whether the activation of i is larger than that of j: exponents first, then mantissas."""
    if exponent[i] != exponent[j]:
        return exponent[i] > exponent[j]
    return mantissa[i] > mantissa[j]


@kernel
def _equal(mantissa, exponent, i, best):
    """Whether the activation of i is that of the best, but for rounding."""
    gap = exponent[i] - exponent[best]
    if gap < -1:
        return False
    value = mantissa[i] if gap == 0 else mantissa[i] / RADIX
    return value >= (1.0 - SAME_ACTIVATION) * mantissa[best]


@kernel
def step_up(table, i, mantissa, exponent):
    """Neighbour of cell i with the largest activation; i itself where none exceeds its own."""
    best = i
    for k in range(table.shape[1]):
        j = np.int64(table[i, k])
        if _larger(mantissa, exponent, j, best):
            best = j
    for k in range(table.shape[1]):
        j = np.int64(table[i, k])
        if _larger(mantissa, exponent, j, i) and _equal(mantissa, exponent, j, best):
            return j
    return i


@kernel
def climb(table, start, target, mantissa, exponent, cells):
    """Steepest ascent in the summing network; returns the length of the path.

    Its last cell is the target unless the ascent stopped. A start may be blocked, then its
    neighbours decide. The table (cells, k) has neighbours in tie order; ``cells`` (cells + 1,)
    takes the path's flat indices.
    """
    cells[0] = start
    count = 1
    while cells[count - 1] != target:
        i = step_up(table, cells[count - 1], mantissa, exponent)
        if i == cells[count - 1]:
            break
        cells[count] = i
        count += 1
    return count


@kernel
def climb_cells(table, length, shape, start, target, mantissa, exponent):
    """The path of `climb` as cells (k, rank), how long it is, and whether it arrives.

    Its length is in the unit of ``length`` (k,), the lengths of the steps to the table's columns.
    """
    path = np.empty(mantissa.size, np.int64)
    count = climb(table, start, target, mantissa, exponent, path)
    cells = np.empty((count, shape.size), np.int64)
    for n in range(count):
        locate(path[n], shape, cells[n])
    total = 0.0
    for n in range(1, count):
        total += length[_column_of(table, path[n - 1], path[n])]
    return cells, total, path[count - 1] == target


@inlined
def _column_of(table, i, j):
    """The first column of the table in which the neighbour of cell i is the cell j."""
    column = 0
    while table[i, column] != j:
        column += 1
    return column


@inlined
def neighbour(at, offset, k, shape, wrap, place):
    """Place of the neighbour at step k of the cell `at` (rank,); -1 where the grid ends."""
    there = 0
    for a in range(shape.size):
        c = at[a] + offset[k, a]
        if c < 0 or c >= shape[a]:
            if not wrap[a]:
                return -1
            c += shape[a] if c < 0 else -shape[a]
        there += place[a, c]
    return there


@inlined
def beside(at, offset, k, shape, wrap):
    """Number in C order of the cell at step k from ``at``; -1 where the grid ends."""
    number = 0
    for a in range(shape.size):
        c = at[a] + offset[k, a]
        if c < 0 or c >= shape[a]:
            if not wrap[a]:
                return -1
            c += shape[a] if c < 0 else -shape[a]
        number = number * shape[a] + c
    return number


@inlined
def locate(cell, shape, at):
    """Coordinates `at` (rank,) of a cell counted in C order; in place."""
    rest = cell
    for a in range(shape.size - 1, -1, -1):
        at[a] = rest % shape[a]
        rest //= shape[a]


@inlined
def own_place(at, place):
    """Place of the cell `at` (rank,)."""
    there = 0
    for a in range(at.size):
        there += place[a, at[a]]
    return there


@inlined
def best_label(at, field):
    """Label that the neighbours of the cell `at` (rank,) give it; inf where none has one."""
    label, nothing, step, offset, shape, wrap, place, closed = field
    best = np.inf
    first = own_place(at, place) * step.size
    for k in range(step.size):
        j = neighbour(at, offset, k, shape, wrap, place)
        if j >= 0 and label[j] != nothing and not is_closed(closed, first + k):
            best = min(best, step[k] + label[j])
    return best


@inlined
def step_nearer(at, field):
    """Number of the step from the cell `at` (rank,) along a shortest path, -1 where there is none.

    It leads to the neighbour that sets the activation of the cell, max_j beta^(length_ij) sigma_j.
    The label of a free cell is the best that its neighbours give; a blocked cell has none.
    """
    label, nothing, step, offset, shape, wrap, place, closed = field
    own = own_place(at, place)
    best = np.float64(label[own])
    if label[own] == nothing:
        best = best_label(at, field)
    for k in range(step.size):
        j = neighbour(at, offset, k, shape, wrap, place)
        if j < 0 or label[j] == nothing or is_closed(closed, own * step.size + k):
            continue
        if step[k] + label[j] <= (1.0 + SAME_DISTANCE) * best:
            return k
    return -1


@kernel
def descend(field, start):
    """Steepest ascent from a cell (rank,) in the limit network: down the distances of a `Field`.

    A start may be blocked, then its neighbours decide. Returns the cells (k, rank) to a target or
    to where no step leads on; the numbers of the steps (k - 1,); whether it ends at a target.
    """
    _, _, _, offset, shape, _, _, _ = field
    at_target = 1.0 if field.nothing == UNREACHED else 0.0
    cells = np.empty((64, shape.size), np.int64)
    steps = np.empty(64, np.int64)
    cells[0] = start
    count = 1
    while field.label[own_place(cells[count - 1], field.place)] != at_target:
        k = step_nearer(cells[count - 1], field)
        if k < 0:
            break
        if count == steps.size:
            cells = np.concatenate((cells, cells))
            steps = np.concatenate((steps, steps))
        steps[count - 1] = k
        for a in range(shape.size):
            cells[count, a] = (cells[count - 1, a] + offset[k, a]) % shape[a]
        count += 1
    arrived = field.label[own_place(cells[count - 1], field.place)] == at_target
    return cells[:count].copy(), steps[: count - 1].copy(), arrived
