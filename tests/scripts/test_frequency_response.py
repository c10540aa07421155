"""Transfer functions and frequency responses against scipy.signal, simulation and known systems."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.signal
from refusals import refused
from tu2023.bode_plots import bode, frequency_response, resonances, transfer_function

from dynamics import LinearModel, gravity_torque, linearize, load_arm

HANGING = np.radians([0.0, 75, 30, -20, 90, 0])
FREQUENCY = np.geomspace(0.1, 300, 200)


def _hanging(output="position"):
    arm = load_arm("ur5_tu2023")
    return linearize(arm, HANGING, np.zeros(6), gravity_torque(arm, HANGING), output)


def _oscillator(omega=2.0):
    """x'' = -omega² x + u."""
    a = np.array([[0.0, 1.0], [-(omega**2), 0.0]])
    return LinearModel(a, np.array([[0.0], [1.0]]), np.array([[1.0, 0.0]]), np.zeros((1, 1)))


# scipy goes by way of a polynomial
@pytest.mark.filterwarnings("ignore::scipy.signal.BadCoefficients")
def test_response_is_scipy_s():
    model = _hanging("state")
    found = frequency_response(model, FREQUENCY)
    assert found.shape == (200, 12, 6)
    for source in (0, 1, 4):
        system = scipy.signal.StateSpace(
            model.A, model.B[:, [source]], model.C[[2]], model.D[[2]][:, [source]]
        )
        _, expected = scipy.signal.freqresp(system, FREQUENCY)
        np.testing.assert_allclose(found[:, 2, source], expected, rtol=1e-4)


@pytest.mark.parametrize("pair", [(0, 0), (1, 1), (2, 1), (4, 3), (5, 5), (7, 1), (0, 2)])
def test_transfer_function_has_the_response(pair):
    model = _hanging("state")
    system = transfer_function(model, *pair)
    s = 1j * FREQUENCY[:, None]
    value = system.gain * np.prod(s - system.zeros, axis=1) / np.prod(s - system.poles, axis=1)
    np.testing.assert_allclose(
        value, frequency_response(model, FREQUENCY)[:, pair[0], pair[1]], rtol=1e-5
    )
    assert len(system.zeros) <= len(system.poles) - (1 if pair[0] >= 6 else 2)


def test_oscillator():
    system = transfer_function(_oscillator(), 0, 0)
    np.testing.assert_allclose(np.sort_complex(system.poles), [-2j, 2j], atol=1e-12)
    assert (len(system.zeros), system.gain) == (0, pytest.approx(1))
    found = bode(_oscillator(), 0, 0, [1.0, 2.0, 4.0])
    np.testing.assert_allclose(
        found.magnitude, [20 * np.log10(1 / 3), np.inf, 20 * np.log10(1 / 12)]
    )
    np.testing.assert_allclose(np.abs(found.phase), [0, np.nan, np.pi], atol=1e-12)


def test_a_pole_that_the_pair_does_not_show_leaves_a_finite_response():
    """Two oscillators side by side: at the frequency of one the other answers as if alone."""
    a, b = np.zeros((4, 4)), np.zeros((4, 2))
    a[:2, :2], a[2:, 2:] = _oscillator(2.0).A, _oscillator(3.0).A
    b[1, 0] = b[3, 1] = 1.0
    c = np.zeros((2, 4))
    c[0, 0] = c[1, 2] = 1.0
    found = frequency_response(LinearModel(a, b, c, np.zeros((2, 2))), [2.0, 3.0])
    assert np.isinf(found[0, 0, 0])
    assert np.isinf(found[1, 1, 1])
    assert found[0, 1, 1] == pytest.approx(1 / (9 - 4), rel=1e-4)
    assert found[1, 0, 0] == pytest.approx(1 / (4 - 9), rel=1e-4)


def test_a_double_integrator_is_infinite_at_rest():
    a = np.array([[0.0, 1.0], [0.0, 0.0]])
    model = LinearModel(a, np.array([[0.0], [1.0]]), np.array([[1.0, 0.0]]), np.zeros((1, 1)))
    found = frequency_response(model, [0.0, 2.0])[:, 0, 0]
    assert np.isinf(found[0])
    assert found[1] == pytest.approx(-1 / 4)


def test_batches_are_the_models():
    arm = load_arm("ur5_tu2023")
    q = np.stack([HANGING, 0.9 * HANGING])
    model = linearize(arm, q, np.zeros(6), gravity_torque(arm, q), "tool")
    found = frequency_response(model, [1.0, 5.0])
    assert found.shape == (2, 2, 3, 6)
    one = LinearModel(*(part[1] for part in model))
    np.testing.assert_array_equal(found[1], frequency_response(one, [1.0, 5.0]))


def test_a_hanging_arm_swings_and_an_upright_one_falls():
    """The second pose is the first seen in a mirror: what swings there falls here, at the same rate."""
    arm = load_arm("ur5_tu2023")
    poses = np.radians([[0, 90, 0, -90, 0, 0], [0, -90, 0, -90, 0, 0]])
    swing, fall = resonances(arm, poses)
    np.testing.assert_allclose(swing[0], fall[1], atol=1e-3)
    np.testing.assert_allclose(swing[1], fall[0], atol=1e-3)
    assert (swing[0] > 1).sum() == 3
    assert 0.5 < swing[0].max() / (2 * np.pi) < 5


def test_resonances_are_the_eigenvalues(arm):
    """At rest every eigenvalue of A is on one of the two axes."""
    q = np.random.default_rng(4).uniform(-np.pi, np.pi, (30, 6))
    values = np.linalg.eigvals(linearize(arm, q, np.zeros(6), gravity_torque(arm, q)).A)
    swing, fall = resonances(arm, q)
    np.testing.assert_allclose(np.abs(values.imag).max(1), swing[:, -1], rtol=1e-6, atol=1e-4)
    np.testing.assert_allclose(values.real.max(1), fall[:, -1], rtol=1e-6, atol=1e-4)


@pytest.mark.parametrize("pair", [(6, 0), (0, 6), (-1, 0)])
def test_pairs_that_do_not_exist(pair):
    with refused("no such pair"):
        transfer_function(_hanging(), *pair)


def test_a_frequency_that_is_no_number():
    with refused("finite"):
        frequency_response(_hanging(), [np.nan])
