"""Elastic joints: their friction law, their parameters, and their natural frequencies."""

from __future__ import annotations

import numpy as np
import pytest
from madsen2020.rotor_friction import rotor_friction
from refusals import refused
from scipy.linalg import eigh

from dynamics import joint_friction_torque, load_arm, mass_matrix
from dynamics.flexible_joint import flexible_joints, highest_frequency, links_alone

ARM = load_arm("ur5_full")
SPEEDS = np.linspace(-3, 3, 61)[:, None] * np.ones(6)


@pytest.mark.kernel
def test_plain_law_is_that_of_the_rigid_arm():
    """No load, at 30 °C, far below the thinning speed."""
    joints = flexible_joints(ARM, thinning_speed=1e6)
    found = rotor_friction(joints, SPEEDS, np.zeros_like(SPEEDS))
    np.testing.assert_allclose(found, joint_friction_torque(ARM, SPEEDS, 0.0), rtol=1e-9)
    assert np.abs(found).max() > 1


@pytest.mark.kernel
def test_friction_takes_power_grows_with_load_and_falls_with_heat():
    rng = np.random.default_rng(0)
    speed, load = rng.normal(size=(200, 6)), rng.normal(0, 30, (200, 6))
    cold, warm = (flexible_joints(ARM, temperature=t) for t in (20.0, 50.0))
    assert np.all(rotor_friction(cold, speed, load) * speed > 0)
    assert np.all(
        np.abs(rotor_friction(warm, speed, load)) < np.abs(rotor_friction(cold, speed, load))
    )
    more = rotor_friction(cold, speed, 2 * load) - rotor_friction(cold, speed, load)
    np.testing.assert_allclose(more, 0.02 * np.abs(load) * np.sign(speed), atol=1e-12)
    np.testing.assert_array_equal(rotor_friction(cold, 0 * speed, load), 0)


def test_viscous_part_is_less_than_linear():
    viscous = ARM.friction * [0, 1, 0, 1]
    joints = flexible_joints(ARM, friction=viscous)
    slow, fast = (rotor_friction(joints, np.full(6, v), np.zeros(6)) / v for v in (1e-3, 3.0))
    np.testing.assert_allclose(slow, ARM.friction[:, 1], rtol=1e-6)
    np.testing.assert_allclose(fast / slow, np.arcsinh(1.0), rtol=1e-6)


def test_rotor_inertia_of_the_arm_counts():
    np.testing.assert_array_equal(flexible_joints(ARM).rotor_inertia, ARM.rotor_inertia)
    np.testing.assert_array_equal(
        flexible_joints(load_arm("ur5e")).rotor_inertia[[0, 3]], [1.9, 0.16]
    )


def test_highest_frequency_is_that_of_the_whole_system():
    """Of 12 coupled masses, by scipy's generalised eigenvalues."""
    joints, q = flexible_joints(ARM), np.array([0.1, -1.0, 1.2, 0.3, 0.7, 0.2])
    K, Z = np.diag(joints.stiffness), np.zeros((6, 6))
    masses = np.block([[mass_matrix(links_alone(ARM), q), Z], [Z, np.diag(joints.rotor_inertia)]])
    squared = eigh(np.block([[K, -K], [-K, K]]), masses, eigvals_only=True)
    np.testing.assert_allclose(squared[:6], 0, atol=1e-6 * squared[-1])
    assert highest_frequency(ARM, joints, q) == pytest.approx(np.sqrt(squared[-1]), rel=1e-10)


def test_links_without_inertia_are_refused():
    arm = load_arm("ur5_controller")
    with refused("no inertia of their own"):
        highest_frequency(arm, flexible_joints(arm), np.zeros(6))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"stiffnes": 1.0}, "unknown fields"),
        ({"stiffness": [1.0, 2.0]}, "wrong shape"),
        ({"stiffness": 0.0}, "must be positive"),
        ({"load_share": -0.1}, "cannot be negative"),
        ({"temperature": np.nan}, "must be finite"),
    ],
)
def test_refusals(given, message):
    with refused(message):
        flexible_joints(ARM, **given)
