"""Random points of the arm's surface, on which studies push it."""

from typing import NamedTuple

import numpy as np

from dynamics import Arm
from dynamics.arm import joint_count
from dynamics.batches import as_rows
from dynamics.work import make_work
from hopfield_nav.extensions.isolation import default_surface
from hopfield_nav.extensions.isolation.surface import (  # fmt: skip
    AREA,
    BODY,
    HALF_U,
    HALF_V,
    LENGTH,
    SCALE,
    ArmSurface,
    U,
    V,
    place_points,
)
from hopfield_nav.geometry import LINK


class SurfacePoints(NamedTuple):
    """Points of the arm's surface."""

    body: np.ndarray  # (k,) row of ``ArmSurface.bodies``
    link: np.ndarray  # (k,) counted from 1
    point: np.ndarray  # (k, 3) base axes [m]
    normal: np.ndarray  # (k, 3) inward unit normal, base axes


def random_surface_points(arm: Arm, q: np.ndarray, rng: np.random.Generator) -> SurfacePoints:
    """A random point of the visible surface for each pose: uniform in area, never inside another capsule.

    Args:
        arm: the arm.
        q: (k, n) joint angles [rad].
        rng: source of the random numbers.

    Raises:
        BadInput: wrong shape, or an arm without an outline.
    """
    (rows,), _ = as_rows(joint_count(arm), q=q)
    surface, work = default_surface(arm), make_work(len(arm.dh))
    share = np.cumsum(surface.patches[:, AREA]) / surface.patches[:, AREA].sum()
    body, found = np.zeros(len(rows), dtype=np.int64), np.zeros((len(rows), 6))
    left = np.arange(len(rows))
    while len(left):
        chosen = surface.patches[np.searchsorted(share, rng.random(len(left)))]
        u, v = _spread(surface, chosen, rng.uniform(-1, 1, (len(left), 2)))
        place, hidden = place_points(
            arm, rows[left], surface, chosen[:, BODY].astype(np.int64), u, v, work
        )
        kept = left[~hidden]
        body[kept], found[kept] = chosen[~hidden, BODY].astype(np.int64), place[~hidden]
        left = left[hidden]
    return SurfacePoints(body, surface.bodies[body, LINK].astype(int), found[:, :3], found[:, 3:])


def _spread(
    surface: ArmSurface, chosen: np.ndarray, shares: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Random (u, v) in patches, uniform in area: on a round end the sine of the tilt is uniform."""
    shape = surface.shapes[chosen[:, BODY].astype(int)]
    low, high = chosen[:, U] - chosen[:, HALF_U], chosen[:, U] + chosen[:, HALF_U]
    end = np.clip(chosen[:, U], 0.0, shape[:, LENGTH])
    share, scale = 0.5 * (shares[:, 0] + 1), shape[:, SCALE]
    sine = (1 - share) * np.sin((low - end) / scale) + share * np.sin((high - end) / scale)
    round_end = (chosen[:, U] < 0) | (chosen[:, U] > shape[:, LENGTH])
    tilted = end + scale * np.arcsin(np.clip(sine, -1, 1))
    u = np.where(round_end, tilted, low + share * (high - low))
    return u, chosen[:, V] + shares[:, 1] * chosen[:, HALF_V]
