"""Signed distance from a segment to a convex mesh, exact.

The row of a mesh is longer than that of other solids: behind the common part stand its planes (outward normal,
offset), then its edges (start, vector), in base axes. A segment that misses the mesh is nearest to it where it is
nearest to an edge, or at one of its ends above a face: then that end's largest distance from a plane is the distance.
One that meets it is deepest where two of the planes cross.
"""

import math

from dynamics.kernels.decorators import Table, inlined, shared
from dynamics.kernels.vectors import ZERO, Vector, along, dot, length, over, sub, vector
from hopfield_nav.geometry.box_distance import deepest
from hopfield_nav.geometry.round_distance import nearest_shares
from hopfield_nav.geometry.solids import EDGES, PLANES, WIDTH

_SURFACE = 1e-12  # [m] beyond a plane that counts as on it
_TRIES = 200  # crossings of planes; each leaves one behind for good


@shared
def mesh_distance(solids: Table, j: int, a: Vector, d: Vector) -> tuple[float, float, Vector]:
    """Segment to mesh; see ``round_distance`` for what is returned."""
    low, high = mesh_chord(solids, j, a, d, 0.0, 1.0)
    if low <= high:
        return _inside(a, d, (solids, j))
    best, t, normal = math.inf, 0.0, ZERO
    for k in range(2):
        end = along(a, float(k), d)
        s, plane = _highest(solids, j, end)
        n = vector(solids, j, WIDTH + 4 * plane)
        if 0.0 < s < best and _highest(solids, j, along(end, -s, n))[0] <= _SURFACE:
            best, t, normal = s, float(k), n
    first = WIDTH + 4 * int(solids[j, PLANES])
    for k in range(int(solids[j, EDGES])):
        b, e = vector(solids, j, first + 6 * k), vector(solids, j, first + 6 * k + 3)
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
def _face(t, a, d, mesh):
    """(signed distance, slope, normal) of the plane that a point at t is most above."""
    solids, j = mesh
    value, plane = _highest(solids, j, along(a, t, d))
    normal = vector(solids, j, WIDTH + 4 * plane)
    return value, dot(normal, d), normal


_inside = deepest(_face, _TRIES)


@inlined
def mesh_chord(solids, j, p, u, low, high):
    """(low, high) of a line p + t u in the mesh, within what is given; low > high where it misses."""
    for k in range(int(solids[j, PLANES])):
        normal = vector(solids, j, WIDTH + 4 * k)
        climb, above = dot(normal, u), dot(normal, p) - solids[j, WIDTH + 4 * k + 3]
        if climb > 0.0:
            high = min(high, -above / climb)
        elif climb < 0.0:
            low = max(low, -above / climb)
        elif above > 0.0:
            return math.inf, -math.inf
    return low, high
