"""The wrench at the tool that explains a torque on the joints."""

from dynamics.kernels.decorators import inlined
from dynamics.kinematics import update_jacobian
from dynamics.linear_solve import solve_symmetric
from hopfield_nav.plugin import DAMPED, Parameter

LARGEST_DAMPING = 0.05  # damping factor at the singularity itself; J mixes metres and pure numbers
SINGULAR_DAMPING = Parameter(
    "singular_damping", 1e-3, 0.0, 1.0, "m³", "|det J| below which the wrench estimate is damped"
)


@inlined
def wrench_from_torque(model, smallest_determinant, work, tau_external, wrench):
    """Write the ``wrench`` (6,) at the tool with J^T wrench = ``tau_external`` (n,).

    The frames in ``work`` are up to date. Solves (J J^T + λ² I) F = J tau. λ is 0, and for six
    joints the solution exact, where sqrt(det(J J^T)) is at least ``smallest_determinant`` (|det J|
    for six joints, m³); nearer to a singularity λ grows, and the status is ``DAMPED`` instead of 0.
    Arms with fewer than six joints are always damped.

    Source: ragazzon2012 (5.2); damping after Nakamura and Hanafusa 1986.
    """
    update_jacobian(model, work)
    square = work.square
    _normal_equations(work.jacobian, 0.0, tau_external, square, wrench)
    determinant = solve_symmetric(square, wrench)
    limit = smallest_determinant * smallest_determinant
    if determinant >= limit and determinant > 1e-24:
        return 0
    share = determinant / limit if 1e-24 < determinant < limit else 0.0  # also where it is NaN
    damping = LARGEST_DAMPING**2 * (1.0 - share)
    _normal_equations(work.jacobian, damping, tau_external, square, wrench)
    solve_symmetric(square, wrench)
    return DAMPED


@inlined
def _normal_equations(columns, damping, tau, square, vector):
    """Write J J^T + damping · I and J tau."""
    for i in range(6):
        value = 0.0
        for k in range(tau.size):
            value += columns[i, k] * tau[k]
        vector[i] = value
        for j in range(i + 1):
            value = damping if i == j else 0.0
            for k in range(tau.size):
                value += columns[i, k] * columns[j, k]
            square[i, j] = value
            square[j, i] = value
