"""The obstacles of a world: as solids, and as kernels read them.

The worlds are resolved: random cylinders have been drawn. Unknown obstacles come first, then known
ones.
"""

from collections.abc import Iterable

import numpy as np

from dynamics import BadInput
from hopfield_nav.world import Cylinder, KnownObstacle, Solid, World, packed


def all_solids(world: World) -> list[Solid]:
    """Every obstacle of a resolved world: unknown ones, then known ones.

    Raises ``BadInput``: some are not drawn yet.
    """
    if any(obstacle.random_cylinders or obstacle.random_scene for obstacle in world.obstacles):
        raise BadInput(
            "random obstacles are not drawn yet",
            where="obstacles",
            allowed="a world after resolve(seed)",
        )
    return solids_of((*world.obstacles, *world.known))


def solids_of(obstacles: Iterable[KnownObstacle]) -> list[Solid]:
    """The solids that entries of ``obstacles`` or ``known`` hold or stand for, in their order."""
    return [solid for obstacle in obstacles for solid in obstacle.solids]


def names_of(obstacles: Iterable[KnownObstacle]) -> list[str | None]:
    """The name of the entry of each of the solids of ``solids_of``, or None."""
    return [obstacle.name for obstacle in obstacles for _ in obstacle.solids]


def build_obstacles(world: World) -> np.ndarray:
    """Every obstacle of a resolved world, packed: (m, 17)."""
    return packed(all_solids(world))


def endless_cylinders(world: World) -> np.ndarray:
    """Centre x, y and radius [m] of the upright cylinders without end, (m, 3)."""
    rows = []
    for solid in all_solids(world):
        if isinstance(solid, Cylinder) and solid.height is None:
            rows.append((*solid.center, solid.radius))
    return np.array(rows, dtype=np.float64).reshape(-1, 3)
