"""The network "limit" where steps differ in length: exact distances, by Dial's buckets.

Cells wait in buckets of one shortest step's width. No step leads from a bucket back into itself, so all cells of the
nearest bucket are final, in any order (Dial 1969; Denardo and Fox 1979). Where the longest step is very much longer
than the shortest, buckets are wider. A cell that is improved while its bucket is emptied then waits in it again,
which is exact too.

No border is tested: the grid has a rim as wide as the longest step. Behind an open edge the rim is shut. Behind an
edge of a closed axis its cells are ghosts of the cells on the other side, whose place ``fold`` finds. The place of a
cell is a sum of one number an axis.

Cells with a closed step have a bit in their state, so that only they are asked which of their steps it is.
"""

from typing import NamedTuple

import numpy as np

from dynamics.kernels.decorators import inlined, kernel
from hopfield_nav.planning.closed import is_closed
from hopfield_nav.planning.neighbourhood import Neighbourhood

OPEN, SHUT, GHOST = 0, 1, 2
MOST_BUCKETS = 4096
WAITS = 4  # bit of the state: the cell stands in the bucket of its distance
SOME_CLOSED = 8  # bit of the state of an open cell: one of its steps is closed
END = -1


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


def mark(state: np.ndarray, keys: np.ndarray, steps: int) -> None:
    """Set SOME_CLOSED of the open cells with a closed step, of keys (n,) by place, in ``state``; in place."""
    if keys.size:
        cells = keys // steps
        state[cells[state[cells] == OPEN]] = SOME_CLOSED


@kernel
def distances(layout, length, state, targets, closed):
    """Shortest distances (places,) to the nearest of the targets' places (m,), inf where there is no path.

    ``length`` (k,) is that of the steps, ``state`` (places,) that of `pad` with the targets OPEN, also changed in
    place; the cells of the ``closed`` keys (n,) by place are marked by `mark`.
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
                stands = state[j] & WAITS != 0 and np.int64(distance[j] * per_width) == np.int64(beyond * per_width)
                if not stands:  # in that very bucket
                    if spare != END:
                        node, spare = spare, after[spare]
                    else:
                        if used == cell.size:
                            cell, after = np.concatenate((cell, cell)), np.concatenate((after, after))
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
