"""Where a line runs inside solids that overlap, which are one body; how deep a point is in them.

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

# directions that are tried, each of which stands for its opposite too
_LEVEL = 16  # in the level plane
_ROUND = 48  # all around
_SPACING = 0.1  # [rad] half of what is between two of them
_REFINED = 6  # times that it is halved
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
                low = min(low, begin)
                high = max(high, end)
                grows = True
                if -low >= back and high >= ahead:
                    return low, high
    return low, high


@inlined
def chord(solids, j, p, u):
    """(low, high) of a line, from a point p along a unit vector u, in solid ``j``.

    ``w`` leads from the solid's centre to p. Every kind is a region between planes, a round one, or
    several of them in common.
    """
    kind = solids[j, KIND]
    w = from_centre(solids, j, p)
    if kind == UPRIGHT:
        uu = u[0] * u[0] + u[1] * u[1]
        wu = w[0] * u[0] + w[1] * u[1]
        ww = w[0] * w[0] + w[1] * w[1]
        return _in_round(uu, wu, ww, solids[j, SIZE])
    if kind == HALF_SPACE:
        return _below(dot(vector(solids, j, AXES), w), dot(vector(solids, j, AXES), u))
    along = dot(w, u)
    square = dot(w, w)
    if square - along * along > solids[j, BOUND] * solids[j, BOUND]:
        return math.inf, -math.inf
    if kind == SPHERE:
        return _in_round(1.0, along, square, solids[j, SIZE])
    if kind == MESH:
        return mesh_chord(solids, j, p, u, -math.inf, math.inf)
    if kind == BOX:
        return _in_box(solids, j, w, u)
    if kind == CYLINDER:
        axis = vector(solids, j, AXES)
        return _in_tube(axis, solids[j, SIZE + 1], solids[j, SIZE], w, u, along, square)
    return _in_capsule(vector(solids, j, AXES), solids[j, SIZE], w, u, along, square)


@inlined
def _in_box(solids, j, w, u):
    """Where a line is in a box: between three pairs of faces; ``w`` and ``u`` as in ``chord``."""
    w_own = into_solid(solids, j, w)
    u_own = into_solid(solids, j, u)
    begin_x, end_x = _between(w_own[0], u_own[0], solids[j, SIZE])
    begin_y, end_y = _between(w_own[1], u_own[1], solids[j, SIZE + 1])
    begin_z, end_z = _between(w_own[2], u_own[2], solids[j, SIZE + 2])
    return max(begin_x, begin_y, begin_z), min(end_x, end_y, end_z)


@inlined
def _in_tube(axis, half, radius, w, u, along, square):
    """Where a line is in a cylinder: near its axis, and between its ends.

    ``axis`` is a unit vector, ``half`` half the length; ``along`` is w·u, ``square`` w·w.
    """
    level = dot(axis, w)
    rise = dot(axis, u)
    low, high = _in_round(1.0 - rise * rise, along - level * rise, square - level * level, radius)
    begin, end = _between(level, rise, half)
    return max(low, begin), min(high, end)


@inlined
def _in_capsule(half_axis, radius, w, u, along, square):
    """Where a line is in a capsule: in its tube, or in one of its round ends; as ``_in_tube``."""
    half = length(half_axis)
    axis = over(half_axis, half) if half > 0.0 else half_axis
    low, high = _in_tube(axis, half, radius, w, u, along, square)
    level = dot(axis, w)
    rise = dot(axis, u)
    for side in (-half, half):
        ww = square - 2.0 * side * level + side * side
        begin, end = _in_round(1.0, along - side * rise, ww, radius)
        if begin <= end:
            low = min(low, begin)
            high = max(high, end)
    return low, high


@inlined
def _below(above, climb):
    """Where a line is below a plane that its point is ``above``, and that it climbs from."""
    if climb == 0.0:
        return (-math.inf, math.inf) if above <= 0.0 else (math.inf, -math.inf)
    return (-math.inf, -above / climb) if climb > 0.0 else (-above / climb, math.inf)


@inlined
def _in_round(uu, wu, ww, radius):
    """Where |w + t u| is no more than a radius: t² u·u + 2 t w·u + w·w = r² at both ends."""
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
    middle = -w / u
    reach = half / abs(u)
    return middle - reach, middle + reach


@inlined
def depth_in_union(solids, p):
    """(depth, share) of a point in the union of packed solids.

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
    deepest = 0
    depth = 0.0
    normal = ZERO
    for j in range(solids.shape[0]):
        if gap_to_bound(solids, j, p) < 0.0:
            s, _, g = segment_distance(solids, j, p, ZERO)
            if -s > depth:
                deepest = j
                depth = -s
                normal = g
    return deepest, depth, normal


@inlined
def _shortest(solids, deepest, p):
    """(out, u): the shortest way out of all directions."""
    out = math.inf
    best = ZERO
    for k in range(_DIRECTIONS.shape[0]):
        u = vector(_DIRECTIONS, k, 0)
        low, high = union_chord(solids, deepest, p, u, out, out)
        if -low < high:
            high = -low
            u = times(-1.0, u)
        if high < out:
            out = high
            best = u
    turn = _SPACING
    for _ in range(_REFINED):
        v = across(best)
        w = cross(best, v)
        shrink = 1.0 / math.sqrt(1.0 + turn * turn)
        for k in range(4):
            side = turn if k % 2 == 0 else -turn
            u = times(shrink, along(best, side, v if k < 2 else w))
            _, high = union_chord(solids, deepest, p, u, 0.0, out)
            if high < out:
                out = high
                best = u
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
        _, high = union_chord(solids, deepest, p, v, 0.0, other)
        other = min(other, high)
    return other


def _all_around() -> np.ndarray:
    """Unit vectors (m, 3) that are tried for a way out.

    They lie evenly in half of the level plane, where most ways out are, and in the space above it,
    there on the golden spiral.
    """
    angle = np.arange(_LEVEL) * math.pi / _LEVEL
    level = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(_LEVEL)])
    height = (np.arange(_ROUND) + 0.5) / _ROUND
    turn = math.pi * (1.0 + math.sqrt(5.0)) * np.arange(_ROUND)
    wide = np.sqrt(1.0 - height**2)
    above = np.column_stack([wide * np.cos(turn), wide * np.sin(turn), height])
    return np.vstack([level, above])


_DIRECTIONS = _all_around()
