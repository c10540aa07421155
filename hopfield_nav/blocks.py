"""A grid of any rank cut into blocks of up to 64 cells, one bit a cell: the layout of `wavefront`.

A block is as cubic as powers of two allow (8 x 8, 4 x 4 x 4, 2 x 2 x 2 x 2 x 2 x 2), so that a wave
crosses it in few steps with many cells at a time. The place of a cell is 64 times its block plus its
bit; it is a sum of one number an axis, which `place` lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from dynamics.compiled import kernel
from dynamics.errors import BadInput

BITS = 6  # 64 cells a word
MOST_AXES = 32  # two bits of a word each say which blocks stand at an edge


class Blocks(NamedTuple):
    """The layout of one grid; arrays are read-only because the result is cached.

    Attributes:
        shape: (rank,) cells along each axis.
        wrap: (rank,) bool, which axes are closed.
        number: (rank,) blocks along each axis.
        stride: (rank,) step of the block's number along each axis.
        shift: (rank,) uint64, bits from a cell to the next along each axis.
        back: (rank,) uint64, bits from the first to the last cell of a block along each axis.
        low: (rank,) uint64, the cells on the lower face of a block.
        high: (rank,) uint64, those on the upper face.
        edge: (blocks,) uint64, bit 2 a: first block along axis a; bit 2 a + 1: last one.
        place: (rank, longest) int64; the place of a cell is the sum of its entries.
    """

    shape: np.ndarray
    wrap: np.ndarray
    number: np.ndarray
    stride: np.ndarray
    shift: np.ndarray
    back: np.ndarray
    low: np.ndarray
    high: np.ndarray
    edge: np.ndarray
    place: np.ndarray


def blocks(shape: Sequence[int], wrap: Sequence[bool]) -> Blocks:
    """Lay out a grid.

    Args:
        shape: cells along each axis.
        wrap: for each axis, whether it is closed.

    Returns:
        The layout.

    Raises:
        BadInput: more than 32 axes.
    """
    if len(shape) > MOST_AXES:
        raise BadInput("too many axes", found=len(shape), allowed=f"up to {MOST_AXES}")
    return _build(tuple(int(n) for n in shape), tuple(bool(w) for w in wrap))


def _halvings(shape: tuple[int, ...], wrap: tuple[bool, ...]) -> list[int]:
    """Binary logarithm of the size of a block along each axis.

    The smallest size doubles first. It stays below twice the grid's, and a closed axis is cut evenly.
    """
    size = [0] * len(shape)
    for _ in range(BITS):
        fits = [
            a for a, n in enumerate(shape) if (n % (2 << size[a]) == 0 if wrap[a] else n > (1 << size[a]))
        ]
        if not fits:
            break
        axis = min(reversed(fits), key=lambda a: size[a])
        size[axis] += 1
    return size


@lru_cache(maxsize=8)
def _build(shape: tuple[int, ...], wrap: tuple[bool, ...]) -> Blocks:
    rank, halvings = len(shape), _halvings(shape, wrap)
    size = 1 << np.array(halvings)
    shift = 1 << (np.sum(halvings) - np.cumsum(halvings))
    count = -(-np.array(shape) // size)
    stride = np.cumprod(np.append(count[:0:-1], 1)[np.r_[-1, : rank - 1]])[::-1].copy()
    low, high = _faces(size, shift)
    edge = np.empty(int(np.prod(count)), np.uint64)
    _mark_edges(count, edge)
    back = ((size - 1) * shift).astype(np.uint64)
    found = Blocks(
        np.array(shape), np.array(wrap), count, stride, shift.astype(np.uint64), back, low, high, edge,
        _places(shape, size, stride, shift),
    )  # fmt: skip
    for array in found:
        array.setflags(write=False)
    return found


def _faces(size: np.ndarray, shift: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Words of the cells on the lower and upper face of a block, each (rank,) uint64."""
    bit = np.arange(int(np.prod(size)))
    along = (bit // shift[:, None]) % size[:, None]
    value = np.uint64(1) << bit.astype(np.uint64)
    low = np.where(along == 0, value, 0).sum(axis=1, dtype=np.uint64)
    high = np.where(along == size[:, None] - 1, value, 0).sum(axis=1, dtype=np.uint64)
    return low, high


def _places(shape: tuple[int, ...], size: np.ndarray, stride: np.ndarray, shift: np.ndarray) -> np.ndarray:
    place = np.zeros((len(shape), max(shape)), np.int64)
    for axis, n in enumerate(shape):
        cell = np.arange(n)
        place[axis, :n] = cell // size[axis] * stride[axis] * 64 + cell % size[axis] * shift[axis]
    return place


@kernel
def _mark_edges(count, edge):
    """Fill `edge` (blocks,), see `Blocks`; in place."""
    at = np.zeros(count.size, np.int64)
    for b in range(edge.size):
        mark = 0
        for a in range(count.size):
            mark |= (at[a] == 0) << (2 * a)
            mark |= (at[a] == count[a] - 1) << (2 * a + 1)
        edge[b] = mark
        a = count.size - 1
        at[a] += 1
        while a > 0 and at[a] == count[a]:
            at[a] = 0
            a -= 1
            at[a] += 1


@kernel
def next_row(at, shape):
    """Advance the leading coordinates `at` (rank,) to the next row in C order; in place."""
    a = shape.size - 2
    while a >= 0:
        at[a] += 1
        if at[a] < shape[a]:
            return
        at[a] = 0
        a -= 1
