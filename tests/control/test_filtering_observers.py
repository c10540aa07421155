"""Kalman filter and sliding-mode observer of the momentum, each by what its authors promise."""

from __future__ import annotations

import numpy as np
import pytest
from pushed_arm import PERIOD, PUSH, follow, nothing, rough, watch
from scipy.linalg import solve_discrete_are

from dynamics import load_arm, mass_matrix
from hopfield_nav.control.estimators import kalman_filter, momentum_observer, sliding_mode_observer

ARM = load_arm("ur5_ragazzon2012")
BOTH = [kalman_filter.METHOD, sliding_mode_observer.METHOD]
NOISE = 1e-3  # of the speeds [rad/s]


def noisy(states, seed=2):
    return {
        **states,
        "qd": states["qd"] + NOISE * np.random.default_rng(seed).normal(size=states["qd"].shape),
    }


@pytest.mark.parametrize("method", BOTH, ids=lambda m: m.name)
@pytest.mark.parametrize("make", [lambda: ARM, lambda: load_arm("ur5_controller"), rough])
def test_nothing_is_felt_of_free_motion_and_a_constant_push_without_an_error(method, make):
    arm = make()
    close = 0.1 if arm.friction.any() else 1e-4
    assert np.abs(watch(follow(arm, nothing, 0.6), arm, method)[0]).max() < close
    assert np.abs(watch(follow(arm, lambda t: PUSH, 0.6), arm, method)[0][-1] - PUSH).max() < close


@pytest.mark.parametrize("method", BOTH, ids=lambda m: m.name)
def test_a_jump_of_the_clock_starts_anew(method):
    states = follow(ARM, lambda t: PUSH, 0.2)
    states["time"][100:] += 1.0
    states["q"][100:, 0] += 0.3
    torques = watch(states, ARM, method)[0]
    assert not torques[100].any()
    assert np.abs(torques[99]).max() > 4.0


def test_settled_the_filter_has_the_gain_of_scipy_s_riccati_equation():
    """At rest: the answer to an impulse of the momentum is that of the stationary filter."""
    torque_walk = np.array([2.0, 1.0, 0.5, 0.1, 0.1, 0.05])
    states = follow(ARM, nothing, 1.0, still=True)
    kicked = {**states, "qd": states["qd"].copy()}
    kicked["qd"][-1] += NOISE
    torques = watch(
        kicked, ARM, kalman_filter.METHOD, torque_walk=tuple(torque_walk), speed_noise=NOISE
    )[0]
    mass = mass_matrix(ARM, states["q"][0])
    for i in range(6):
        step, walk = np.array([[1.0, PERIOD], [0.0, 1.0]]), torque_walk[i] ** 2
        q = walk * np.array([[PERIOD**3 / 3, PERIOD**2 / 2], [PERIOD**2 / 2, PERIOD]])
        r = NOISE**2 * (mass[i] ** 2).sum()
        p = solve_discrete_are(step.T, np.array([[1.0], [0.0]]), q, np.array([[r]]))
        gain = p[1, 0] / (p[0, 0] + r)
        kick = mass[i] @ np.full(6, NOISE)
        assert torques[-1, i] - torques[-2, i] == pytest.approx(gain * kick, rel=1e-4)


def test_the_filter_errs_as_much_as_it_believes_and_less_than_lags_of_any_pole():
    """A torque that walks as it is told, speeds as noisy as it is told: no pole of a first-order lag is better."""
    torque_walk, rng = np.array([2.0, 2.0, 1.0, 0.05, 0.01, 0.002]), np.random.default_rng(1)
    walk = np.cumsum(rng.normal(size=(3000, 6)) * torque_walk * np.sqrt(PERIOD), axis=0)
    states = follow(ARM, lambda t: walk[min(int(t / PERIOD + 1e-6), 2999)], 2.999)
    mean = np.vstack([np.zeros(6), walk[: len(states["time"]) - 1]])
    sensed, late = noisy(states), slice(500, None)

    def error(method, **values):
        return np.sqrt(((watch(sensed, ARM, method, **values)[0] - mean)[late] ** 2).mean(axis=0))

    filtered = error(kalman_filter.METHOD, torque_walk=tuple(torque_walk), speed_noise=NOISE)
    believed = _believed(states["q"], torque_walk)
    np.testing.assert_allclose(filtered, believed, rtol=0.25)
    for pole in (3.0, 10.0, 30.0, 100.0, 300.0):
        assert (filtered < 1.02 * error(momentum_observer.METHOD, pole=pole)).all(), pole


def _believed(q, torque_walk):
    """Deviation of the torque by the stationary filter, of the mean pose."""
    mass, found = mass_matrix(ARM, q[len(q) // 2]), []
    for i in range(6):
        step, walk = np.array([[1.0, PERIOD], [0.0, 1.0]]), torque_walk[i] ** 2
        noise = walk * np.array([[PERIOD**3 / 3, PERIOD**2 / 2], [PERIOD**2 / 2, PERIOD]])
        r = NOISE**2 * (mass[i] ** 2).sum()
        p = solve_discrete_are(step.T, np.array([[1.0], [0.0]]), noise, np.array([[r]]))
        found.append(np.sqrt(p[1, 1] - p[1, 0] ** 2 / (p[0, 0] + r)))
    return np.array(found)


def test_a_ramp_is_followed_without_a_lag_once_it_slides():
    """The lag of a first-order observer is the rate over its pole; here there is none, up to ``largest_rate``."""
    rate = np.array([40.0, -60.0, 30.0, 8.0, -5.0, 3.0])
    states = follow(ARM, lambda t: rate * t, 0.3)
    middle = rate * (states["time"] - PERIOD)  # the push is held for a quarter of a period
    values = {"largest_rate": tuple(2 * np.abs(rate)), "pole": 0.0}
    torques = watch(states, ARM, sliding_mode_observer.METHOD, **values)[0]
    assert np.abs(torques - middle)[50:].max() < 1.01 * np.abs(rate).max() * PERIOD
    lagging = watch(states, ARM, momentum_observer.METHOD, pole=20.0)[0]
    np.testing.assert_allclose((rate * states["time"][-1] - lagging[-1]) * 20.0, rate, rtol=0.05)
    slow = watch(
        states, ARM, sliding_mode_observer.METHOD, largest_rate=tuple(0.5 * np.abs(rate)), pole=0.0
    )[0]
    assert (np.abs(slow - middle)[-1] > 0.05 * np.abs(rate)).all()


def test_sliding_is_reached_within_the_time_that_the_rate_allows_and_does_not_chatter():
    """A step of size τ with k2 = 1.1 L is reached by about τ / k2; then the estimate stands still."""
    states = follow(ARM, lambda t: PUSH, 0.3)
    rate = np.abs(PUSH) * 20.0
    torques = watch(states, ARM, sliding_mode_observer.METHOD, largest_rate=tuple(rate), pole=0.0)[
        0
    ]
    arrived = np.abs(torques - PUSH).max(axis=1) < 1e-3
    assert not arrived[:40].any()
    assert arrived[200:].all()
    assert np.abs(np.diff(torques[200:], axis=0)).max() < 1e-4
