"""Forward dynamics: the acceleration that torques and a wrench at the tool give the arm."""

import numpy as np

from dynamics.arm import Arm
from dynamics.composite import update_mass_and_bias
from dynamics.kernels.decorators import inlined, packed
from dynamics.kernels.views import view
from dynamics.kinematics import add_wrench_torque, update_frames, update_tool_position
from dynamics.linear_solve import solve_symmetric
from dynamics.packed import are_rows, arm_in, as_flat, flat_wrench, numbers_of, scratch, work_in


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
    numbers, n, room = numbers_of(arm)
    lead: tuple[int, ...] = ()
    if not are_rows(n, q, qd, tau):
        (q, qd, tau), lead = as_flat(n, q=q, qd=qd, tau=tau)
    out = np.empty(q.size)
    _forward_dynamics.dispatcher(numbers, n, q, qd, tau, flat_wrench(wrench, lead), scratch(room), out)
    return out.reshape(*lead, n) if lead else out


@inlined
def accelerate(arm, qd, tau, added_inertia, work, qdd):
    """Write ``qdd`` = (M + diag(added_inertia))^-1 (tau - C qd - g); reads ``work.rotation``.

    ``tau`` (n,) holds every torque on the joints, contact included. ``added_inertia`` (n,) is zero but
    for implicit damping (see ``hopfield_nav.loop.plant``).
    """
    update_mass_and_bias(arm, arm.gravity, qd, work)
    matrix, bias = work.mass_matrix, work.bias
    for i in range(qd.size):
        qdd[i] = tau[i] - bias[i]
        matrix[i, i] += added_inertia[i]
    solve_symmetric(matrix, qdd)


@packed
def _forward_dynamics(
    numbers: np.ndarray, n: int, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, wrench: np.ndarray,
    scratch: np.ndarray, out: np.ndarray,
) -> None:  # fmt: skip
    arm, work = arm_in(numbers, n), work_in(scratch, n)
    rows = (q.size // n, n)
    q, qd, tau, out = view(q, 0, rows), view(qd, 0, rows), view(tau, 0, rows), view(out, 0, rows)
    wrench = view(wrench, 0, (wrench.size // 6, 6))
    total, nothing = work.vector[0, :n], work.vector[1, :n]
    for row in range(len(q)):
        update_frames(arm, q[row], work)
        for i in range(n):
            total[i], nothing[i] = tau[row, i], 0.0
        if len(wrench) > 0:
            update_tool_position(arm, work)
            add_wrench_torque(work, wrench[row], total)
        accelerate(arm, qd[row], total, nothing, work, out[row])
