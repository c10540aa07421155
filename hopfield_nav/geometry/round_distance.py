"""Signed distance from a segment to round solids and to a half-space.

Each kernel takes packed solids, the number of one, and a segment a + t d with t from 0 to 1. It
returns (s, t, gx, gy, gz): the least signed distance s of a point of the segment [m], that point's
t, and the unit normal there, which leads out of the solid.
"""

from __future__ import annotations

import math

from dynamics.kernels.decorators import inlined
from hopfield_nav.geometry.solids import AXES, CENTRE, SIZE

_PARALLEL = 1e-8  # share of |d|²|e|² below which two segments count as nearly parallel


@inlined
def clamped_ratio(numerator, denominator):
    """numerator/denominator held to 0…1, for a denominator that is not negative; 0 for 0/0."""
    if numerator <= 0.0 or denominator <= 0.0:
        return 0.0
    return 1.0 if numerator >= denominator else numerator / denominator


@inlined
def across(x, y, z):
    """A unit vector square to (x, y, z); +x where that has no length."""
    if abs(x) > abs(z):
        length = math.sqrt(x * x + y * y)
        return -y / length, x / length, 0.0
    length = math.sqrt(y * y + z * z)
    return (0.0, -z / length, y / length) if length > 0.0 else (1.0, 0.0, 0.0)


@inlined
def nearest_to_point(px, py, pz, ax, ay, az, dx, dy, dz):
    """T of the point of a segment that is nearest to (px, py, pz)."""
    return clamped_ratio((px - ax) * dx + (py - ay) * dy + (pz - az) * dz, dx * dx + dy * dy + dz * dz)


@inlined
def sphere_distance(solids, j, ax, ay, az, dx, dy, dz):
    """Segment to sphere; at its centre the normal is square to the segment."""
    cx, cy, cz = solids[j, CENTRE], solids[j, CENTRE + 1], solids[j, CENTRE + 2]
    t = nearest_to_point(cx, cy, cz, ax, ay, az, dx, dy, dz)
    wx, wy, wz = ax + t * dx - cx, ay + t * dy - cy, az + t * dz - cz
    distance = math.sqrt(wx * wx + wy * wy + wz * wz)
    if distance > 0.0:
        return distance - solids[j, SIZE], t, wx / distance, wy / distance, wz / distance
    nx, ny, nz = across(dx, dy, dz)
    return -solids[j, SIZE], t, nx, ny, nz


@inlined
def upright_distance(solids, j, ax, ay, az, dx, dy, dz):
    """Segment to an upright cylinder without end; on its axis the normal is square to the segment."""
    wx, wy = ax - solids[j, CENTRE], ay - solids[j, CENTRE + 1]
    t = clamped_ratio(-(wx * dx + wy * dy), dx * dx + dy * dy)
    wx, wy = wx + t * dx, wy + t * dy
    distance = math.sqrt(wx * wx + wy * wy)
    if distance > 0.0:
        return distance - solids[j, SIZE], t, wx / distance, wy / distance, 0.0
    level = math.sqrt(dx * dx + dy * dy)
    nx, ny = (-dy / level, dx / level) if level > 0.0 else (1.0, 0.0)
    return -solids[j, SIZE], t, nx, ny, 0.0


@inlined
def half_space_distance(solids, j, ax, ay, az, dx, dy, dz):
    """Segment to half-space: its lower end, or its middle where it lies level."""
    nx, ny, nz = solids[j, AXES], solids[j, AXES + 1], solids[j, AXES + 2]
    wx, wy, wz = ax - solids[j, CENTRE], ay - solids[j, CENTRE + 1], az - solids[j, CENTRE + 2]
    climb = nx * dx + ny * dy + nz * dz
    t = 0.5 if climb == 0.0 else (1.0 if climb < 0.0 else 0.0)
    return nx * wx + ny * wy + nz * wz + t * climb, t, nx, ny, nz


@inlined
def nearest_shares(ax, ay, az, dx, dy, dz, bx, by, bz, ex, ey, ez):
    """(t, u) of the nearest points a + t d and b + u e of two segments.

    Both lengths may be zero. Where the two are nearly parallel, their four ends are tried as well.
    """
    wx, wy, wz = ax - bx, ay - by, az - bz
    dd, ee = dx * dx + dy * dy + dz * dz, ex * ex + ey * ey + ez * ez
    de = dx * ex + dy * ey + dz * ez
    dw, ew = dx * wx + dy * wy + dz * wz, ex * wx + ey * wy + ez * wz
    sx, sy, sz = dy * ez - dz * ey, dz * ex - dx * ez, dx * ey - dy * ex
    square = sx * sx + sy * sy + sz * sz  # dd ee - de², without its cancellation
    t = clamped_ratio(de * ew - ee * dw, square)
    u = clamped_ratio(ew + t * de, ee)
    t = clamped_ratio(u * de - dw, dd)
    if square <= _PARALLEL * dd * ee:
        best = _gap(t, u, wx, wy, wz, dx, dy, dz, ex, ey, ez)
        for k in range(4):
            if k < 2:
                tk = float(k)
                uk = clamped_ratio(ew + tk * de, ee)
            else:
                uk = float(k - 2)
                tk = clamped_ratio(uk * de - dw, dd)
            gap = _gap(tk, uk, wx, wy, wz, dx, dy, dz, ex, ey, ez)
            if gap < best:
                best, t, u = gap, tk, uk
    return t, u


@inlined
def _gap(t, u, wx, wy, wz, dx, dy, dz, ex, ey, ez):
    x, y, z = wx + t * dx - u * ex, wy + t * dy - u * ey, wz + t * dz - u * ez
    return x * x + y * y + z * z


@inlined
def capsule_distance_to(solids, j, ax, ay, az, dx, dy, dz):
    """Segment to capsule; where the axes meet the normal is square to both."""
    hx, hy, hz = solids[j, AXES], solids[j, AXES + 1], solids[j, AXES + 2]  # half its axis
    bx, by, bz = solids[j, CENTRE] - hx, solids[j, CENTRE + 1] - hy, solids[j, CENTRE + 2] - hz
    ex, ey, ez = 2.0 * hx, 2.0 * hy, 2.0 * hz
    t, u = nearest_shares(ax, ay, az, dx, dy, dz, bx, by, bz, ex, ey, ez)
    wx, wy, wz = ax + t * dx - bx - u * ex, ay + t * dy - by - u * ey, az + t * dz - bz - u * ez
    distance = math.sqrt(wx * wx + wy * wy + wz * wz)
    if distance > 0.0:
        return distance - solids[j, SIZE], t, wx / distance, wy / distance, wz / distance
    nx, ny, nz = dy * ez - dz * ey, dz * ex - dx * ez, dx * ey - dy * ex
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    if length > 0.0:
        return -solids[j, SIZE], t, nx / length, ny / length, nz / length
    if dx * dx + dy * dy + dz * dz > 0.0:
        nx, ny, nz = across(dx, dy, dz)
    else:
        nx, ny, nz = across(ex, ey, ez)
    return -solids[j, SIZE], t, nx, ny, nz
