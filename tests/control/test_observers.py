"""Disturbance observer, tracking error and power of contact, each against its law."""

from __future__ import annotations

import numpy as np
import pytest
from pushed_arm import PERIOD, PUSH, RATE, follow, nothing, rough, watch

from dynamics import load_arm, mass_matrix
from hopfield_nav.control.detectors import energy, tracking
from hopfield_nav.control.estimators import disturbance_observer, momentum_observer, tracking_error

ARMS = {
    "no rotors": lambda: load_arm("ur5_ragazzon2012"),
    "rotors": lambda: load_arm("ur5_controller"),
    "rotors and friction": rough,
}


@pytest.mark.parametrize("make", ARMS.values(), ids=ARMS.keys())
def test_the_disturbance_observer_follows_a_constant_torque_as_one_minus_exp(make):
    arm = make()
    states = follow(arm, lambda t: PUSH, 0.3)
    found, _, _ = watch(states, arm, disturbance_observer.METHOD, pole=25.0)
    wanted = PUSH * (1 - np.exp(-25.0 * states["time"]))
    assert np.abs(found - wanted).max() < (0.15 if arm.friction.any() else 0.05)


def test_what_changes_within_a_period_stays_in_the_disturbance_observer_alone():
    """Its inverse dynamics are those of the end of the period: half a period of dg/dt and the like."""
    arm = load_arm("ur5_ragazzon2012")
    states = follow(arm, nothing, 1.0)
    errors = [
        np.abs(watch(states, arm, module.METHOD)[0]).max()
        for module in (disturbance_observer, momentum_observer)
    ]
    assert 1e-4 < errors[0] < 0.03
    assert errors[1] < 1e-5


def test_noise_is_filtered_alike_by_both_observers():
    arm = load_arm("ur5_ragazzon2012")
    states = follow(arm, nothing, 1.0, still=True)
    noisy = {
        **states,
        "qd": states["qd"] + 1e-3 * np.random.default_rng(2).normal(size=states["qd"].shape),
    }
    spread = {}
    for module in (disturbance_observer, momentum_observer):
        for pole in (20.0, 200.0):
            spread[module, pole] = watch(noisy, arm, module.METHOD, pole=pole)[0][100:].std(axis=0)
    np.testing.assert_allclose(
        spread[disturbance_observer, 20.0], spread[momentum_observer, 20.0], rtol=0.1, atol=1e-6
    )
    assert np.all(spread[momentum_observer, 200.0] > 5 * spread[momentum_observer, 20.0])


# --- tracking error
# -------------------------------------------------------------------------------------


def test_the_tracking_error_is_a_torque_with_the_right_gain_and_leads_the_joint_error():
    """A diagonal arm would give (2 w s + w²)/(s + w)²: 1 - (1 - w t) exp(-w t)."""
    n = 6
    arm = load_arm("ur5_controller")
    # on a joint whose mass matrix is its rotor's alone
    push = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.1])
    states = follow(arm, lambda t: push, 0.4, still=True)
    inertia = mass_matrix(arm, states["q"][0])[5, 5]
    gain = (0.0,) * (n - 1) + (inertia * RATE**2,)
    found, _, _ = watch(
        states, arm, tracking_error.METHOD, gain=gain, position_gain=RATE**2, velocity_gain=2 * RATE
    )
    x = RATE * states["time"][:, 0]
    wanted = 0.1 * (1 - (1 - x) * np.exp(-x))
    # the torque is held over the period: the loop is as if delayed by half of it
    assert np.abs(found[:, 5] - wanted).max() < 0.1 * 2 * RATE * PERIOD / 2
    assert found[:, :5].max() == 0.0


def test_tracking_alarms_on_either_signal():
    arm = load_arm("ur5_ragazzon2012")
    still = follow(arm, nothing, 0.0)
    for name, at, other in (
        ("q", "position_threshold", "speed_threshold"),
        ("qd", "speed_threshold", "position_threshold"),
    ):
        moved = {**still, name: still[name] + 0.03 * np.eye(6)[4]}
        thresholds = {at: (1.0, 1.0, 1.0, 1.0, 0.02, 1.0), other: 1.0}
        assert watch(moved, arm, detector=tracking.METHOD, **thresholds)[2][0] == pytest.approx(1.5)
        assert watch(still, arm, detector=tracking.METHOD, **thresholds)[2][0] == 0.0


# --- energy
# ---------------------------------------------------------------------------------------------


def lagged(power, pole):
    """First-order lag of a signal, sampled; the mean of a period by the trapezoidal rule."""
    out, a = np.zeros_like(power), np.exp(-pole * PERIOD)
    for k in range(1, len(power)):
        out[k] = a * out[k - 1] + (1 - a) * 0.5 * (power[k] + power[k - 1])
    return out


@pytest.mark.parametrize("make", ARMS.values(), ids=ARMS.keys())
def test_the_energy_says_the_filtered_power_of_contact(make):
    arm = make()
    states = follow(arm, lambda t: PUSH, 1.0)
    _, _, level = watch(states, arm, detector=energy.METHOD, threshold=1.0, energy_pole=30.0)
    power = np.abs(lagged(states["qd"] @ PUSH, 30.0))
    assert power.max() > 2.0
    assert np.abs(level - power).max() < (0.02 if arm.friction.any() else 1e-3)


@pytest.mark.parametrize("make", ARMS.values(), ids=ARMS.keys())
def test_without_contact_there_is_no_power_and_at_rest_none_is_felt(make):
    arm = make()
    free = watch(follow(arm, nothing, 1.0), arm, detector=energy.METHOD, threshold=1.0)[2]
    assert free.max() < (0.02 if arm.friction.any() else 1e-3)
    # the torque that holds a push does no work
    held = follow(arm, lambda t: PUSH, 1.0, still=True)
    assert watch(held, arm, detector=energy.METHOD, threshold=1.0)[2][-1] < 1e-3
    assert np.abs(watch(held, arm, momentum_observer.METHOD)[0][-1] - PUSH).max() < 0.2


def test_the_energy_starts_anew_where_the_clock_jumps():
    arm = load_arm("ur5_ragazzon2012")
    states = follow(arm, lambda t: PUSH, 0.2)
    states["time"][100:] += 5.0
    states["q"][100:] += 0.5
    level = watch(states, arm, detector=energy.METHOD)[2]
    assert level[99] > 0.1
    assert level[100] == 0.0
    assert level[101:].max() < 20
