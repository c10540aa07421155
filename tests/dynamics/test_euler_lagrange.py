"""Euler-Lagrange against Newton-Euler, the composite method, Pinocchio and differences."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from conftest import UR
from made_up_arms import random_arm
from oracles import largest_relative_error, over_states, pinocchio_model, random_states

from dynamics import (
    coriolis_matrix,
    euler_lagrange,
    euler_lagrange_torque,
    gravity_torque,
    inverse_dynamics,
    load_arm,
    mass_matrix,
    with_payload,
    with_tool,
)
from dynamics.energy import mass_matrix_derivatives

STATES = random_states(6, 200, seed=31)


@pytest.mark.kernel
def test_equal_to_the_recursive_methods(arm):
    """Every set; the as-printed one through its dynamic offsets."""
    terms = euler_lagrange(arm, STATES.q, STATES.qd)
    assert largest_relative_error(terms.mass_matrix, mass_matrix(arm, STATES.q)) < 1e-12
    assert (
        largest_relative_error(terms.coriolis_matrix, coriolis_matrix(arm, STATES.q, STATES.qd))
        < 1e-12
    )
    assert largest_relative_error(terms.gravity_torque, gravity_torque(arm, STATES.q)) < 1e-12
    tau = euler_lagrange_torque(arm, STATES.q, STATES.qd, STATES.qdd)
    np.testing.assert_allclose(
        tau, inverse_dynamics(arm, STATES.q, STATES.qd, STATES.qdd), rtol=0, atol=1e-10
    )


@pytest.mark.parametrize("n", [1, 2, 3, 7, 12])
def test_equal_on_oblique_chains(n):
    arm, states = random_arm(n), random_states(n, 30, seed=n)
    tau = euler_lagrange_torque(arm, states.q, states.qd, states.qdd)
    expected = inverse_dynamics(arm, states.q, states.qd, states.qdd)
    assert largest_relative_error(tau, expected) < 1e-12


def test_payload_counts_and_tool_frame_does_not():
    arm = load_arm("ur5e")
    before = euler_lagrange(arm, STATES.q, STATES.qd).gravity_torque
    moved = np.eye(4)
    moved[:3, 3] = 0.2
    after = euler_lagrange(with_tool(arm, moved), STATES.q, STATES.qd).gravity_torque
    np.testing.assert_array_equal(after, before)
    loaded = with_payload(arm, 2.0, np.array([0.0, 0.05, 0.1]))
    found = euler_lagrange(loaded, STATES.q, STATES.qd).gravity_torque
    np.testing.assert_allclose(found, gravity_torque(loaded, STATES.q), rtol=0, atol=1e-12)
    assert np.abs(found - before).max() > 5


@pytest.mark.parametrize("name", UR)
def test_coriolis_matrix_is_that_of_pinocchio(name):
    """Pinocchio's recursive C is Christoffel's too."""
    arm = load_arm(name)
    model, data = pinocchio_model(arm)
    expected = over_states(
        lambda q, v: pin.computeCoriolisMatrix(model, data, q, v), STATES.q, STATES.qd
    )
    found = euler_lagrange(arm, STATES.q, STATES.qd).coriolis_matrix
    torques = [np.einsum("kij,kj->ki", C, STATES.qd) for C in (found, expected)]
    np.testing.assert_allclose(*torques, rtol=0, atol=1e-10)


def test_derivatives_of_the_mass_matrix_are_exact(arm):
    """Fourth-order differences of M come 16 times nearer at half the step."""
    slopes = mass_matrix_derivatives(arm, STATES.q)

    def worst(step):
        found = 0.0
        for k, e in enumerate(np.eye(6)):
            one, two = (
                mass_matrix(arm, STATES.q + m * step * e)
                - mass_matrix(arm, STATES.q - m * step * e)
                for m in (1, 2)
            )
            found = max(found, np.abs((8 * one - two) / (12 * step) - slopes[:, k]).max())
        return found

    coarse, fine = worst(0.1), worst(0.05)
    # what remains is the differences' own error
    assert coarse / fine == pytest.approx(16, rel=0.05)
    assert worst(2e-3) < 1e-10


def test_a_joint_leaves_the_inertia_behind_it_alone(arm):
    """Turning joint k moves links k…n as one body: M_ij with i, j ≥ k cannot change, so dM/dq1 = 0."""
    slopes = mass_matrix_derivatives(arm, STATES.q)
    for k in range(6):
        np.testing.assert_allclose(slopes[:, k, k:, k:], 0, atol=1e-13)


def test_mass_matrix_rate_minus_twice_coriolis_is_skew(arm):
    """Exactly, since both come from the same derivatives."""
    rate = np.einsum("akij,ak->aij", mass_matrix_derivatives(arm, STATES.q), STATES.qd)
    rest = rate - 2 * euler_lagrange(arm, STATES.q, STATES.qd).coriolis_matrix
    assert np.abs(rest + np.swapaxes(rest, 1, 2)).max() < 1e-13 * np.abs(rate).max()
