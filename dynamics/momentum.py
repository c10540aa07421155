"""Generalised momentum p = M qd, and what changes it besides the torques, C^T qd - g.

From M qdd + C qd + g = tau and dM/dt = C + C^T (Christoffel symbols; ragazzon2012 (3.7)):

    dp/dt = tau + J^T wrench + C^T qd - g,   with C^T qd = the gradient of the kinetic energy over q.

Neither M nor C is formed: with the momentum h_i of each link about the base origin and the velocity
v_i of its body point there, p_k = S_k · Σ_{i≥k} h_i + rotor_k qd_k and (C^T qd)_k = (v_k × S_k) ·
Σ_{i≥k} h_i. Gravity comes from the same sweep, by the first moments of the links.

Source: the equation of the momentum: De Luca and Mattone 2005 (sensorless collision detection).
"""

from __future__ import annotations

import numpy as np

from dynamics.arm import Arm, joint_count
from dynamics.batches import as_rows
from dynamics.kernels.decorators import inlined, kernel
from dynamics.kinematics import update_frames
from dynamics.work import make_work


def generalized_momentum(arm: Arm, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Generalised momentum and its rate without any torque on the joints.

    Args:
        arm: the arm; its friction is no part of the rate.
        q: (..., n) joint angles [rad].
        qd: (..., n) joint velocities [rad/s].

    Returns:
        p = M qd [N·m·s] and C^T qd - g [N·m], each (..., n).

    Raises:
        BadInput: wrong shapes.

    Source: De Luca and Mattone 2005; C as in ragazzon2012 (3.6) with the last sign corrected.
    """
    n = joint_count(arm)
    (q, qd), lead = as_rows(n, q=q, qd=qd)
    momentum, rate = np.empty_like(q), np.empty_like(q)
    _momentum_batch(arm, q, qd, make_work(n), momentum, rate)
    return momentum.reshape(*lead, n), rate.reshape(*lead, n)


@inlined
def update_momentum(arm, gravity, qd, work, momentum, rate):
    """Write ``momentum`` (n,) = M qd and ``rate`` (n,) = C^T qd - g; reads ``work.rotation``.

    Leaves mass and first moment of links k…n about the base origin in ``work.composite[k, :4]``, so
    that the potential energy is -gravity · ``work.composite[0, 1:4]``; uses motion and force.
    """
    wx, wy, wz, vx, vy, vz = _link_momenta(arm, qd, work)
    motion, force, body, rotor = work.motion, work.force, work.composite, arm.rotor_inertia
    gx, gy, gz = gravity[0], gravity[1], gravity[2]
    nx, ny, nz, fx, fy, fz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    m, cx, cy, cz = 0.0, 0.0, 0.0, 0.0
    for k in range(qd.size - 1, -1, -1):
        nx, ny, nz = nx + force[k, 0], ny + force[k, 1], nz + force[k, 2]
        fx, fy, fz = fx + force[k, 3], fy + force[k, 4], fz + force[k, 5]
        m, cx, cy, cz = m + body[k, 0], cx + body[k, 1], cy + body[k, 2], cz + body[k, 3]
        body[k, 0], body[k, 1], body[k, 2], body[k, 3] = m, cx, cy, cz
        sx, sy, sz = motion[k, 0], motion[k, 1], motion[k, 2]
        tx, ty, tz = motion[k, 3], motion[k, 4], motion[k, 5]
        momentum[k] = sx * nx + sy * ny + sz * nz + tx * fx + ty * fy + tz * fz + rotor[k] * qd[k]
        # (v_k x S_k) · h = w · (s x n + t x f) + v · (s x f)
        turning = (
            wx * (sy * nz - sz * ny + ty * fz - tz * fy)
            + wy * (sz * nx - sx * nz + tz * fx - tx * fz)
            + wz * (sx * ny - sy * nx + tx * fy - ty * fx)
        )
        moving = vx * (sy * fz - sz * fy) + vy * (sz * fx - sx * fz) + vz * (sx * fy - sy * fx)
        weight = (
            sx * (cy * gz - cz * gy)
            + sy * (cz * gx - cx * gz)
            + sz * (cx * gy - cy * gx)
            + m * (tx * gx + ty * gy + tz * gz)
        )
        rate[k] = turning + moving + weight
        wx, wy, wz = wx - sx * qd[k], wy - sy * qd[k], wz - sz * qd[k]
        vx, vy, vz = vx - tx * qd[k], vy - ty * qd[k], vz - tz * qd[k]


@inlined
def _link_momenta(arm, qd, work):
    """Joint axes, momenta and first moments of the links; returns the velocity of the last link.

    Everything about the base origin in base axes, as in ``dynamics.composite``.
    """
    rotation, offset, motion, force, body = (
        work.rotation,
        arm.dynamics_offset,
        work.motion,
        work.force,
        work.composite,
    )
    mass, center, tensor = arm.mass, arm.center_of_mass, arm.inertia
    wx, wy, wz, vx, vy, vz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    ox, oy, oz, sx, sy, sz = 0.0, 0.0, 0.0, 0.0, 0.0, 1.0
    for i in range(qd.size):
        tx, ty, tz = oy * sz - oz * sy, oz * sx - ox * sz, ox * sy - oy * sx
        motion[i, 0], motion[i, 1], motion[i, 2] = sx, sy, sz
        motion[i, 3], motion[i, 4], motion[i, 5] = tx, ty, tz
        wx, wy, wz = wx + sx * qd[i], wy + sy * qd[i], wz + sz * qd[i]
        vx, vy, vz = vx + tx * qd[i], vy + ty * qd[i], vz + tz * qd[i]
        r00, r01, r02 = rotation[i, 0, 0], rotation[i, 0, 1], rotation[i, 0, 2]
        r10, r11, r12 = rotation[i, 1, 0], rotation[i, 1, 1], rotation[i, 1, 2]
        r20, r21, r22 = rotation[i, 2, 0], rotation[i, 2, 1], rotation[i, 2, 2]
        a, b, c = offset[i, 0], offset[i, 1], offset[i, 2]
        ox, oy, oz = (
            ox + r00 * a + r01 * b + r02 * c,
            oy + r10 * a + r11 * b + r12 * c,
            oz + r20 * a + r21 * b + r22 * c,
        )
        sx, sy, sz = r02, r12, r22
        a, b, c, m = center[i, 0], center[i, 1], center[i, 2], mass[i]
        x, y, z = (
            ox + r00 * a + r01 * b + r02 * c,
            oy + r10 * a + r11 * b + r12 * c,
            oz + r20 * a + r21 * b + r22 * c,
        )
        lx, ly, lz = m * (vx + wy * z - wz * y), m * (vy + wz * x - wx * z), m * (vz + wx * y - wy * x)
        a, b, c = (
            r00 * wx + r10 * wy + r20 * wz,
            r01 * wx + r11 * wy + r21 * wz,
            r02 * wx + r12 * wy + r22 * wz,
        )
        d, e, f = tensor[i, 0, 1], tensor[i, 0, 2], tensor[i, 1, 2]
        a, b, c = (
            tensor[i, 0, 0] * a + d * b + e * c,
            d * a + tensor[i, 1, 1] * b + f * c,
            e * a + f * b + tensor[i, 2, 2] * c,
        )
        force[i, 0] = r00 * a + r01 * b + r02 * c + y * lz - z * ly
        force[i, 1] = r10 * a + r11 * b + r12 * c + z * lx - x * lz
        force[i, 2] = r20 * a + r21 * b + r22 * c + x * ly - y * lx
        force[i, 3], force[i, 4], force[i, 5] = lx, ly, lz
        body[i, 0], body[i, 1], body[i, 2], body[i, 3] = m, m * x, m * y, m * z
    return wx, wy, wz, vx, vy, vz


@kernel
def _momentum_batch(arm, q, qd, work, momentum, rate):
    for row in range(q.shape[0]):
        update_frames(arm, q[row], work)
        update_momentum(arm, arm.gravity, qd[row], work, momentum[row], rate[row])
