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
    """The steps of pairs (m, 2, rank) of neighbours, in both directions: int64 keys (n,), sorted, once each."""
    if closed is None:
        return NONE_CLOSED
    shape = near.shape
    pairs = _as_pairs(closed, len(shape))
    if pairs.size == 0:
        return NONE_CLOSED
    outside = ((pairs < 0) | (pairs >= np.array(shape))).any(axis=(1, 2))
    if outside.any():
        pair, allowed = pairs[outside.argmax()].tolist(), f"0 to below {shape}"
        raise BadInput("closed step lies outside the grid", found=pair, allowed=allowed)
    both = np.concatenate([pairs, pairs[:, ::-1]])
    gap = both[:, 1] - both[:, 0]
    half = np.array(shape) // 2
    gap = np.where(near.wrap, (gap + half) % shape - half, gap)
    reach = int(np.abs(near.offset).max())
    table = np.full((2 * reach + 1,) * len(shape), -1)
    table[tuple((near.offset + reach).T)] = np.arange(len(near.offset))
    number = table[tuple(np.clip(gap + reach, 0, 2 * reach).T)]
    strangers = (number < 0) | (np.abs(gap) > reach).any(axis=1)
    if strangers.any():
        pair, longest = (
            both[strangers.argmax()].tolist(),
            np.sqrt((near.offset**2).sum(axis=1).max()),
        )
        allowed = f"two cells, up to {longest:.4g} cells apart"
        raise BadInput("closed step joins no neighbours", found=pair, allowed=allowed)
    cell = np.ravel_multi_index(tuple(both[:, 0].T), shape)
    return np.unique(cell * len(near.offset) + number)


def _as_pairs(closed: np.ndarray | Sequence, rank: int) -> np.ndarray:
    """The pairs as (m, 2, rank) int64."""
    allowed = f"integers of shape (m, 2, {rank})"
    try:
        pairs = np.asarray(closed)
    except ValueError:
        raise BadInput(
            "closed steps", found="rows that differ in length", allowed=allowed
        ) from None
    if pairs.size == 0:
        return np.empty((0, 2, rank), np.int64)
    if pairs.shape[1:] != (2, rank) or pairs.dtype.kind not in "iu":
        raise BadInput(
            "closed steps", found=f"{pairs.dtype} of shape {pairs.shape}", allowed=allowed
        )
    return pairs.astype(np.int64)


def by_place(keys: np.ndarray, near: Neighbourhood, place: np.ndarray) -> np.ndarray:
    """The keys with the cells of a place table (rank, longest) in place of C order, sorted."""
    if keys.size == 0:
        return keys
    steps = len(near.offset)
    cells = np.unravel_index(keys // steps, near.shape)
    return np.sort(sum(place[axis, at] for axis, at in enumerate(cells)) * steps + keys % steps)


def with_new(keys: np.ndarray, others: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sorted keys with others, sorted as well, and those of the others that are new among them; each once."""
    at = np.searchsorted(keys, others)
    new = np.append(keys, -1)[at] != others
    return np.insert(keys, at[new], others[new]), others[new]


def without(table: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """A neighbour table (cells, k) without closed steps; the very same array where there are none."""
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
