"""The network "limit": max in place of the sum, whose activations are exact shortest distances.

With sigma_i = max_j beta^(length_ij) sigma_j in place of ragazzon2012 (6.9) the equilibrium is
sigma_i = beta^(distance_i): each neuron counts its shortest path alone, where the summing network
counts all walks. Distances are kept, not activations, so that nothing underflows and beta drops out.

Where all steps are equally long they are hops, of `limit_bits`, which closed steps are taken out of by
`repair`; otherwise, and where that would change too much, they are sums of lengths, of `limit_lengths`.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dynamics.kernels.decorators import kernel
from hopfield_nav.planning.closed import NONE_CLOSED, by_place
from hopfield_nav.planning.limit_bits import UNREACHED, blocks, levels, next_row
from hopfield_nav.planning.limit_lengths import OPEN, distances, mark, pad
from hopfield_nav.planning.neighbourhood import Neighbourhood
from hopfield_nav.planning.repair import GIVEN_UP, close

REPAIR_SHARE = 20  # where more than 1/20 of all cells change, a new start is quicker
LEAST_REPAIR = 1000  # cells that are always worth repairing


class Field(NamedTuple):
    """A settled limit network."""

    # (places,) how far each place is from the nearest target: int32, 1 + hops, or float64, a length (hops
    # where all steps are equally long)
    label: np.ndarray
    nothing: float  # label of a place that is blocked or from which there is no path; 0 or inf
    step: np.ndarray  # (k,) difference of labels that belongs to a step
    offset: np.ndarray  # (k, rank) the step in cells, in tie order
    shape: np.ndarray  # (rank,) cells along each axis
    wrap: np.ndarray  # (rank,) bool, which axes are closed
    place: np.ndarray  # (rank, longest) the place of a cell is the sum of its entries
    closed: np.ndarray  # (n,) int64, sorted keys of the closed steps by place, see `closed`


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
        label = levels(layout, grid.reshape(-1), _cells(targets, len(layout.place)))
        step = np.ones(len(near.length), np.int64)
        keys = by_place(closed, near, layout.place)
        field = Field(label, UNREACHED, step, near.offset, layout.shape, layout.wrap, layout.place, keys)
        if not closed.size or _take_out(field, grid, closed):
            return field
    padded, state = pad(grid, near)
    goals = places_of(padded.place, targets)
    state[goals] = OPEN
    keys = by_place(closed, near, padded.place)
    mark(state, keys, len(near.length))
    length = _hops(near) if near.uniform else near.length
    label = distances(padded, length, state, goals, keys)
    return Field(label, np.inf, length, near.offset, padded.shape, padded.wrap, padded.place, keys)


def _take_out(field: Field, blocked: np.ndarray, closed: np.ndarray) -> bool:
    """Repair the labels for closed steps, keys with cells in C order; False where too many would change."""
    cells, steps = np.divmod(closed, len(field.step))
    most = max(LEAST_REPAIR, blocked.size // REPAIR_SHARE)
    return bool(close(field, blocked.reshape(-1), cells, steps, most) != GIVEN_UP)


def _hops(near: Neighbourhood) -> np.ndarray:
    """A length of 1 for every step, read-only as other lengths are: one compiled kernel serves both."""
    hops = np.ones(len(near.length))
    hops.setflags(write=False)
    return hops


def places_of(place: np.ndarray, cells: Sequence[int] | np.ndarray) -> np.ndarray:
    """Places (m,) of a cell (rank,) or several (m, rank) from the table `place` (rank, longest)."""
    return np.asarray(place[np.arange(len(place)), _cells(cells, len(place))].sum(axis=1))


def _cells(cells: Sequence[int] | np.ndarray, rank: int) -> np.ndarray:
    """A cell (rank,) or several (m, rank) as rows that a kernel takes."""
    return np.array(cells, np.int64, order="C").reshape(-1, rank)


def distance_grid(field: Field, near: Neighbourhood) -> np.ndarray:
    """Distances to the nearest target in the unit of `spacing`, as a grid; inf where there is no path."""
    grid = np.empty(tuple(field.shape))
    hop = near.length[0] if near.uniform else 1.0
    first = bool(field.nothing == UNREACHED)
    _fill(field.label, field.nothing, hop, first, field.shape, field.place, grid.reshape(-1))
    return grid


@kernel
def _fill(label, nothing, hop, first, shape, place, grid):
    """Labels as distances in C order (cells,), hop * (label - first); in place."""
    rank, n = shape.size, shape[shape.size - 1]
    at = np.zeros(rank, np.int64)
    last = place[rank - 1]
    for row in range(0, grid.size, n):
        base = 0
        for a in range(rank - 1):
            base += place[a, at[a]]
        for x in range(n):
            found = label[base + last[x]]
            grid[row + x] = hop * (found - first) if found != nothing else np.inf
        next_row(at, shape)
