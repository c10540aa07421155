"""A grid with a rim as wide as the longest step: the layout of `buckets`, where no border is tested.

Behind an open edge the rim is shut. Behind an edge of a closed axis its cells are ghosts of the cells
on the other side, whose place `fold` finds. The place of a cell is a sum of one number an axis.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.compiled import inlined
from hopfield_nav.neighbours import Stencil

OPEN, SHUT, GHOST = 0, 1, 2


class Padded(NamedTuple):
    """The layout of one map.

    Attributes:
        shape: (rank,) cells along each axis.
        wrap: (rank,) bool, which axes are closed.
        stride: (rank,) of the padded grid.
        reach: width of the rim.
        step: (k,) of the neighbours, as a difference of places.
        place: (rank, longest) int64; the place of a cell is the sum of its entries.
    """

    shape: np.ndarray
    wrap: np.ndarray
    stride: np.ndarray
    reach: int
    step: np.ndarray
    place: np.ndarray


def pad(blocked: np.ndarray, near: Stencil) -> tuple[Padded, np.ndarray]:
    """Lay out a map.

    Args:
        blocked: bool grid.
        near: its stencil.

    Returns:
        The layout, and the state of all places: OPEN, SHUT or GHOST, uint8.
    """
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


@inlined
def fold(place, shape, stride, reach):
    """Place of the cell whose ghost stands at `place`."""
    found = place
    for a in range(shape.size):
        at = place // stride[a] % (shape[a] + 2 * reach) - reach
        if at < 0:
            found += shape[a] * stride[a]
        elif at >= shape[a]:
            found -= shape[a] * stride[a]
    return found
