"""The regressor: inverse dynamics as a matrix times the inertial parameters, Y(q, qd, qdd) π = τ.

For link i let w, d, a be its angular velocity, angular acceleration and the acceleration of its
frame's origin less gravity, in its own axes. Force and moment about that origin are

    f = M a + d × h + w × (w × h),    n = h × a + I d + w × (I w),    h = [MX, MY, MZ],

and joint j ≤ i feels u·n + v·f, where u is its axis and v the velocity that a unit speed of the
joint gives to the origin. Since u·(w × I w) = (u × w)·I w, the six columns of the tensor are two
symmetric products. The cost is O(n²) rows of ten numbers.

Source: madsen2020 section 3, from ragazzon2012 (3.9) to (3.15).
"""

import numpy as np

from dynamics.arm import Arm, joint_count
from dynamics.batches import as_rows
from dynamics.identification.parameters import PER_LINK, to_standard
from dynamics.kernels.decorators import inlined, kernel
from dynamics.kernels.vectors import (
    UP,
    ZERO,
    add,
    along,
    column,
    cross,
    dot,
    into_axes,
    put,
    sub,
    three,
    times,
    vector,
)
from dynamics.kinematics import update_frames
from dynamics.work import Work, make_work


def regressor(
    arm: Arm,
    q: np.ndarray,
    qd: np.ndarray,
    qdd: np.ndarray,
    rotor: bool = False,
    frames: str = "standard",
) -> np.ndarray:
    """Matrix whose product with ``parameters_of(arm, rotor, frames)`` is the torque.

    It is (..., n, 10 n), or (..., n, 11 n) with the ``rotor`` inertias, at ``q``, ``qd``, ``qdd``
    (..., n) [rad, rad/s, rad/s²]. Only the kinematics and the gravity of the arm matter (its
    ``dynamics_offset`` where that differs). Without ``rotor`` the torque is that of the links,
    without the reflected rotor inertias. The ``frames`` of the parameters are ``standard`` or
    ``modified``.

    Raises ``BadInput``: wrong shapes, unknown frames, or modified ones for an arm that is not
    rigid.

    Source: madsen2020 section 3.
    """
    n = joint_count(arm)
    (q, qd, qdd), lead = as_rows(n, q=q, qd=qd, qdd=qdd)
    change = to_standard(arm, frames)
    out = _regressor_batch(
        arm._replace(offset=arm.dynamics_offset), q, qd, qdd, rotor, make_work(n)
    )
    if frames != "standard":
        out[:, :, : PER_LINK * n] = out[:, :, : PER_LINK * n] @ change
    return out.reshape(*lead, n, -1)


@inlined
def write_regressor(gravity, qd, qdd, work, out):
    """Write the rows of all joints to ``out`` (n, 10 n); left of the block diagonal it has zeros.

    Reads ``work.rotation`` and ``work.origin`` (``update_frames`` writes them).
    """
    rotation, origin = work.rotation, work.origin
    w, d, a, z = ZERO, ZERO, times(-1.0, three(gravity, 0)), UP
    for i in range(qd.size):
        # motion of frame i, base axes
        d = along(along(d, qdd[i], z), qd[i], cross(w, z))
        w = along(w, qd[i], z)
        end = vector(origin, i + 1, 0)
        turn = rotation[i]
        r = sub(end, vector(origin, i, 0))
        a = add(add(a, cross(d, r)), cross(w, cross(w, r)))
        z = column(turn, 2)
        motion = (into_axes(turn, w), into_axes(turn, d), into_axes(turn, a))
        u = UP
        for j in range(i + 1):
            v = cross(u, sub(end, vector(origin, j, 0)))
            u_own = into_axes(turn, u)
            v_own = into_axes(turn, v)
            _write_block(u_own, v_own, motion, out, j, PER_LINK * i)
            u = column(rotation[j], 2)


@inlined
def _write_block(u, v, motion, out, row, start):
    """The ten entries of one joint and one link: u·n + v·f of the module's equations.

    All vectors are in the link's axes; ``motion`` is w, d and a. Each entry is the factor of one
    parameter.
    """
    w, d, a = motion
    out[row, start] = dot(v, a)
    # of the first moments h: u·(h × a) + v·(d × h + w × (w × h))
    #                       = (a × u + v × d + (v × w) × w)·h
    put(out, row, start + 1, add(add(cross(a, u), cross(v, d)), cross(cross(v, w), w)))
    # of the tensor I: u·I d + (u × w)·I w, where an entry beside the diagonal stands in I twice
    ux, uy, uz = u
    dx, dy, dz = d
    wx, wy, wz = w
    tx, ty, tz = cross(u, w)
    out[row, start + 4] = ux * dx + tx * wx
    out[row, start + 5] = ux * dy + uy * dx + tx * wy + ty * wx
    out[row, start + 6] = ux * dz + uz * dx + tx * wz + tz * wx
    out[row, start + 7] = uy * dy + ty * wy
    out[row, start + 8] = uy * dz + uz * dy + ty * wz + tz * wy
    out[row, start + 9] = uz * dz + tz * wz


@kernel
def _regressor_batch(
    arm: Arm, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, rotor: bool, work: Work
) -> np.ndarray:
    n = q.shape[1]
    out = np.zeros((q.shape[0], n, 11 * n if rotor else 10 * n))
    for row in range(q.shape[0]):
        update_frames(arm, q[row], work)
        write_regressor(arm.gravity, qd[row], qdd[row], work, out[row])
        if rotor:
            for i in range(n):
                out[row, i, 10 * n + i] = qdd[row, i]
    return out
