"""Blocked cells grown by a distance that shall be kept from them."""

from __future__ import annotations

import itertools

import numpy as np

from hopfield_nav.line_of_sight import Boxes, make_boxes

_SAME = 1e-9  # [cells]


def grown_boxes(blocked: np.ndarray, clearance: np.ndarray) -> Boxes:
    """Every blocked cell grown to all sides, exactly, by cutting cells where the grown ones end.

    A grown cell is a box again, its corners are not rounded: the distance that is kept is at least the
    clearance, and at a corner up to sqrt(rank) times that. The border of the grid does not grow.

    Args:
        blocked: bool grid.
        clearance: (rank,) in cells, 0 or more.

    Returns:
        The boxes. A gap of just twice the clearance is closed.
    """
    grid, edges = np.asarray(blocked), []
    for axis, reach in enumerate(clearance):
        whole = int(reach + _SAME)
        part = max(float(reach) - whole, 0.0)
        grid = _widen(grid, axis, whole)
        cuts = np.array([0.0, 1.0] if part <= _SAME else [0.0, part, 1.0 - part, 1.0])
        cuts.sort()
        cuts = cuts[np.concatenate([[True], np.diff(cuts) > _SAME])]
        low = (np.arange(blocked.shape[axis]) - 0.5)[:, None] + cuts[:-1]
        edges.append(np.append(low.reshape(-1), blocked.shape[axis] - 0.5))
        grid = _cut(grid, axis, cuts, part)
    return make_boxes(grid, edges)


def _shift(grid: np.ndarray, axis: int, by: int) -> np.ndarray:
    """The grid moved along an axis; what comes in is free."""
    out = np.zeros_like(grid)
    n = grid.shape[axis]
    if abs(by) < n:
        there, here = [slice(None)] * grid.ndim, [slice(None)] * grid.ndim
        there[axis] = slice(max(by, 0), n + min(by, 0))
        here[axis] = slice(max(-by, 0), n + min(-by, 0))
        out[tuple(there)] = grid[tuple(here)]
    return out


def _widen(grid: np.ndarray, axis: int, cells: int) -> np.ndarray:
    """Grow by whole cells along an axis, by doubling."""
    done = 0
    while done < cells:
        by = min(cells - done, done + 1)
        grid = grid | _shift(grid, axis, by) | _shift(grid, axis, -by)
        done += by
    return grid


def _cut(grid: np.ndarray, axis: int, cuts: np.ndarray, part: float) -> np.ndarray:
    """Cut the cells along an axis; a piece that the grown neighbour covers is blocked."""
    before, behind = _shift(grid, axis, 1), _shift(grid, axis, -1)
    pieces = []
    for low, high in itertools.pairwise(cuts):
        piece = grid.copy()
        if high <= part + _SAME:
            piece |= before
        if low >= 1.0 - part - _SAME:
            piece |= behind
        pieces.append(piece)
    shape = list(grid.shape)
    shape[axis] *= len(pieces)
    return np.stack(pieces, axis=axis + 1).reshape(shape)
