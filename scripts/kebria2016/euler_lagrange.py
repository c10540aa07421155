"""Section II.E: the equations of motion from energies, beside the recursions."""

import numpy as np
from ledger import Rows, judged

import dynamics
from dynamics import Arm, coriolis_matrix, euler_lagrange, load_arm, mass_matrix
from dynamics.energy import mass_matrix_derivatives
from dynamics.files import arm_from_dict

NAME = "ur5_kebria2016"


def chain(n: int) -> Arm:
    """An arm of n equal links with crossed axes."""
    joint = {"d": 0.1, "a": 0.1, "alpha": "pi/2", "source": "made up"}
    link = {"mass": 1.0, "center_of_mass": [0, 0.05, 0], "inertia": np.diag([1e-2] * 3).tolist()}
    return arm_from_dict({"joints": [joint] * n, "links": [{**link, "source": "made up"}] * n})


def states(count: int = 1000) -> np.ndarray:
    """(3, count, 6) random angles, velocities and accelerations."""
    rng = np.random.default_rng(2016)
    return rng.uniform(-1, 1, (3, count, 6)) * np.array([np.pi, 3, 10])[:, None, None]


def largest_difference(arm: Arm, count: int = 1000) -> float:
    """Largest difference of M, C, g and the torque between energies and recursions [SI]."""
    q, qd, qdd = states(count)
    terms = euler_lagrange(arm, q, qd)
    pairs = (
        (terms.mass_matrix, mass_matrix(arm, q)),
        (terms.coriolis_matrix, coriolis_matrix(arm, q, qd)),
        (terms.gravity_torque, dynamics.gravity_torque(arm, q)),
        (
            dynamics.euler_lagrange_torque(arm, q, qd, qdd),
            dynamics.inverse_dynamics(arm, q, qd, qdd),
        ),
    )
    return max(float(np.abs(a - b).max()) for a, b in pairs)


def skew_error(arm: Arm, count: int = 1000) -> float:
    """Largest element of the symmetric part of dM/dt − 2 C over the largest of dM/dt."""
    q, qd, _ = states(count)
    rate = np.einsum("akij,ak->aij", mass_matrix_derivatives(arm, q), qd)
    rest = rate - 2 * euler_lagrange(arm, q, qd).coriolis_matrix
    return float(np.abs(rest + np.swapaxes(rest, 1, 2)).max() / 2 / np.abs(rate).max())


def rows() -> Rows:
    arm = load_arm(NAME)
    matrix = euler_lagrange(arm, *states()[:2]).mass_matrix
    asymmetry = float(np.abs(matrix - np.swapaxes(matrix, 1, 2)).max())
    least = float(np.linalg.eigvalsh(matrix).min())
    skew, apart = skew_error(arm), largest_difference(arm)
    ours = f"at 1000 random positions: asymmetry {asymmetry:.0e}, smallest eigenvalue {least:.2g} kg·m²"
    yield judged(
        "kebria2016.mass_matrix_is_positive_definite", ours, asymmetry < 1e-14 and least > 0
    )
    ours = f"symmetric part {skew:.0e} of Ṁ, with exact derivatives of M"
    yield judged("kebria2016.skew_symmetry", ours, skew < 1e-13)
    ours = f"M, C, g and torque equal to Newton–Euler to {apart:.0e} (1000 random states)"
    yield judged("kebria2016.lagrange_gives_the_equations", ours, apart < 1e-10)
