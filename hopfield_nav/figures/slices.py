"""Where a level plane cuts an obstacle: outlines for maps seen from above."""

from __future__ import annotations

from functools import singledispatch
from itertools import product

import numpy as np

from hopfield_nav.obstacle_kinds import Box, Cylinder, Floor, Solid, Sphere

Room = tuple[float, float, float, float]  # x from, to, y from, to [m]
_NOTHING = np.zeros((0, 2))
_CIRCLE = np.stack([f(np.linspace(0.0, 2 * np.pi, 97)[:-1]) for f in (np.cos, np.sin)], axis=-1)


@singledispatch
def slice_outline(solid: Solid, z: float, room: Room) -> np.ndarray:
    """Corners (k, 2) [m] of an obstacle's cut at height ``z``; none where it is not cut.

    Args:
        solid: as the world file has it.
        z: height of the plane [m].
        room: x from, to, y from, to [m]: what a floor above the plane fills.
    """
    raise TypeError(f"no solid: {type(solid).__name__}")


@slice_outline.register
def _(solid: Cylinder, z: float, room: Room) -> np.ndarray:
    if not solid.contains(solid.center[0], solid.center[1], z):
        return _NOTHING
    return np.array(solid.center) + solid.radius * _CIRCLE


@slice_outline.register
def _(solid: Sphere, z: float, room: Room) -> np.ndarray:
    square = solid.radius**2 - (z - solid.center[2]) ** 2
    return np.array(solid.center[:2]) + np.sqrt(square) * _CIRCLE if square > 0 else _NOTHING


@slice_outline.register
def _(solid: Floor, z: float, room: Room) -> np.ndarray:
    left, right, low, high = room
    corners = np.array([[left, low], [right, low], [right, high], [left, high]])
    return corners if z <= solid.height else _NOTHING


@slice_outline.register
def _(solid: Box, z: float, room: Room) -> np.ndarray:
    corners = np.array(list(product((-0.5, 0.5), repeat=3))) * solid.size
    corners = corners @ np.array(solid.rotation).T + solid.center
    points = []
    for a, b in product(range(8), repeat=2):
        if a < b and (a ^ b) in (1, 2, 4):  # an edge: the two differ in one coordinate
            start, end = corners[a], corners[b]
            if (start[2] - z) * (end[2] - z) <= 0 and start[2] != end[2]:
                points.append((start + (z - start[2]) / (end[2] - start[2]) * (end - start))[:2])
    if len(points) < 3:
        return _NOTHING
    around = np.array(points) - np.mean(points, axis=0)
    return np.array(points)[np.argsort(np.arctan2(around[:, 1], around[:, 0]))]
