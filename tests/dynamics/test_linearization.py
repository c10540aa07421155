"""The linear model against the nonlinear arm, and the claims of tu2023 3.3, 4.3 and 5.4."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import random_states, runge_kutta
from refusals import refused
from scipy.linalg import expm
from tu2023 import linearisation, readings

from dynamics import (
    closed_loop_matrix,
    forward_dynamics,
    forward_kinematics,
    gravity_torque,
    inverse_dynamics,
    linearize,
    load_arm,
    moving_linearization,
)

OMEGA = linearisation.OMEGA


def test_the_linear_model_predicts_a_small_swing():
    """Over 0.2 s beside an equilibrium exp(A t) is the arm, with an error of second order."""
    arm = load_arm("ur5_tu2023")
    q = np.radians([0.0, 75, 30, -20, 90, 0])
    tau = gravity_torque(arm, q)
    model, start = linearize(arm, q, np.zeros(6), tau), np.random.default_rng(1).normal(size=12)
    errors = []
    for size in (1e-3, 1e-4):
        x = size * start
        end = np.concatenate(runge_kutta(arm, q + x[:6], x[6:], tau, 1e-4, 0.2)) - np.concatenate(
            [q, np.zeros(6)]
        )
        errors.append(np.abs(end - expm(0.2 * model.A) @ x).max() / size)
    assert errors[1] < 1e-3
    assert errors[0] / errors[1] == pytest.approx(10, rel=0.1)


def test_input_reaches_the_acceleration():
    arm, s = load_arm("ur5_tu2023"), random_states(6, 5, seed=2)
    model, push = linearize(arm, s.q, s.qd, s.tau), np.random.default_rng(2).normal(size=6)
    change = forward_dynamics(arm, s.q, s.qd, s.tau + push) - forward_dynamics(
        arm, s.q, s.qd, s.tau
    )
    np.testing.assert_allclose(
        (model.B @ push)[:, 6:], change, rtol=1e-7, atol=1e-8 * np.abs(change).max()
    )


@pytest.mark.parametrize(
    ("output", "rows"), [("state", 12), ("position", 6), ("velocity", 6), ("tool", 3)]
)
def test_outputs(output, rows):
    arm, s = load_arm("ur5e"), random_states(6, 4, seed=3)
    model, x = linearize(arm, s.q, s.qd, s.tau, output), np.random.default_rng(3).normal(size=12)
    assert (model.C.shape, model.D.shape) == ((4, rows, 12), (4, rows, 6))
    assert not model.D.any()
    ahead, behind = (forward_kinematics(arm, s.q + k * 1e-5 * x[:6])[:, :3, 3] for k in (1, -1))
    wanted = {"state": x, "position": x[:6], "velocity": x[6:], "tool": (ahead - behind) / 2e-5}[
        output
    ]
    np.testing.assert_allclose(model.C @ x, np.broadcast_to(wanted, (4, rows)), atol=1e-8)


def test_own_output():
    arm, zero, row = load_arm("ur5e"), np.zeros(6), np.ones((1, 12))
    assert np.array_equal(linearize(arm, zero, zero, zero, row).C, row)


def test_an_unknown_output_is_refused():
    zero = np.zeros(6)
    with refused("Did you mean 'position'"):
        linearize(load_arm("ur5e"), zero, zero, zero, "positions")


def test_batches_are_the_points():
    arm, s = load_arm("ur5e"), random_states(6, 6, seed=4)
    shaped = [x.reshape(2, 3, 6) for x in (s.q, s.qd, s.tau)]
    batch = linearize(arm, *shaped, "tool")
    for k in range(6):
        one = linearize(arm, s.q[k], s.qd[k], s.tau[k], "tool")
        for many, single in zip(batch, one, strict=True):
            assert np.array_equal(many[divmod(k, 3)], single)


def test_closed_loop_with_the_own_model_is_the_designed_one_everywhere(arm):
    """[0, I; -omega², -2 omega] whatever the arm does: the controller cancels all else."""
    s = random_states(6, 20, seed=5)
    found = closed_loop_matrix(arm, s.q, s.qd, s.qdd, OMEGA)
    designed = np.block([[np.zeros((6, 6)), np.eye(6)], [-np.diag(OMEGA**2), -np.diag(2 * OMEGA)]])
    np.testing.assert_allclose(found, np.broadcast_to(designed, found.shape), atol=1e-6)


def test_closed_loop_with_another_model_is_its_difference():
    """Against central differences of the plant under the law, torque and all."""
    plant, model = load_arm("ur5_tu2023"), load_arm("ur5_ragazzon2012")
    s = random_states(6, 3, seed=6)

    def error_rate(x, k):
        q, qd = s.q[k] + x[:6], s.qd[k] + x[6:]
        acceleration = s.qdd[k] - OMEGA**2 * x[:6] - 2 * OMEGA * x[6:]
        tau = inverse_dynamics(model, q, qd, acceleration)
        return np.concatenate([x[6:], forward_dynamics(plant, q, qd, tau)])

    found = closed_loop_matrix(plant, s.q, s.qd, s.qdd, OMEGA, model)
    for k in range(3):
        columns = [(error_rate(1e-5 * u, k) - error_rate(-1e-5 * u, k)) / 2e-5 for u in np.eye(12)]
        np.testing.assert_allclose(
            found[k], np.array(columns).T, atol=1e-6 * np.abs(found[k]).max()
        )


def test_no_operating_point_is_stable():
    """A has a column of zeros, joint 1's: of 5000 points, and along the circle, none is stable."""
    motion = linearisation.operating_points(200)
    model = moving_linearization(load_arm("ur5_tu2023"), *motion)
    assert np.abs(model.A[:, :, 0]).max() < 1e-9
    assert np.all(np.abs(np.linalg.eigvals(model.A)).min(-1) < 1e-6)
    assert not (linearisation.open_loop(linearisation.MANY) < 0).any()
    assert linearisation.near_share(linearisation.open_loop(linearisation.MANY)) == 0
    assert linearisation.stable_share(linearisation.circle_abscissa()) == 0


def test_stability_is_a_matter_of_eigenvalues():
    a = np.array([[[-1.0, 5.0], [0.0, -2.0]], [[0.0, 1.0], [-4.0, 0.0]], [[3.0, 0.0], [0.0, -9.0]]])
    np.testing.assert_allclose(readings.spectral_abscissa(a), [-1, 0, 3], atol=1e-12)


def test_controlled_arm_is_stable_at_every_point():
    """5000 points, with its own model at the slowest omega; another arm's keeps it stable."""
    own = linearisation.closed_loop(linearisation.MANY)
    # double eigenvalues feel the root of the rounding
    np.testing.assert_allclose(own, -22.5, atol=1e-2)
    assert linearisation.closed_loop(linearisation.MANY, linearisation.WRONG_MODEL).max() < 0


def test_readings_differ_from_the_linear_model():
    """None of the formulas as printed has the eigenvalues of A, and none is stable at 72 % of the points."""
    exact = linearisation.open_loop(linearisation.FEW)
    for name in readings.READINGS:
        found = linearisation.as_printed(name, linearisation.FEW)
        assert np.abs(found - exact).max() > 1, name
        assert linearisation.stable_share(linearisation.as_printed(name, 1000)) < 30, name


@pytest.mark.parametrize("order", [1, 2])
def test_torque_error_falls_with_the_order_of_the_series(order):
    assert linearisation.error_slope(order) == pytest.approx(order + 1, abs=0.02)


def test_speed_hardly_changes_stability():
    """Up to pi rad/s in every joint the median of the largest real part stays within a tenth."""
    _, medians = linearisation.speeds_and_abscissa(500)
    assert medians.min() > 1
    assert np.ptp(medians) < 0.1 * medians[0]
