"""Weighted least squares: exact data, weights, standard deviations for white and for coloured noise."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scipy.signal import lfilter

from dynamics.identification import ordinary, weighted

# equations in time; the number of repeats decides how sharp the tests of deviations are
COUNT = 700
RNG = np.random.default_rng(3)
X = np.stack(
    [lfilter([0.2], [1, -0.8], RNG.normal(size=(COUNT, 4)), axis=0) for _ in range(2)], axis=1
)
TRUE = np.array([1.0, -2.0, 0.5, 3.0])
OWNED = np.array([2, 2])


def _white(fit):
    """Variances as if the samples were independent."""
    return np.diag(np.linalg.inv(fit.factor.T @ fit.factor))


def _repeat(noise, repeats=80):
    fits = [weighted(X, X @ TRUE + noise(), OWNED) for _ in range(repeats)]
    z = np.array([(fit.values - TRUE) / fit.deviations for fit in fits])
    white = np.array([(fit.values - TRUE) / np.sqrt(_white(fit)) for fit in fits])
    return z, white


def test_exact_data_give_exact_parameters():
    np.testing.assert_allclose(weighted(X, X @ TRUE, OWNED).values, TRUE, rtol=1e-12)
    np.testing.assert_allclose(ordinary(X, X @ TRUE), TRUE, rtol=1e-12)


def test_noise_of_each_joint_is_found_and_weighed():
    rng = np.random.default_rng(4)
    fit = weighted(X, X @ TRUE + rng.normal(size=(COUNT, 2)) * [0.1, 5.0], OWNED)
    np.testing.assert_allclose(fit.noise, [0.1, 5.0], rtol=0.06)
    flat = (X / [[[0.1], [5.0]]]).reshape(-1, 4)
    np.testing.assert_allclose(_white(fit), np.diag(np.linalg.inv(flat.T @ flat)), rtol=0.2)


def test_weights_make_the_estimate_better():
    rng = np.random.default_rng(5)
    errors = []
    for _ in range(40):
        tau = X @ TRUE + rng.normal(size=(COUNT, 2)) * [0.1, 5.0]
        errors.append([weighted(X, tau, OWNED).values - TRUE, ordinary(X, tau) - TRUE])
    deviations = np.std(errors, axis=0)
    assert np.all(deviations[0] < 0.1 * deviations[1])


def test_deviations_hold_for_white_noise():
    rng = np.random.default_rng(6)
    z, white = _repeat(lambda: rng.normal(size=(COUNT, 2)) * [0.1, 1.0])
    assert z.std() == pytest.approx(1, abs=0.12)
    assert white.std() == pytest.approx(1, abs=0.12)


def test_deviations_hold_for_coloured_noise_where_the_usual_ones_do_not():
    rng = np.random.default_rng(7)
    z, white = _repeat(lambda: lfilter([1], [1, -0.6], rng.normal(size=(COUNT, 2)), axis=0))
    assert z.std() == pytest.approx(1, abs=0.13)
    assert white.std() > 1.5


def test_deviations_hold_for_noise_shared_by_the_joints():
    rng = np.random.default_rng(8)
    z, _ = _repeat(lambda: rng.normal(size=(COUNT, 1)) * [1.0, 1.0])
    assert z.std() == pytest.approx(1, abs=0.13)


def test_rows_that_are_not_clear_do_not_count():
    rng = np.random.default_rng(9)
    tau = X @ TRUE + 0.1 * rng.normal(size=(COUNT, 2))
    clear = rng.random((COUNT, 2)) > 0.2
    spoilt = np.where(clear, tau, 1e3)
    fit = weighted(X, spoilt, OWNED, clear=clear)
    np.testing.assert_allclose(fit.values, TRUE, atol=5 * fit.deviations.max())
    np.testing.assert_allclose(fit.noise, 0.1, rtol=0.08)
    assert np.abs(weighted(X, spoilt, OWNED).values - TRUE).max() > 1


def test_factor_measures_the_growth_of_the_error():
    rng = np.random.default_rng(10)
    tau = X @ TRUE + rng.normal(size=(COUNT, 2))
    fit = weighted(X, tau, OWNED)
    step = rng.normal(size=4) * 0.1
    cost = [((tau - X @ b) ** 2 / fit.noise**2).sum() for b in (fit.values, fit.values + step)]
    assert np.sum((fit.factor @ step) ** 2) == pytest.approx(cost[1] - cost[0], rel=1e-3)


def test_segments_are_not_correlated_across_their_border():
    """Two logs, one after the other, give the covariance of each on its own, added."""
    rng = np.random.default_rng(11)
    tau = X @ TRUE + lfilter([1], [1, -0.6], rng.normal(size=(COUNT, 2)), axis=0)
    whole = weighted(X, tau, OWNED, segments=(COUNT // 2, COUNT // 2))
    assert whole.deviations == pytest.approx(weighted(X, tau, OWNED).deviations, rel=0.05)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: weighted(X, (X @ TRUE)[:-1], OWNED), "do not fit"),
        (lambda: ordinary(X[:1], (X @ TRUE)[:1]), "fewer equations"),
    ],
    ids=["two lengths", "too few rows"],
)
def test_too_few_rows_are_refused(call, words):
    with refused(words):
        call()
