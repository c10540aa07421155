"""Signed distance from a segment to a box, exact.

Outside, the squared distance along the segment is convex and piecewise quadratic: its slope is zero
in an interval between two of the six planes that bound the box, and linear there. Inside, the signed
distance is the largest of six linear functions, and its least value lies where two of them cross.
"""

from __future__ import annotations

import math

from dynamics.kernels.decorators import inlined
from hopfield_nav.geometry.solids import AXES, CENTRE, SIZE

SURFACE = 1e-13  # [m] a point nearer than this counts as being on the surface


@inlined
def into_axes(solids, j, x, y, z):
    """A vector of base axes written in the axes of solid ``j``."""
    return (
        solids[j, AXES] * x + solids[j, AXES + 3] * y + solids[j, AXES + 6] * z,
        solids[j, AXES + 1] * x + solids[j, AXES + 4] * y + solids[j, AXES + 7] * z,
        solids[j, AXES + 2] * x + solids[j, AXES + 5] * y + solids[j, AXES + 8] * z,
    )


@inlined
def _beyond(value, half):
    """How far a coordinate lies outside -half…half, with its sign."""
    return value - min(max(value, -half), half)


@inlined
def _slope(t, x, y, z, dx, dy, dz, hx, hy, hz):
    """Half the slope of the squared distance at t."""
    return dx * _beyond(x + t * dx, hx) + dy * _beyond(y + t * dy, hy) + dz * _beyond(z + t * dz, hz)


@inlined
def nearest_to_box(x, y, z, dx, dy, dz, hx, hy, hz):
    """T of a nearest point of a segment, in the box's axes, to the box."""
    low, high = 0.0, 1.0
    slope_low = _slope(0.0, x, y, z, dx, dy, dz, hx, hy, hz)
    if slope_low >= 0.0:
        return 0.0
    slope_high = _slope(1.0, x, y, z, dx, dy, dz, hx, hy, hz)
    if slope_high <= 0.0:
        return 1.0
    for k in range(6):
        if k < 2:
            start, step, half = x, dx, hx
        elif k < 4:
            start, step, half = y, dy, hy
        else:
            start, step, half = z, dz, hz
        if step != 0.0:
            t = ((half if k % 2 == 0 else -half) - start) / step
            if low < t < high:
                slope = _slope(t, x, y, z, dx, dy, dz, hx, hy, hz)
                if slope < 0.0:
                    low, slope_low = t, slope
                else:
                    high, slope_high = t, slope
    return low + (high - low) * (slope_low / (slope_low - slope_high))


@inlined
def _face(t, x, y, z, dx, dy, dz, hx, hy, hz):
    """(signed distance, slope, nx, ny, nz) of the face that a point at t inside the box is nearest to."""
    px, py, pz = x + t * dx, y + t * dy, z + t * dz
    value, slope, nx, ny, nz = abs(px) - hx, dx if px > 0.0 else -dx, 1.0 if px > 0.0 else -1.0, 0.0, 0.0
    if abs(py) - hy > value:
        value, slope, nx, ny, nz = abs(py) - hy, dy if py > 0.0 else -dy, 0.0, 1.0 if py > 0.0 else -1.0, 0.0
    if abs(pz) - hz > value:
        value, slope, nx, ny, nz = abs(pz) - hz, dz if pz > 0.0 else -dz, 0.0, 0.0, 1.0 if pz > 0.0 else -1.0
    return value, slope, nx, ny, nz


@inlined
def _inside_box(x, y, z, dx, dy, dz, hx, hy, hz):
    """The deepest point of a segment that meets the box, with the gradient of its signed distance.

    Two bounding faces, one whose distance falls along the segment and one whose distance rises, are
    crossed until the face at the crossing is one of the two.
    """
    value_low, slope_low, ux, uy, uz = _face(0.0, x, y, z, dx, dy, dz, hx, hy, hz)
    if slope_low >= 0.0:
        return value_low, 0.0, ux, uy, uz
    value_high, slope_high, vx, vy, vz = _face(1.0, x, y, z, dx, dy, dz, hx, hy, hz)
    if slope_high <= 0.0:
        return value_high, 1.0, vx, vy, vz
    low, high, t, value = 0.0, 1.0, 0.0, value_low
    for _ in range(12):
        t = (value_high - value_low + slope_low * low - slope_high * high) / (slope_low - slope_high)
        t = min(max(t, low), high)
        crossing = value_low + slope_low * (t - low)
        value, slope, wx, wy, wz = _face(t, x, y, z, dx, dy, dz, hx, hy, hz)
        if value <= crossing + 1e-15:
            break
        if slope < 0.0:
            low, value_low, slope_low, ux, uy, uz = t, value, slope, wx, wy, wz
        else:
            high, value_high, slope_high, vx, vy, vz = t, value, slope, wx, wy, wz
    share = slope_high / (slope_high - slope_low)
    rest = 1.0 - share
    return value, t, share * ux + rest * vx, share * uy + rest * vy, share * uz + rest * vz


@inlined
def box_distance(solids, j, ax, ay, az, dx, dy, dz):
    """Segment to box; see ``round_distance`` for what is returned.

    Where the deepest point is equally deep under two faces the gradient is shorter than 1: the
    segment sinks in more slowly than it moves.
    """
    hx, hy, hz = solids[j, SIZE], solids[j, SIZE + 1], solids[j, SIZE + 2]
    cx, cy, cz = solids[j, CENTRE], solids[j, CENTRE + 1], solids[j, CENTRE + 2]
    x, y, z = into_axes(solids, j, ax - cx, ay - cy, az - cz)
    dx, dy, dz = into_axes(solids, j, dx, dy, dz)
    t = nearest_to_box(x, y, z, dx, dy, dz, hx, hy, hz)
    nx, ny, nz = _beyond(x + t * dx, hx), _beyond(y + t * dy, hy), _beyond(z + t * dz, hz)
    s = math.sqrt(nx * nx + ny * ny + nz * nz)
    if s > SURFACE:
        nx, ny, nz = nx / s, ny / s, nz / s
    else:
        s, t, nx, ny, nz = _inside_box(x, y, z, dx, dy, dz, hx, hy, hz)
    return (
        s,
        t,
        solids[j, AXES] * nx + solids[j, AXES + 1] * ny + solids[j, AXES + 2] * nz,
        solids[j, AXES + 3] * nx + solids[j, AXES + 4] * ny + solids[j, AXES + 5] * nz,
        solids[j, AXES + 6] * nx + solids[j, AXES + 7] * ny + solids[j, AXES + 8] * nz,
    )


@inlined
def box_near(solids, j, ax, ay, az, dx, dy, dz, reach):
    """Whether a segment comes as near to a box as ``reach`` [m]."""
    hx, hy, hz = solids[j, SIZE], solids[j, SIZE + 1], solids[j, SIZE + 2]
    cx, cy, cz = solids[j, CENTRE], solids[j, CENTRE + 1], solids[j, CENTRE + 2]
    x, y, z = into_axes(solids, j, ax - cx, ay - cy, az - cz)
    dx, dy, dz = into_axes(solids, j, dx, dy, dz)
    t = nearest_to_box(x, y, z, dx, dy, dz, hx, hy, hz)
    nx, ny, nz = _beyond(x + t * dx, hx), _beyond(y + t * dy, hy), _beyond(z + t * dz, hz)
    return nx * nx + ny * ny + nz * nz <= (reach + SURFACE) * (reach + SURFACE)
