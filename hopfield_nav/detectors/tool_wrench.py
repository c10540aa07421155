"""The wrench at the tool that explains a torque on the joints, F = J^-T tau (ragazzon2012 (5.2))."""

from __future__ import annotations

from dynamics.compiled import inlined
from dynamics.kinematics import update_frames, update_jacobian, update_tool_position
from dynamics.linear_solve import solve_general, solve_symmetric
from hopfield_nav.plugin import DAMPED

LARGEST_DAMPING = 0.05  # damping factor at the singularity itself; J mixes metres and pure numbers


@inlined
def wrench_from_torque(model, q, smallest_determinant, work, tau_external, wrench):
    """Write ``wrench`` (6,) with J^T wrench = ``tau_external`` (n,).

    For six joints and |det J| of at least ``smallest_determinant`` [m³] the solution is exact. Nearer
    to a singularity, and for other numbers of joints, it is the damped least-squares solution
    (J J^T + λ² I) F = J tau, λ growing from 0 towards the singularity. Returns 0 or ``DAMPED``.

    Source: ragazzon2012 (5.2); damping after Nakamura and Hanafusa 1986.
    """
    update_frames(model, q, work)
    update_tool_position(model, work)
    update_jacobian(model, work)
    columns, square = work.jacobian, work.square
    nearness = 1.0
    if q.size == 6:
        for i in range(6):
            wrench[i] = tau_external[i]
            for j in range(6):
                square[i, j] = columns[j, i]
        size = abs(solve_general(square, wrench))
        if size >= smallest_determinant and size > 0.0:
            return 0
        nearness = 1.0 - (size / smallest_determinant) ** 2 if smallest_determinant > 0.0 else 1.0
    damped = LARGEST_DAMPING * LARGEST_DAMPING * nearness
    for i in range(6):
        wrench[i] = 0.0
        for k in range(q.size):
            wrench[i] += columns[i, k] * tau_external[k]
        for j in range(6):
            square[i, j] = damped if i == j else 0.0
            for k in range(q.size):
                square[i, j] += columns[i, k] * columns[j, k]
    solve_symmetric(square, wrench)
    return DAMPED
