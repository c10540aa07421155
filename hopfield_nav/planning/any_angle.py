"""From a path along the grid to one in any direction: a string pulled tight around blocked cells.

In the plane the result is the shortest path there is, on whatever side of the obstacles it passes
(`corners`); in more dimensions the given path pulled tight, which is near the shortest of those
that pass the obstacles on the same side.
"""

import itertools
import math
from collections.abc import Sequence

import numpy as np

from dynamics import BadInput
from dynamics.kernels.decorators import inlined, kernel
from hopfield_nav.planning.corners import grown_boxes, shortest_in_plane
from hopfield_nav.planning.line_of_sight import EPS, Boxes, check_blocked, seen, sees
from hopfield_nav.planning.plan import divided, way_back

_LOOK_BACK = 256  # points that are tried as the one before
_ROUNDS = 6  # of pulling
_SWEEPS = 50  # over all corners
_FIRST_MOVE = 1.0  # [cells] of a corner
_LAST_MOVE = 1e-3  # [cells]
_GAIN = 1e-4  # a round that shortens by less is the last one


def shorten_path(
    blocked: np.ndarray,
    cells: np.ndarray,
    spacing: float | Sequence[float] | None = None,
    clearance: float = 0.0,
) -> np.ndarray:
    """Shorten a path (k, rank) of a bool grid with up to 6 axes by lines of sight.

    The path may also be of points in cells, if its ends are not centres of cells. ``spacing`` is
    the distance of neighbouring cells, one number or one an axis; None counts in cells.
    ``clearance`` is kept from blocked cells, in the unit of ``spacing``; a passage of twice that or
    less is closed. If there is no other path, or the given one begins or ends too near to a blocked
    cell, the result keeps the points of the given path there. It is (n, rank), the corners in
    cells, from the first point of the path to its last.

    Raises ``BadInput``: a grid, path, spacing or clearance that cannot be used.
    """
    grid, points, size = _check(blocked, cells, spacing, clearance)
    boxes = grown_boxes(grid, clearance / size)
    apart = ~seen(boxes, points[:-1], points[1:])
    if grid.ndim == 2:
        path = _shortened_in_plane(boxes, points, size, apart)
        if path is not None:
            return _without_repeats(path)
    pieces = np.split(points, np.flatnonzero(apart) + 1)
    pulled = [_pull(boxes, piece, size, _ROUNDS) for piece in pieces]
    return _without_repeats(np.vstack(pulled))


def _shortened_in_plane(
    boxes: Boxes, points: np.ndarray, size: np.ndarray, apart: np.ndarray
) -> np.ndarray | None:
    """The shortest path between the first and the last free point, with the points beyond these.

    ``apart`` (k - 1,) says which points do not see the next one. None where there is no such path.
    """
    free = np.flatnonzero(seen(boxes, points, points))
    if not free.size:
        return None
    first = free[0]
    last = free[-1]
    bound = math.inf
    if not apart[first:last].any():
        known = _pull(boxes, points[first : last + 1], size, rounds=1)
        bound = polyline_length(known, size)
    path = shortest_in_plane(boxes, points[first], points[last], size, bound)
    if path is None:
        return None
    return np.vstack([points[:first], path, points[last + 1 :]])


def polyline_length(points: np.ndarray, spacing: float | np.ndarray = 1.0) -> float:
    """Length of straight lines through points (k, rank) in cells, in the unit of spacing."""
    return float(np.linalg.norm(np.diff(points, axis=0) * spacing, axis=1).sum())


def cells_along(blocked: np.ndarray, points: np.ndarray) -> np.ndarray:
    """The cells (n, rank), in order, that straight lines through points (k, rank) pass.

    The points are in cells. Of the cells along whose faces a line runs, a free one is taken.
    """
    ends = np.clip(np.rint(points[[0, -1]]), 0, np.array(blocked.shape) - 1).astype(int)
    between = [_cells_of_line(blocked, a, b) for a, b in itertools.pairwise(points)]
    cells = np.vstack([ends[:1], *between, ends[1:]])
    return cells[np.concatenate([[True], np.any(np.diff(cells, axis=0), axis=1)])]


def _cells_of_line(blocked: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The cell of the middle between any two faces that are crossed one after the other."""
    shares = [np.array([0.0, 1.0])]  # of the line, at which it crosses a face
    for begin, end in zip(a, b, strict=True):
        if abs(end - begin) > EPS:
            below = math.floor(min(begin, end))
            above = math.ceil(max(begin, end))
            faces = np.arange(below, above + 1) - 0.5
            shares.append((faces - begin) / (end - begin))
    t = np.unique(np.concatenate(shares))
    t = t[(t >= 0) & (t <= 1)]
    is_long = np.diff(t) * float(np.linalg.norm(b - a)) > EPS
    middle = a + ((t[:-1] + t[1:]) / 2)[is_long, None] * (b - a)
    most = np.array(blocked.shape) - 1
    cells = np.clip(np.ceil(middle - 0.5 - EPS), 0, most).astype(int)
    for axis in range(blocked.ndim):  # where the line runs along a face, the free side
        other = cells.copy()
        other[:, axis] = np.clip(np.floor(middle[:, axis] + 0.5 + EPS), 0, most[axis])
        cells = np.where(blocked[tuple(cells.T)][:, None], other, cells)
    return cells


def _pull(boxes: Boxes, points: np.ndarray, size: np.ndarray, rounds: int) -> np.ndarray:
    """A string along the points (k, rank), pulled tight.

    It is the shortest chain over some of the points. Its corners are moved, it is cut finer, and
    pulled again, up to so many ``rounds``.
    """
    length = math.inf
    for turn in range(rounds):
        if turn:
            points = _finer(points)
        before = np.arange(-1, len(points) - 1)
        _chain(boxes, points, size, before)
        points = points[way_back(before, 0, len(points) - 1)]
        if rounds > 1:
            _relax(boxes, points, size)
        now = polyline_length(points, size)
        if now > (1 - _GAIN) * length:
            break
        length = now
    return points


def _finer(points: np.ndarray) -> np.ndarray:
    """More points on the same chain, no more than half a cell apart, and at least four a line."""
    longest = np.abs(np.diff(points, axis=0)).max(axis=1)  # of a line along the axes, in cells
    return divided(points, np.maximum(np.ceil(2 * longest), 4))


@kernel
def _chain(boxes, points, size, before):
    """For each point the one before it on the shortest chain from the first one; in place.

    Points that follow each other are known to see each other.
    """
    n = len(points)
    length = np.zeros(n)
    for j in range(1, n):
        length[j] = np.inf
        for i in range(max(j - _LOOK_BACK, 0), j):
            far = 0.0
            for a in range(size.size):
                far += ((points[j, a] - points[i, a]) * size[a]) ** 2
            new = length[i] + np.sqrt(far)
            if new < length[j] and (i == j - 1 or sees(boxes, points[i], points[j])):
                length[j] = new
                before[j] = i


@inlined
def _between(p, at, q, size):
    """Length of the detour from p to q over the point ``at``: two straight lines.

    All three are points (rank,) in cells; ``size`` (rank,) are the sides of a cell, in the unit of
    the length.
    """
    first = 0.0
    second = 0.0
    for a in range(size.size):
        first += ((at[a] - p[a]) * size[a]) ** 2
        second += ((q[a] - at[a]) * size[a]) ** 2
    return math.sqrt(first) + math.sqrt(second)


@kernel
def _relax(boxes, points, size):
    """Slide the corners of a chain along the axes, as the edges of boxes run, while that helps.

    In place.
    """
    at = np.empty(size.size)
    for _ in range(_SWEEPS):
        moved = False
        for k in range(1, len(points) - 1):
            length = _between(points[k - 1], points[k], points[k + 1], size)
            stride = _FIRST_MOVE
            while stride > _LAST_MOVE:
                better = False
                for move in range(2 * size.size):
                    at[:] = points[k]
                    at[move // 2] += stride if move % 2 else -stride
                    new = _between(points[k - 1], at, points[k + 1], size)
                    if new >= length * (1.0 - 1e-9):
                        continue
                    if sees(boxes, points[k - 1], at) and sees(boxes, at, points[k + 1]):
                        points[k] = at
                        length = new
                        better = True
                        moved = True
                if not better:
                    stride *= 0.5
        if not moved:
            return


def _without_repeats(points: np.ndarray) -> np.ndarray:
    """No point twice in a row, but always the last."""
    moved = np.abs(np.diff(points, axis=0)).max(axis=1, initial=0.0) > EPS
    return points[np.concatenate([[True], moved])] if len(points) > 1 else points


def _check(
    blocked: np.ndarray,
    cells: np.ndarray,
    spacing: float | Sequence[float] | None,
    clearance: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Grid, points and spacing (rank,); BadInput for what cannot be used."""
    grid = check_blocked(blocked)
    points = np.ascontiguousarray(cells, dtype=float)
    if points.ndim != 2 or points.shape[1] != grid.ndim or len(points) < 1:
        raise BadInput("cells", found=points.shape, allowed=f"(k, {grid.ndim}) with k at least 1")
    if not np.all((points >= -0.5) & (points <= np.array(grid.shape) - 0.5)):
        raise BadInput("cells", found="a point outside the grid", allowed=f"inside {grid.shape}")
    size = np.asarray(1.0 if spacing is None else spacing, dtype=float)
    if size.shape not in {(), (grid.ndim,)} or not np.all((size > 0) & (size < np.inf)):
        raise BadInput("spacing", found=spacing, allowed=f"one positive number, or {grid.ndim}")
    if not 0 <= clearance < np.inf:
        raise BadInput("clearance", found=clearance, allowed="0 or more")
    return grid, points, np.zeros(grid.ndim) + size
