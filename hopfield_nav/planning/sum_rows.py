"""The network "sum" on very large grids of several axes: plain doubles, row by row, no table.

Rows lie along the last axis. A sweep visits them outward from the target along every axis, so that
one sweep carries the activation through all open space. Where a path is so long that a double could
underflow, it stops: `sum_exact` has no such limit, but needs a table of all connections.
"""

from typing import NamedTuple

import numpy as np

from dynamics.kernels.decorators import inlined, kernel
from hopfield_nav.planning.neighbourhood import Neighbourhood, strides
from hopfield_nav.planning.sum_exact import PATIENCE, counts_as_none

SMALLEST = 1e-290  # of an activation; times beta >= 1e-17 it is still a normal double


class LayerRows(NamedTuple):
    """The connections of a grid, sorted by row."""

    shape: np.ndarray  # (rank,) cells along each axis
    wrap: np.ndarray  # (rank,) bool, which axes are closed
    stride: np.ndarray  # (rank,) of cells in C order
    order: np.ndarray  # (rank, longest) coordinates from the target outward
    across: np.ndarray  # (m, rank) steps to other rows; last column along the row
    jump: np.ndarray  # (m,) the leading part of `across` as a difference of cell numbers
    along: np.ndarray  # (l,) steps within the row
    reach: int  # the longest step along an axis


def sort_by_row(near: Neighbourhood, target: tuple[int, ...]) -> LayerRows:
    """Sort the connections of a grid by row, outward from a target (rank,), as `relax` needs them.

    A connection leads to another row if it is a step along any axis but the last.
    """
    shape = near.shape
    order = np.zeros((len(shape), max(shape)), np.int64)
    for axis, (n, at) in enumerate(zip(shape, target, strict=True)):
        gap = np.abs(np.arange(n) - at)
        gap = np.minimum(gap, n - gap) if near.wrap[axis] else gap
        order[axis, :n] = np.argsort(gap, kind="stable")
    stride = strides(np.array(shape))
    leaves_row = (near.offset[:, :-1] != 0).any(axis=1)
    across = near.offset[leaves_row]
    return LayerRows(
        shape=np.array(shape),
        wrap=near.wrap,
        stride=stride,
        order=order,
        across=across,
        jump=across[:, :-1] @ stride[:-1],
        along=near.offset[~leaves_row, -1].copy(),
        reach=int(np.abs(near.offset).max()),
    )


@inlined
def _first_of(row, step, layout):
    """First cell of the row that lies at a step from `row` (rank - 1,); -1 beyond an edge."""
    first = 0
    for a in range(row.size):
        c = row[a] + step[a]
        if c < 0 or c >= layout.shape[a]:
            if not layout.wrap[a]:
                return -1
            c += layout.shape[a] if c < 0 else -layout.shape[a]
        first += c * layout.stride[a]
    return first


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
def _gather(values, row, first, layout, total):
    """Sum of the neighbours in other rows, `total` (n,), of the row that begins at `first`."""
    total[:] = 0.0
    last = row.size
    inside = True  # no step from the row leads over an edge
    for a in range(last):
        inside &= layout.reach <= row[a] < layout.shape[a] - layout.reach
    for m in range(layout.jump.size):
        other = first + layout.jump[m] if inside else _first_of(row, layout.across[m], layout)
        if other >= 0 and layout.across[m, last] == 0:
            for x in range(total.size):
                total[x] += values[other + x]
        elif other >= 0:
            _add_row(values, other, layout.across[m, last], layout.wrap[last], total)


@inlined
def _load(values, first, layout, own):
    """Copy a row and what lies before and behind it into `own` (n + 2 reach,); in place."""
    last = layout.shape.size - 1
    reach = layout.reach
    n = layout.shape[last]
    for x in range(n):
        own[reach + x] = values[first + x]
    if layout.wrap[last]:
        for x in range(reach):
            own[x] = values[first + n - reach + x]
            own[reach + n + x] = values[first + x]


@inlined
def _relax_row(values, shut, first, layout, rule, total, own):
    """Relax the cells of one row, outward; in place. Returns whether any moved, and the smallest.

    ``rule``: beta, over-relaxation, and the relative change that counts as none.
    """
    beta, omega, tolerance = rule
    reach = layout.reach
    order = layout.order[layout.shape.size - 1]
    moved = False
    least = 1.0
    for m in range(total.size):
        x = order[m]
        if shut[first + x]:
            continue
        goal = total[x]
        for step in layout.along:
            goal += own[reach + x + step]
        goal *= beta
        if goal > 0.0:
            old = own[reach + x]
            new = min(max(goal + (omega - 1.0) * (goal - old), 0.5 * goal), 1.0)
            moved |= abs(new - old) > tolerance * new
            own[reach + x] = new
            values[first + x] = new
            least = min(least, new)
    return moved, least


@kernel
def _next(counter, row, layout):
    """Move the leading coordinates `row` to the next row outward; False behind the last one."""
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
def _sweep(values, shut, layout, rule):
    """One over-relaxed sweep, in place: whether any cell moved, and the smallest activation."""
    leading = layout.shape.size - 1
    counter = np.zeros(leading, np.int64)
    row = layout.order[:leading, 0].copy()
    total = np.empty(layout.shape[leading])
    own = np.zeros(layout.shape[leading] + 2 * layout.reach)
    moved = False
    least = 1.0
    more = True
    while more:
        first = 0
        for a in range(leading):
            first += row[a] * layout.stride[a]
        _gather(values, row, first, layout, total)
        _load(values, first, layout, own)
        here, small = _relax_row(values, shut, first, layout, rule, total, own)
        moved |= here
        least = min(least, small)
        more = _next(counter, row, layout)
    return moved, least


@kernel
def relax(values, shut, layout, beta, eigenvalue, most_sweeps, tolerance):
    """Settle the summing network, ragazzon2012 (6.9), from the activations (cells,) that it has.

    In place. The target, at 1, and blocked cells are ``shut`` (cells,); beta is at least 1e-17, and
    ``tolerance`` the relative change of a cell that counts as none, at least that of rounding.
    ``eigenvalue`` is that of the grid without obstacles, or a bound above it: among many obstacles
    the over-relaxation that suits it makes the sweeps swing. Where they have not settled in twice
    the time that they should take, half of it goes on.
    Returns the number of sweeps, whether the last one moved no cell, and whether no activation came
    near the smallest double. If not, the activations are worthless.
    """
    omega = 2.0 / (1.0 + np.sqrt(1.0 - (beta * eigenvalue) ** 2))
    sweeps = 0
    since = 0  # sweeps with this over-relaxation
    moved = True
    safe = True
    while moved and safe and sweeps < most_sweeps:
        if since * (2.0 - omega) > 2.0 * PATIENCE:
            omega = 1.0 + 0.5 * (omega - 1.0)
            since = 0
        rule = beta, omega, max(tolerance, counts_as_none(omega, since))
        moved, least = _sweep(values, shut, layout, rule)
        safe = least > SMALLEST
        sweeps += 1
        since += 1
    return sweeps, not moved, safe
