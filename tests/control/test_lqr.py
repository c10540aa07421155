"""The linear-quadratic regulator: its law, and the closed loop."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import random_states
from refusals import refused
from scenes import simulation
from scipy.linalg import solve_continuous_are

from dynamics import inverse_dynamics, load_arm, moving_linearization
from dynamics.work import make_work
from hopfield_nav import load_world, simulate
from hopfield_nav.control.laws import lqr
from hopfield_nav.plugin import find_method, make_sensed

ARM = load_arm("ur5_ragazzon2012")
LQR = "controller: {law: lqr}\ndetection: {estimator: none}\n"


def _scipy_gain(q, qd, qdd, parameters):
    model = moving_linearization(ARM, q, qd, qdd)
    state, torque = np.diag(parameters[:12]), np.diag(parameters[12:18])
    x = solve_continuous_are(model.A, model.B, state, torque)
    return np.linalg.solve(torque, model.B.T @ x)


def _weights():
    return lqr.METHOD.pack({"velocity_weight": 1e-3}, 6)


@pytest.mark.kernel
def test_law_is_feedforward_minus_scipy_s_gain_times_the_error():
    s, parameters, rng = random_states(6, 5, seed=2), _weights(), np.random.default_rng(3)
    for k in range(5):
        sensed, memory, tau = make_sensed(6), np.zeros(lqr.memory_size(6)), np.zeros(6)
        sensed.q_ref[:], sensed.qd_ref[:], sensed.qdd_ref[:] = s.q[k], s.qd[k], s.qdd[k]
        error = 0.1 * rng.normal(size=12)
        sensed.q[:], sensed.qd[:] = s.q[k] + error[:6], s.qd[k] + error[6:]
        assert lqr.control(ARM, sensed, parameters, memory, make_work(6), tau) == 0
        expected = inverse_dynamics(ARM, s.q[k], s.qd[k], s.qdd[k])
        expected = expected - _scipy_gain(s.q[k], s.qd[k], s.qdd[k], parameters) @ error
        np.testing.assert_allclose(tau, expected, rtol=1e-6, atol=1e-7 * np.abs(expected).max())


@pytest.mark.kernel
def test_gain_is_kept_for_its_period():
    """Between two gains the law is linear in the error even where the reference has gone elsewhere."""
    parameters, memory, work = _weights(), np.zeros(lqr.memory_size(6)), make_work(6)
    gains = []
    for time, q_ref in ((0.0, 0.3), (0.005, 0.9), (0.010, 0.9)):
        sensed, tau = make_sensed(6), np.zeros(6)
        sensed.time[0], sensed.q_ref[:], sensed.q[:] = time, q_ref, q_ref
        lqr.control(ARM, sensed, parameters, memory, work, tau)
        gains.append(memory[1:73].copy())
    assert np.array_equal(gains[0], gains[1])
    assert np.abs(gains[2] - gains[0]).max() > 1


@pytest.mark.kernel
def test_law_sees_sensed_signals_and_its_model_alone():
    """Two calls with the same sensed signals give the same torque whatever lies in the scratch arrays."""
    torques = []
    for fill in (0.0, np.nan):
        sensed, work, tau = make_sensed(6), make_work(6), np.zeros(6)
        for array in work:
            array[...] = fill
        sensed.q[:], sensed.q_ref[:] = 0.1, 0.2
        lqr.control(ARM, sensed, _weights(), np.zeros(lqr.memory_size(6)), work, tau)
        torques.append(tau)
    assert np.isfinite(torques[0]).all()
    assert np.array_equal(*torques)


def test_law_is_built_in_with_ranges():
    method = find_method("controller", "lqr")
    assert method is lqr.METHOD
    with refused("torque_weight"):
        simulation("controller: {law: lqr, torque_weight: 0}\ndetection: {estimator: none}\n")


def test_an_initial_error_dies_out():
    """0.1 rad on each joint at once is below 1 % after 0.5 s, and does not come back."""
    sim = simulation(LQR.replace("lqr", "lqr, saturate: false") + "time_limit: 1\n")
    q0 = sim.state.q.copy()
    sim.state.q[:] += 0.1
    data = sim.run().data
    late = np.abs(data.q.values - q0)[data.time.values > 0.5]
    assert late.max() < 1e-3


def test_tracks_the_first_trajectory_of_the_main_experiment():
    """With a continuous reference; what is left comes from holding the torque, and goes with the period."""
    errors = []
    for step in (0.001, 0.0005):
        run = simulation(
            LQR + f"plant: {{step: {step}}}\ngoal: {{cell: [17, 6]}}\ntime_limit: 20\n"
        ).run()
        assert run.outcome == "reached"
        errors.append(np.abs(run.data.q.values - run.data.q_ref.values).max())
    assert errors[0] < 1e-4
    assert errors[0] / errors[1] == pytest.approx(2, abs=0.3)


def test_main_experiment_without_obstacles_arrives():
    settings = [
        "controller={law: lqr, saturate: false}",
        "detection.estimator=none",
        "obstacles=[]",
    ]
    run = simulate(load_world("ragazzon2012", settings))
    assert run.outcome == "reached"
    assert run.summary["final_tool_error_m"] < 1e-4
