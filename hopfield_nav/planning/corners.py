"""The shortest path in the plane around blocked boxes: A* over corners that bend a taut string.

A shortest path is a chain of straight lines between corners at which three of the four boxes are
free, and at each it bends around the blocked one. A* over these corners, with lines of sight looked
up when needed, is exact. Corners that are too far off for a path over them to be shorter than a
known one are dropped beforehand. Where a distance shall be kept, the blocked cells are grown by it
first (``grown_boxes``).
"""

import itertools

import numpy as np

from dynamics.kernels.decorators import kernel
from hopfield_nav.planning.line_of_sight import Boxes, make_boxes, sees, unit_boxes
from hopfield_nav.planning.plan import way_back

MOST_CORNERS = 20_000  # the search looks at pairs of them
_LITTLE = 1e-12
_SAME = 1e-9  # [cells]


def shortest_in_plane(
    boxes: Boxes, start: np.ndarray, goal: np.ndarray, spacing: np.ndarray, bound: float
) -> np.ndarray | None:
    """The shortest path (k, 2) from start to goal (2,) in cells, among boxes of rank 2.

    None where there is none within the bound, the length of a known path, or where more than
    ``MOST_CORNERS`` could be on it; ``spacing`` (2,) is the length of a cell along each axis.
    """
    corners, sign = convex_corners(boxes)
    far = np.linalg.norm((corners - start) * spacing, axis=1)
    far += np.linalg.norm((corners - goal) * spacing, axis=1)
    near = far <= bound * (1 + 1e-9)
    if near.sum() > MOST_CORNERS:
        return None
    points = np.vstack([start, goal, corners[near]])
    around = np.vstack([np.zeros((2, 2)), sign[near]])
    before = np.full(len(points), -1)
    arrived = _search(boxes, points, around, spacing, bound * (1 + 1e-9), before)
    return points[way_back(before, 0, 1)] if arrived else None


def convex_corners(boxes: Boxes) -> tuple[np.ndarray, np.ndarray]:
    """Points (n, 2) where just one of the four boxes around is blocked, and on which side it is.

    The side is a sign for each axis, (n, 2).
    """
    grid = np.pad(boxes.blocked.reshape(boxes.shape), 1, constant_values=True)
    lower = grid[:-1]  # along x
    upper = grid[1:]
    four = np.stack([lower[:, :-1], lower[:, 1:], upper[:, :-1], upper[:, 1:]], axis=-1)
    i, j = np.nonzero(four.sum(axis=-1) == 1)
    which = four[i, j].argmax(axis=-1)
    x_side = np.where(which >= 2, 1.0, -1.0)
    y_side = np.where(which % 2 == 1, 1.0, -1.0)
    points = np.stack([boxes.edges[0, i], boxes.edges[1, j]], axis=1)
    return points, np.stack([x_side, y_side], axis=1)


@kernel
def _taut(dx, dy, sign):
    """Whether a string along (dx, dy) can bend around the box on the side ``sign`` of its end."""
    return dx * sign[0] * dy * sign[1] <= _LITTLE


@kernel
def _search(boxes, points, sign, spacing, bound, before):
    """A* from point 0 to point 1; whether it arrives. Writes from where each point was reached."""
    n = len(points)
    length = np.full(n, np.inf)  # of the shortest way to each point so far
    ahead = np.empty(n)  # from each to the goal in a straight line
    done = np.zeros(n, np.bool_)
    for j in range(n):
        dx = points[j, 0] - points[1, 0]
        dy = points[j, 1] - points[1, 1]
        ahead[j] = np.hypot(dx * spacing[0], dy * spacing[1])
    length[0] = 0.0
    while True:
        i = -1
        least = np.inf
        for j in range(n):
            if not done[j] and length[j] + ahead[j] < least:
                i = j
                least = length[j] + ahead[j]
        if i < 0 or i == 1:
            return i == 1
        done[i] = True
        for j in range(1, n):
            if done[j]:
                continue
            dx = points[j, 0] - points[i, 0]
            dy = points[j, 1] - points[i, 1]
            if not (_taut(dx, dy, sign[i]) and _taut(dx, dy, sign[j])):
                continue
            new = length[i] + np.hypot(dx * spacing[0], dy * spacing[1])
            if new >= length[j] * (1.0 - _LITTLE) or new + ahead[j] > bound:
                continue
            if sees(boxes, points[i], points[j]):
                length[j] = new
                before[j] = i


def grown_boxes(blocked: np.ndarray, clearance: np.ndarray) -> Boxes:
    """Every blocked cell grown by a clearance (rank,) in cells, exactly.

    Cells are cut where grown ones end. A grown cell is a box again, its corners are not rounded:
    the distance that is kept is at least the clearance, and at a corner up to sqrt(rank) times
    that. The border of the grid does not grow. A gap of just twice the clearance is closed.
    """
    if not clearance.any():
        return unit_boxes(blocked)
    from scipy.ndimage import maximum_filter1d

    grid = np.asarray(blocked)
    edges = []
    for axis, reach in enumerate(clearance):
        whole = int(reach + _SAME)
        part = max(float(reach) - whole, 0.0)
        grown = maximum_filter1d(grid.view(np.uint8), 2 * whole + 1, axis, mode="constant")
        cuts = _cuts(part)
        low = (np.arange(blocked.shape[axis]) - 0.5)[:, None] + cuts[:-1]
        edges.append(np.append(low.reshape(-1), blocked.shape[axis] - 0.5))
        grid = _cut(grown.astype(bool), axis, cuts, part)
    return make_boxes(grid, edges)


def _cuts(part: float) -> np.ndarray:
    """Where a cell, from 0 to 1, is cut so that neighbours that grow by a part of it end there."""
    cuts = np.array([0.0, 1.0] if part <= _SAME else [0.0, part, 1.0 - part, 1.0])
    cuts.sort()
    return cuts[np.concatenate([[True], np.diff(cuts) > _SAME])]


def _cut(grid: np.ndarray, axis: int, cuts: np.ndarray, part: float) -> np.ndarray:
    """Cut the cells along an axis; a piece that the grown neighbour covers is blocked."""
    n = grid.shape[axis]
    rim = np.zeros((grid.ndim, 2), np.int64)
    rim[axis] = 1
    padded = np.pad(grid, rim)
    before = padded.take(range(n), axis)
    behind = padded.take(range(2, n + 2), axis)
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
