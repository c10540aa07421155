"""The filter chain: no lag, central differences, parallel filter, 1550 samples of 31 s."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scipy.signal import butter, sosfreqz

from dynamics.identification import autocorrelation, decimate, derivatives, motion, zero_phase
from dynamics.identification.equations import decimation_factor

RATE = 1000.0
TIME = np.arange(31000) / RATE
MIDDLE = slice(1000, -1000)


def test_31_seconds_give_1550_samples():
    assert decimation_factor(RATE) == 20
    assert decimate(np.zeros((31000, 6)), RATE).shape == (1550, 6)
    assert decimation_factor(125.0) == 2
    # a block that is not whole is left out
    assert len(decimate(np.zeros((31019, 2)), RATE)) == 1550


def test_decimated_samples_are_the_middles_of_their_blocks():
    ramp = TIME[:, None]
    np.testing.assert_allclose(
        decimate(ramp, RATE)[5:-5, 0], (np.arange(5, 1545) * 20 + 10) / RATE, atol=1e-9
    )


@pytest.mark.parametrize("cutoff", [20.0, 50.0])
def test_filter_has_no_lag_and_half_amplitude_at_its_cutoff(cutoff):
    slow = np.sin(2 * np.pi * 2 * TIME)
    found = zero_phase(slow, cutoff, RATE)
    np.testing.assert_allclose(found[MIDDLE], slow[MIDDLE], atol=1e-6)
    at = np.sin(2 * np.pi * cutoff * TIME)
    np.testing.assert_allclose(zero_phase(at, cutoff, RATE)[MIDDLE], at[MIDDLE] / 2, atol=1e-3)
    assert (
        np.abs(zero_phase(np.sin(2 * np.pi * 4 * cutoff * TIME), cutoff, RATE)[MIDDLE]).max() < 1e-4
    )


def test_central_differences_have_the_error_of_their_order():
    """(w T)²/6 of a speed, (w T)²/12 of an acceleration, of a sine of 2 Hz."""
    w = 2 * np.pi * 2
    q = np.sin(w * TIME)[:, None]
    qd, qdd = derivatives(q, RATE)
    part = (w / RATE) ** 2
    speed = np.abs(qd[:, 0] - w * np.cos(w * TIME)).max() / w
    acceleration = np.abs(qdd[1:-1, 0] + w**2 * q[1:-1, 0]).max() / w**2
    assert speed == pytest.approx(part / 3, rel=0.05)  # at an end, one-sided; half of it inside
    assert acceleration == pytest.approx(part / 12, rel=0.05)


def test_parabola_is_exact_to_the_very_ends():
    q = (3 + 2 * TIME - 0.5 * TIME**2)[:, None]
    qd, qdd = derivatives(q, RATE)
    np.testing.assert_allclose(qd[:, 0], 2 - TIME, atol=1e-8)
    np.testing.assert_allclose(qdd[:, 0], -1, atol=1e-4)


def test_motion_recovers_a_slow_movement():
    w = 2 * np.pi * np.array([0.5, 2.0])
    q, qd, qdd = motion(np.sin(np.outer(TIME, w)), RATE)
    np.testing.assert_allclose(q[MIDDLE], np.sin(np.outer(TIME, w))[MIDDLE], atol=1e-6)
    np.testing.assert_allclose(qd[MIDDLE] / w, np.cos(np.outer(TIME, w))[MIDDLE], atol=1e-4)
    np.testing.assert_allclose(qdd[MIDDLE] / w**2, -np.sin(np.outer(TIME, w))[MIDDLE], atol=1e-4)


def test_parallel_filter_leaves_linear_equations_alone():
    """Y x = tau holds after the filter, ends included, since both sides pass the same one."""
    rng = np.random.default_rng(0)
    Y, x = rng.normal(size=(4000, 3)), np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(decimate(Y, RATE) @ x, decimate(Y @ x, RATE), atol=1e-12)


def test_noise_of_white_samples_is_no_longer_white():
    """Neighbours share what the filter's own response says: the integral of its power times a cosine."""
    sos = butter(4, 20.0, output="sos", fs=RATE)
    f, response = sosfreqz(sos, 20000, fs=RATE)
    power = np.abs(response) ** 4  # both passes, squared
    noise = np.random.default_rng(0).normal(size=(400_000, 4))
    found = autocorrelation(decimate(noise, RATE), 12).mean(axis=1)
    for lag in (1, 2, 12):
        expected = (power * np.cos(2 * np.pi * f * lag * 20 / RATE)).sum() / power.sum()
        # three deviations of 80,000 samples
        assert found[lag] == pytest.approx(expected, abs=0.012)
    assert found[1] > 0.2


@pytest.mark.parametrize(
    ("count", "rate", "message"),
    [(31000, 90.0, "rate is too low"), (30, 1000.0, "too few samples")],
)
def test_impossible_filters_are_refused(count, rate, message):
    with refused(message):
        motion(np.zeros((count, 6)), rate)
