"""What the equations of motion must obey, whatever the numbers: inverse, symmetry, energy, order."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import (
    largest_relative_error,
    lowest_potential_energy,
    potential_energy,
    random_states,
    runge_kutta,
)

from dynamics import (
    coriolis_matrix,
    forward_dynamics,
    gravity_torque,
    inverse_dynamics,
    load_arm,
    mass_matrix,
)
from dynamics.linear_solve import solve_symmetric

DIFFERENCE = 1e-3  # step of fourth-order central differences [rad]


@pytest.fixture
def states():
    return random_states(6, 1000, seed=4)


def _central_difference(function, step=DIFFERENCE):
    """Derivative of ``function(x)`` at x = 0, error of order step⁴."""
    return (8 * (function(step) - function(-step)) - (function(2 * step) - function(-2 * step))) / (
        12 * step
    )


def _mass_matrix_rate(arm, q, qd):
    return _central_difference(lambda t: mass_matrix(arm, q + t * qd))


def _transposed(matrices):
    return np.swapaxes(matrices, -1, -2)


def _christoffel(arm, q, qd, last_sign):
    """C_ij = ½ Σ_k (∂M_ij/∂q_k + ∂M_ik/∂q_j + last_sign ∂M_jk/∂q_i) q̇_k from differences of M."""
    slopes = [
        _central_difference(lambda t, k=k: mass_matrix(arm, q + t * np.eye(q.shape[-1])[k]))
        for k in range(q.shape[-1])
    ]
    by = np.moveaxis(np.array(slopes), 0, -1)  # (..., i, j, k) = ∂M_ij/∂q_k
    return 0.5 * (
        np.einsum("...ijk,...k->...ij", by, qd)
        + np.einsum("...ikj,...k->...ij", by, qd)
        + last_sign * np.einsum("...jki,...k->...ij", by, qd)
    )


# --- forward and inverse
# ------------------------------------------------------------------------------


def test_forward_dynamics_undoes_inverse_dynamics(arm, states):
    tau = inverse_dynamics(arm, states.q, states.qd, states.qdd, states.wrench)
    found = forward_dynamics(arm, states.q, states.qd, tau, states.wrench)
    assert largest_relative_error(found, states.qdd) < 1e-10


def test_inverse_dynamics_undoes_forward_dynamics(arm, states):
    qdd = forward_dynamics(arm, states.q, states.qd, states.tau, states.wrench)
    assert (
        largest_relative_error(
            inverse_dynamics(arm, states.q, states.qd, qdd, states.wrench), states.tau
        )
        < 1e-10
    )


def test_inverse_dynamics_is_the_equation_of_motion(arm, states):
    """Newton-Euler against M, C and g, which come from another algorithm."""
    tau = (
        np.einsum("kij,kj->ki", mass_matrix(arm, states.q), states.qdd)
        + np.einsum("kij,kj->ki", coriolis_matrix(arm, states.q, states.qd), states.qd)
        + gravity_torque(arm, states.q)
    )
    assert (
        largest_relative_error(inverse_dynamics(arm, states.q, states.qd, states.qdd), tau) < 1e-11
    )


# --- mass matrix and Coriolis matrix
# ------------------------------------------------------------------


def test_mass_matrix_is_symmetric_positive_definite(arm, states):
    matrix = mass_matrix(arm, states.q)
    np.testing.assert_array_equal(matrix, _transposed(matrix))
    assert np.linalg.eigvalsh(matrix).min() > 5e-5  # the last joint of tu2023 has 1e-4 kg·m²


def test_mass_matrix_rate_minus_twice_coriolis_is_skew(arm, states):
    rate = _mass_matrix_rate(arm, states.q, states.qd)
    rest = rate - 2 * coriolis_matrix(arm, states.q, states.qd)
    assert np.abs(rest + _transposed(rest)).max() < 1e-8 * np.abs(rate).max()


def test_coriolis_plus_transpose_is_mass_matrix_rate(arm, states):
    coriolis = coriolis_matrix(arm, states.q, states.qd)
    assert (
        largest_relative_error(
            coriolis + _transposed(coriolis), _mass_matrix_rate(arm, states.q, states.qd)
        )
        < 1e-7
    )


def test_coriolis_matrix_is_the_christoffel_definition(arm, states):
    """With the minus of kebria2016 (9)."""
    expected = _christoffel(arm, states.q, states.qd, -1)
    assert largest_relative_error(coriolis_matrix(arm, states.q, states.qd), expected) < 1e-7


def test_printed_sign_of_ragazzon_3_6_is_not_skew(states):
    """Both signs of the last Christoffel term: minus is skew, the printed plus is far from it."""
    arm = load_arm("ur5_ragazzon2012")
    rate = _mass_matrix_rate(arm, states.q, states.qd)

    def lack(sign):
        rest = rate - 2 * _christoffel(arm, states.q, states.qd, sign)
        return np.abs(rest + _transposed(rest)).max() / np.abs(rate).max()

    assert lack(-1) < 1e-8
    assert lack(+1) > 0.5


def test_coriolis_torque_vanishes_at_rest_and_is_quadratic(arm, states):
    coriolis = coriolis_matrix(arm, states.q, states.qd)
    np.testing.assert_array_equal(coriolis_matrix(arm, states.q, np.zeros(6)), 0.0)
    np.testing.assert_allclose(
        coriolis_matrix(arm, states.q, 3 * states.qd), 3 * coriolis, rtol=1e-12, atol=1e-13
    )


# --- power and energy
# ---------------------------------------------------------------------------------


def test_gravity_torque_is_the_slope_of_the_potential_energy(arm, states):
    slopes = [
        _central_difference(lambda t, k=k: potential_energy(arm, states.q + t * np.eye(6)[k]))
        for k in range(6)
    ]
    assert largest_relative_error(gravity_torque(arm, states.q), np.array(slopes).T) < 1e-9


def test_power_balance(arm, states):
    """d/dt (kinetic energy) = q̇ · (tau - g), differentiated along the motion that the torque gives."""
    qdd = forward_dynamics(arm, states.q, states.qd, states.tau)

    def kinetic(time):
        t = time[:, None]
        q, qd = states.q + t * states.qd + t**2 / 2 * qdd, states.qd + t * qdd
        return np.einsum("ki,kij,kj->k", qd, mass_matrix(arm, q), qd) / 2

    power = np.sum(states.qd * (states.tau - gravity_torque(arm, states.q)), axis=1)
    scale = np.sum(np.abs(states.qd * states.tau), axis=1)
    rate = _central_difference(kinetic, step=1e-2 / np.abs(qdd).max(1))
    assert np.max(np.abs(rate - power) / scale) < 1e-6


def _energy(arm, q, qd):
    return qd @ mass_matrix(arm, q) @ qd / 2 + potential_energy(arm, q)


def _worst_energy_drift(arm, q, step):
    """Largest drift at the end of each of ten seconds, as a share of start energy above the lowest."""
    qd, zero = np.zeros(6), np.zeros(6)
    start = _energy(arm, q, qd)
    drifts = []
    for _ in range(10):
        q, qd = runge_kutta(arm, q, qd, zero, step, 1.0)
        drifts.append(abs(_energy(arm, q, qd) - start))
    return max(drifts) / (start - lowest_potential_energy(arm))


@pytest.mark.parametrize(
    "name", ["ur5_ragazzon2012", "ur5_ragazzon2012_as_printed", "ur5_controller"]
)
def test_energy_of_the_falling_arm_at_one_millisecond(name):
    assert _worst_energy_drift(load_arm(name), np.zeros(6), 1e-3) < 1e-7


def test_energy_of_the_falling_arm_at_a_quarter_millisecond(arm):
    """All sets; tu2023's wrist (1e-4 kg·m²) spins too fast for steps of 1 ms: 2e-6 there."""
    assert _worst_energy_drift(arm, np.zeros(6), 0.25e-3) < 1e-7


@pytest.mark.parametrize("seed", range(20))
def test_energy_from_random_rest_states(seed):
    q = np.random.default_rng(seed).uniform(-np.pi, np.pi, 6)
    assert _worst_energy_drift(load_arm("ur5_ragazzon2012"), q, 0.25e-3) < 1e-7


def test_energy_drift_grows_when_steps_are_too_long():
    """Without this, a drift of zero by mistake would pass the tests above."""
    assert _worst_energy_drift(load_arm("ur5_ragazzon2012"), np.zeros(6), 5e-3) > 1e-7


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("ur5_ragazzon2012", 0.5e-3),
        ("ur5_ragazzon2012_as_printed", 0.5e-3),
        ("ur5_tu2023", 1e-3),
        ("ur5e", 1e-3),
        ("ur5_controller", 10e-3),
    ],
)
def test_fourth_order_in_free_motion(name, step):
    """Halving the step divides the error of the state after 0.5 s by 16."""
    arm = load_arm(name)
    q, qd = np.array([0.3, -1.0, 0.8, 0.2, 1.0, 0.1]), np.full(6, 0.5)

    def end(h):
        return np.concatenate(runge_kutta(arm, q, qd, np.zeros(6), h, 0.5))

    errors = [np.abs(end(step / k) - end(step / 16)).max() for k in (1, 2, 4)]
    assert errors[0] / errors[1] == pytest.approx(16, rel=0.15)
    assert errors[1] / errors[2] == pytest.approx(16, rel=0.15)


# --- shapes and kernels
# -------------------------------------------------------------------------------


def test_a_batch_is_its_rows(arm, states):
    tau = inverse_dynamics(arm, states.q[:5], states.qd[:5], states.qdd[:5], states.wrench[:5])
    for k in range(5):
        row = inverse_dynamics(arm, states.q[k], states.qd[k], states.qdd[k], states.wrench[k])
        np.testing.assert_array_equal(row, tau[k])


@pytest.mark.kernel
@pytest.mark.parametrize("n", [1, 2, 6])
def test_symmetric_solver(n):
    rng = np.random.default_rng(n)
    root = rng.normal(size=(n, n))
    matrix, vector = root @ root.T + np.eye(n), rng.normal(size=n)
    found = vector.copy()
    determinant = solve_symmetric(matrix.copy(), found)
    np.testing.assert_allclose(found, np.linalg.solve(matrix, vector), rtol=1e-11)
    assert determinant == pytest.approx(np.linalg.det(matrix), rel=1e-12)
