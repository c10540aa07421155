"""Signed distance from a segment to round solids, with flat ends or without, and to a half-space.

Each kernel takes packed solids, the number of one, and a segment a + t d with t from 0 to 1. It
returns (s, t, g): the least signed distance s of a point of the segment [m], that point's t, and
the unit normal there, which leads out of the solid.

With rho the distance beyond the side of a cylinder with flat ends and zeta that beyond the nearer
end, a point outside is hypot(max(rho, 0), max(zeta, 0)) away, and one inside max(rho, zeta). Both
are convex along the segment. Outside, the zero of the slope is found by Newton's method in a
bracket, to rounding; inside the least value is the best of at most eight points known in closed
form.
"""

import math

from dynamics.kernels.decorators import inlined
from dynamics.kernels.vectors import along, cross, dot, length, over, sub, times, vector
from hopfield_nav.geometry.solids import AXES, CENTRE, SIZE, SURFACE, from_centre

_MOST_STEPS = 60  # of Newton's method
_PARALLEL = 1e-8  # share of |d|²|e|² below which two segments count as nearly parallel


@inlined
def clamped_ratio(numerator, denominator):
    """numerator/denominator held to 0…1, for a denominator that is not negative; 0 for 0/0."""
    if numerator <= 0.0 or denominator <= 0.0:
        return 0.0
    return 1.0 if numerator >= denominator else numerator / denominator


@inlined
def across(a):
    """A unit vector square to a; +x where that has no length.

    It lies in the plane of y and of x or z, whichever is larger in a.
    """
    x, y, z = a
    if abs(x) > abs(z):
        size = math.sqrt(x * x + y * y)
        return -y / size, x / size, 0.0
    size = math.sqrt(y * y + z * z)
    return (0.0, -z / size, y / size) if size > 0.0 else (1.0, 0.0, 0.0)


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
    """Segment to an upright cylinder without end.

    On its axis the normal is square to the segment.
    """
    x, y = a[0] - solids[j, CENTRE], a[1] - solids[j, CENTRE + 1]
    t = clamped_ratio(-(x * d[0] + y * d[1]), d[0] * d[0] + d[1] * d[1])
    x, y = x + t * d[0], y + t * d[1]
    distance = math.sqrt(x * x + y * y)
    if distance > 0.0:
        return distance - solids[j, SIZE], t, (x / distance, y / distance, 0.0)
    level = math.sqrt(d[0] * d[0] + d[1] * d[1])
    normal = (-d[1] / level, d[0] / level, 0.0) if level > 0.0 else (1.0, 0.0, 0.0)
    return -solids[j, SIZE], t, normal


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
    w = sub(a, b)
    s = cross(d, e)
    dd = dot(d, d)
    ee = dot(e, e)
    de = dot(d, e)
    dw = dot(d, w)
    ew = dot(e, w)
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
    b = sub(vector(solids, j, CENTRE), half)
    e = times(2.0, half)
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


@inlined
def _slope(t, a, b, c, z, dz, radius, half):
    """Half the slope of the squared distance outside at t, and the slope of that.

    The distance from the axis is sqrt(a t² + 2 b t + c), the place along it z + t dz.
    """
    slope = 0.0
    curve = 0.0
    height = z + t * dz
    if abs(height) > half:
        slope += dz * (height - half if height > 0.0 else height + half)
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

    It is an end, the point nearest to the axis or to the middle plane, or one as far from the side
    as from an end.
    """
    t = 0.0
    best = _depth(0.0, a, b, c, z, dz, radius, half)
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
    rho = distance - radius
    height = z + t * dz
    zeta = abs(height) - half
    small = 1e-12 * (radius + half)
    inner = 0.0 < t < 1.0
    if rho > zeta + small:
        return 1.0, 0.0
    if zeta > rho + small:
        return 0.0, 0.0 if inner and abs(height) <= small else 1.0
    rate = (a * t + b) / distance if distance > 0.0 else 0.0
    rise = dz if height > 0.0 else -dz
    if not inner or rate * rise >= 0.0:
        return 1.0, 0.0
    side = rise / (rise - rate)
    return side, 1.0 - side


@inlined
def cylinder_distance(solids, j, a, d):
    """Segment to cylinder.

    See ``round_distance`` for what is returned, ``flat_distance`` for the gradient.
    """
    radius = solids[j, SIZE]
    half = solids[j, SIZE + 1]
    axis = vector(solids, j, AXES)
    w = from_centre(solids, j, a)
    z = dot(w, axis)
    rise = dot(d, axis)
    w = along(w, -z, axis)
    e = along(d, -rise, axis)
    ee = dot(e, e)
    we = dot(w, e)
    ww = dot(w, w)
    t = nearest_to_cylinder(ee, we, ww, z, rise, radius, half)
    p = along(w, t, e)
    distance = length(p)
    rho = max(distance - radius, 0.0)
    zeta = max(abs(z + t * rise) - half, 0.0)
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
    # square to it and to the segment
    on_axis = over(cross(axis, e), math.sqrt(ee)) if ee > 0.0 else across(axis)
    p = over(p, distance) if distance > 0.0 else on_axis
    normal = along(times(side, p), end, axis)
    return s, t, normal
