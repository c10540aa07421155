"""The obstacles of a world as faces for the scene."""

from __future__ import annotations

import numpy as np

from hopfield_nav.figures.solids import box_faces, capsule_faces, drum_faces, wall_faces
from hopfield_nav.obstacle_kinds import Box, Cylinder, Floor, Sphere
from hopfield_nav.run import Run
from hopfield_nav.solids_of_world import all_solids, endless_cylinders, solids_with_ends

BELOW, ABOVE = 0.05, 0.10  # [m] how far cylinders without end are drawn below and above the plane


def obstacle_faces(run: Run, plane: float) -> tuple[np.ndarray, np.ndarray]:
    """Faces (k, 4, 3) [m] of the obstacles below the map's plane, and of those above or cut by it."""
    circles = endless_cylinders(run.world)
    below = wall_faces(circles, plane - BELOW, plane, bands=1, lid=False)
    above = wall_faces(circles, plane, plane + ABOVE)
    faces = points_of_solids(run).reshape(-1, 4, 3)
    under = faces[..., 2].max(axis=1) <= plane
    return np.concatenate([below, faces[under]]), np.concatenate([above, faces[~under]])


def points_of_solids(run: Run) -> np.ndarray:
    """Corners (k, 3) [m] of the solids that have ends, to find the room that a picture needs."""
    solids = [s for s in solids_with_ends(run.world) if not isinstance(s, Floor)]
    return np.concatenate([_faces(solid).reshape(-1, 3) for solid in solids] or [np.zeros((0, 3))])


def floor_heights(run: Run) -> list[float]:
    """Heights [m] of the world's floors."""
    return [solid.height for solid in all_solids(run.world) if isinstance(solid, Floor)]


def _faces(solid: Box | Cylinder | Sphere) -> np.ndarray:
    if isinstance(solid, Sphere):
        center = np.array(solid.center)
        return capsule_faces(center, center, solid.radius, sides=36, rings=10)
    if isinstance(solid, Box):
        return box_faces(np.array(solid.center), np.array(solid.size), np.array(solid.rotation))
    low, high = solid.height or (0.0, 0.0)
    return drum_faces(np.array(solid.center), solid.radius, low, high)
