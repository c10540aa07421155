"""The network "sum" on very large grids of several axes: plain doubles, row by row, without a table.

Rows lie along the last axis. A sweep visits them outward from the target along every axis, so that
one sweep carries the activation through all open space. Where a way is so long that a double could
underflow, it stops: `equilibrium` has no such limit, but needs a table of all connections.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.compiled import inlined, kernel
from hopfield_nav.equilibrium import counts_as_none
from hopfield_nav.neighbours import Stencil

SMALLEST = 1e-290  # of an activation; times beta >= 1e-17 it is still a normal double


class Rows(NamedTuple):
    """The connections of a grid, sorted by row.

    Attributes:
        shape: (rank,) cells along each axis.
        wrap: (rank,) bool, which axes are closed.
        stride: (rank,) of cells in C order.
        order: (rank, longest) coordinates from the target outward.
        across: (m, rank) steps to other rows; last column along the row.
        along: (l,) steps within the row.
    """

    shape: np.ndarray
    wrap: np.ndarray
    stride: np.ndarray
    order: np.ndarray
    across: np.ndarray
    along: np.ndarray


def rows(shape: tuple[int, ...], near: Stencil, target: tuple[int, ...]) -> Rows:
    """Sort the connections of a grid by row.

    Args:
        shape: cells along each axis.
        near: stencil.
        target: cell.

    Returns:
        What `relax` needs.
    """
    order = np.zeros((len(shape), max(shape)), np.int64)
    for axis, (n, at) in enumerate(zip(shape, target, strict=True)):
        gap = np.abs(np.arange(n) - at)
        gap = np.minimum(gap, n - gap) if near.wrap[axis] else gap
        order[axis, :n] = np.argsort(gap, kind="stable")
    stride = np.append(np.cumprod(shape[:0:-1])[::-1], 1).astype(np.int64)
    leaves = (near.offset[:, :-1] != 0).any(axis=1)
    along = near.offset[~leaves, -1].copy()
    return Rows(np.array(shape), near.wrap, stride, order, near.offset[leaves], along)


@inlined
def _first_of(row, step, layout):
    """First cell of the row at a step from the row with leading coordinates `row`; -1 beyond an edge."""
    found = 0
    for a in range(row.size):
        c = row[a] + step[a]
        if c < 0 or c >= layout.shape[a]:
            if not layout.wrap[a]:
                return -1
            c += layout.shape[a] if c < 0 else -layout.shape[a]
        found += c * layout.stride[a]
    return found


@inlined
def _add_row(values, first, step, wraps, total):
    """Add to `total` (n,) the row that begins at `first`, moved by `step`; in place."""
    n = total.size
    for x in range(max(0, -step), min(n, n - step)):
        total[x] += values[first + x + step]
    if wraps and step > 0:
        for x in range(n - step, n):
            total[x] += values[first + x + step - n]
    if wraps and step < 0:
        for x in range(-step):
            total[x] += values[first + x + step + n]


@inlined
def _in_row(values, first, x, along, wraps, n):
    """Sum of the neighbours of cell x within its own row."""
    found = 0.0
    for step in along:
        y = x + step
        if wraps:
            y = y + n if y < 0 else (y - n if y >= n else y)
        if 0 <= y < n:
            found += values[first + y]
    return found


@kernel
def _gather(values, row, layout, total):
    """Sum of the neighbours in other rows, `total` (n,), for the row with leading coordinates `row`."""
    total[:] = 0.0
    last = row.size
    for m in range(layout.across.shape[0]):
        other = _first_of(row, layout.across[m], layout)
        if other >= 0:
            _add_row(values, other, layout.across[m, last], layout.wrap[last], total)


@kernel
def _relax_row(values, blocked, first, target, layout, beta, omega, tolerance, total):
    """Relax the cells of one row, outward; in place. Returns whether any moved, and the smallest."""
    n, wraps, along = total.size, layout.wrap[layout.shape.size - 1], layout.along
    moved, least = False, 1.0
    for m in range(n):
        x = layout.order[layout.shape.size - 1, m]
        i = first + x
        if blocked[i] or i == target:
            continue
        goal = beta * (total[x] + _in_row(values, first, x, along, wraps, n))
        if goal > 0.0:
            new = min(max(goal + (omega - 1.0) * (goal - values[i]), 0.5 * goal), 1.0)
            moved |= abs(new - values[i]) > tolerance * new
            values[i] = new
            least = min(least, new)
    return moved, least


@kernel
def _next(counter, row, layout):
    """Advance the leading coordinates `row` to the next row outward; False behind the last; in place."""
    a = row.size - 1
    while a >= 0:
        counter[a] += 1
        if counter[a] < layout.shape[a]:
            row[a] = layout.order[a, counter[a]]
            return True
        counter[a] = 0
        row[a] = layout.order[a, 0]
        a -= 1
    return False


@kernel
def _sweep(values, blocked, target, layout, beta, omega, tolerance):
    """One over-relaxed sweep; in place. Returns whether any cell moved, and the smallest activation."""
    leading = layout.shape.size - 1
    counter, row = np.zeros(leading, np.int64), layout.order[:leading, 0].copy()
    total = np.empty(layout.shape[leading])
    moved, least, more = False, 1.0, True
    while more:
        first = 0
        for a in range(leading):
            first += row[a] * layout.stride[a]
        _gather(values, row, layout, total)
        here, small = _relax_row(values, blocked, first, target, layout, beta, omega, tolerance, total)
        moved |= here
        least = min(least, small)
        more = _next(counter, row, layout)
    return moved, least


@kernel
def relax(values, blocked, target, layout, beta, eigenvalue, most_sweeps, tolerance):
    """Settle the summing network, ragazzon2012 (6.9), from the activations it has.

    Args:
        values: (cells,) activations in C order, 1 at the target; in place.
        blocked: (cells,) bool.
        target: its number in C order.
        layout: Rows.
        beta: slope, at least 1e-17.
        eigenvalue: largest eigenvalue of T, or a bound above it.
        most_sweeps: where to stop at the latest.
        tolerance: relative change of a cell that counts as none, at least that of rounding.

    Returns:
        Number of sweeps, whether the last one moved no cell, and whether no activation came near the
        smallest double. If not, the activations are worthless.
    """
    omega = 2.0 / (1.0 + np.sqrt(1.0 - (beta * eigenvalue) ** 2))
    sweeps, moved, safe = 0, True, True
    while moved and safe and sweeps < most_sweeps:
        moved, least = _sweep(
            values, blocked, target, layout, beta, omega, max(tolerance, counts_as_none(omega, sweeps))
        )
        safe = least > SMALLEST
        sweeps += 1
    return sweeps, not moved, safe
