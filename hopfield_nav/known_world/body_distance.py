"""Kernels: the bodies of an arm placed in base axes, and distances between two of them.

``axes`` (k, 9) holds a body a row: start of its axis, vector to the end, middle, all in base axes [m].
"""

from __future__ import annotations

import math

from dynamics.compiled import inlined
from hopfield_nav.arm_capsules import RADIUS, REACH, place_axis
from hopfield_nav.geometry_round import nearest_shares

AXES_WIDTH = 9


@inlined
def place_bodies(bodies, work, axes):
    """Write ``axes`` of every body from the frames in ``work``."""
    for b in range(bodies.shape[0]):
        ax, ay, az, dx, dy, dz = place_axis(work, bodies, b)
        axes[b, 0], axes[b, 1], axes[b, 2] = ax, ay, az
        axes[b, 3], axes[b, 4], axes[b, 5] = dx, dy, dz
        axes[b, 6], axes[b, 7], axes[b, 8] = ax + 0.5 * dx, ay + 0.5 * dy, az + 0.5 * dz


@inlined
def bodies_apart(bodies, axes, a, b, reach):
    """Whether the spheres about two bodies are further apart than ``reach`` [m]."""
    x, y, z = axes[a, 6] - axes[b, 6], axes[a, 7] - axes[b, 7], axes[a, 8] - axes[b, 8]
    limit = bodies[a, REACH] + bodies[b, REACH] + reach
    return x * x + y * y + z * z > limit * limit


@inlined
def body_distance(bodies, axes, a, b):
    """Signed distance of two bodies [m]: of their axes, less both radii."""
    ax, ay, az, dx, dy, dz = axes[a, 0], axes[a, 1], axes[a, 2], axes[a, 3], axes[a, 4], axes[a, 5]
    bx, by, bz, ex, ey, ez = axes[b, 0], axes[b, 1], axes[b, 2], axes[b, 3], axes[b, 4], axes[b, 5]
    t, u = nearest_shares(ax, ay, az, dx, dy, dz, bx, by, bz, ex, ey, ez)
    x, y, z = ax + t * dx - bx - u * ex, ay + t * dy - by - u * ey, az + t * dz - bz - u * ez
    return math.sqrt(x * x + y * y + z * z) - bodies[a, RADIUS] - bodies[b, RADIUS]


@inlined
def self_touches(bodies, pairs, axes, apart):
    """Whether a pair of bodies is nearer than its ``apart`` (p,) [m], or touches."""
    for p in range(pairs.shape[0]):
        a, b = pairs[p, 0], pairs[p, 1]
        if bodies_apart(bodies, axes, a, b, apart[p]):
            continue
        if body_distance(bodies, axes, a, b) <= apart[p]:
            return True
    return False


@inlined
def self_distance(bodies, pairs, axes, least):
    """Least signed distance of a pair of bodies, or ``least`` where none is nearer [m]."""
    for p in range(pairs.shape[0]):
        a, b = pairs[p, 0], pairs[p, 1]
        if not bodies_apart(bodies, axes, a, b, max(least, 0.0)):
            least = min(least, body_distance(bodies, axes, a, b))
    return least
