"""The network "limit" where all steps are equally long: hops to the target, 64 cells at a time.

The wave that starts at the target moves one hop at a time; what it reaches is computed for a whole
block of `blocks.Blocks` with shifts of one word. Only blocks that the wave is passing are visited.
"""

from __future__ import annotations

import numpy as np

from dynamics.compiled import inlined, kernel
from hopfield_nav.blocks import Blocks, next_row

UNREACHED = 0
ONE, TWO, NONE, PRIME = np.uint64(1), np.uint64(2), np.uint64(0), np.uint64(67)
WORD = np.uint64(63)
BIT = np.zeros(67, np.int64)  # 2**b mod 67 differs for all b < 64
for _b in range(64):
    BIT[2**_b % 67] = _b
SORTED_SHARE = 16  # a wave in more than 1/16 of all blocks is visited in memory order


@kernel
def open_cells(blocked, shape, place, open_):
    """Set the bits of the cells that are not blocked (cells,) in `open_` (blocks,) of zeros; in place."""
    rank, n = shape.size, shape[shape.size - 1]
    at = np.zeros(rank, np.int64)
    last = place[rank - 1]
    for first in range(0, blocked.size, n):
        base = 0
        for a in range(rank - 1):
            base += place[a, at[a]]
        for x in range(n):
            p = base + last[x]
            open_[p >> 6] |= np.uint64(not blocked[first + x]) << np.uint64(p & 63)
        next_row(at, shape)


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


@inlined
def _number(front, block, hop, level):
    """Write the hop into the level of every cell of the front; in place."""
    rest = front
    while rest != NONE:
        after = rest & (rest - ONE)
        level[(block << 6) + BIT[np.int64((rest ^ after) % PRIME)]] = hop
        rest = after


@inlined
def _pass(front, block, layout, open_, ahead, queue, count):
    """One hop of the wave out of one block; returns the number of queued blocks."""
    number, stride, wrap, shift, back, low, high, edge = layout
    inside, mark = NONE, edge[block]
    for a in range(stride.size):
        top, bottom = front & high[a], front & low[a]
        inside |= ((front ^ top) << shift[a]) | ((front ^ bottom) >> shift[a])
        if top != NONE:
            other = block + stride[a]
            if mark & (TWO << np.uint64(2 * a)) != NONE:
                other = block - (number[a] - 1) * stride[a] if wrap[a] else -1
            if other >= 0:
                count = _enter(top >> back[a], other, open_, ahead, queue, count)
        if bottom != NONE:
            other = block - stride[a]
            if mark & (ONE << np.uint64(2 * a)) != NONE:
                other = block + (number[a] - 1) * stride[a] if wrap[a] else -1
            if other >= 0:
                count = _enter(bottom << back[a], other, open_, ahead, queue, count)
    return _enter(inside, block, open_, ahead, queue, count)


@inlined
def _sort(front, queue):
    """List the blocks of a front in memory order; in place."""
    count = 0
    for b in range(front.size):
        queue[count] = b
        count += front[b] != NONE


@kernel
def advance(layout, open_, target, level):
    """Number all cells by their hops from the target, whose level is 1.

    Args:
        layout: Blocks.
        open_: (blocks,) words of the cells that the wave may enter; in place.
        target: its place.
        level: (64 blocks,) of zeros, in place: 1 + hops, UNREACHED where the wave did not come.

    Returns:
        Number of levels.
    """
    front, ahead = np.zeros_like(open_), np.zeros_like(open_)
    queue, later = np.empty(open_.size + 1, np.int32), np.empty(open_.size + 1, np.int32)
    queue[0] = target >> 6
    front[target >> 6] = ONE << np.uint64(target & 63)
    open_[target >> 6] &= ~front[target >> 6]
    count, hop = 1, 0
    parts = (
        layout.number, layout.stride, layout.wrap, layout.shift, layout.back, layout.low, layout.high,
        layout.edge,
    )  # fmt: skip
    while count > 0:
        hop += 1
        reached = 0
        if count > open_.size // SORTED_SHARE:
            _sort(front, queue)
        for n in range(count):
            block = np.int64(queue[n])
            here = front[block]
            front[block] = NONE
            _number(here, block, hop, level)
            reached = _pass(here, block, parts, open_, ahead, later, reached)
        front, ahead, queue, later, count = ahead, front, later, queue, reached
    return hop


@kernel
def levels(layout, blocked, target):
    """Levels of all cells, by place, of a wave from the target; see `advance`.

    Args:
        layout: Blocks.
        blocked: (cells,) bool, C order; the target counts as free.
        target: its place.

    Returns:
        (64 blocks,) int32.
    """
    open_ = np.zeros(layout.edge.size, np.uint64)
    open_cells(blocked, layout.shape, layout.place, open_)
    level = np.zeros(64 * open_.size, np.int32)
    advance(layout, open_, target, level)
    return level


__all__ = ["UNREACHED", "Blocks", "advance", "levels", "open_cells"]
