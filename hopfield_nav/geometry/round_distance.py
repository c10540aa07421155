"""Signed distance from a segment to round solids and to a half-space.

Each kernel takes packed solids, the number of one, and a segment a + t d with t from 0 to 1. It returns (s, t, g):
the least signed distance s of a point of the segment [m], that point's t, and the unit normal there, which leads out
of the solid.
"""

import math

from dynamics.kernels.decorators import inlined
from dynamics.kernels.vectors import along, cross, dot, length, over, sub, times, vector
from hopfield_nav.geometry.box_distance import from_centre
from hopfield_nav.geometry.solids import AXES, CENTRE, SIZE

_PARALLEL = 1e-8  # share of |d|²|e|² below which two segments count as nearly parallel


@inlined
def clamped_ratio(numerator, denominator):
    """numerator/denominator held to 0…1, for a denominator that is not negative; 0 for 0/0."""
    if numerator <= 0.0 or denominator <= 0.0:
        return 0.0
    return 1.0 if numerator >= denominator else numerator / denominator


@inlined
def across(a):
    """A unit vector square to a; +x where that has no length."""
    if abs(a[0]) > abs(a[2]):
        size = math.sqrt(a[0] * a[0] + a[1] * a[1])
        return -a[1] / size, a[0] / size, 0.0
    size = math.sqrt(a[1] * a[1] + a[2] * a[2])
    return (0.0, -a[2] / size, a[1] / size) if size > 0.0 else (1.0, 0.0, 0.0)


@inlined
def nearest_to_point(p, a, d):
    """T of the point of a segment that is nearest to p."""
    return clamped_ratio(dot(sub(p, a), d), dot(d, d))


@inlined
def to_segment(p, a, d):
    """From p to the nearest point of the segment a + t d."""
    return sub(along(a, nearest_to_point(p, a, d), d), p)


@inlined
def sphere_distance(solids, j, a, d):
    """Segment to sphere; at its centre the normal is square to the segment."""
    centre = vector(solids, j, CENTRE)
    t = nearest_to_point(centre, a, d)
    w = sub(along(a, t, d), centre)
    distance = length(w)
    return distance - solids[j, SIZE], t, over(w, distance) if distance > 0.0 else across(d)


@inlined
def upright_distance(solids, j, a, d):
    """Segment to an upright cylinder without end; on its axis the normal is square to the segment."""
    x, y = a[0] - solids[j, CENTRE], a[1] - solids[j, CENTRE + 1]
    t = clamped_ratio(-(x * d[0] + y * d[1]), d[0] * d[0] + d[1] * d[1])
    x, y = x + t * d[0], y + t * d[1]
    distance = math.sqrt(x * x + y * y)
    if distance > 0.0:
        return distance - solids[j, SIZE], t, (x / distance, y / distance, 0.0)
    level = math.sqrt(d[0] * d[0] + d[1] * d[1])
    return -solids[j, SIZE], t, (-d[1] / level, d[0] / level, 0.0) if level > 0.0 else (1.0, 0.0, 0.0)


@inlined
def half_space_distance(solids, j, a, d):
    """Segment to half-space: its lower end, or its middle where it lies level."""
    normal = vector(solids, j, AXES)
    climb = dot(normal, d)
    t = 0.5 if climb == 0.0 else (1.0 if climb < 0.0 else 0.0)
    return dot(normal, from_centre(solids, j, a)) + t * climb, t, normal


@inlined
def nearest_shares(a, d, b, e):
    """(t, u) of the nearest points a + t d and b + u e of two segments.

    Both lengths may be zero. Where the two are nearly parallel, their four ends are tried as well.
    """
    w, s = sub(a, b), cross(d, e)
    dd, ee, de, dw, ew = dot(d, d), dot(e, e), dot(d, e), dot(d, w), dot(e, w)
    square = dot(s, s)  # dd ee - de², without its cancellation
    t = clamped_ratio(de * ew - ee * dw, square)
    u = clamped_ratio(ew + t * de, ee)
    t = clamped_ratio(u * de - dw, dd)
    if square <= _PARALLEL * dd * ee:
        best = _gap(t, u, w, d, e)
        for k in range(4):
            if k < 2:
                tk = float(k)
                uk = clamped_ratio(ew + tk * de, ee)
            else:
                uk = float(k - 2)
                tk = clamped_ratio(uk * de - dw, dd)
            gap = _gap(tk, uk, w, d, e)
            if gap < best:
                best, t, u = gap, tk, uk
    return t, u


@inlined
def _gap(t, u, w, d, e):
    apart = along(along(w, t, d), -u, e)
    return dot(apart, apart)


@inlined
def capsule_distance_to(solids, j, a, d):
    """Segment to capsule; where the axes meet the normal is square to both."""
    half = vector(solids, j, AXES)  # of its axis
    b, e = sub(vector(solids, j, CENTRE), half), times(2.0, half)
    t, u = nearest_shares(a, d, b, e)
    w = along(sub(along(a, t, d), b), -u, e)
    distance = length(w)
    if distance > 0.0:
        return distance - solids[j, SIZE], t, over(w, distance)
    normal = cross(d, e)
    size = length(normal)
    if size > 0.0:
        return -solids[j, SIZE], t, over(normal, size)
    return -solids[j, SIZE], t, across(d) if dot(d, d) > 0.0 else across(e)
