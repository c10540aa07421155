"""Forward dynamics: the acceleration that torques and a wrench at the tool give the arm."""

import math

import numpy as np

from dynamics.arm import Arm, joint_count
from dynamics.composite import update_mass_and_bias
from dynamics.kernels.decorators import MayMiss, Room, inlined, packed
from dynamics.kernels.views import room_here, view
from dynamics.kinematics import add_wrench_torque, update_frames, update_tool_position
from dynamics.linear_solve import solve_symmetric
from dynamics.link_bodies import require_masses
from dynamics.packed import arm_in, in_rows, row_count
from dynamics.work import work_in


def forward_dynamics(
    arm: Arm, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, wrench: np.ndarray | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:  # fmt: skip
    """Acceleration of the arm.

    Args:
        arm: the arm.
        q: (..., n) joint angles [rad].
        qd: (..., n) joint velocities [rad/s].
        tau: (..., n) motor torques [N·m].
        wrench: (..., 6) [N, N·m] what the world exerts on the tool, base axes; default none.
        out: (..., n) takes the result: C-contiguous float64, else ``BadInput``; may overlap
            arguments.

    Returns:
        (..., n) qdd = M^-1 (tau + J^T wrench - C qd - g) [rad/s²].

    Raises ``BadInput``: a link without mass on a joint without rotor inertia, or arrays that do not
    fit.

    Source: ragazzon2012 (3.1), (5.1).
    """
    try:
        numbers, n = arm.dh.base, len(arm.dh)
        result = np.empty(n) if out is None else out
        if _forward_dynamics.entry(numbers, n, q, qd, tau, wrench, result, None):
            return result if math.isfinite(result[0]) else _moved(arm, result)
    except (AttributeError, TypeError):  # of the arm, of an argument
        pass
    n = joint_count(arm)
    return _moved(arm, in_rows(_forward_dynamics, arm, (n,), out, wrench, q=q, qd=qd, tau=tau))


def _moved(arm: Arm, qdd: np.ndarray) -> np.ndarray:
    """Accelerations (..., n) of an arm that torques can move.

    A singular mass matrix leaves no number in front.
    """
    if not np.isfinite(qdd[..., 0]).all():
        require_masses(arm)
    return qdd


@inlined
def accelerate(arm, qd, tau, work, qdd):
    """Write ``qdd`` = M^-1 (tau - C qd - g).

    ``tau`` (n,) is every torque on the joints; reads ``work.rotation``.
    """
    update_mass_and_bias(arm, arm.gravity, qd, work)
    for i in range(qd.size):
        qdd[i] = tau[i] - work.bias[i]
    solve_symmetric(work.mass_matrix, qdd)


@packed
def _forward_dynamics(
    numbers: np.ndarray, n: int, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, wrench: MayMiss, out: np.ndarray,
    room: Room,
) -> bool:  # fmt: skip
    rows = row_count(room, q, n)
    if not q.size == qd.size == tau.size == out.size == rows * n or wrench.size not in (
        0,
        6 * rows,
    ):
        return False
    arm, work, shape = arm_in(numbers, n), work_in(room_here(room), n), (rows, n)
    q, qd, tau = view(q, 0, shape), view(qd, 0, shape), view(tau, 0, shape)
    out = view(out, 0, shape)
    wrenches = view(wrench, 0, (wrench.size // 6, 6))
    total = work.vector[0, :n]
    for row in range(rows):
        update_frames(arm, q[row], work)
        for i in range(n):
            total[i] = tau[row, i]
        if len(wrenches) > 0:
            update_tool_position(arm, work)
            add_wrench_torque(work, wrenches[row], total)
        accelerate(arm, qd[row], total, work, out[row])
    return True
