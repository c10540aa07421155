"""The obstacles of a world as faces for the scene."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hopfield_nav.figures.solids import box_faces, capsule_faces, drum_faces, wall_faces
from hopfield_nav.obstacle_kinds import Box, Cylinder, Floor, Solid, Sphere
from hopfield_nav.run import Run
from hopfield_nav.solids_of_world import all_solids, endless_cylinders, solids_with_ends

BELOW, ABOVE = 0.05, 0.10  # [m] how far cylinders without end are drawn below and above the plane
_STEP = 1e-6  # [m]


def obstacle_faces(run: Run, plane: float, top: float | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Faces (k, 4, 3) [m] of the obstacles below the map's plane, and of those above or cut by it.

    Args:
        run: any run.
        plane: height of the plane [m].
        top: how high cylinders without end are drawn [m]; default a little above the plane.
    """
    circles = endless_cylinders(run.world)
    below = wall_faces(circles, plane - BELOW, plane, bands=1, lid=False)
    above = wall_faces(circles, plane, plane + ABOVE if top is None else top)
    faces = points_of_solids(run).reshape(-1, 4, 3)
    under = faces[..., 2].max(axis=1) <= plane
    return np.concatenate([below, faces[under]]), np.concatenate([above, faces[~under]])


def points_of_solids(run: Run) -> np.ndarray:
    """Corners (k, 3) [m] of the solids that have ends, to find the room that a picture needs."""
    solids = [s for s in solids_with_ends(run.world) if not isinstance(s, Floor)]
    return np.concatenate([part.reshape(-1, 3) for part in faces_of_solids(solids)] or [np.zeros((0, 3))])


def faces_of_solids(solids: Sequence[Box | Cylinder | Sphere]) -> list[np.ndarray]:
    """Faces (m, 4, 3) [m] of each solid, all of them with ends, without those that lead into another."""
    return [
        _outside(_faces(solid), [other for j, other in enumerate(solids) if j != k])
        for k, solid in enumerate(solids)
    ]


def _outside(faces: np.ndarray, others: Sequence[Solid]) -> np.ndarray:
    """Without the faces (m, 4, 3) that lead into another solid, where two touch or overlap."""
    normal = np.cross(faces[:, 2] - faces[:, 0], faces[:, 3] - faces[:, 1])
    length = np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-12)
    middle = faces.mean(axis=1, keepdims=True)
    just_outside = middle + 0.99 * (faces - middle) + _STEP * (normal / length)[:, None]
    hidden = np.zeros(len(faces), dtype=bool)
    for solid in others:
        hidden |= solid.contains(*np.moveaxis(just_outside, 2, 0)).all(axis=1)
    return faces[~hidden]


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
