"""NMSE, and models that are off by a share."""

from __future__ import annotations

import numpy as np
import pytest
from consistency import smallest_eigenvalue
from madsen2020.cad_error import cad_error
from refusals import refused

from dynamics import load_arm
from dynamics.identification import Comparison, nmse


def test_nmse_is_squared_error_over_mean_torque_summed_over_joints():
    tau = np.array([[2.0, -1.0], [-2.0, 3.0]])
    predicted = tau + np.array([[1.0, 0.0], [1.0, 2.0]])
    assert nmse(tau, predicted) == pytest.approx(1 / 2 + 2 / 2)
    assert nmse(tau, tau) == 0


def test_nmse_doubles_with_the_unit_of_torque():
    rng = np.random.default_rng(0)
    tau, predicted = rng.normal(size=(2, 100, 6))
    assert nmse(2 * tau, 2 * predicted) == pytest.approx(2 * nmse(tau, predicted))


def test_improvement_as_in_table_5():
    assert Comparison("1", 325.9, 233.0).improvement == pytest.approx(0.285, abs=5e-4)
    assert Comparison("2", 1245.7, 1040.4).improvement == pytest.approx(0.165, abs=5e-4)
    assert Comparison("3", 334.0, 250.9).improvement == pytest.approx(0.249, abs=5e-4)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: nmse(np.ones((3, 2)), np.ones((2, 2))), "do not fit"),
        (lambda: nmse(np.zeros((3, 2)), np.ones((3, 2))), "without torque"),
        (lambda: cad_error(load_arm("ur5e"), 0.6, np.random.default_rng(0)), "share"),
    ],
    ids=["two lengths", "no torque", "an error too large"],
)
def test_what_has_no_measure_is_refused(call, words):
    with refused(words):
        call()


@pytest.mark.parametrize("share", [0.05, 0.1, 0.2, 0.45])
def test_cad_error_is_of_the_share_and_leaves_real_bodies(share):
    arm = load_arm("ur5e")
    rng = np.random.default_rng(2)
    models = [cad_error(arm, share, rng) for _ in range(300)]
    masses = np.array([m.mass for m in models]) / arm.mass - 1
    assert np.sqrt((masses**2).mean()) == pytest.approx(share, rel=0.08)
    assert np.abs(masses).max() <= np.sqrt(3) * share
    assert min(smallest_eigenvalue(m) for m in models) > 0


def test_no_cad_error_is_the_arm_itself():
    arm = load_arm("ur5e")
    same = cad_error(arm, 0.0, np.random.default_rng(0))
    for ours, theirs in zip(same, arm, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-15)
