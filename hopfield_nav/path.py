"""Steepest ascent through a settled network: from activations to cells (ragazzon2012, 6.1.2, C.2.3).

Columns of the neighbour table stand in tie order, so the first of equally good neighbours is taken.
Activations that differ by rounding alone count as equal.
"""

from __future__ import annotations

import numpy as np

from dynamics.compiled import kernel
from hopfield_nav.equilibrium import RADIX

SAME_ACTIVATION = 1e-10  # relative
SAME_DISTANCE = 1e-12  # relative


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
    """Neighbour of cell i with the largest activation, or i itself where none is larger than its own."""
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
def step_nearer(table, length, i, distance):
    """Neighbour of cell i on a shortest way, or i itself where there is none.

    It is the one that sets the activation of cell i, max_j beta^(length_ij) sigma_j.
    """
    best = np.inf
    for k in range(table.shape[1]):
        best = min(best, length[k] + distance[table[i, k]])
    for k in range(table.shape[1]):
        if best < np.inf and length[k] + distance[table[i, k]] <= (1.0 + SAME_DISTANCE) * best:
            return np.int64(table[i, k])
    return i


@kernel
def climb(table, start, target, mantissa, exponent, cells):
    """Steepest ascent in the summing network; fills `cells` with flat indices.

    Args:
        table: (cells, k) neighbours in tie order.
        start: flat index; it may be blocked, then its neighbours decide.
        target: flat index.
        mantissa: (cells + 1,) of `equilibrium`.
        exponent: (cells + 1,) of `equilibrium`.
        cells: (cells + 1,) int64, in place.

    Returns:
        Length of the path in `cells`; its last cell is the target unless the ascent stopped.
    """
    cells[0], count = start, 1
    while cells[count - 1] != target:
        i = step_up(table, cells[count - 1], mantissa, exponent)
        if i == cells[count - 1]:
            break
        cells[count] = i
        count += 1
    return count


@kernel
def descend(table, length, start, target, distance, cells):
    """Steepest ascent in the limit network, down its distances; arguments and result as in `climb`.

    `length` (k,) are the steps, `distance` (cells + 1,) those of `distance.shortest`.
    """
    cells[0], count = start, 1
    while cells[count - 1] != target:
        i = step_nearer(table, length, cells[count - 1], distance)
        if i == cells[count - 1]:
            break
        cells[count] = i
        count += 1
    return count


@kernel
def step_lengths(table, length, cells, count):
    """Length of a path of flat indices, in the unit of `length`."""
    total = 0.0
    for n in range(count - 1):
        for k in range(table.shape[1]):
            if table[cells[n], k] == cells[n + 1]:
                total += length[k]
                break
    return total
