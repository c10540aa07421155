"""Forward dynamics: the acceleration that torques and a wrench at the tool give the arm."""

from __future__ import annotations

import numpy as np

from dynamics.arm import Arm, joint_count
from dynamics.batches import as_rows, rows_like
from dynamics.compiled import inlined, kernel
from dynamics.composite import update_mass_and_bias
from dynamics.kinematics import add_wrench_torque, update_frames, update_tool_position
from dynamics.linear_solve import solve_symmetric
from dynamics.work import Work, make_work


def forward_dynamics(
    arm: Arm, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, wrench: np.ndarray | None = None
) -> np.ndarray:
    """Acceleration of the arm.

    Args:
        arm: the arm.
        q: (..., n) joint angles [rad].
        qd: (..., n) joint velocities [rad/s].
        tau: (..., n) motor torques [N·m].
        wrench: (..., 6) [N, N·m] what the world exerts on the tool, base axes; default none.

    Returns:
        (..., n) qdd = M^-1 (tau + J^T wrench - C qd - g) [rad/s²].

    Raises:
        BadInput: wrong shapes.

    Source: ragazzon2012 (3.1), (5.1).
    """
    n = joint_count(arm)
    (q, qd, tau), lead = as_rows(n, q=q, qd=qd, tau=tau)
    outside = np.zeros((len(q), 6)) if wrench is None else rows_like(wrench, 6, "wrench", lead)
    return _forward_dynamics_batch(arm, q, qd, tau, outside, make_work(n)).reshape(*lead, n)


@inlined
def accelerate(arm, qd, tau, added_inertia, work, qdd):
    """Write ``qdd`` = (M + diag(added_inertia))^-1 (tau - C qd - g); reads ``work.rotation``.

    ``tau`` (n,) holds every torque on the joints, contact included. ``added_inertia`` (n,) is zero but
    for implicit damping (see ``hopfield_nav.integrators``).
    """
    update_mass_and_bias(arm, arm.gravity, qd, work)
    matrix, bias = work.mass_matrix, work.bias
    for i in range(qd.size):
        qdd[i] = tau[i] - bias[i]
        matrix[i, i] += added_inertia[i]
    solve_symmetric(matrix, qdd)


@kernel
def _forward_dynamics_batch(
    arm: Arm, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, wrench: np.ndarray, work: Work
) -> np.ndarray:
    out = np.empty_like(q)
    total = np.empty(q.shape[1])
    zero = np.zeros(q.shape[1])
    for row in range(q.shape[0]):
        update_frames(arm, q[row], work)
        update_tool_position(arm, work)
        for i in range(total.size):
            total[i] = tau[row, i]
        add_wrench_torque(work, wrench[row], total)
        accelerate(arm, qd[row], total, zero, work, out[row])
    return out
