"""The shortest path in the plane around blocked boxes: A* over the corners that a taut string can touch.

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
    if not _search(boxes, points, around, spacing, bound * (1 + 1e-9), before):
        return None
    return points[way_back(before, 0, 1)]


def convex_corners(boxes: Boxes) -> tuple[np.ndarray, np.ndarray]:
    """Points (n, 2) where one of the four boxes around is blocked, and the signs (n, 2) of its side."""
    grid = np.pad(boxes.blocked.reshape(boxes.shape), 1, constant_values=True)
    four = np.stack([grid[:-1, :-1], grid[:-1, 1:], grid[1:, :-1], grid[1:, 1:]], axis=-1)
    at = np.argwhere(four.sum(axis=-1) == 1)
    which = np.argmax(four[tuple(at.T)], axis=-1)
    points = np.stack([boxes.edges[0, at[:, 0]], boxes.edges[1, at[:, 1]]], axis=1)
    sign = np.stack([np.where(which >= 2, 1.0, -1.0), np.where(which % 2 == 1, 1.0, -1.0)], axis=1)
    return points, sign


@kernel
def _taut(dx, dy, sign):
    """Whether a string along (dx, dy) can bend around the box on the side ``sign`` of its end."""
    return dx * sign[0] * dy * sign[1] <= _LITTLE


@kernel
def _search(boxes, points, sign, spacing, bound, before):
    """A* from point 0 to point 1; writes where each was reached from; whether the goal was."""
    n = len(points)
    length, ahead, done = np.full(n, np.inf), np.empty(n), np.zeros(n, np.bool_)
    for j in range(n):
        dx, dy = points[j, 0] - points[1, 0], points[j, 1] - points[1, 1]
        ahead[j] = np.hypot(dx * spacing[0], dy * spacing[1])
    length[0] = 0.0
    while True:
        i, least = -1, np.inf
        for j in range(n):
            if not done[j] and length[j] + ahead[j] < least:
                i, least = j, length[j] + ahead[j]
        if i < 0 or i == 1:
            return i == 1
        done[i] = True
        for j in range(1, n):
            if done[j]:
                continue
            dx, dy = points[j, 0] - points[i, 0], points[j, 1] - points[i, 1]
            if not (_taut(dx, dy, sign[i]) and _taut(dx, dy, sign[j])):
                continue
            new = length[i] + np.hypot(dx * spacing[0], dy * spacing[1])
            if new >= length[j] * (1.0 - _LITTLE) or new + ahead[j] > bound:
                continue
            if sees(boxes, points[i], points[j]):
                length[j], before[j] = new, i


def grown_boxes(blocked: np.ndarray, clearance: np.ndarray) -> Boxes:
    """Every blocked cell grown by a clearance (rank,) in cells, exactly: cells are cut where grown ones end.

    A grown cell is a box again, its corners are not rounded: the distance that is kept is at least
    the clearance, and at a corner up to sqrt(rank) times that. The border of the grid does not
    grow. A gap of just twice the clearance is closed.
    """
    if not clearance.any():
        return unit_boxes(blocked)
    from scipy.ndimage import maximum_filter1d

    grid, edges = np.asarray(blocked), []
    for axis, reach in enumerate(clearance):
        whole = int(reach + _SAME)
        part = max(float(reach) - whole, 0.0)
        grid = maximum_filter1d(grid.view(np.uint8), 2 * whole + 1, axis, mode="constant").astype(
            bool
        )
        cuts = np.array([0.0, 1.0] if part <= _SAME else [0.0, part, 1.0 - part, 1.0])
        cuts.sort()
        cuts = cuts[np.concatenate([[True], np.diff(cuts) > _SAME])]
        low = (np.arange(blocked.shape[axis]) - 0.5)[:, None] + cuts[:-1]
        edges.append(np.append(low.reshape(-1), blocked.shape[axis] - 0.5))
        grid = _cut(grid, axis, cuts, part)
    return make_boxes(grid, edges)


def _cut(grid: np.ndarray, axis: int, cuts: np.ndarray, part: float) -> np.ndarray:
    """Cut the cells along an axis; a piece that the grown neighbour covers is blocked."""
    padded = np.pad(grid, [(int(a == axis),) * 2 for a in range(grid.ndim)])
    before, behind = (padded.take(range(k, k + grid.shape[axis]), axis) for k in (0, 2))
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
