"""Signed distance from a segment to solids with flat faces, boxes and convex meshes, exact.

Outside a box, the squared distance along the segment is convex and piecewise quadratic: its slope
is zero in an interval between two of the six planes that bound the box, and linear there. Inside,
the signed distance is the largest of six linear functions, and its least value lies where two of
them cross.

The row of a mesh is longer than that of other solids: behind the common part stand its planes
(outward normal, offset), then its edges (start, vector), in base axes. A segment that misses the
mesh is nearest to it where it is nearest to an edge, or at one of its ends above a face: then that
end's largest distance from a plane is the distance. One that meets it is deepest where two of the
planes cross.
"""

import math
from collections.abc import Callable

from dynamics.kernels.decorators import Table, inlined, shared
from dynamics.kernels.vectors import ZERO, Vector, along, dot, length, over, sub, times, vector
from hopfield_nav.geometry.round_distance import nearest_shares
from hopfield_nav.geometry.solids import (
    AXES,
    EDGES,
    PLANES,
    SIZE,
    SURFACE,
    WIDTH,
    from_centre,
    into_solid,
)

_BEYOND = 1e-12  # [m] beyond a plane of a mesh that counts as on it
_TRIES = 200  # crossings of planes; each leaves one behind for good


@inlined
def _beyond(p, half):
    """How far each coordinate lies outside -half…half, with its sign."""
    return (
        p[0] - min(max(p[0], -half[0]), half[0]),
        p[1] - min(max(p[1], -half[1]), half[1]),
        p[2] - min(max(p[2], -half[2]), half[2]),
    )


@inlined
def _slope(t, a, d, half):
    """Half the slope of the squared distance at t."""
    return dot(d, _beyond(along(a, t, d), half))


@inlined
def nearest_to_box(a, d, half):
    """T of a nearest point of a segment, in the box's axes, to the box."""
    low, high = 0.0, 1.0
    slope_low = _slope(0.0, a, d, half)
    if slope_low >= 0.0:
        return 0.0
    slope_high = _slope(1.0, a, d, half)
    if slope_high <= 0.0:
        return 1.0
    for k in range(6):
        start = a[k // 2]
        step = d[k // 2]
        edge = half[k // 2]
        if step != 0.0:
            plane = edge if k % 2 == 0 else -edge
            t = (plane - start) / step
            if low < t < high:
                slope = _slope(t, a, d, half)
                if slope < 0.0:
                    low, slope_low = t, slope
                else:
                    high, slope_high = t, slope
    return low + (high - low) * (slope_low / (slope_low - slope_high))


@inlined
def _face(t, a, d, half):
    """(signed distance, slope, normal) of the face that a point inside the box is nearest to.

    The point is at t of the segment.
    """
    p = along(a, t, d)
    side = 1.0 if p[0] > 0.0 else -1.0
    value, slope, normal = abs(p[0]) - half[0], side * d[0], (side, 0.0, 0.0)
    if abs(p[1]) - half[1] > value:
        side = 1.0 if p[1] > 0.0 else -1.0
        value, slope, normal = abs(p[1]) - half[1], side * d[1], (0.0, side, 0.0)
    if abs(p[2]) - half[2] > value:
        side = 1.0 if p[2] > 0.0 else -1.0
        value, slope, normal = abs(p[2]) - half[2], side * d[2], (0.0, 0.0, side)
    return value, slope, normal


def deepest(face: Callable, tries: int) -> Callable:
    """A kernel for the deepest point of a segment that meets a solid between faces.

    It gives the point with the gradient of its signed distance. ``face(t, a, d, solid)`` is (signed
    distance, slope, normal) of the face that the point at t is nearest to. Two of them, one whose
    distance falls along the segment and one whose distance rises, are crossed until the face at the
    crossing is one of the two; each of the ``tries`` leaves one behind for good.
    """

    @inlined
    def search(a, d, solid):
        value_low, slope_low, u = face(0.0, a, d, solid)
        if slope_low >= 0.0:
            return value_low, 0.0, u
        value_high, slope_high, v = face(1.0, a, d, solid)
        if slope_high <= 0.0:
            return value_high, 1.0, v
        low = 0.0
        high = 1.0
        t = 0.0
        value = value_low
        for _ in range(tries):
            rise = value_high - value_low + slope_low * low - slope_high * high
            t = rise / (slope_low - slope_high)
            t = min(max(t, low), high)
            crossing = value_low + slope_low * (t - low)
            value, slope, w = face(t, a, d, solid)
            if value <= crossing + 1e-15:
                break
            if slope < 0.0:
                low, value_low, slope_low, u = t, value, slope, w
            else:
                high, value_high, slope_high, v = t, value, slope, w
        share = slope_high / (slope_high - slope_low)
        return value, t, along(times(share, u), 1.0 - share, v)

    return search


_inside_box = deepest(_face, 12)


@inlined
def box_distance(solids, j, a, d):
    """Segment to box; see ``round_distance`` for what is returned.

    Where the deepest point is equally deep under two faces the gradient is shorter than 1: the
    segment sinks in more slowly than it moves.
    """
    a = into_solid(solids, j, from_centre(solids, j, a))
    d = into_solid(solids, j, d)
    half = vector(solids, j, SIZE)
    t = nearest_to_box(a, d, half)
    n = _beyond(along(a, t, d), half)
    s = length(n)
    if s > SURFACE:
        n = over(n, s)
    else:
        s, t, n = _inside_box(a, d, half)
    x, y, z = vector(solids, j, AXES), vector(solids, j, AXES + 3), vector(solids, j, AXES + 6)
    return s, t, (dot(x, n), dot(y, n), dot(z, n))


@shared
def mesh_distance(solids: Table, j: int, a: Vector, d: Vector) -> tuple[float, float, Vector]:
    """Segment to mesh; see ``round_distance`` for what is returned."""
    low, high = mesh_chord(solids, j, a, d, 0.0, 1.0)
    if low <= high:
        return _inside_mesh(a, d, (solids, j))
    best, t, normal = math.inf, 0.0, ZERO
    for k in range(2):
        end = along(a, float(k), d)
        s, plane = _highest(solids, j, end)
        n = vector(solids, j, WIDTH + 4 * plane)
        if 0.0 < s < best and _highest(solids, j, along(end, -s, n))[0] <= _BEYOND:
            best, t, normal = s, float(k), n
    first = WIDTH + 4 * int(solids[j, PLANES])
    for k in range(int(solids[j, EDGES])):
        b = vector(solids, j, first + 6 * k)
        e = vector(solids, j, first + 6 * k + 3)
        own, other = nearest_shares(a, d, b, e)
        apart = sub(along(a, own, d), along(b, other, e))
        s = length(apart)
        if 0.0 < s < best:
            best, t, normal = s, own, over(apart, s)
    return best, t, normal


@inlined
def _highest(solids, j, p):
    """The largest distance of a point from a plane, and which plane."""
    most, which = -math.inf, 0
    for k in range(int(solids[j, PLANES])):
        s = dot(vector(solids, j, WIDTH + 4 * k), p) - solids[j, WIDTH + 4 * k + 3]
        if s > most:
            most, which = s, k
    return most, which


@inlined
def _plane_above(t, a, d, mesh):
    """(signed distance, slope, normal) of the plane that a point at t is most above."""
    solids, j = mesh
    value, plane = _highest(solids, j, along(a, t, d))
    normal = vector(solids, j, WIDTH + 4 * plane)
    return value, dot(normal, d), normal


_inside_mesh = deepest(_plane_above, _TRIES)


@inlined
def mesh_chord(solids, j, p, u, low, high):
    """(low, high) of a line p + t u in the mesh, within what is given.

    low > high where it misses.
    """
    for k in range(int(solids[j, PLANES])):
        normal = vector(solids, j, WIDTH + 4 * k)
        climb = dot(normal, u)
        above = dot(normal, p) - solids[j, WIDTH + 4 * k + 3]
        if climb > 0.0:
            high = min(high, -above / climb)
        elif climb < 0.0:
            low = max(low, -above / climb)
        elif above > 0.0:
            return math.inf, -math.inf
    return low, high
