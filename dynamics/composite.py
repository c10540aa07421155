"""Mass matrix and bias torque in one sweep, with everything about the base origin in base axes.

Spatial inertias about one common point simply add up, so neither forces nor composite inertias have
to be carried from frame to frame (composite-rigid-body method; kebria2016 (7), ragazzon2012 (3.5) give
the same M from energies). Only this file knows the layout of ``work.motion``, ``work.composite`` and
``work.force``; ``mass_matrix`` and ``forward_dynamics`` are built on it.
"""

from __future__ import annotations

from dynamics.compiled import kernel
from dynamics.kinematics import joint_axis


@kernel
def update_mass_and_bias(arm, gravity, qd, work):
    """Write ``work.mass_matrix`` and ``work.bias`` = C qd + g; reads ``work.rotation``."""
    _forward_pass(arm, gravity, qd, work)
    _backward_pass(arm, work)


@kernel
def _forward_pass(arm, gravity, qd, work):
    """Joint axes, inertias, and the force each link needs at zero joint acceleration."""
    wx, wy, wz, vx, vy, vz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0  # velocity of the body point at the origin
    dx, dy, dz = 0.0, 0.0, 0.0
    ax, ay, az = -gravity[0], -gravity[1], -gravity[2]
    ox, oy, oz = 0.0, 0.0, 0.0  # origin of frame i-1 as the dynamics have it
    for i in range(qd.size):
        sx, sy, sz = joint_axis(work, i)
        tx, ty, tz = oy * sz - oz * sy, oz * sx - ox * sz, ox * sy - oy * sx
        motion = work.motion[i]
        motion[0], motion[1], motion[2], motion[3], motion[4], motion[5] = sx, sy, sz, tx, ty, tz
        rate = qd[i]
        # acceleration grows by v x S qd, velocity by S qd
        dx += (wy * sz - wz * sy) * rate
        dy += (wz * sx - wx * sz) * rate
        dz += (wx * sy - wy * sx) * rate
        ax += (wy * tz - wz * ty + vy * sz - vz * sy) * rate
        ay += (wz * tx - wx * tz + vz * sx - vx * sz) * rate
        az += (wx * ty - wy * tx + vx * sy - vy * sx) * rate
        wx, wy, wz = wx + sx * rate, wy + sy * rate, wz + sz * rate
        vx, vy, vz = vx + tx * rate, vy + ty * rate, vz + tz * rate
        R = work.rotation[i]
        rx, ry, rz = arm.dynamics_offset[i, 0], arm.dynamics_offset[i, 1], arm.dynamics_offset[i, 2]
        ox += R[0, 0] * rx + R[0, 1] * ry + R[0, 2] * rz
        oy += R[1, 0] * rx + R[1, 1] * ry + R[1, 2] * rz
        oz += R[2, 0] * rx + R[2, 1] * ry + R[2, 2] * rz
        m, hx, hy, hz, ixx, ixy, ixz, iyy, iyz, izz = _inertia_in_base(arm, i, R, ox, oy, oz, work)
        # momentum of the link (moment, force) at velocity v, and its rate at acceleration a
        px = ixx * wx + ixy * wy + ixz * wz + hy * vz - hz * vy
        py = ixy * wx + iyy * wy + iyz * wz + hz * vx - hx * vz
        pz = ixz * wx + iyz * wy + izz * wz + hx * vy - hy * vx
        lx, ly, lz = m * vx + wy * hz - wz * hy, m * vy + wz * hx - wx * hz, m * vz + wx * hy - wy * hx
        force = work.force[i]
        force[0] = (ixx * dx + ixy * dy + ixz * dz + hy * az - hz * ay) + wy * pz - wz * py + vy * lz - vz * ly
        force[1] = (ixy * dx + iyy * dy + iyz * dz + hz * ax - hx * az) + wz * px - wx * pz + vz * lx - vx * lz
        force[2] = (ixz * dx + iyz * dy + izz * dz + hx * ay - hy * ax) + wx * py - wy * px + vx * ly - vy * lx
        force[3] = m * ax + dy * hz - dz * hy + wy * lz - wz * ly
        force[4] = m * ay + dz * hx - dx * hz + wz * lx - wx * lz
        force[5] = m * az + dx * hy - dy * hx + wx * ly - wy * lx


@kernel
def _inertia_in_base(arm, i, R, ox, oy, oz, work):
    """Mass, first and second moment of link i about the base origin; written to ``work.composite``."""
    m = arm.mass[i]
    cx, cy, cz = arm.center_of_mass[i, 0], arm.center_of_mass[i, 1], arm.center_of_mass[i, 2]
    x = ox + R[0, 0] * cx + R[0, 1] * cy + R[0, 2] * cz
    y = oy + R[1, 0] * cx + R[1, 1] * cy + R[1, 2] * cz
    z = oz + R[2, 0] * cx + R[2, 1] * cy + R[2, 2] * cz
    hx, hy, hz = m * x, m * y, m * z
    a, b, c = arm.inertia[i, 0, 0], arm.inertia[i, 1, 1], arm.inertia[i, 2, 2]
    d, e, f = arm.inertia[i, 0, 1], arm.inertia[i, 0, 2], arm.inertia[i, 1, 2]
    ux, vx, wx = _row_times(R[0, 0], R[0, 1], R[0, 2], a, b, c, d, e, f)
    uy, vy, wy = _row_times(R[1, 0], R[1, 1], R[1, 2], a, b, c, d, e, f)
    uz, vz, wz = _row_times(R[2, 0], R[2, 1], R[2, 2], a, b, c, d, e, f)
    ixx = ux * R[0, 0] + vx * R[0, 1] + wx * R[0, 2] + hy * y + hz * z
    ixy = ux * R[1, 0] + vx * R[1, 1] + wx * R[1, 2] - hx * y
    ixz = ux * R[2, 0] + vx * R[2, 1] + wx * R[2, 2] - hx * z
    iyy = uy * R[1, 0] + vy * R[1, 1] + wy * R[1, 2] + hx * x + hz * z
    iyz = uy * R[2, 0] + vy * R[2, 1] + wy * R[2, 2] - hy * z
    izz = uz * R[2, 0] + vz * R[2, 1] + wz * R[2, 2] + hx * x + hy * y
    body = work.composite[i]
    body[0], body[1], body[2], body[3] = m, hx, hy, hz
    body[4], body[5], body[6], body[7], body[8], body[9] = ixx, ixy, ixz, iyy, iyz, izz
    return m, hx, hy, hz, ixx, ixy, ixz, iyy, iyz, izz


@kernel
def _row_times(x, y, z, a, b, c, d, e, f):
    """Row (x, y, z) times the symmetric matrix with diagonal a, b, c and xy, xz, yz entries d, e, f."""
    return x * a + y * d + z * e, x * d + y * b + z * f, x * e + y * f + z * c


@kernel
def _backward_pass(arm, work):
    """Sum inertias and forces from the tool to the base, and project them on the joint axes."""
    n = arm.mass.size
    m, hx, hy, hz = 0.0, 0.0, 0.0, 0.0
    ixx, ixy, ixz, iyy, iyz, izz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    f0, f1, f2, f3, f4, f5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(n - 1, -1, -1):
        body, force, motion = work.composite[i], work.force[i], work.motion[i]
        m, hx, hy, hz = m + body[0], hx + body[1], hy + body[2], hz + body[3]
        ixx, ixy, ixz = ixx + body[4], ixy + body[5], ixz + body[6]
        iyy, iyz, izz = iyy + body[7], iyz + body[8], izz + body[9]
        f0, f1, f2 = f0 + force[0], f1 + force[1], f2 + force[2]
        f3, f4, f5 = f3 + force[3], f4 + force[4], f5 + force[5]
        sx, sy, sz, tx, ty, tz = motion[0], motion[1], motion[2], motion[3], motion[4], motion[5]
        work.bias[i] = sx * f0 + sy * f1 + sz * f2 + tx * f3 + ty * f4 + tz * f5
        p0 = ixx * sx + ixy * sy + ixz * sz + hy * tz - hz * ty
        p1 = ixy * sx + iyy * sy + iyz * sz + hz * tx - hx * tz
        p2 = ixz * sx + iyz * sy + izz * sz + hx * ty - hy * tx
        p3, p4, p5 = m * tx + sy * hz - sz * hy, m * ty + sz * hx - sx * hz, m * tz + sx * hy - sy * hx
        for j in range(i + 1):
            s = work.motion[j]
            value = s[0] * p0 + s[1] * p1 + s[2] * p2 + s[3] * p3 + s[4] * p4 + s[5] * p5
            work.mass_matrix[i, j] = value
            work.mass_matrix[j, i] = value
        work.mass_matrix[i, i] += arm.rotor_inertia[i]
