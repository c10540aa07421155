"""The momentum observer is a first-order lag of the true torque, whatever the arm does meanwhile."""

from __future__ import annotations

import numpy as np
import pytest
from pushed_arm import PERIOD, PUSH, follow, nothing, rough, watch

from dynamics import jacobian, load_arm, mass_matrix
from hopfield_nav.control.estimators import momentum_observer

METHOD = momentum_observer.METHOD


@pytest.mark.parametrize("name", ["ur5_ragazzon2012", "ur5_controller", "ur5e"])
def test_a_constant_torque_is_followed_as_one_minus_exp(name):
    arm = load_arm(name)
    states = follow(arm, lambda t: PUSH, 0.3)
    found, _, _ = watch(states, arm, METHOD, pole=25.0)
    wanted = PUSH * (1 - np.exp(-25.0 * states["time"]))
    assert np.abs(found - wanted).max() < 1e-5
    np.testing.assert_allclose(found[-1], PUSH * (1 - np.exp(-7.5)), atol=1e-5)


def test_each_joint_has_its_own_pole():
    arm = load_arm("ur5_ragazzon2012")
    poles = np.array([10.0, 20.0, 40.0, 80.0, 160.0, 320.0])
    states = follow(arm, lambda t: PUSH, 0.1)
    found, _, _ = watch(states, arm, METHOD, pole=tuple(poles))
    wanted = PUSH * (1 - np.exp(-poles * states["time"]))
    assert np.abs(found - wanted).max() < 1e-5


@pytest.mark.parametrize(
    "make", [lambda: load_arm("ur5_ragazzon2012"), lambda: load_arm("ur5_controller"), rough]
)
def test_nothing_is_felt_of_free_motion(make):
    arm = make()
    found, _, _ = watch(follow(arm, nothing, 1.0), arm, METHOD)
    assert np.abs(found).max() < (0.05 if arm.friction.any() else 1e-5)


def test_friction_that_the_model_does_not_know_is_felt_as_contact():
    arm = rough()
    found, _, _ = watch(follow(arm, nothing, 0.5), arm._replace(friction=np.zeros((6, 4))), METHOD)
    assert np.abs(found).max() > 5.0


def test_the_wrench_is_that_of_the_torque():
    arm = load_arm("ur5_ragazzon2012")
    force = np.array([10.0, -5.0, 8.0, 0.0, 0.0, 0.0])
    start = jacobian(arm, follow(arm, nothing, 0.0)["q"][0])
    states = follow(arm, lambda t: start.T @ force, 0.2, still=True)
    found, wrench, _ = watch(states, arm, METHOD, pole=200.0)
    turned = jacobian(arm, states["q"][-1]).T  # the arm has moved a little by then
    np.testing.assert_allclose(turned @ wrench[-1], found[-1], atol=1e-9)
    np.testing.assert_allclose(wrench[-1], np.linalg.solve(turned, start.T @ force), atol=1e-2)
    assert np.abs(wrench[-1] - force).max() < 1.0


def test_noise_of_the_velocity_is_filtered_by_the_pole():
    """Of white noise σ on qd a lag leaves M σ (1 - a)/T sqrt(2/(1 + a)) of its difference."""
    arm = load_arm("ur5_ragazzon2012")
    states = follow(arm, nothing, 2.0, still=True)
    noisy = {
        **states,
        "qd": states["qd"] + 1e-3 * np.random.default_rng(2).normal(size=states["qd"].shape),
    }
    size = np.sqrt((mass_matrix(arm, states["q"][0]) ** 2).sum(axis=1)) * 1e-3
    for pole in (20.0, 100.0):
        found, _, _ = watch(noisy, arm, METHOD, pole=pole)
        a = np.exp(-pole * PERIOD)
        wanted = size * (1 - a) / PERIOD * np.sqrt(2 / (1 + a))
        np.testing.assert_allclose(found[200:].std(axis=0), wanted, rtol=0.25)


def test_a_jump_of_the_clock_starts_anew():
    arm = load_arm("ur5_ragazzon2012")
    states = follow(arm, lambda t: PUSH, 0.2)
    for jump in (1.0, -0.15, -10.0):
        broken = {k: v.copy() for k, v in states.items()}
        broken["time"][100:] += jump
        broken["q"][100:, 0] += 0.3  # what was before is no neighbour of what comes after
        broken["qd"][100:] *= 0.5
        found, _, _ = watch(broken, arm, METHOD)
        assert not found[100].any()
        assert np.abs(found[99]).max() > 5.0
