"""The Coriolis matrix with Christoffel symbols, so that dM/dt - 2 C is skew-symmetric.

The recursion sums per-link 6×6 matrices about the base origin (Echeandia and Wensing 2021): its
result equals the Christoffel definition (ragazzon2012 (3.6) with the minus sign it lacks,
kebria2016 (9)) exactly, without differentiating M.
"""

from __future__ import annotations

import numpy as np

from dynamics.arm import Arm, joint_count
from dynamics.batches import as_rows
from dynamics.composite import update_mass_and_bias
from dynamics.kernels.decorators import kernel
from dynamics.kinematics import update_frames
from dynamics.work import Work, make_work


def coriolis_matrix(arm: Arm, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Coriolis matrix C(q, qd) from Christoffel symbols.

    Args:
        arm: the arm.
        q: (..., n) joint angles [rad].
        qd: (..., n) joint velocities [rad/s].

    Returns:
        (..., n, n) with C qd the Coriolis torque and dM/dt = C + C^T [kg·m²/s].

    Raises:
        BadInput: wrong shapes.

    Source: kebria2016 (9); ragazzon2012 (3.6), (3.7) with the last sign corrected.
    """
    n = joint_count(arm)
    (q, qd), lead = as_rows(n, q=q, qd=qd)
    return _coriolis_batch(arm, q, qd, make_work(n)).reshape(*lead, n, n)


@kernel
def _cross_motion(v, s, out):
    """Spatial cross product of two motions [angular, linear]."""
    out[0] = v[1] * s[2] - v[2] * s[1]
    out[1] = v[2] * s[0] - v[0] * s[2]
    out[2] = v[0] * s[1] - v[1] * s[0]
    out[3] = v[1] * s[5] - v[2] * s[4] + v[4] * s[2] - v[5] * s[1]
    out[4] = v[2] * s[3] - v[0] * s[5] + v[5] * s[0] - v[3] * s[2]
    out[5] = v[0] * s[4] - v[1] * s[3] + v[3] * s[1] - v[4] * s[0]


@kernel
def _skew(x, y, z, out):
    out[0, 1], out[0, 2], out[1, 2] = -z, y, -x
    out[1, 0], out[2, 0], out[2, 1] = z, -y, x


@kernel
def _spatial_inertia(body, out):
    """6×6 inertia about the base origin from the ten numbers of ``work.composite``."""
    out[:] = 0.0
    out[0, 0], out[0, 1], out[0, 2] = body[4], body[5], body[6]
    out[1, 0], out[1, 1], out[1, 2] = body[5], body[7], body[8]
    out[2, 0], out[2, 1], out[2, 2] = body[6], body[8], body[9]
    _skew(body[1], body[2], body[3], out[:3, 3:])
    _skew(-body[1], -body[2], -body[3], out[3:, :3])
    out[3, 3] = out[4, 4] = out[5, 5] = body[0]


@kernel
def _coriolis_body(inertia, v, cross, out):
    """B = ½ [(v×*) I - I (v×) + (I v)×̄*], the body-level Coriolis factor."""
    cross[:] = 0.0
    _skew(v[0], v[1], v[2], cross[:3, :3])
    _skew(v[0], v[1], v[2], cross[3:, 3:])
    _skew(v[3], v[4], v[5], cross[3:, :3])  # the matrix of v× on motions; v×* is minus its transpose
    momentum = inertia @ v
    out[:] = -(cross.T @ inertia) - inertia @ cross
    bar = np.zeros((6, 6))
    _skew(-momentum[0], -momentum[1], -momentum[2], bar[:3, :3])
    _skew(-momentum[3], -momentum[4], -momentum[5], bar[:3, 3:])
    _skew(-momentum[3], -momentum[4], -momentum[5], bar[3:, :3])
    out += bar
    out *= 0.5


@kernel
def update_coriolis(arm, q, qd, work, out):
    """Write C (n, n) to ``out``."""
    n = q.size
    update_frames(arm, q, work)
    update_mass_and_bias(arm, arm.gravity, qd, work)
    inertia, factor = np.zeros((n, 6, 6)), np.zeros((n, 6, 6))
    cross = np.zeros((6, 6))
    rate = np.zeros((n, 6))
    v = np.zeros(6)
    for i in range(n):
        v += work.motion[i] * qd[i]
        _cross_motion(v, work.motion[i], rate[i])
        _spatial_inertia(work.composite[i], inertia[i])
        _coriolis_body(inertia[i], v, cross, factor[i])
    for j in range(n - 1, -1, -1):
        moved = inertia[j] @ rate[j] + factor[j] @ work.motion[j]
        carried = inertia[j] @ work.motion[j]
        turned = factor[j].T @ work.motion[j]
        for i in range(j + 1):
            out[i, j] = work.motion[i] @ moved
            out[j, i] = rate[i] @ carried + work.motion[i] @ turned
        out[j, j] = work.motion[j] @ moved
        if j > 0:
            inertia[j - 1] += inertia[j]
            factor[j - 1] += factor[j]


@kernel
def _coriolis_batch(arm: Arm, q: np.ndarray, qd: np.ndarray, work: Work) -> np.ndarray:
    n = q.shape[1]
    out = np.empty((q.shape[0], n, n))
    for row in range(q.shape[0]):
        update_coriolis(arm, q[row], qd[row], work, out[row])
    return out
