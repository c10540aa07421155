"""The shortest way in the plane around blocked boxes: A* over the corners that a taut string can touch.

A shortest way is a chain of straight lines between corners at which three of the four boxes are free,
and at each it bends around the blocked one. A* over these corners, with lines of sight looked up when
needed, is exact. Corners that are so far off that no way over them is shorter than one that is known
are left out beforehand.
"""

from __future__ import annotations

import numpy as np

from dynamics.compiled import kernel
from hopfield_nav.line_of_sight import Boxes, sees

MOST_CORNERS = 20_000  # the search looks at pairs of them
_LITTLE = 1e-12


def shortest_in_plane(
    boxes: Boxes, start: np.ndarray, goal: np.ndarray, spacing: np.ndarray, bound: float
) -> np.ndarray | None:
    """The shortest way from start to goal.

    Args:
        boxes: of rank 2.
        start: (2,) in cells.
        goal: (2,) in cells.
        spacing: (2,) length of a cell along each axis.
        bound: length of a way that is known; inf for none.

    Returns:
        (k, 2) points in cells; None where there is none within the bound, or where more than
        ``MOST_CORNERS`` could be on it.
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
    way = [1]
    while way[-1] != 0:
        way.append(int(before[way[-1]]))
    return points[way[::-1]]


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
