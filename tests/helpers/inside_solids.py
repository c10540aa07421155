"""Which points lie in the solids of a world file, by the definition of each, as an oracle beside the kernels."""

import math

import numpy as np

from hopfield_nav.world import Box, Cylinder, Floor, Mesh, Sphere


def contains(solid, x, y, z):
    """Whether points lie inside or on a solid; numbers, or arrays that broadcast [m]."""
    return _CONTAINS[type(solid)](solid, x, y, z)


def _in_cylinder(solid, x, y, z):
    low, high = solid.height or (-math.inf, math.inf)
    cx, cy = solid.center
    return ((x - cx) ** 2 + (y - cy) ** 2 <= solid.radius**2) & (low <= z) & (z <= high)


def _in_sphere(solid, x, y, z):
    cx, cy, cz = solid.center
    return (x - cx) ** 2 + (y - cy) ** 2 + (z - cz) ** 2 <= solid.radius**2


def _in_box(solid, x, y, z):
    w = [x - solid.center[0], y - solid.center[1], z - solid.center[2]]
    inside = True
    for k in range(3):
        along = sum(solid.rotation[i][k] * w[i] for i in range(3))
        inside = inside & (np.abs(along) <= 0.5 * solid.size[k])
    return inside


def _in_floor(solid, x, y, z):
    return (z <= solid.height) & (x == x) & (y == y)  # as wide as x and y


def _in_mesh(solid, x, y, z):
    first, second, third = np.moveaxis(solid.triangles, 1, 0)
    inside = True
    for normal, corner in zip(np.cross(second - first, third - first), first, strict=True):
        above = (
            (x - corner[0]) * normal[0] + (y - corner[1]) * normal[1] + (z - corner[2]) * normal[2]
        )
        inside = inside & (above <= 1e-9 * np.linalg.norm(normal))
    return inside


_CONTAINS = {
    Cylinder: _in_cylinder,
    Sphere: _in_sphere,
    Box: _in_box,
    Floor: _in_floor,
    Mesh: _in_mesh,
}
