"""The network "limit": max in place of the sum, whose activations are exact shortest distances.

With sigma_i = max_j beta^(length_ij) sigma_j in place of ragazzon2012 (6.9) the equilibrium is
sigma_i = beta^(distance_i): each neuron counts its shortest path alone, where the summing network
counts all walks. Distances are kept, not activations, so that nothing underflows and beta drops
out.

It is settled in one of two ways, and both stay. Where all steps are equally long `limit_bits`
counts hops, 64 cells at a time. Where they are not, distances are sums of lengths, by Dial's
buckets below, which take several times as long, up to some thirty times, on a map that either could
settle.

Cells wait in buckets of one shortest step's width. No step leads from a bucket back into itself, so
all cells of the nearest bucket are final, in any order (Dial 1969; Denardo and Fox 1979). Where the
longest step is very much longer than the shortest, buckets are wider. A cell that is improved while
its bucket is emptied then waits in it again, which is exact too.

No border is tested: the grid has a rim as wide as the longest step. Behind an open edge the rim is
shut. Behind an edge of a closed axis its cells are ghosts of the cells on the other side, whose
place ``fold`` finds. Cells with a closed step have a bit in their state, so that only they are
asked which of their steps it is.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from dynamics.kernels.decorators import inlined, kernel
from hopfield_nav.planning.ascent import UNREACHED, descend, locate
from hopfield_nav.planning.closed import NONE_CLOSED, by_place, is_closed
from hopfield_nav.planning.limit_bits import (
    blocks,
    first_levels,
    further_levels,
    levels,
    room_for,
)
from hopfield_nav.planning.neighbourhood import Neighbourhood, neighbourhood_of, strides
from hopfield_nav.planning.plan import NO_PATH, Landscape, Plan
from hopfield_nav.planning.unchecked import unchecked

OPEN, SHUT, GHOST = 0, 1, 2
MOST_BUCKETS = 4096
WAITS = 4  # bit of the state: the cell stands in the bucket of its distance
SOME_CLOSED = 8  # bit of the state of an open cell: one of its steps is closed
END = -1  # in place of an entry: a bucket has no more
NOWHERE = -1  # in place of a place: no step leads there
NO_DOORS = np.empty((0, 0), np.int64)
ENTRIES = 1024  # of all buckets, for which there is room at first


class Field(NamedTuple):
    """A settled limit network."""

    # (places,) how far each place is from the nearest target: int32, 1 + hops, or float64, a length
    # (or, where they are few, uint8)
    label: np.ndarray
    nothing: float  # label of a place that is blocked or without a path to a target; 0 or inf
    step: np.ndarray  # (k,) difference of labels that belongs to a step
    offset: np.ndarray  # (k, rank) the step in cells, in tie order
    shape: np.ndarray  # (rank,) cells along each axis
    wrap: np.ndarray  # (rank,) bool, which axes are closed
    place: np.ndarray  # (rank, longest) the place of a cell is the sum of its entries
    closed: np.ndarray  # (n,) int64, sorted keys of the closed steps by place, see `closed`


def plan_limit(
    blocked: np.ndarray, near: Neighbourhood, start: int, goal: int, closed: np.ndarray
) -> Plan:
    """Settle the limit network on a bool grid, and the path down its distances.

    Start and goal are flat indices, and the goal counts as free; ``closed`` are the keys of closed
    steps, with cells in C order.
    """
    grid = np.ascontiguousarray(blocked)
    if near.uniform:
        return _plan_hops(grid, near, start, goal, closed)
    field = _solve_lengths(grid, near, near.cell(goal), closed)
    return plan_in_field(field, near, near.cell(start), closed)


def plan_in_field(
    field: Field, near: Neighbourhood, start: Sequence[int], closed: np.ndarray = NONE_CLOSED
) -> Plan:
    """The path down the distances of a settled limit network, from a start (rank,).

    ``closed`` are the keys of its closed steps.
    """
    cells, steps, reached = descend(field, np.array(start, np.int64))
    return _as_plan(cells, steps, reached, field, near, closed)


def _as_plan(
    cells: np.ndarray,
    steps: np.ndarray,
    reached: bool,
    field: Field,
    near: Neighbourhood,
    closed: np.ndarray,
) -> Plan:
    """What `descend` found, as a plan."""
    settled = Landscape(partial(activation_grid, field, near), near, closed, sums=False)
    if not reached:
        return Plan(None, NO_PATH, np.inf, "limit", landscape=settled)
    return Plan(cells, "", near.length_of(steps), "limit", landscape=settled)


def _plan_hops(
    blocked: np.ndarray, near: Neighbourhood, start: int, goal: int, closed: np.ndarray
) -> Plan:
    """Count hops and walk down them; arguments as of `plan_limit`."""
    layout = blocks(near.shape, near.periodic)
    keys, guarded, doors = _by_place(closed, near, layout.place)
    words, queues, level = room_for(layout)
    field = Field(
        level, UNREACHED, near.hop, near.offset, layout.shape, layout.wrap, layout.place, keys
    )
    flat = blocked.reshape(-1)
    count, hop, cells, steps, reached = _unchecked_settle_and_walk()(
        layout, flat, words, queues, guarded, doors, field, goal, start
    )
    if count == 0:
        return _as_plan(cells, steps, reached, field, near, closed)
    label = further_levels(layout, words, queues, count, hop, level, guarded, doors)
    return plan_in_field(field._replace(label=label), near, near.cell(start), closed)


@kernel
def _settle_and_walk(layout, blocked, words, queues, guarded, doors, field, goal, start):
    """Settle the network as far as bytes count hops, and walk down them: one call for a small map.

    Start and goal are flat indices, the other arguments those of `first_levels`, whose levels are
    the labels of the ``field``, in place. Returns what `first_levels` does, the wave's count and
    hop, and what `descend` does, which is right where the wave came to an end: its count is 0.
    """
    at = np.empty((1, field.shape.size), np.int64)
    locate(goal, field.shape, at[0])
    count, hop = first_levels(layout, blocked, at, words, queues, field.label, guarded, doors)
    locate(start, field.shape, at[0])
    cells, steps, reached = descend(field, at[0])
    return count, hop, cells, steps, reached


@lru_cache(maxsize=1)
def _unchecked_settle_and_walk() -> Callable:
    """`_settle_and_walk`, whose calls skip the check of their arguments' types.

    The grid of one cell is an example: it has the types of every other, whatever its values.
    """
    near = neighbourhood_of((1,))
    layout = blocks((1,), (False,))
    _, guarded, doors = _by_place(NONE_CLOSED, near, layout.place)
    words, queues, level = room_for(layout)
    field = Field(
        label=level,
        nothing=UNREACHED,
        step=near.hop,
        offset=near.offset,
        shape=layout.shape,
        wrap=layout.wrap,
        place=layout.place,
        closed=NONE_CLOSED,
    )
    blocked = np.zeros(1, bool)
    goal = 0
    start = 0
    return unchecked(
        _settle_and_walk, layout, blocked, words, queues, guarded, doors, field, goal, start
    )


def solve(
    blocked: np.ndarray,
    near: Neighbourhood,
    targets: Sequence[int] | np.ndarray,
    closed: np.ndarray = NONE_CLOSED,
) -> Field:
    """Settle the limit network on a bool grid.

    A target (rank,), or several (m, rank), counts as free; ``closed`` are the keys of closed steps.
    """
    grid = np.ascontiguousarray(blocked)
    if near.uniform:
        return _solve_hops(grid, near, targets, closed)
    return _solve_lengths(grid, near, targets, closed)


def _solve_hops(
    blocked: np.ndarray,
    near: Neighbourhood,
    targets: Sequence[int] | np.ndarray,
    closed: np.ndarray,
) -> Field:
    """Count hops by `limit_bits`; arguments as of `solve`."""
    layout = blocks(near.shape, near.periodic)
    keys, guarded, doors = _by_place(closed, near, layout.place)
    aims = _as_rows(targets, len(near.shape))
    return Field(
        label=levels(layout, blocked.reshape(-1), aims, guarded, doors),
        nothing=UNREACHED,
        step=near.hop,
        offset=near.offset,
        shape=layout.shape,
        wrap=layout.wrap,
        place=layout.place,
        closed=keys,
    )


def _solve_lengths(
    blocked: np.ndarray,
    near: Neighbourhood,
    targets: Sequence[int] | np.ndarray,
    closed: np.ndarray,
) -> Field:
    """Sum lengths by Dial's buckets; arguments as of `solve`."""
    padded, state = pad(blocked, near)
    goals = places_of(padded.place, targets)
    state[goals] = OPEN
    keys = by_place(closed, near, padded.place)
    cells = keys // len(near.length)
    state[cells[state[cells] == OPEN]] = SOME_CLOSED
    return Field(
        label=distances(padded, near.length, state, goals, keys),
        nothing=np.inf,
        step=near.length,
        offset=near.offset,
        shape=padded.shape,
        wrap=padded.wrap,
        place=padded.place,
        closed=keys,
    )


def _by_place(
    closed: np.ndarray, near: Neighbourhood, place: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Closed steps as the walk and the wave need them, by the table ``place`` (rank, longest).

    ``closed`` are sorted keys with cells in C order. Given are: the keys by place; the places of
    the cells with a closed step, (g,); and the places from which each may be entered, (g, k), of
    which -1 is none.
    """
    if closed.size == 0:
        return closed, closed, NO_DOORS
    guarded, doors = _guarded(closed, near, place)
    return by_place(closed, near, place), guarded, doors


def _guarded(
    closed: np.ndarray, near: Neighbourhood, place: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The cells with a closed step, (g,), and the cells from which each may be entered, (g, k).

    Both are places of the table ``place`` (rank, longest); -1 where a step is closed or leads out.
    ``closed`` are sorted keys with cells in C order, one at least.
    """
    steps = len(near.offset)
    cell, step = np.divmod(closed, steps)
    is_first = np.diff(cell, prepend=-1) != 0  # of the keys of its cell
    row = np.cumsum(is_first) - 1
    shut = np.zeros((row[-1] + 1, steps), bool)
    shut[row, step] = True
    cells = np.stack(np.unravel_index(cell[is_first], near.shape), axis=-1)
    beside, inside = near.beside(cells[:, None], near.offset)
    axes = np.arange(len(place))
    doors = place[axes, beside].sum(axis=-1)
    return place[axes, cells].sum(axis=-1), np.where(inside & ~shut, doors, NOWHERE)


def places_of(place: np.ndarray, cells: Sequence[int] | np.ndarray) -> np.ndarray:
    """Places (m,) of a cell (rank,) or several (m, rank) from the table `place` (rank, longest)."""
    rank = len(place)
    return np.asarray(place[np.arange(rank), _as_rows(cells, rank)].sum(axis=1))


def _as_rows(cells: Sequence[int] | np.ndarray, rank: int) -> np.ndarray:
    """A cell (rank,) or several (m, rank) as rows that a kernel takes."""
    return np.array(cells, np.int64, order="C").reshape(-1, rank)


def activation_grid(field: Field, near: Neighbourhood) -> np.ndarray:
    """Minus the distance of every cell to the nearest target, as a grid in the unit of `spacing`.

    It is -inf where there is no path.
    """
    counts_hops = field.nothing == UNREACHED
    first, *others = (row[:n] for row, n in zip(field.place, near.shape, strict=True))
    within = sum(np.ix_(*others)) if others else np.int64(0)
    grid = np.empty(near.shape)
    for k, place in enumerate(first):  # a slice at a time: places take twice the room of labels
        label = field.label[place + within]
        distance = label
        if counts_hops:
            distance = near.length[0] * np.subtract(label, 1, dtype=np.float64)
        grid[k] = np.where(label != field.nothing, distance, np.inf)
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
    """Lay out a bool grid with a rim.

    With the layout comes the state of all places: OPEN, SHUT or GHOST, uint8.
    """
    reach = int(np.abs(near.offset).max())
    wide = np.array(blocked.shape) + 2 * reach
    stride = strides(wide)
    place = np.zeros((blocked.ndim, max(blocked.shape)), np.int64)
    for axis, n in enumerate(blocked.shape):
        place[axis, :n] = (np.arange(n) + reach) * stride[axis]
    inner = [slice(reach, -reach)] * blocked.ndim
    with_ghosts = [
        slice(None) if closed else own for own, closed in zip(inner, near.wrap, strict=True)
    ]
    state = np.full(wide, SHUT, np.uint8)
    state[tuple(with_ghosts)] = GHOST
    state[tuple(inner)] = blocked
    layout = Padded(
        shape=np.array(blocked.shape),
        wrap=near.wrap,
        stride=stride,
        reach=reach,
        step=near.offset @ stride,
        place=place,
    )
    return layout, state.reshape(-1)


@kernel
def distances(layout, length, state, targets, closed):
    """Shortest distances (places,) to the nearest target, by Dial's buckets; inf without a path.

    ``length`` (k,) is that of the steps, ``state`` (places,) that of `pad` with the targets' places
    (m,) OPEN, also changed in place; the open cells of the ``closed`` keys (n,) by place are
    SOME_CLOSED.

    A bucket is a list of entries: ``head`` has its first one, ``after`` the one behind each,
    ``cell`` the place that waits. The buckets in use are as many as the longest step passes over,
    so they take turns. An entry whose cell got a shorter way stays where it is, and is passed over.
    """
    distance = np.full(state.size, np.inf)
    per_width = 1.0 / max(length.min(), length.max() / MOST_BUCKETS)  # buckets per unit of length
    head = np.full(np.int64(length.max() * per_width) + 3, END, np.int64)
    cell = np.empty(targets.size + ENTRIES, np.int64)
    after = np.empty(targets.size + ENTRIES, np.int64)
    for entry in range(targets.size):
        _put(targets[entry], 0, entry, head, cell, after)
        distance[targets[entry]] = 0.0
        state[targets[entry]] |= WAITS
    waiting = targets.size  # entries in all buckets
    used = targets.size  # entries that there have been at a time
    spare = END  # first of those that are used no more
    bucket = 0  # the nearest one
    while waiting > 0:
        entry = head[bucket % head.size]
        if entry == END:
            bucket += 1
            continue
        head[bucket % head.size] = after[entry]
        after[entry] = spare
        spare = entry
        waiting -= 1
        i = cell[entry]
        here = distance[i]
        if np.int64(here * per_width) != bucket:
            continue
        state[i] &= ~np.uint8(WAITS)
        for k in range(layout.step.size):
            j = _leads_to(i, k, layout, state, closed)
            if j == NOWHERE:
                continue
            beyond = here + length[k]
            if beyond >= distance[j]:
                continue
            aim = np.int64(beyond * per_width)
            stands_there = state[j] & WAITS != 0 and np.int64(distance[j] * per_width) == aim
            distance[j] = beyond
            if stands_there:
                continue
            if spare != END:
                entry = spare
                spare = after[spare]
            else:
                if used == cell.size:
                    cell = np.concatenate((cell, cell))
                    after = np.concatenate((after, after))
                entry = used
                used += 1
            _put(j, aim, entry, head, cell, after)
            waiting += 1
            state[j] |= WAITS
    return distance


@inlined
def _put(place, bucket, entry, head, cell, after):
    """Put a place into a bucket as an entry, in front of the others; in place."""
    slot = bucket % head.size
    cell[entry] = place
    after[entry] = head[slot]
    head[slot] = entry


@inlined
def _leads_to(i, k, layout, state, closed):
    """The place of the open cell to which step k leads from the place i; NOWHERE without one."""
    j = i + layout.step[k]
    if state[j] == SHUT:
        return NOWHERE
    if state[i] & SOME_CLOSED != 0 and is_closed(closed, i * layout.step.size + k):
        return NOWHERE
    if state[j] == GHOST:
        j = fold(j, layout.shape, layout.stride, layout.reach)
        if state[j] == SHUT:
            return NOWHERE
    return j


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
