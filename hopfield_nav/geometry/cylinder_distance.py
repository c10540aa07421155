"""Signed distance from a segment to a cylinder with flat ends.

With rho the distance beyond the side and zeta that beyond the nearer end, a point outside is hypot(max(rho, 0),
max(zeta, 0)) away, and one inside max(rho, zeta). Both are convex along the segment. Outside, the zero of the slope
is found by Newton's method in a bracket, to rounding; inside the least value is the best of at most eight points
known in closed form.
"""

import math

from dynamics.kernels.decorators import inlined
from dynamics.kernels.vectors import along, cross, dot, length, over, times, vector
from hopfield_nav.geometry.box_distance import SURFACE, from_centre
from hopfield_nav.geometry.round_distance import across, clamped_ratio
from hopfield_nav.geometry.solids import AXES, SIZE

_MOST_STEPS = 60


@inlined
def _slope(t, a, b, c, z, dz, radius, half):
    """Half the slope of the squared distance outside at t, and the slope of that.

    The distance from the axis is sqrt(a t² + 2 b t + c), the place along it z + t dz.
    """
    slope, curve = 0.0, 0.0
    along = z + t * dz
    if abs(along) > half:
        slope += dz * (along - half if along > 0.0 else along + half)
        curve += dz * dz
    square = max((a * t + 2.0 * b) * t + c, 0.0)
    if square > radius * radius:
        distance = math.sqrt(square)
        rate = (a * t + b) / distance
        slope += (distance - radius) * rate
        curve += rate * rate + (distance - radius) * max(a - rate * rate, 0.0) / distance
    return slope, curve


@inlined
def nearest_to_cylinder(a, b, c, z, dz, radius, half):
    """T of a nearest point of a segment to the cylinder."""
    low, high = 0.0, 1.0
    slope, curve = _slope(0.0, a, b, c, z, dz, radius, half)
    if slope >= 0.0:
        return 0.0
    last, _ = _slope(1.0, a, b, c, z, dz, radius, half)
    if last <= 0.0:
        return 1.0
    t = slope / (slope - last)
    for _ in range(_MOST_STEPS):
        slope, curve = _slope(t, a, b, c, z, dz, radius, half)
        if slope == 0.0:
            return t
        if slope < 0.0:
            low = t
        else:
            high = t
        step = t - slope / curve
        if not low < step < high:
            step = 0.5 * (low + high)
        if abs(step - t) <= 1e-16 + 4e-16 * abs(t):
            return step
        t = step
    return t


@inlined
def _depth(t, a, b, c, z, dz, radius, half):
    """Signed distance of a point inside at t."""
    return max(math.sqrt(max((a * t + 2.0 * b) * t + c, 0.0)) - radius, abs(z + t * dz) - half)


@inlined
def _root(p, q, r, sign):
    """A root of p t² + 2 q t + r, one for each ``sign``; NaN where there is none."""
    under = q * q - p * r
    if under < 0.0:
        return math.nan
    big = -q - math.sqrt(under) if q > 0.0 else -q + math.sqrt(under)
    if sign > 0:
        return r / big
    return big / p


@inlined
def _deepest(a, b, c, z, dz, radius, half):
    """T of the deepest point of a segment that meets the cylinder.

    It is an end, the point nearest to the axis or to the middle plane, or one as far from the side as from an end.
    """
    t, best = 0.0, _depth(0.0, a, b, c, z, dz, radius, half)
    for k in range(7):
        if k == 0:
            tk = 1.0
        elif k == 1:
            tk = clamped_ratio(-b, a)
        elif k == 2:
            tk = clamped_ratio(-z * dz, dz * dz)
        else:
            side = 1.0 if k < 5 else -1.0
            level = radius - half + side * z
            tk = _root(a - dz * dz, b - side * dz * level, c - level * level, k % 2)
        if 0.0 <= tk <= 1.0:
            depth = _depth(tk, a, b, c, z, dz, radius, half)
            if depth < best:
                t, best = tk, depth
    return t, best


@inlined
def _blend(t, a, b, z, dz, distance, radius, half):
    """Shares (side, end) of the two normals in the gradient at the deepest point.

    Half-way between the ends the two of them push against each other, and the share is 0.
    """
    rho, along = distance - radius, z + t * dz
    zeta, small = abs(along) - half, 1e-12 * (radius + half)
    inner = 0.0 < t < 1.0
    if rho > zeta + small:
        return 1.0, 0.0
    if zeta > rho + small:
        return 0.0, 0.0 if inner and abs(along) <= small else 1.0
    rate = (a * t + b) / distance if distance > 0.0 else 0.0
    rise = dz if along > 0.0 else -dz
    if not inner or rate * rise >= 0.0:
        return 1.0, 0.0
    side = rise / (rise - rate)
    return side, 1.0 - side


@inlined
def cylinder_distance(solids, j, a, d):
    """Segment to cylinder; see ``round_distance`` for what is returned, ``box_distance`` for the gradient."""
    radius, half, axis = solids[j, SIZE], solids[j, SIZE + 1], vector(solids, j, AXES)
    w = from_centre(solids, j, a)
    z, rise = dot(w, axis), dot(d, axis)
    w, e = along(w, -z, axis), along(d, -rise, axis)
    ee, we, ww = dot(e, e), dot(w, e), dot(w, w)
    t = nearest_to_cylinder(ee, we, ww, z, rise, radius, half)
    p = along(w, t, e)
    distance = length(p)
    rho, zeta = max(distance - radius, 0.0), max(abs(z + t * rise) - half, 0.0)
    s = math.sqrt(rho * rho + zeta * zeta)
    if s > SURFACE:
        side, end = rho / s, zeta / s
    else:
        t, _ = _deepest(ee, we, ww, z, rise, radius, half)
        p = along(w, t, e)
        distance = length(p)
        s = max(distance - radius, abs(z + t * rise) - half)
        side, end = _blend(t, ee, we, z, rise, distance, radius, half)
    if z + t * rise < 0.0:
        end = -end
    on_axis = over(cross(axis, e), math.sqrt(ee)) if ee > 0.0 else across(axis)  # square to it and to the segment
    p = over(p, distance) if distance > 0.0 else on_axis
    return s, t, along(times(side, p), end, axis)
