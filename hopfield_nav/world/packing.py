"""From an obstacle of a world file to the row of numbers that geometry reads."""

from collections.abc import Iterable

import numpy as np

from hopfield_nav.world.solids import Box, Cylinder, Solid, Sphere


def packed(solids: Iterable[Solid]) -> np.ndarray:
    """Obstacles (m, 17)."""
    from hopfield_nav.geometry import pack_primitives  # loads Numba

    return pack_primitives(pack(solid) for solid in solids)


def pack(solid: Solid) -> np.ndarray:
    """The row (17,) of one obstacle."""
    from hopfield_nav.geometry import box, finite_cylinder, half_space, sphere, upright_cylinder

    if isinstance(solid, Sphere):
        return sphere(solid.center, solid.radius)
    if isinstance(solid, Box):
        return box(solid.center, solid.size, np.array(solid.rotation))
    if not isinstance(solid, Cylinder):
        return half_space((0.0, 0.0, solid.height))
    if solid.height is None:
        return upright_cylinder(solid.center, solid.radius)
    low, high = solid.height
    return finite_cylinder((*solid.center, 0.5 * (low + high)), solid.radius, high - low)
