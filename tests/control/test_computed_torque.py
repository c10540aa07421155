"""Computed torque with separate gains, alone and on MuJoCo's arm (kebria2016 section V)."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from kebria2016 import validation, validation_run
from scenes import world

from dynamics import inverse_dynamics, load_arm
from dynamics.kinematics import update_frames
from dynamics.work import make_work
from hopfield_nav.experiment import simulate
from hopfield_nav.plugin import find_method, make_sensed

POLES = (-1.127, -8.873)  # of s² + 10 s + 10, three decimals


@pytest.fixture(scope="module")
def run():
    return validation_run.follow()


def test_default_gains_are_the_published_ones():
    gains = {p.name: p.default for p in find_method("controller", "computed_torque").parameters}
    poles = np.roots([1.0, gains["derivative"], gains["proportional"]])
    np.testing.assert_allclose(np.sort(poles), np.sort(POLES), atol=1e-3)


def test_torque_is_that_of_equation_11(arm):
    rng = np.random.default_rng(1)
    gains = {"proportional": rng.uniform(5, 50, 6), "derivative": rng.uniform(5, 50, 6)}
    method, sensed, work, tau = (
        find_method("controller", "computed_torque"),
        make_sensed(6),
        make_work(6),
        np.zeros(6),
    )
    for array in sensed[1:6]:
        array[:] = rng.uniform(-2, 2, 6)
    run_law = _compiled_call(method)
    run_law(arm, sensed, method.pack(gains, 6), np.zeros(0), work, tau)
    error, rate = sensed.q - sensed.q_ref, sensed.qd - sensed.qd_ref
    wanted = sensed.qdd_ref - gains["derivative"] * rate - gains["proportional"] * error
    np.testing.assert_allclose(
        tau, inverse_dynamics(arm, sensed.q, sensed.qd, wanted), rtol=1e-12, atol=1e-10
    )


@cache
def _compiled_call(method):
    """The law after its frames, compiled as in the loop."""
    from dynamics.kernels.decorators import kernel

    law = kernel(method.kernel)

    @kernel
    def call(model, sensed, parameters, memory, work, tau):
        update_frames(model, sensed.q, work)
        law(model, sensed, parameters, memory, work, tau)

    return call


def test_equal_to_inverse_dynamics_where_the_gains_are():
    """K_P = ω², K_D = 2 ω is the law of ragazzon2012."""
    omega = 20.0
    scene = "goal: {cell: [6, 11]}\ntime_limit: 1.0\ndetection: {estimator: none}\n"
    one = simulate(world(scene + f"controller: {{law: inverse_dynamics, omega: {omega}}}"))
    gains = f"proportional: {omega**2}, derivative: {2 * omega}"
    other = simulate(world(scene + f"controller: {{law: computed_torque, {gains}}}"))
    assert np.ptp(one.data.q.values, axis=0).max() > 0.05
    np.testing.assert_allclose(other.data.q.values, one.data.q.values, rtol=0, atol=1e-12)


def test_poles_of_the_error_on_mujoco(run):
    np.testing.assert_allclose(validation_run.poles(), POLES, rtol=0, atol=5e-4)
    np.testing.assert_allclose(validation.fitted_poles(run), POLES, rtol=0, atol=5e-3)


def test_error_below_one_percent(run):
    assert validation.settling_time(run) == pytest.approx(4.208, abs=2e-3)


def test_error_is_the_analytic_one(run):
    assert validation.largest_difference(run) < 1e-8


def test_a_held_torque_leaves_an_error_that_falls_with_the_period():
    errors = [validation.largest_difference(validation_run.follow(True, p)) for p in (2e-3, 1e-3)]
    assert errors[0] < 0.04
    assert errors[0] / errors[1] == pytest.approx(2.0, abs=0.1)


def test_a_wrong_model_shows(run, monkeypatch):
    """The study can fail: a load of 0.5 kg that the controller knows nothing of is seen at once."""
    from hopfield_nav.extensions.engines import MujocoLoop

    class Loaded(MujocoLoop):
        def __init__(self, *args):
            super().__init__(*args)
            self.model.body_mass[6] += 0.5

    monkeypatch.setattr("hopfield_nav.extensions.engines.plants.mujoco.MujocoLoop", Loaded)
    wrong = validation_run.follow.__wrapped__()
    assert validation.largest_difference(wrong) > 0.05


def test_profile_is_regular():
    assert validation_run.smallest_singular_value() > 0.1


def test_tool_follows_the_profile(run):
    away, turn = validation.pose_errors(run)
    end = run.time > validation_run.DURATION - 1
    assert away[0] > 0.05  # it starts beside the profile
    assert away[end].max() < 1e-5
    assert turn[end].max() < 1e-4


def test_reference_is_the_profile():
    """Between the knots the spline of the joint angles stays on the profile."""
    from dynamics import forward_kinematics
    from hopfield_nav.loop import evaluate

    time = np.arange(0.005, 10.0, 0.1)
    q = np.array([evaluate(validation_run.reference(), t)[0] for t in time])
    T = forward_kinematics(load_arm(validation_run.ARM), q)
    np.testing.assert_allclose(T, validation_run.profile(time), rtol=0, atol=1e-7)


def test_rows_name_tests_that_exist(run):
    import ledger
    import verdicts

    rows = list(validation.rows())
    assert len(rows) == 6
    assert [ledger.faults(row) for row in rows] == [[]] * 6
    assert {row.verdict for row in rows} == {verdicts.REPRODUCED}


def test_figures_are_written(run, tmp_path):
    assert all(path.stat().st_size > 10_000 for path in validation.draw(tmp_path))
