"""The network "limit": max in place of the sum, whose activations are exact shortest distances.

With sigma_i = max_j beta^(length_ij) sigma_j in place of ragazzon2012 (6.9) the equilibrium is
sigma_i = beta^(distance_i): each neuron counts its shortest path alone, where the summing network
counts all walks. Distances are kept, not activations, so that nothing underflows and beta drops
out.

Where all steps are equally long they are hops, of `limit_bits`; else sums of lengths, by Dial's
buckets. Cells wait in buckets of one shortest step's width. No step leads from a bucket back into
itself, so all cells of the nearest bucket are final, in any order (Dial 1969; Denardo and Fox
1979). Where the longest step is very much longer than the shortest, buckets are wider. A cell that
is improved while its bucket is emptied then waits in it again, which is exact too. No border is
tested: the grid has a rim as wide as the longest step. Behind an open edge the rim is shut. Behind
an edge of a closed axis its cells are ghosts of the cells on the other side, whose place ``fold``
finds. Cells with a closed step have a bit in their state, so that only they are asked which of
their steps it is.
"""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from dynamics.kernels.decorators import inlined, kernel
from hopfield_nav.planning.ascent import UNREACHED, descend
from hopfield_nav.planning.closed import NONE_CLOSED, by_place, is_closed
from hopfield_nav.planning.limit_bits import blocks, levels
from hopfield_nav.planning.neighbourhood import Neighbourhood
from hopfield_nav.planning.plan import NO_PATH, Landscape, Plan

OPEN, SHUT, GHOST = 0, 1, 2
MOST_BUCKETS = 4096
WAITS = 4  # bit of the state: the cell stands in the bucket of its distance
SOME_CLOSED = 8  # bit of the state of an open cell: one of its steps is closed
END = -1


class Field(NamedTuple):
    """A settled limit network."""

    label: np.ndarray  # (places,) how far each place is from the nearest target: int32, 1 + hops, or float64, a length
    nothing: float  # label of a place that is blocked or from which there is no path; 0 or inf
    step: np.ndarray  # (k,) difference of labels that belongs to a step
    offset: np.ndarray  # (k, rank) the step in cells, in tie order
    shape: np.ndarray  # (rank,) cells along each axis
    wrap: np.ndarray  # (rank,) bool, which axes are closed
    place: np.ndarray  # (rank, longest) the place of a cell is the sum of its entries
    closed: np.ndarray  # (n,) int64, sorted keys of the closed steps by place, see `closed`


def plan_in_field(
    field: Field, near: Neighbourhood, start: Sequence[int], closed: np.ndarray = NONE_CLOSED
) -> Plan:
    """The path down the distances of a settled limit network; ``closed`` are the keys of its closed steps."""
    cells, steps, reached = descend(field, np.array(start, np.int64))
    length = float(np.add.reduce(near.length[steps])) if reached else np.inf
    settled = Landscape(partial(activation_grid, field, near), near, closed, False)
    return Plan(
        cells if reached else None, "" if reached else NO_PATH, length, "limit", landscape=settled
    )


def solve(
    blocked: np.ndarray,
    near: Neighbourhood,
    targets: Sequence[int] | np.ndarray,
    closed: np.ndarray = NONE_CLOSED,
) -> Field:
    """Settle the limit network on a bool grid; a target (rank,), or several (m, rank), counts as free."""
    grid = np.ascontiguousarray(blocked)
    if near.uniform:
        layout = blocks(near.shape, near.periodic)
        aim = _cells(targets, len(layout.place))
        doors = (
            _guarded(closed, near, layout.place)
            if closed.size
            else (closed, np.empty((0, len(near.offset)), int))
        )
        label = levels(layout, grid.reshape(-1), aim, *doors)
        step, keys = np.ones(len(near.length), np.int64), by_place(closed, near, layout.place)
        return Field(
            label, UNREACHED, step, near.offset, layout.shape, layout.wrap, layout.place, keys
        )
    padded, state = pad(grid, near)
    goals = places_of(padded.place, targets)
    state[goals] = OPEN
    keys = by_place(closed, near, padded.place)
    cells = keys // len(near.length)
    state[cells[state[cells] == OPEN]] = SOME_CLOSED
    label = distances(padded, near.length, state, goals, keys)
    return Field(
        label, np.inf, near.length, near.offset, padded.shape, padded.wrap, padded.place, keys
    )


def _guarded(
    closed: np.ndarray, near: Neighbourhood, place: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Places (g,) of the cells with a closed step, and those (g, k) from which each may be entered; -1: none.

    ``closed`` are sorted keys with cells in C order, and ``place`` is the table of the layout.
    """
    of, way = np.divmod(closed, len(near.offset))
    first = np.diff(of, prepend=-1) != 0
    shut = np.zeros((np.count_nonzero(first), len(near.offset)), bool)
    shut[np.cumsum(first) - 1, way] = True
    cells, axes = np.stack(np.unravel_index(of[first], near.shape), axis=-1), np.arange(len(place))
    beside, inside = near.beside(cells[:, None], near.offset)
    doors = place[axes, beside].sum(axis=-1)
    return place[axes, cells].sum(axis=-1), np.where(inside & ~shut, doors, -1)


def places_of(place: np.ndarray, cells: Sequence[int] | np.ndarray) -> np.ndarray:
    """Places (m,) of a cell (rank,) or several (m, rank) from the table `place` (rank, longest)."""
    return np.asarray(place[np.arange(len(place)), _cells(cells, len(place))].sum(axis=1))


def _cells(cells: Sequence[int] | np.ndarray, rank: int) -> np.ndarray:
    """A cell (rank,) or several (m, rank) as rows that a kernel takes."""
    return np.array(cells, np.int64, order="C").reshape(-1, rank)


def activation_grid(field: Field, near: Neighbourhood) -> np.ndarray:
    """Minus the distances to the nearest target in the unit of `spacing`, as a grid; -inf where there is no path."""
    first, *others = (row[:n] for row, n in zip(field.place, near.shape, strict=True))
    within = (
        sum(np.ix_(*others)) if others else np.int64(0)
    )  # a slice at a time: places are twice as large as labels
    grid, hop = np.empty(near.shape), near.length[0] if near.uniform else 1.0
    for k, place in enumerate(first):
        label = field.label[place + within]
        grid[k] = np.where(
            label != field.nothing, hop * (label - (field.nothing == UNREACHED)), np.inf
        )
    return 0.0 - grid


class Padded(NamedTuple):
    """The layout of one map."""

    shape: np.ndarray  # (rank,) cells along each axis
    wrap: np.ndarray  # (rank,) bool, which axes are closed
    stride: np.ndarray  # (rank,) of the padded grid
    reach: int  # width of the rim
    step: np.ndarray  # (k,) of the neighbours, as a difference of places
    place: np.ndarray  # (rank, longest) int64; the place of a cell is the sum of its entries


def pad(blocked: np.ndarray, near: Neighbourhood) -> tuple[Padded, np.ndarray]:
    """Lay out a bool grid; with the layout comes the state of all places: OPEN, SHUT or GHOST, uint8."""
    reach = int(np.abs(near.offset).max())
    wide = np.array(blocked.shape) + 2 * reach
    stride = np.append(np.cumprod(wide[:0:-1])[::-1], 1)
    place = np.zeros((blocked.ndim, max(blocked.shape)), np.int64)
    for axis, n in enumerate(blocked.shape):
        place[axis, :n] = (np.arange(n) + reach) * stride[axis]
    state = np.full(wide, SHUT, np.uint8)
    inner = [slice(reach, -reach)] * blocked.ndim
    state[tuple(slice(None) if w else s for w, s in zip(near.wrap, inner, strict=True))] = GHOST
    state[tuple(inner)] = blocked
    layout = Padded(np.array(blocked.shape), near.wrap, stride, reach, near.offset @ stride, place)
    return layout, state.reshape(-1)


@kernel
def distances(layout, length, state, targets, closed):
    """Shortest distances (places,) to the nearest of the targets' places (m,), inf where there is no path.

    ``length`` (k,) is that of the steps, ``state`` (places,) that of `pad` with the targets OPEN,
    also changed in place; the open cells of the ``closed`` keys (n,) by place are SOME_CLOSED.
    """
    shape, stride, reach, step = layout.shape, layout.stride, layout.reach, layout.step
    distance, width = np.full(state.size, np.inf), max(length.min(), length.max() / MOST_BUCKETS)
    per_width = 1.0 / width
    head = np.full(np.int64(length.max() * per_width) + 3, END, np.int64)
    used, spare, waiting, now = targets.size, END, targets.size, 0
    cell, after = np.empty(used + 1024, np.int64), np.empty(used + 1024, np.int64)
    for m in range(used):
        cell[m], after[m], head[0] = targets[m], head[0], m
        distance[targets[m]] = 0.0
        state[targets[m]] |= WAITS
    while waiting > 0:
        node = head[now % head.size]
        if node == END:
            now += 1
            continue
        head[now % head.size] = after[node]
        after[node] = spare
        spare = node
        waiting -= 1
        i = cell[node]
        here = distance[i]
        if np.int64(here * per_width) != now:
            continue  # an older, longer entry
        state[i] &= ~np.uint8(WAITS)
        gated = state[i] & SOME_CLOSED != 0
        for k in range(step.size):
            j = i + step[k]
            if state[j] == SHUT or (gated and is_closed(closed, i * step.size + k)):
                continue
            if state[j] == GHOST:
                j = fold(j, shape, stride, reach)
                if state[j] == SHUT:
                    continue
            beyond = here + length[k]
            if beyond < distance[j]:
                stands = state[j] & WAITS != 0 and np.int64(distance[j] * per_width) == np.int64(
                    beyond * per_width
                )
                if not stands:  # in that very bucket
                    if spare != END:
                        node, spare = spare, after[spare]
                    else:
                        if used == cell.size:
                            cell, after = (
                                np.concatenate((cell, cell)),
                                np.concatenate((after, after)),
                            )
                        node = used
                        used += 1
                    slot = np.int64(beyond * per_width) % head.size
                    cell[node], after[node], head[slot] = j, head[slot], node
                    waiting += 1
                    state[j] |= WAITS
                distance[j] = beyond
    return distance


@inlined
def fold(place, shape, stride, reach):
    """Place of the cell whose ghost stands at `place`."""
    own = place
    for a in range(shape.size):
        at = place // stride[a] % (shape[a] + 2 * reach) - reach
        if at < 0:
            own += shape[a] * stride[a]
        elif at >= shape[a]:
            own -= shape[a] * stride[a]
    return own
