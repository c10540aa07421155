"""Where a straight line runs inside solids: one of them, or all that overlap along it as one body.

Each kernel takes packed solids, a point of the line and its direction, a unit vector. A stretch of the line
is (low, high) [m] from the point; low > high where the line misses.
"""

from __future__ import annotations

import math

from dynamics.kernels.decorators import inlined
from hopfield_nav.geometry.box_distance import into_axes
from hopfield_nav.geometry.solids import (
    AXES,
    BOUND,
    BOX,
    CENTRE,
    CYLINDER,
    HALF_SPACE,
    KIND,
    SIZE,
    SPHERE,
    UPRIGHT,
)

SEAM = 1e-6  # [m] solids with no wider gap between them are one body


@inlined
def union_chord(solids, x, y, z, ux, uy, uz):
    """(low, high) of a line in the body that a point (x, y, z) lies in, whatever solids it is made of."""
    low, high, grows = 0.0, 0.0, True
    while grows:
        grows = False
        for j in range(solids.shape[0]):
            begin, end = chord(solids, j, x, y, z, ux, uy, uz)
            if begin > end or begin > high + SEAM or end < low - SEAM:
                continue
            if begin < low or end > high:
                low, high, grows = min(low, begin), max(high, end), True
    return low, high


@inlined
def chord(solids, j, x, y, z, ux, uy, uz):
    """(low, high) of a line in solid ``j``."""
    kind = solids[j, KIND]
    wx, wy, wz = x - solids[j, CENTRE], y - solids[j, CENTRE + 1], z - solids[j, CENTRE + 2]
    radius, nx, ny, nz = solids[j, SIZE], solids[j, AXES], solids[j, AXES + 1], solids[j, AXES + 2]
    if kind == UPRIGHT:
        return _in_round(ux * ux + uy * uy, wx * ux + wy * uy, wx * wx + wy * wy, radius)
    if kind == HALF_SPACE:
        return _below(nx * wx + ny * wy + nz * wz, nx * ux + ny * uy + nz * uz)
    along, square = wx * ux + wy * uy + wz * uz, wx * wx + wy * wy + wz * wz
    if square - along * along > solids[j, BOUND] * solids[j, BOUND]:
        return math.inf, -math.inf
    if kind == SPHERE:
        return _in_round(1.0, along, square, radius)
    if kind == BOX:
        wx, wy, wz = into_axes(solids, j, wx, wy, wz)
        ux, uy, uz = into_axes(solids, j, ux, uy, uz)
        a, b = _between(wx, ux, radius)
        c, d = _between(wy, uy, solids[j, SIZE + 1])
        e, f = _between(wz, uz, solids[j, SIZE + 2])
        return max(a, c, e), min(b, d, f)
    half = solids[j, SIZE + 1] if kind == CYLINDER else math.sqrt(nx * nx + ny * ny + nz * nz)
    if kind != CYLINDER and half > 0.0:
        nx, ny, nz = nx / half, ny / half, nz / half
    w, u = nx * wx + ny * wy + nz * wz, nx * ux + ny * uy + nz * uz
    low, high = _in_round(1.0 - u * u, along - w * u, square - w * w, radius)
    begin, end = _between(w, u, half)
    low, high = max(low, begin), min(high, end)
    if kind == CYLINDER:
        return low, high
    for side in (-half, half):  # the ends of a capsule are round
        begin, end = _in_round(1.0, along - side * u, square - 2.0 * side * w + side * side, radius)
        if begin <= end:
            low, high = min(low, begin), max(high, end)
    return low, high


@inlined
def _in_round(uu, wu, ww, radius):
    """Where |w + t u| is no more than a radius, from the products of w and u."""
    if uu <= 1e-24:
        return (-math.inf, math.inf) if ww <= radius * radius else (math.inf, -math.inf)
    root = wu * wu - uu * (ww - radius * radius)
    if root < 0.0:
        return math.inf, -math.inf
    root = math.sqrt(root)
    return (-wu - root) / uu, (-wu + root) / uu


@inlined
def _between(w, u, half):
    """Where w + t u is between -half and half."""
    if u == 0.0:
        return (-math.inf, math.inf) if abs(w) <= half else (math.inf, -math.inf)
    middle, reach = -w / u, half / abs(u)
    return middle - reach, middle + reach


@inlined
def _below(w, u):
    """Where w + t u is not above 0."""
    if u == 0.0:
        return (-math.inf, math.inf) if w <= 0.0 else (math.inf, -math.inf)
    return (-math.inf, -w / u) if u > 0.0 else (-w / u, math.inf)
