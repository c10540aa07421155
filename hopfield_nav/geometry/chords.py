"""Where a straight line runs inside solids: one of them, or all that overlap along it as one body.

Each kernel takes packed solids, a point of the line and its direction, a unit vector. A stretch of the line
is (low, high) [m] from the point; low > high where the line misses.
"""

import math

from dynamics.kernels.decorators import Table, inlined, shared
from dynamics.kernels.vectors import Vector, dot, length, over, vector
from hopfield_nav.geometry.box_distance import from_centre, into_solid
from hopfield_nav.geometry.solids import (
    AXES,
    BOUND,
    BOX,
    CYLINDER,
    HALF_SPACE,
    KIND,
    SIZE,
    SPHERE,
    UPRIGHT,
)

SEAM = 1e-6  # [m] solids with no wider gap between them are one body


@shared
def union_chord(
    solids: Table, first: int, p: Vector, u: Vector, back: float, ahead: float
) -> tuple[float, float]:
    """(low, high) of a line in the body that a point p lies in, of which solid ``first`` is a part.

    Whoever asks only whether it ends within ``back`` and ``ahead`` [m] is answered as soon as it does not.
    """
    low, high = chord(solids, first, p, u)
    grows = -low < back or high < ahead
    while grows:
        grows = False
        for j in range(solids.shape[0]):
            begin, end = chord(solids, j, p, u)
            if begin > end or begin > high + SEAM or end < low - SEAM:
                continue
            if begin < low or end > high:
                low, high, grows = min(low, begin), max(high, end), True
                if -low >= back and high >= ahead:
                    return low, high
    return low, high


@inlined
def chord(solids, j, p, u):
    """(low, high) of a line in solid ``j``."""
    kind = solids[j, KIND]
    w, radius, axis = from_centre(solids, j, p), solids[j, SIZE], vector(solids, j, AXES)
    if kind == UPRIGHT:
        uu, wu, ww = u[0] * u[0] + u[1] * u[1], w[0] * u[0] + w[1] * u[1], w[0] * w[0] + w[1] * w[1]
        return _in_round(uu, wu, ww, radius)
    if kind == HALF_SPACE:
        return _below(dot(axis, w), dot(axis, u))
    along, square = dot(w, u), dot(w, w)
    if square - along * along > solids[j, BOUND] * solids[j, BOUND]:
        return math.inf, -math.inf
    if kind == SPHERE:
        return _in_round(1.0, along, square, radius)
    if kind == BOX:
        w, u = into_solid(solids, j, w), into_solid(solids, j, u)
        a, b = _between(w[0], u[0], radius)
        c, d = _between(w[1], u[1], solids[j, SIZE + 1])
        e, f = _between(w[2], u[2], solids[j, SIZE + 2])
        return max(a, c, e), min(b, d, f)
    half = solids[j, SIZE + 1] if kind == CYLINDER else length(axis)
    if kind != CYLINDER and half > 0.0:
        axis = over(axis, half)
    level, rise = dot(axis, w), dot(axis, u)
    low, high = _in_round(1.0 - rise * rise, along - level * rise, square - level * level, radius)
    begin, end = _between(level, rise, half)
    low, high = max(low, begin), min(high, end)
    if kind == CYLINDER:
        return low, high
    for side in (-half, half):  # the ends of a capsule are round
        begin, end = _in_round(1.0, along - side * rise, square - 2.0 * side * level + side * side, radius)
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
