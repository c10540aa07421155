"""The mass matrix M(q) and the bias torque in one sweep, about the base origin in base axes.

Spatial inertias about one common point simply add up, so neither forces nor composite inertias have
to be carried from frame to frame (composite-rigid-body method; kebria2016 (7), ragazzon2012 (3.5) give
the same M from energies). Only this file knows the layout of ``work.motion``, ``work.composite`` and
``work.force``; ``mass_matrix`` and ``forward_dynamics`` are built on it.
"""

from __future__ import annotations

import numpy as np

from dynamics.arm import Arm
from dynamics.kernels.decorators import inlined, packed
from dynamics.kernels.views import view
from dynamics.kinematics import copy_matrix, update_frames
from dynamics.packed import arm_in, as_flat, is_row, numbers_of, scratch, work_in


def mass_matrix(arm: Arm, q: np.ndarray) -> np.ndarray:
    """Mass matrix, rotor inertia included.

    Args:
        arm: the arm.
        q: (..., n) joint angles [rad].

    Returns:
        (..., n, n) symmetric positive definite [kg·m²].

    Raises:
        BadInput: wrong shape.

    Source: ragazzon2012 (3.5); kebria2016 (7).
    """
    numbers, n, room = numbers_of(arm)
    lead: tuple[int, ...] = ()
    if not is_row(n, q):
        (q,), lead = as_flat(n, q=q)
    out = np.empty((*lead, n, n))
    _mass_matrix.dispatcher(numbers, n, q, scratch(room), out.ravel())
    return out


@packed
def _mass_matrix(numbers: np.ndarray, n: int, q: np.ndarray, scratch: np.ndarray, out: np.ndarray) -> None:
    arm, work, q = arm_in(numbers, n), work_in(scratch, n), view(q, 0, (q.size // n, n))
    out, still = view(out, 0, (len(q), n, n)), work.vector[0, :n]
    for i in range(n):
        still[i] = 0.0
    for row in range(len(q)):
        update_frames(arm, q[row], work)
        update_mass_and_bias(arm, arm.gravity, still, work)
        copy_matrix(work.mass_matrix, out[row])


@inlined
def update_mass_and_bias(arm, gravity, qd, work):
    """Write ``work.mass_matrix`` and ``work.bias`` = C qd + g; reads ``work.rotation``."""
    _forward_pass(arm, gravity, qd, work)
    _backward_pass(arm, work)


@inlined
def _forward_pass(arm, gravity, qd, work):
    """Joint axes, inertias, and the force each link needs at zero joint acceleration."""
    rotation, offset, motion, forces = work.rotation, arm.dynamics_offset, work.motion, work.force
    wx, wy, wz, vx, vy, vz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0  # velocity of the body point at the origin
    dx, dy, dz = 0.0, 0.0, 0.0
    ax, ay, az = -gravity[0], -gravity[1], -gravity[2]
    ox, oy, oz = 0.0, 0.0, 0.0  # origin of frame i-1 as the dynamics have it
    sx, sy, sz = 0.0, 0.0, 1.0  # axis of joint i: z of frame i-1
    mass, center, tensor, composite = arm.mass, arm.center_of_mass, arm.inertia, work.composite
    for i in range(qd.size):
        tx, ty, tz = oy * sz - oz * sy, oz * sx - ox * sz, ox * sy - oy * sx
        motion[i, 0], motion[i, 1], motion[i, 2] = sx, sy, sz
        motion[i, 3], motion[i, 4], motion[i, 5] = tx, ty, tz
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
        r00, r01, r02 = rotation[i, 0, 0], rotation[i, 0, 1], rotation[i, 0, 2]
        r10, r11, r12 = rotation[i, 1, 0], rotation[i, 1, 1], rotation[i, 1, 2]
        r20, r21, r22 = rotation[i, 2, 0], rotation[i, 2, 1], rotation[i, 2, 2]
        ox, oy, oz = _add_turned(
            ox, oy, oz, r00, r01, r02, r10, r11, r12, r20, r21, r22, offset[i, 0], offset[i, 1], offset[i, 2]
        )
        sx, sy, sz = r02, r12, r22
        m = mass[i]
        x, y, z = _add_turned(
            ox, oy, oz, r00, r01, r02, r10, r11, r12, r20, r21, r22, center[i, 0], center[i, 1], center[i, 2]
        )
        hx, hy, hz = m * x, m * y, m * z
        a, b, c = tensor[i, 0, 0], tensor[i, 1, 1], tensor[i, 2, 2]
        d, e, f = tensor[i, 0, 1], tensor[i, 0, 2], tensor[i, 1, 2]
        u0, u1, u2 = _row_times(r00, r01, r02, a, b, c, d, e, f)
        ixx = u0 * r00 + u1 * r01 + u2 * r02 + hy * y + hz * z
        ixy = u0 * r10 + u1 * r11 + u2 * r12 - hx * y
        ixz = u0 * r20 + u1 * r21 + u2 * r22 - hx * z
        u0, u1, u2 = _row_times(r10, r11, r12, a, b, c, d, e, f)
        iyy = u0 * r10 + u1 * r11 + u2 * r12 + hx * x + hz * z
        iyz = u0 * r20 + u1 * r21 + u2 * r22 - hy * z
        u0, u1, u2 = _row_times(r20, r21, r22, a, b, c, d, e, f)
        izz = u0 * r20 + u1 * r21 + u2 * r22 + hx * x + hy * y
        composite[i, 0], composite[i, 1], composite[i, 2], composite[i, 3] = m, hx, hy, hz
        composite[i, 4], composite[i, 5], composite[i, 6] = ixx, ixy, ixz
        composite[i, 7], composite[i, 8], composite[i, 9] = iyy, iyz, izz
        # momentum of the link (moment, force) at velocity v, and its rate at acceleration a
        px = ixx * wx + ixy * wy + ixz * wz + hy * vz - hz * vy
        py = ixy * wx + iyy * wy + iyz * wz + hz * vx - hx * vz
        pz = ixz * wx + iyz * wy + izz * wz + hx * vy - hy * vx
        lx, ly, lz = m * vx + wy * hz - wz * hy, m * vy + wz * hx - wx * hz, m * vz + wx * hy - wy * hx
        forces[i, 0] = (
            (ixx * dx + ixy * dy + ixz * dz + hy * az - hz * ay) + wy * pz - wz * py + vy * lz - vz * ly
        )
        forces[i, 1] = (
            (ixy * dx + iyy * dy + iyz * dz + hz * ax - hx * az) + wz * px - wx * pz + vz * lx - vx * lz
        )
        forces[i, 2] = (
            (ixz * dx + iyz * dy + izz * dz + hx * ay - hy * ax) + wx * py - wy * px + vx * ly - vy * lx
        )
        forces[i, 3] = m * ax + dy * hz - dz * hy + wy * lz - wz * ly
        forces[i, 4] = m * ay + dz * hx - dx * hz + wz * lx - wx * lz
        forces[i, 5] = m * az + dx * hy - dy * hx + wx * ly - wy * lx


@inlined
def _add_turned(x, y, z, r00, r01, r02, r10, r11, r12, r20, r21, r22, a, b, c):
    """(x, y, z) + R (a, b, c)."""
    return x + r00 * a + r01 * b + r02 * c, y + r10 * a + r11 * b + r12 * c, z + r20 * a + r21 * b + r22 * c


@inlined
def _row_times(x, y, z, a, b, c, d, e, f):
    """Row (x, y, z) times the symmetric matrix with diagonal a, b, c and xy, xz, yz entries d, e, f."""
    return x * a + y * d + z * e, x * d + y * b + z * f, x * e + y * f + z * c


@inlined
def _backward_pass(arm, work):
    """Sum inertias and forces from the tool to the base, and project them on the joint axes."""
    body, force, motion, matrix, bias = work.composite, work.force, work.motion, work.mass_matrix, work.bias
    rotor = arm.rotor_inertia
    m, hx, hy, hz = 0.0, 0.0, 0.0, 0.0
    ixx, ixy, ixz, iyy, iyz, izz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    f0, f1, f2, f3, f4, f5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(motion.shape[0] - 1, -1, -1):
        m, hx, hy, hz = m + body[i, 0], hx + body[i, 1], hy + body[i, 2], hz + body[i, 3]
        ixx, ixy, ixz = ixx + body[i, 4], ixy + body[i, 5], ixz + body[i, 6]
        iyy, iyz, izz = iyy + body[i, 7], iyz + body[i, 8], izz + body[i, 9]
        f0, f1, f2 = f0 + force[i, 0], f1 + force[i, 1], f2 + force[i, 2]
        f3, f4, f5 = f3 + force[i, 3], f4 + force[i, 4], f5 + force[i, 5]
        sx, sy, sz = motion[i, 0], motion[i, 1], motion[i, 2]
        tx, ty, tz = motion[i, 3], motion[i, 4], motion[i, 5]
        bias[i] = sx * f0 + sy * f1 + sz * f2 + tx * f3 + ty * f4 + tz * f5
        p0 = ixx * sx + ixy * sy + ixz * sz + hy * tz - hz * ty
        p1 = ixy * sx + iyy * sy + iyz * sz + hz * tx - hx * tz
        p2 = ixz * sx + iyz * sy + izz * sz + hx * ty - hy * tx
        p3, p4, p5 = m * tx + sy * hz - sz * hy, m * ty + sz * hx - sx * hz, m * tz + sx * hy - sy * hx
        for j in range(i + 1):
            value = (
                motion[j, 0] * p0
                + motion[j, 1] * p1
                + motion[j, 2] * p2
                + motion[j, 3] * p3
                + motion[j, 4] * p4
                + motion[j, 5] * p5
            )
            matrix[i, j] = value
            matrix[j, i] = value
        matrix[i, i] += rotor[i]
