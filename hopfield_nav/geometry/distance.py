"""Signed distance between capsules and solids of any kind.

The signed distance of a point to a convex solid is positive outside and negative inside. That of a
capsule is the least one along its axis, less its radius: exact, and positive where the two are
apart. While the capsule's axis is outside the solid its negative is the shortest motion that parts
them.
"""

import math
from typing import NamedTuple

import numpy as np

from dynamics import BadInput
from dynamics.batches import as_rows
from dynamics.kernels.decorators import Table, inlined, kernel, shared
from dynamics.kernels.vectors import Vector, along, dot, length, over, put, sub, vector
from hopfield_nav.geometry import round_distance
from hopfield_nav.geometry.flat_distance import box_distance, mesh_distance
from hopfield_nav.geometry.round_distance import cylinder_distance
from hopfield_nav.geometry.solids import (
    AXES,
    BOUND,
    BOX,
    CAPSULE,
    CYLINDER,
    HALF_SPACE,
    KIND,
    MESH,
    SPHERE,
    UPRIGHT,
    as_primitives,
    from_centre,
)


class ClosestPoints(NamedTuple):
    """Where capsules and solids are nearest to each other."""

    distance: np.ndarray  # (..., m) signed distance [m]
    on_capsule: np.ndarray  # (..., m, 3) point of the capsule's surface [m]
    on_solid: np.ndarray  # (..., m, 3) point of the solid's surface [m]
    # (..., m, 3) gradient of the distance with the capsule's place: it leads from the solid to the
    # capsule. Of length 1, but shorter where the capsule's axis goes through the solid and is as
    # deep under one face as under another; 0 where these are opposite.
    normal: np.ndarray


def capsule_distance(capsules: np.ndarray, primitives: np.ndarray) -> np.ndarray:
    """Signed distance (..., m) [m] of capsules (..., 7) to packed solids (m, 17).

    A capsule is start, end and radius [m].

    Raises ``BadInput``: wrong shapes, or a negative radius.
    """
    rows, lead = _capsules(capsules)
    solids = as_primitives(primitives)
    return _distances(rows, solids).reshape(*lead, len(solids))


def closest_points(capsules: np.ndarray, primitives: np.ndarray) -> ClosestPoints:
    """As ``capsule_distance``, and where capsules and solids are nearest."""
    rows, lead = _capsules(capsules)
    solids = as_primitives(primitives)
    full = _closest(rows, solids).reshape(*lead, len(solids), 10)
    return ClosestPoints(
        distance=full[..., 0],
        on_capsule=full[..., 1:4],
        on_solid=full[..., 4:7],
        normal=full[..., 7:10],
    )


def _capsules(value: np.ndarray) -> tuple[np.ndarray, tuple[int, ...]]:
    (rows,), lead = as_rows(7, capsules=value)
    if rows.size and rows[:, 6].min() < 0.0:
        least = float(rows[:, 6].min())
        raise BadInput("a negative radius", where="capsules", found=least, allowed="0 or more")
    return rows, lead


@inlined
def segment_distance(solids, j, a, d):
    """(s, t, g) of the segment a + t d and solid ``j``; see ``round_distance``."""
    if solids[j, KIND] == UPRIGHT:  # the shortest to compile, and the commonest
        return round_distance.upright_distance(solids, j, a, d)
    return _distance_to_others(solids, j, a, d)


@shared
def _distance_to_others(solids: Table, j: int, a: Vector, d: Vector) -> tuple[float, float, Vector]:
    kind = solids[j, KIND]
    if kind == BOX:
        return box_distance(solids, j, a, d)
    if kind == SPHERE:
        return round_distance.sphere_distance(solids, j, a, d)
    if kind == CYLINDER:
        return cylinder_distance(solids, j, a, d)
    if kind == CAPSULE:
        return round_distance.capsule_distance_to(solids, j, a, d)
    if kind == MESH:
        return mesh_distance(solids, j, a, d)
    return round_distance.half_space_distance(solids, j, a, d)


@inlined
def gap_to_bound(solids, j, p):
    """Distance [m] of a point to the bound of solid ``j``.

    No more than that to the solid itself.
    """
    kind = solids[j, KIND]
    w = from_centre(solids, j, p)
    if kind == HALF_SPACE:
        return dot(vector(solids, j, AXES), w)
    away = math.sqrt(w[0] * w[0] + w[1] * w[1]) if kind == UPRIGHT else length(w)
    return away - solids[j, BOUND]


@kernel
def _distances(capsules: np.ndarray, solids: np.ndarray) -> np.ndarray:
    out = np.empty((capsules.shape[0], solids.shape[0]))
    for i in range(capsules.shape[0]):
        a = vector(capsules, i, 0)
        d = sub(vector(capsules, i, 3), a)
        for j in range(solids.shape[0]):
            out[i, j] = segment_distance(solids, j, a, d)[0] - capsules[i, 6]
    return out


@kernel
def _closest(capsules: np.ndarray, solids: np.ndarray) -> np.ndarray:
    out = np.empty((capsules.shape[0], solids.shape[0], 10))
    for i in range(capsules.shape[0]):
        a = vector(capsules, i, 0)
        radius = capsules[i, 6]
        d = sub(vector(capsules, i, 3), a)
        for j in range(solids.shape[0]):
            s, t, normal = segment_distance(solids, j, a, d)
            point = along(a, t, d)
            outward = over(normal, max(length(normal), 1e-300))
            out[i, j, 0] = s - radius
            put(out[i], j, 1, along(point, -radius, outward))
            put(out[i], j, 4, along(point, -s, outward))
            put(out[i], j, 7, normal)
    return out
