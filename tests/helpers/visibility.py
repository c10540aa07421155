"""Shortest paths in the plane from visibility graphs, the references of the any-angle tests."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra


def read_map(path):
    """Blocked cells of a `.map` file of hog2: four header lines, then `.` for free."""
    rows = path.read_text().splitlines()[4:]
    return np.array([[c != "." for c in row] for row in rows if row])


def _obstacles(blocked):
    """Open rectangles (n, 4) that cover blocked cells with their common faces, and pinch points.

    Outside of the map everything is blocked.
    """
    grid = np.pad(blocked, 1, constant_values=True)
    low, high = [], []
    for size in ((1, 1), (2, 1), (1, 2), (2, 2)):
        rows, columns = grid.shape[0] - size[0] + 1, grid.shape[1] - size[1] + 1
        full = np.ones((rows, columns), dtype=bool)
        for i in range(size[0]):
            for j in range(size[1]):
                full &= grid[i : i + rows, j : j + columns]
        at = np.argwhere(full) - 1.5
        low.append(at)
        high.append(at + size)
    a, b, c, d = grid[:-1, :-1], grid[1:, 1:], grid[:-1, 1:], grid[1:, :-1]
    pinch = np.argwhere((a & b & ~c & ~d) | (c & d & ~a & ~b)) - 0.5
    return np.vstack(low), np.vstack(high), pinch


def _corners(blocked):
    grid = np.pad(blocked, 1, constant_values=True).astype(int)
    around = grid[:-1, :-1] + grid[1:, :-1] + grid[:-1, 1:] + grid[1:, 1:]
    return np.argwhere(around == 1) - 0.5


def _visible(p, others, low, high, pinch):
    """Which of the points (n, 2) are seen from p: the segment meets no open rectangle and no pinch."""
    seen = np.ones(len(others), dtype=bool)
    for k, q in enumerate(others):
        d = q - p
        with np.errstate(divide="ignore", invalid="ignore"):
            t0, t1 = (low + 1e-9 - p) / d, (high - 1e-9 - p) / d
        inside = (low + 1e-9 < p) & (p < high - 1e-9)
        enter = np.where(d != 0, np.minimum(t0, t1), np.where(inside, -np.inf, np.inf))
        leave = np.where(d != 0, np.maximum(t0, t1), np.where(inside, np.inf, -np.inf))
        first = np.maximum(enter.max(axis=1), 0.0)
        last = np.minimum(leave.min(axis=1), 1.0)
        if np.any(first < last):
            seen[k] = False
            continue
        along = (pinch - p) @ d
        beside = np.abs((pinch[:, 0] - p[0]) * d[1] - (pinch[:, 1] - p[1]) * d[0])
        inner = (along > 1e-9) & (along < d @ d - 1e-9)
        seen[k] = not np.any(inner & (beside < 1e-9 * np.sqrt(d @ d)))
    return seen


def shortest_length(blocked, start, goal, spacing=(1.0, 1.0)):
    """Length of the shortest path in the plane; inf where there is none."""
    if np.array_equal(start, goal):
        return 0.0
    low, high, pinch = _obstacles(blocked)
    points = np.vstack([np.atleast_2d(start), np.atleast_2d(goal), _corners(blocked)]).astype(float)
    graph = np.zeros((len(points), len(points)))
    for i in range(len(points) - 1):
        seen = _visible(points[i], points[i + 1 :], low, high, pinch)
        length = np.linalg.norm((points[i + 1 :] - points[i]) * spacing, axis=1)
        graph[i, i + 1 :] = np.where(seen, length, 0.0)
    return dijkstra(csr_matrix(graph), directed=False, indices=0)[1]
