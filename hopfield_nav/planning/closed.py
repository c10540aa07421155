"""Closed steps: pairs of neighbouring cells between which there is no step, in either direction.

A step is named by one number, its key: number of the cell times the k of the neighbourhood plus the
number of the step. With cells in C order the keys are the entries of the neighbour table.
"""

from collections.abc import Sequence

import numpy as np

from dynamics import BadInput
from dynamics.kernels.decorators import inlined
from hopfield_nav.planning.neighbourhood import Neighbourhood

NONE_CLOSED = np.empty(0, np.int64)


def closed_keys(closed: np.ndarray | Sequence | None, near: Neighbourhood) -> np.ndarray:
    """The keys (n,) of the steps between pairs (m, 2, rank) of neighbours, in both directions.

    They are int64, sorted, once each.

    Raises ``BadInput``: what is no pairs, a cell outside the grid, or cells that are no neighbours.
    """
    if closed is None:
        return NONE_CLOSED
    pairs = _as_pairs(closed, near.shape)
    if pairs.size == 0:
        return NONE_CLOSED
    both = np.concatenate([pairs, pairs[:, ::-1]])
    number = _step_numbers(both[:, 1] - both[:, 0], near)
    strangers = number < 0
    if strangers.any():
        pair = both[strangers.argmax()].tolist()
        longest = np.sqrt((near.offset**2).sum(axis=1).max())
        allowed = f"two cells, up to {longest:.4g} cells apart"
        raise BadInput("closed step joins no neighbours", found=pair, allowed=allowed)
    cell = np.ravel_multi_index(tuple(both[:, 0].T), near.shape)
    return np.unique(cell * len(near.offset) + number)


def _as_pairs(closed: np.ndarray | Sequence, shape: tuple[int, ...]) -> np.ndarray:
    """The pairs as (m, 2, rank) int64; BadInput if they are none of a grid of this shape."""
    rank = len(shape)
    allowed = f"integers of shape (m, 2, {rank})"
    try:
        pairs = np.asarray(closed)
    except ValueError:
        found = "rows that differ in length"
        raise BadInput("closed steps", found=found, allowed=allowed) from None
    if pairs.size == 0:
        return np.empty((0, 2, rank), np.int64)
    if pairs.shape[1:] != (2, rank) or pairs.dtype.kind not in "iu":
        found = f"{pairs.dtype} of shape {pairs.shape}"
        raise BadInput("closed steps", found=found, allowed=allowed)
    outside = ((pairs < 0) | (pairs >= np.array(shape))).any(axis=(1, 2))
    if outside.any():
        pair = pairs[outside.argmax()].tolist()
        allowed = f"0 to below {shape}"
        raise BadInput("closed step lies outside the grid", found=pair, allowed=allowed)
    return pairs.astype(np.int64)


def _step_numbers(gap: np.ndarray, near: Neighbourhood) -> np.ndarray:
    """Number (n,) of the step that leads over each gap (n, rank) in cells; -1 where none does."""
    half = np.array(near.shape) // 2
    around = (gap + half) % near.shape - half  # the short way, where an axis is closed
    gap = np.where(near.wrap, around, gap)
    # the number of every step, by its gap from -reach to reach along each axis
    reach = int(np.abs(near.offset).max())
    number = np.full((2 * reach + 1,) * len(near.shape), -1)
    number[tuple((near.offset + reach).T)] = np.arange(len(near.offset))
    too_far = (np.abs(gap) > reach).any(axis=1)
    at = np.clip(gap + reach, 0, 2 * reach)
    return np.where(too_far, -1, number[tuple(at.T)])


def by_place(keys: np.ndarray, near: Neighbourhood, place: np.ndarray) -> np.ndarray:
    """The keys with the cells of a place table (rank, longest) in place of C order, sorted."""
    if keys.size == 0:
        return keys
    cell, step = np.divmod(keys, len(near.offset))
    at = np.unravel_index(cell, near.shape)
    places = sum(place[axis, along] for axis, along in enumerate(at))
    return np.sort(places * len(near.offset) + step)


def with_new(keys: np.ndarray, others: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sorted keys with others, sorted as well, and those of the others that are new; each once."""
    at = np.searchsorted(keys, others)
    new = np.append(keys, -1)[at] != others
    return np.insert(keys, at[new], others[new]), others[new]


def without(table: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """A neighbour table (cells, k) without closed steps; the very same one where there are none."""
    if keys.size == 0:
        return table
    cut = table.copy()
    cut.reshape(-1)[keys] = len(table)
    cut.setflags(write=False)
    return cut


@inlined
def is_closed(keys, key):
    """Whether a step is closed: whether its key is among the sorted keys."""
    low, high = 0, keys.size
    while low < high:
        middle = (low + high) >> 1
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low < keys.size and keys[low] == key
