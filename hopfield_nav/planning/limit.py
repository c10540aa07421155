"""The network "limit": max in place of the sum, whose activations are exact shortest distances.

With sigma_i = max_j beta^(length_ij) sigma_j in place of ragazzon2012 (6.9) the equilibrium is sigma_i =
beta^(distance_i): each neuron counts its shortest path alone, where the summing network counts all walks. Distances
are kept, not activations, so that nothing underflows and beta drops out.

Where all steps are equally long they are hops, of `limit_bits`; else sums of lengths, of `limit_lengths`.
"""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from hopfield_nav.planning.ascent import UNREACHED, descend
from hopfield_nav.planning.closed import NONE_CLOSED, by_place
from hopfield_nav.planning.limit_bits import blocks, levels
from hopfield_nav.planning.limit_lengths import OPEN, distances, mark, pad
from hopfield_nav.planning.neighbourhood import Neighbourhood
from hopfield_nav.planning.plan import NO_PATH, Landscape, Plan


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


def plan_in_field(field: Field, near: Neighbourhood, start: Sequence[int], closed: np.ndarray = NONE_CLOSED) -> Plan:
    """The path down the distances of a settled limit network; ``closed`` are the keys of its closed steps."""
    cells, steps, reached = descend(field, np.array(start, np.int64))
    length = float(np.add.reduce(near.length[steps])) if reached else np.inf
    settled = Landscape(partial(_activation, field, near), near, closed, False)
    return Plan(cells if reached else None, "" if reached else NO_PATH, length, "limit", landscape=settled)


def _activation(field: Field, near: Neighbourhood) -> np.ndarray:
    return 0.0 - distance_grid(field, near)


def solve(
    blocked: np.ndarray, near: Neighbourhood, targets: Sequence[int] | np.ndarray, closed: np.ndarray = NONE_CLOSED
) -> Field:
    """Settle the limit network on a bool grid; a target (rank,), or several (m, rank), counts as free."""
    grid = np.ascontiguousarray(blocked)
    if near.uniform:
        layout = blocks(near.shape, near.periodic)
        aim = _cells(targets, len(layout.place))
        doors = _guarded(closed, near, layout.place) if closed.size else (closed, np.empty((0, len(near.offset)), int))
        label = levels(layout, grid.reshape(-1), aim, *doors)
        step, keys = np.ones(len(near.length), np.int64), by_place(closed, near, layout.place)
        return Field(label, UNREACHED, step, near.offset, layout.shape, layout.wrap, layout.place, keys)
    padded, state = pad(grid, near)
    goals = places_of(padded.place, targets)
    state[goals] = OPEN
    keys = by_place(closed, near, padded.place)
    mark(state, keys, len(near.length))
    label = distances(padded, near.length, state, goals, keys)
    return Field(label, np.inf, near.length, near.offset, padded.shape, padded.wrap, padded.place, keys)


def _guarded(closed: np.ndarray, near: Neighbourhood, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places (g,) of the cells with a closed step, and those (g, k) from which each may be entered; -1: none.

    ``closed`` are sorted keys with cells in C order, and ``place`` is the table of the layout.
    """
    of, way = np.divmod(closed, len(near.offset))
    first = np.diff(of, prepend=-1) != 0
    shut = np.zeros((np.count_nonzero(first), len(near.offset)), bool)
    shut[np.cumsum(first) - 1, way] = True
    places, doors = np.zeros(len(shut), np.int64), np.zeros(shut.shape, np.int64)
    for axis, at in enumerate(np.unravel_index(of[first], near.shape)):
        turns, within = np.divmod(at[:, None] + near.offset[:, axis], near.shape[axis])
        shut |= (turns != 0) & (not near.wrap[axis])
        places += place[axis, at]
        doors += place[axis, within]
    return places, np.where(shut, -1, doors)


def places_of(place: np.ndarray, cells: Sequence[int] | np.ndarray) -> np.ndarray:
    """Places (m,) of a cell (rank,) or several (m, rank) from the table `place` (rank, longest)."""
    return np.asarray(place[np.arange(len(place)), _cells(cells, len(place))].sum(axis=1))


def _cells(cells: Sequence[int] | np.ndarray, rank: int) -> np.ndarray:
    """A cell (rank,) or several (m, rank) as rows that a kernel takes."""
    return np.array(cells, np.int64, order="C").reshape(-1, rank)


def distance_grid(field: Field, near: Neighbourhood) -> np.ndarray:
    """Distances to the nearest target in the unit of `spacing`, as a grid; inf where there is no path."""
    first, *others = (row[:n] for row, n in zip(field.place, near.shape, strict=True))
    within = sum(np.ix_(*others)) if others else np.int64(0)  # a slice at a time: places are twice as large as labels
    grid, hop = np.empty(near.shape), near.length[0] if near.uniform else 1.0
    for k, place in enumerate(first):
        label = field.label[place + within]
        grid[k] = np.where(label != field.nothing, hop * (label - (field.nothing == UNREACHED)), np.inf)
    return grid
