"""Where a line runs inside solids that overlap, which are one body, and how deep a point is in them.

A stretch of a line is (low, high) [m] from a point along a unit vector; low > high where the line
misses.

A point between two overlapping solids is less deep in each than in both: what is near of one's
surface lies inside the other. So the least way out is looked for along straight lines. First along
the normal of the solid in which the point is deepest: it is exact where that surface is free. Else
in directions all around, the best of which is refined: then it is never too short, and too long by
0.2 % at most in a wall of cylinders.
"""

import math

import numpy as np

from dynamics.kernels.decorators import Table, inlined, shared
from dynamics.kernels.vectors import ZERO, Vector, along, cross, dot, length, over, times, vector
from hopfield_nav.geometry.distance import gap_to_bound, segment_distance
from hopfield_nav.geometry.flat_distance import mesh_chord
from hopfield_nav.geometry.round_distance import across
from hopfield_nav.geometry.solids import (
    AXES,
    BOUND,
    BOX,
    CYLINDER,
    HALF_SPACE,
    KIND,
    MESH,
    SIZE,
    SPHERE,
    UPRIGHT,
    from_centre,
    into_solid,
)

_LEVEL, _ROUND = (
    16,
    48,
)  # directions in the level plane, and all around; each stands for its opposite too
_SPACING, _REFINED = 0.1, 6  # [rad] half of what is between two of them, and how often it is halved
SEAM = 1e-6  # [m] solids with no wider gap between them are one body


@shared
def union_chord(
    solids: Table, first: int, p: Vector, u: Vector, back: float, ahead: float
) -> tuple[float, float]:
    """(low, high) of a line in the body that a point p lies in, of which solid ``first`` is a part.

    Whoever asks only whether it ends within ``back`` and ``ahead`` [m] is answered as soon as it
    does not.
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
        above, climb = dot(axis, w), dot(axis, u)
        if climb == 0.0:
            return (-math.inf, math.inf) if above <= 0.0 else (math.inf, -math.inf)
        return (-math.inf, -above / climb) if climb > 0.0 else (-above / climb, math.inf)
    along, square = dot(w, u), dot(w, w)
    if square - along * along > solids[j, BOUND] * solids[j, BOUND]:
        return math.inf, -math.inf
    if kind == SPHERE:
        return _in_round(1.0, along, square, radius)
    if kind == MESH:
        return mesh_chord(solids, j, p, u, -math.inf, math.inf)
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
        begin, end = _in_round(
            1.0, along - side * rise, square - 2.0 * side * level + side * side, radius
        )
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
def depth_in_union(solids, p):
    """(depth, share) of a point in the union of packed solids: how deep, and how much of the way through.

    The depth is the shortest way out, to the nearest surface of the union [m]; the share is that of
    half the way from there to the other side: 1 half-way through, 0 in what has no other side. Both
    0 outside.
    """
    out, other, _ = ways_out(solids, p)
    return out, (2.0 * out / (out + other) if out > 0.0 else 0.0)


@shared
def ways_out(solids: Table, p: Vector) -> tuple[float, float, Vector]:
    """(out, other, u): the shortest way out of the union, that to the other side [m], and where to.

    The other side lies straight back where a free surface of one solid is nearest, and else in the
    direction of the shortest way that leads back at all. All 0 for a point that is in no solid.
    """
    deepest, out, u = deepest_solid(solids, p)
    if out == 0.0:
        return 0.0, 0.0, u
    low, high = union_chord(solids, deepest, p, u, math.inf, math.inf)
    if high <= out + SEAM:
        return high, -low, u
    out, u = _shortest(solids, deepest, p)
    return out, _shortest_back(solids, deepest, p, u), u


@inlined
def deepest_solid(solids, p):
    """(j, depth, normal) of the solid that a point is deepest in; depth 0 if it is in none."""
    deepest, depth, normal = 0, 0.0, ZERO
    for j in range(solids.shape[0]):
        if gap_to_bound(solids, j, p) < 0.0:
            s, _, g = segment_distance(solids, j, p, ZERO)
            if -s > depth:
                deepest, depth, normal = j, -s, g
    return deepest, depth, normal


@inlined
def _shortest(solids, deepest, p):
    """(out, u): the shortest way out of all directions."""
    out, best = math.inf, ZERO
    for k in range(_DIRECTIONS.shape[0]):
        u = vector(_DIRECTIONS, k, 0)
        low, high = union_chord(solids, deepest, p, u, out, out)
        if -low < high:
            high, u = -low, times(-1.0, u)
        if high < out:
            out, best = high, u
    turn = _SPACING
    for _ in range(_REFINED):
        v = across(best)
        w, shrink = cross(best, v), 1.0 / math.sqrt(1.0 + turn * turn)
        for k in range(4):
            side = turn if k % 2 == 0 else -turn
            u = times(shrink, along(best, side, v if k < 2 else w))
            _, high = union_chord(solids, deepest, p, u, 0.0, out)
            if high < out:
                out, best = high, u
        turn *= 0.5
    return out, best


@inlined
def _shortest_back(solids, deepest, p, u):
    """The shortest way out of all directions that lead away from u, or square to it."""
    other = math.inf
    for k in range(_DIRECTIONS.shape[0]):
        v = vector(_DIRECTIONS, k, 0)
        if dot(u, v) > 0.0:
            v = times(-1.0, v)
        other = min(other, union_chord(solids, deepest, p, v, 0.0, other)[1])
    return other


def _all_around() -> np.ndarray:
    """Unit vectors: evenly in half of the level plane, where most ways out are, and in the space above it."""
    angle = np.arange(_LEVEL) * math.pi / _LEVEL
    height = (np.arange(_ROUND) + 0.5) / _ROUND
    turn = math.pi * (1.0 + math.sqrt(5.0)) * np.arange(_ROUND)  # the golden spiral
    wide = np.sqrt(1.0 - height**2)
    level = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(_LEVEL)])
    return np.vstack([level, np.column_stack([wide * np.cos(turn), wide * np.sin(turn), height])])


_DIRECTIONS = _all_around()
