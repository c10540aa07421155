"""The regressor: inverse dynamics as a matrix times the inertial parameters, Y(q, qd, qdd) pi = tau.

For link i let w, d, a be its angular velocity, angular acceleration and the acceleration of its frame's origin less
gravity, in its own axes. Force and moment about that origin are

    f = M a + d × h + w × (w × h),    n = h × a + I d + w × (I w),    h = [MX, MY, MZ],

and joint j ≤ i feels u·n + v·f, where u is its axis and v the velocity that a unit speed of the joint gives to the
origin. Since u·(w × I w) = (u × w)·I w, the six columns of the tensor are two symmetric products. The cost is O(n²)
rows of ten numbers.

Source: madsen2020 section 3, from ragazzon2012 (3.9) to (3.15).
"""

import numpy as np

from dynamics.arm import Arm, joint_count
from dynamics.batches import as_rows
from dynamics.identification.parameters import PER_LINK, to_standard
from dynamics.kernels.decorators import inlined, kernel
from dynamics.kinematics import update_frames
from dynamics.work import Work, make_work


def regressor(
    arm: Arm, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, rotor: bool = False, frames: str = "standard"
) -> np.ndarray:
    """Matrix whose product with ``parameters_of(arm, rotor, frames)`` is the torque.

    It is (..., n, 10 n), or (..., n, 11 n) with the ``rotor`` inertias, at ``q``, ``qd``, ``qdd`` (..., n) [rad,
    rad/s, rad/s²]. Only the kinematics and the gravity of the arm matter (its ``dynamics_offset`` where that
    differs). Without ``rotor`` the torque is that of the links, without the reflected rotor inertias. The ``frames``
    of the parameters are ``standard`` or ``modified``.

    Raises ``BadInput``: wrong shapes, unknown frames, or modified ones for an arm that is not rigid.

    Source: madsen2020 section 3.
    """
    n = joint_count(arm)
    (q, qd, qdd), lead = as_rows(n, q=q, qd=qd, qdd=qdd)
    change = to_standard(arm, frames)
    chain = arm._replace(offset=arm.dynamics_offset)
    out = _regressor_batch(chain, q, qd, qdd, rotor, make_work(n))
    if frames != "standard":
        out[:, :, : PER_LINK * n] = out[:, :, : PER_LINK * n] @ change
    return out.reshape(*lead, n, -1)


@inlined
def write_regressor(gravity, qd, qdd, work, out):
    """Write the rows of all joints to ``out`` (n, 10 n), zeros left of the block diagonal untouched.

    Reads ``work.rotation`` and ``work.origin`` (``update_frames`` writes them).
    """
    rotation, origin = work.rotation, work.origin
    wx, wy, wz = 0.0, 0.0, 0.0
    dx, dy, dz = 0.0, 0.0, 0.0
    ax, ay, az = -gravity[0], -gravity[1], -gravity[2]
    zx, zy, zz = 0.0, 0.0, 1.0
    for i in range(qd.size):
        # motion of frame i, base axes
        cx, cy, cz = _cross(wx, wy, wz, zx, zy, zz)
        dx, dy, dz = (dx + zx * qdd[i] + cx * qd[i], dy + zy * qdd[i] + cy * qd[i], dz + zz * qdd[i] + cz * qd[i])
        wx, wy, wz = wx + zx * qd[i], wy + zy * qd[i], wz + zz * qd[i]
        rx, ry, rz = (origin[i + 1, 0] - origin[i, 0], origin[i + 1, 1] - origin[i, 1], origin[i + 1, 2] - origin[i, 2])
        cx, cy, cz = _cross(wx, wy, wz, rx, ry, rz)
        ex, ey, ez = _cross(wx, wy, wz, cx, cy, cz)
        cx, cy, cz = _cross(dx, dy, dz, rx, ry, rz)
        ax, ay, az = ax + cx + ex, ay + cy + ey, az + cz + ez
        zx, zy, zz = rotation[i, 0, 2], rotation[i, 1, 2], rotation[i, 2, 2]
        # the same in the link's axes
        w = _into_link(rotation, i, wx, wy, wz)
        d = _into_link(rotation, i, dx, dy, dz)
        a = _into_link(rotation, i, ax, ay, az)
        ux, uy, uz = 0.0, 0.0, 1.0
        for j in range(i + 1):
            sx, sy, sz = (
                origin[i + 1, 0] - origin[j, 0],
                origin[i + 1, 1] - origin[j, 1],
                origin[i + 1, 2] - origin[j, 2],
            )
            cx, cy, cz = _cross(ux, uy, uz, sx, sy, sz)
            u = _into_link(rotation, i, ux, uy, uz)
            v = _into_link(rotation, i, cx, cy, cz)
            _write_block(u, v, w, d, a, out, j, PER_LINK * i)
            ux, uy, uz = rotation[j, 0, 2], rotation[j, 1, 2], rotation[j, 2, 2]


@inlined
def _write_block(u, v, w, d, a, out, row, start):
    """Ten entries of one joint and one link, all vectors in the link's axes."""
    out[row, start] = v[0] * a[0] + v[1] * a[1] + v[2] * a[2]
    # first moments: a × u + v × d + (v × w) × w, the adjoint of h -> h × a and h -> d × h + w × (w × h)
    px, py, pz = _cross(a[0], a[1], a[2], u[0], u[1], u[2])
    qx, qy, qz = _cross(v[0], v[1], v[2], d[0], d[1], d[2])
    cx, cy, cz = _cross(v[0], v[1], v[2], w[0], w[1], w[2])
    sx, sy, sz = _cross(cx, cy, cz, w[0], w[1], w[2])
    out[row, start + 1] = px + qx + sx
    out[row, start + 2] = py + qy + sy
    out[row, start + 3] = pz + qz + sz
    # tensor: u·I d + (u × w)·I w
    tx, ty, tz = _cross(u[0], u[1], u[2], w[0], w[1], w[2])
    out[row, start + 4] = u[0] * d[0] + tx * w[0]
    out[row, start + 5] = u[0] * d[1] + u[1] * d[0] + tx * w[1] + ty * w[0]
    out[row, start + 6] = u[0] * d[2] + u[2] * d[0] + tx * w[2] + tz * w[0]
    out[row, start + 7] = u[1] * d[1] + ty * w[1]
    out[row, start + 8] = u[1] * d[2] + u[2] * d[1] + ty * w[2] + tz * w[1]
    out[row, start + 9] = u[2] * d[2] + tz * w[2]


@inlined
def _cross(x, y, z, rx, ry, rz):
    return y * rz - z * ry, z * rx - x * rz, x * ry - y * rx


@inlined
def _into_link(rotation, i, x, y, z):
    return (
        rotation[i, 0, 0] * x + rotation[i, 1, 0] * y + rotation[i, 2, 0] * z,
        rotation[i, 0, 1] * x + rotation[i, 1, 1] * y + rotation[i, 2, 1] * z,
        rotation[i, 0, 2] * x + rotation[i, 1, 2] * y + rotation[i, 2, 2] * z,
    )


@kernel
def _regressor_batch(arm: Arm, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, rotor: bool, work: Work) -> np.ndarray:
    n = q.shape[1]
    out = np.zeros((q.shape[0], n, 11 * n if rotor else 10 * n))
    for row in range(q.shape[0]):
        update_frames(arm, q[row], work)
        write_regressor(arm.gravity, qd[row], qdd[row], work, out[row])
        if rotor:
            for i in range(n):
                out[row, i, 10 * n + i] = qdd[row, i]
    return out
