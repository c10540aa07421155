"""Energies against M, against Pinocchio, and along a motion; the power balance."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from oracles import over_states, pinocchio_model, random_states, random_tool, runge_kutta

from dynamics import (
    kinetic_energy,
    load_arm,
    mass_matrix,
    potential_energy,
    power_balance,
    with_payload,
    with_tool,
)

STATES = random_states(6, 300, seed=41)


def test_kinetic_energy_is_half_the_mass_matrix_form(arm):
    expected = np.einsum("ki,kij,kj->k", STATES.qd, mass_matrix(arm, STATES.q), STATES.qd) / 2
    np.testing.assert_allclose(kinetic_energy(arm, STATES.q, STATES.qd), expected, rtol=1e-12)


def test_energies_are_those_of_pinocchio(arm):
    arm = with_payload(arm, 1.5, np.array([0.01, 0.02, 0.05]), np.diag([1e-3, 2e-3, 2e-3]))
    bare = arm._replace(rotor_inertia=np.zeros(6))
    model, data = pinocchio_model(bare)  # Pinocchio's armature is no body
    kinetic = over_states(
        lambda q, v: pin.computeKineticEnergy(model, data, q, v), STATES.q, STATES.qd
    )
    potential = over_states(lambda q: pin.computePotentialEnergy(model, data, q), STATES.q)
    rotors = STATES.qd**2 @ arm.rotor_inertia / 2
    np.testing.assert_allclose(kinetic_energy(bare, STATES.q, STATES.qd), kinetic, rtol=1e-11)
    np.testing.assert_allclose(
        kinetic_energy(arm, STATES.q, STATES.qd), kinetic + rotors, rtol=1e-11
    )
    np.testing.assert_allclose(potential_energy(arm, STATES.q), potential, rtol=0, atol=1e-11)


@pytest.mark.parametrize("tooled", [False, True])
def test_powers_balance_under_torques_and_a_wrench(arm, tooled):
    """Kinetic and potential rates against what motors and world bring in, to rounding."""
    arm = with_tool(arm, random_tool()) if tooled else arm
    powers = power_balance(arm, STATES.q, STATES.qd, STATES.tau, STATES.wrench)
    scale = np.abs(powers).sum(axis=0)
    assert (
        np.max(np.abs(powers.kinetic + powers.potential - powers.motors - powers.external) / scale)
        < 1e-9
    )
    assert np.median(np.abs(powers.external)) > 1


def test_power_balance_notices_a_wrong_gravity():
    """Without this, powers that cancel by mistake would pass."""
    arm = load_arm("ur5_kebria2016")
    powers = power_balance(arm, STATES.q, STATES.qd, STATES.tau)
    other = power_balance(
        arm._replace(gravity=np.array([0, 0, -9.0])), STATES.q, STATES.qd, STATES.tau
    )
    assert np.abs(powers.kinetic + other.potential - powers.motors).max() > 1


def test_rates_are_the_slopes_of_the_energies_along_the_motion():
    arm, step = load_arm("ur5_tu2023"), 1e-5
    for k in range(20):
        q, qd, tau = STATES.q[k], STATES.qd[k], STATES.tau[k] / 10
        powers = power_balance(arm, q, qd, tau)
        after = runge_kutta(arm, q, qd, tau, step, step)
        before = runge_kutta(arm, q, qd, tau, -step, -step)
        kinetic = (kinetic_energy(arm, *after) - kinetic_energy(arm, *before)) / (2 * step)
        potential = (potential_energy(arm, after[0]) - potential_energy(arm, before[0])) / (
            2 * step
        )
        scale = np.abs(powers).sum()
        assert kinetic == pytest.approx(powers.kinetic, abs=1e-4 * scale)
        assert potential == pytest.approx(powers.potential, abs=1e-4 * scale)


def test_an_arm_without_gravity_or_torque_keeps_its_kinetic_energy(rigid_arm):
    arm = rigid_arm._replace(gravity=np.zeros(3))
    q, qd = np.array([0.3, -1.0, 0.8, 0.2, 1.0, 0.1]), np.full(6, 0.5)
    after = runge_kutta(arm, q, qd, np.zeros(6), 2.5e-4, 1.0)
    assert np.abs(after[0] - q).max() > 0.3
    assert kinetic_energy(arm, *after) == pytest.approx(kinetic_energy(arm, q, qd), rel=1e-9)
