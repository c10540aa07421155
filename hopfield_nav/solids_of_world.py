"""The obstacles of a world as the numbers that kernels and pictures read.

Worlds are resolved: random cylinders have been drawn. Unknown obstacles come first, then known ones.
"""

from __future__ import annotations

from functools import singledispatch

import numpy as np

from hopfield_nav.geometry import (
    box,
    finite_cylinder,
    half_space,
    pack_primitives,
    sphere,
    upright_cylinder,
)
from hopfield_nav.obstacle_kinds import Box, Cylinder, Floor, Solid, Sphere
from hopfield_nav.world import World


def all_solids(world: World) -> list[Solid]:
    """Every obstacle of a resolved world, as the world file has it."""
    return [obstacle.solid for obstacle in (*world.obstacles, *world.known)]


def build_obstacles(world: World) -> np.ndarray:
    """Every obstacle of a resolved world, packed: (m, 17)."""
    return pack_primitives(pack(solid) for solid in all_solids(world))


def build_solids_with_ends(world: World) -> np.ndarray:
    """The obstacles that ``endless_cylinders`` leaves out, packed: (m, 17)."""
    return pack_primitives(pack(solid) for solid in solids_with_ends(world))


def all_cylinders(world: World) -> list[Cylinder]:
    """The upright cylinders without end."""
    return [s for s in all_solids(world) if isinstance(s, Cylinder) and s.height is None]


def endless_cylinders(world: World) -> np.ndarray:
    """Centre x, y and radius [m] of the upright cylinders without end, (m, 3)."""
    rows = [(*cylinder.center, cylinder.radius) for cylinder in all_cylinders(world)]
    return np.array(rows, dtype=np.float64).reshape(-1, 3)


def solids_with_ends(world: World) -> list[Solid]:
    """Every obstacle but the upright cylinders without end."""
    return [s for s in all_solids(world) if not (isinstance(s, Cylinder) and s.height is None)]


@singledispatch
def pack(solid: Solid) -> np.ndarray:
    """The row (17,) of one obstacle."""
    raise TypeError(f"no solid: {type(solid).__name__}")


@pack.register
def _(solid: Sphere) -> np.ndarray:
    return sphere(solid.center, solid.radius)


@pack.register
def _(solid: Box) -> np.ndarray:
    return box(solid.center, solid.size, np.array(solid.rotation))


@pack.register
def _(solid: Floor) -> np.ndarray:
    return half_space((0.0, 0.0, solid.height))


@pack.register
def _(solid: Cylinder) -> np.ndarray:
    if solid.height is None:
        return upright_cylinder(solid.center, solid.radius)
    low, high = solid.height
    return finite_cylinder((*solid.center, 0.5 * (low + high)), solid.radius, high - low)
