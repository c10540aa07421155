"""The network "limit" where all steps are equally long: hops to the target, 64 cells at a time.

A grid of any rank is cut into blocks of up to 64 cells, one bit a cell. A block is as cubic as
powers of two allow (8 x 8, 4 x 4 x 4, 2 x 2 x 2 x 2 x 2 x 2), so that a wave crosses it in few
steps. The wave starts at the targets and moves one hop at a time; what it reaches is computed for a
whole block with shifts of one word. Only blocks that the wave is passing are visited. The place of
a cell is 64 times its block plus its bit; it is a sum of one number an axis, which ``place`` lists.

Steps that differ in length are for `limit.distances`, which is slower; neither can replace the
other.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from dynamics import BadInput
from dynamics.kernels.decorators import inlined, kernel
from hopfield_nav.planning.ascent import UNREACHED
from hopfield_nav.planning.neighbourhood import strides

BITS = 6  # 64 cells a word
MOST_AXES = 32  # two bits of a word each say which blocks stand at an edge

# numbers of words are unsigned: no index is below zero
NONE = np.uint64(0)
ONE = np.uint64(1)
TWO = np.uint64(2)
SIX = np.uint64(BITS)
LOW = np.uint64(63)  # the bits of a place that say which bit of a word it is

# number of the only bit that a word has: 2**b mod 67 differs for all b < 64
PRIME = np.uint64(67)
BIT = np.zeros(67, np.uint64)
for _b in range(64):
    BIT[2**_b % 67] = _b

# of words, queues and first levels: NumPy looks longer at a type than it takes for a small array
_OF_WORDS = np.dtype(np.uint64)
_OF_QUEUES = np.dtype(np.int32)
_OF_FIRST_LEVELS = np.dtype(np.uint8)

SORTED_SHARE = 16  # a wave in more than 1/16 of all blocks is visited in memory order


class Blocks(NamedTuple):
    """The layout of one grid; arrays are read-only because the result is cached."""

    shape: np.ndarray  # (rank,) cells along each axis
    wrap: np.ndarray  # (rank,) bool, which axes are closed
    stride: np.ndarray  # (rank,) uint64, step of the block's number along each axis
    across: np.ndarray  # (rank,) uint64, that from the first block to the last one
    shift: np.ndarray  # (rank,) uint64, bits from a cell to the next along each axis
    back: np.ndarray  # (rank,) uint64, bits from the first to the last cell of a block, each axis
    low: np.ndarray  # (rank,) uint64, the cells on the lower face of a block
    high: np.ndarray  # (rank,) uint64, those on the upper face
    edge: np.ndarray  # (blocks,) uint64, bit 2 a: first block along axis a; bit 2 a + 1: last one
    place: np.ndarray  # (rank, longest) int64; the place of a cell is the sum of its entries


@lru_cache(maxsize=8)
def blocks(shape: tuple[int, ...], wrap: tuple[bool, ...]) -> Blocks:
    """Lay out a grid, whose axes are closed where ``wrap`` says so.

    Raises ``BadInput``: more than 32 axes.
    """
    if len(shape) > MOST_AXES:
        raise BadInput("too many axes", found=len(shape), allowed=f"up to {MOST_AXES}")
    size = 1 << np.array(_halvings(shape, wrap))  # cells of a block along each axis
    count = -(-np.array(shape) // size)  # blocks along each axis; the last may stand out
    shift = strides(size)
    stride = strides(count)
    low, high = _faces(size, shift)
    layout = Blocks(
        shape=np.array(shape),
        wrap=np.array(wrap),
        stride=stride.astype(np.uint64),
        across=(stride * (count - 1)).astype(np.uint64),
        shift=shift.astype(np.uint64),
        back=((size - 1) * shift).astype(np.uint64),
        low=low,
        high=high,
        edge=_edges(count),
        place=_places(shape, size, stride, shift),
    )
    for array in layout:
        array.setflags(write=False)
    return layout


def _halvings(shape: tuple[int, ...], wrap: tuple[bool, ...]) -> list[int]:
    """Binary logarithm of the size of a block along each axis.

    The smallest size doubles first. It stays below twice the grid's, and a closed axis is cut
    evenly.
    """
    size = [0] * len(shape)
    for _ in range(BITS):
        fits = [
            axis for axis in range(len(shape)) if _may_double(size[axis], shape[axis], wrap[axis])
        ]
        if not fits:
            break
        axis = min(reversed(fits), key=lambda axis: size[axis])
        size[axis] += 1
    return size


def _may_double(halvings: int, cells: int, is_closed: bool) -> bool:
    """Whether a block along an axis of so many cells may be twice as long."""
    now = 1 << halvings
    return cells % (2 * now) == 0 if is_closed else cells > now


def _faces(size: np.ndarray, shift: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Words of the cells on the lower and upper face of a block, each (rank,) uint64."""
    bit = np.arange(int(np.prod(size)))
    along = (bit // shift[:, None]) % size[:, None]
    value = np.uint64(1) << bit.astype(np.uint64)
    low = np.where(along == 0, value, 0).sum(axis=1, dtype=np.uint64)
    high = np.where(along == size[:, None] - 1, value, 0).sum(axis=1, dtype=np.uint64)
    return low, high


def _edges(count: np.ndarray) -> np.ndarray:
    """At which edges of the grid each block stands, as `Blocks.edge`; ``count`` (rank,) blocks."""
    at = np.array(np.unravel_index(np.arange(np.prod(count)), count))
    axis = np.arange(count.size, dtype=np.uint64)[:, None]
    first = np.uint64(1) << (np.uint64(2) * axis)
    last = np.uint64(2) * first
    marks = (at == 0) * first + (at == count[:, None] - 1) * last
    return marks.sum(axis=0, dtype=np.uint64)


def _places(
    shape: tuple[int, ...], size: np.ndarray, stride: np.ndarray, shift: np.ndarray
) -> np.ndarray:
    """What each coordinate adds to the place of a cell, as `Blocks.place`."""
    place = np.zeros((len(shape), max(shape)), np.int64)
    for axis, n in enumerate(shape):
        block, within = np.divmod(np.arange(n), size[axis])
        place[axis, :n] = 64 * block * stride[axis] + within * shift[axis]
    return place


def levels(
    layout: Blocks, blocked: np.ndarray, cells: np.ndarray, guarded: np.ndarray, doors: np.ndarray
) -> np.ndarray:
    """Levels (64 blocks,) int32, by place, of a wave from the targets' cells (m, rank).

    ``blocked`` (cells,) is in C order; the targets count as free. Cells with a closed step are
    ``guarded`` (g,), by place: the wave enters them from the places ``doors`` (g, k) alone, of
    which -1 is none. For the levels see `advance`.
    """
    words, queues, first = room_for(layout)
    count, hop = first_levels(layout, blocked, cells, words, queues, first, guarded, doors)
    return further_levels(layout, words, queues, count, hop, first, guarded, doors)


def room_for(layout: Blocks) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Words, queues and the first levels of a wave that is yet to start, see `advance`.

    The first levels fit a byte, which saves memory traffic. NumPy makes them, since it keeps large
    arrays in large pages, which compiled code does not.
    """
    count = layout.edge.size
    words = np.zeros((3, count), _OF_WORDS)
    queues = np.empty((2, count + 1), _OF_QUEUES)
    return words, queues, np.zeros(64 * count, _OF_FIRST_LEVELS)


def further_levels(
    layout: Blocks,
    words: np.ndarray,
    queues: np.ndarray,
    count: int,
    hop: int,
    first: np.ndarray,
    guarded: np.ndarray,
    doors: np.ndarray,
) -> np.ndarray:
    """All levels, int32, of a wave whose ``first`` ones are there; arguments as of `advance`."""
    level = first.astype(np.int32)
    if count > 0:
        advance(layout, words, queues, count, hop, level, guarded, doors)
    return level


@kernel
def open_cells(blocked, shape, place, open_):
    """Set the bits of the cells (cells,) that are not blocked, in `open_` (blocks,) of zeros."""
    rank = shape.size
    while rank > 1 and shape[rank - 1] == 1:  # rows along an axis of one cell are all beginnings
        rank -= 1
    n = shape[rank - 1]
    at = np.zeros(rank, np.int64)
    last = place[rank - 1].astype(np.uint64)
    for first in range(0, blocked.size, n):
        row = blocked[first : first + n]
        base = NONE
        for a in range(rank - 1):
            base += np.uint64(place[a, at[a]])
        for x in range(n):
            p = base + last[x]
            open_[p >> SIX] |= np.uint64(not row[x]) << (p & LOW)
        next_row(at, shape)


@kernel
def next_row(at, shape):
    """Move the leading coordinates `at` (k,) of the first k axes to the next row, in C order."""
    a = at.size - 2
    while a >= 0:
        at[a] += 1
        if at[a] < shape[a]:
            return
        at[a] = 0
        a -= 1


@kernel
def first_levels(layout, blocked, cells, words, queues, level, guarded, doors):
    """The levels of `levels` that fit its array, with arrays and the result as in `advance`."""
    open_cells(blocked, layout.shape, layout.place, words[0])
    count = 0
    for m in range(len(cells)):
        target = 0
        for a in range(cells.shape[1]):
            target += layout.place[a, cells[m, a]]
        block = target >> 6
        bit = ONE << np.uint64(target & 63)
        if words[1, block] == NONE:
            queues[0, count] = block
            count += 1
        words[1, block] |= bit
        words[0, block] &= ~bit
    return advance(layout, words, queues, count, 0, level, guarded, doors)


@kernel
def advance(layout, words, queues, count, hop, level, guarded, doors):
    """Number all cells by their hops from the nearest target, whose level is 1; in place.

    It writes 1 + hops into ``level`` (64 blocks,) of zeros, up to what that can hold, UNREACHED
    where it did not come. ``words`` (3, blocks) are the cells that the wave may enter, its front
    and the next one, the last two in turn; ``queues`` (2, blocks + 1) list the blocks of both,
    ``count`` after the level ``hop``. Returns count and hop, with which it goes on. Cells with a
    closed step, ``guarded`` and ``doors`` as in `levels`, are looked at one by one.
    """
    open_ = words[0]
    waiting = np.empty(guarded.size, np.int64)
    left = _set_apart(guarded, open_, waiting)
    most = np.iinfo(level.dtype).max
    while count > 0 and hop < most:
        turn = hop & 1
        front = words[1 + turn]
        ahead = words[2 - turn]
        queue = queues[turn]
        later = queues[1 - turn]
        hop += 1
        if count > open_.size // SORTED_SHARE:
            _sort(front, queue)
        reached = 0
        for n in range(count):
            block = np.uint64(queue[n])
            here = front[block]
            front[block] = NONE
            _number(here, block, hop, level)
            reached = _pass(here, block, layout, open_, ahead, later, reached)
        left, reached = _open_doors(
            guarded, doors, waiting, left, level, hop, ahead, later, reached
        )
        count = reached
    for g in waiting[:left]:
        open_[guarded[g] >> 6] |= ONE << np.uint64(guarded[g] & 63)
    return count, hop


@inlined
def _set_apart(guarded, open_, waiting):
    """Take the guarded cells out of the open ones, and list those that were; returns how many."""
    left = 0
    for g in range(guarded.size):
        bit = ONE << np.uint64(guarded[g] & 63)
        if open_[guarded[g] >> 6] & bit != NONE:
            open_[guarded[g] >> 6] ^= bit
            waiting[left] = g
            left += 1
    return left


@inlined
def _open_doors(guarded, doors, waiting, left, level, hop, ahead, queue, count):
    """The wave enters the guarded cells at one of whose doors it is; in place.

    Returns how many guarded cells still wait, and the number of queued blocks.
    """
    kept = 0
    for n in range(left):
        g = waiting[n]
        place = guarded[g]
        if level[place] != UNREACHED:
            continue
        if not _is_next(doors, g, level, hop):
            waiting[kept] = g
            kept += 1
            continue
        if ahead[place >> 6] == NONE:
            queue[count] = place >> 6
            count += 1
        ahead[place >> 6] |= ONE << np.uint64(place & 63)
    return kept, count


@inlined
def _is_next(doors, g, level, hop):
    """Whether the wave is at one of the doors of guarded cell ``g``."""
    is_there = False
    for k in range(doors.shape[1]):
        is_there |= doors[g, k] >= 0 and level[doors[g, k]] == hop
    return is_there


@inlined
def _sort(front, queue):
    """List the blocks of a front in memory order; in place."""
    count = 0
    for b in range(front.size):
        queue[count] = b
        count += front[b] != NONE


@inlined
def _number(front, block, hop, level):
    """Write the hop into the level of every cell of the front; in place."""
    rest = front
    while rest != NONE:
        after = rest & (rest - ONE)
        level[(block << SIX) + BIT[(rest ^ after) % PRIME]] = hop
        rest = after


@inlined
def _pass(front, block, layout, open_, ahead, queue, count):
    """One hop of the wave out of one block; returns the number of queued blocks."""
    _, wrap, stride, across, shift, back, low, high, edge, _ = layout
    mark = edge[block]
    inside = NONE
    for a in range(stride.size):
        top = front & high[a]
        bottom = front & low[a]
        inside |= ((front ^ top) << shift[a]) | ((front ^ bottom) >> shift[a])
        if top != NONE:
            at_end = mark & (TWO << np.uint64(2 * a)) != NONE
            if wrap[a] or not at_end:
                other = block - across[a] if at_end else block + stride[a]
                count = _enter(top >> back[a], other, open_, ahead, queue, count)
        if bottom != NONE:
            at_end = mark & (ONE << np.uint64(2 * a)) != NONE
            if wrap[a] or not at_end:
                other = block + across[a] if at_end else block - stride[a]
                count = _enter(bottom << back[a], other, open_, ahead, queue, count)
    return _enter(inside, block, open_, ahead, queue, count)


@inlined
def _enter(piece, block, open_, ahead, queue, count):
    """The wave enters the open cells of a piece of a block; returns the number of queued blocks."""
    new = piece & open_[block]
    if new != NONE:
        open_[block] ^= new
        if ahead[block] == NONE:
            queue[count] = block
            count += 1
        ahead[block] |= new
    return count
