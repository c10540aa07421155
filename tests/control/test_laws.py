"""The control laws against their equations, as kernels and in closed loop."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import GOAL, OMEGA, REST, simulation

from dynamics import inverse_dynamics, load_arm
from dynamics.kinematics import update_frames
from dynamics.work import make_work
from hopfield_nav.control.laws import damping
from hopfield_nav.control.laws import inverse_dynamics as law
from hopfield_nav.plugin import make_sensed

ARM = load_arm("ur5_ragazzon2012")


def _sensed(rng):
    sensed = make_sensed(6)
    for array in sensed[1:6]:
        array[:] = rng.normal(size=6)
    return sensed


@pytest.mark.kernel
def test_inverse_dynamics_law_is_4_1_with_4_4_and_4_6():
    rng = np.random.default_rng(3)
    for _ in range(5):
        sensed, work, tau = _sensed(rng), make_work(6), np.zeros(6)
        update_frames(ARM, sensed.q, work)
        zeta = rng.uniform(0.5, 2.0, 6)
        assert law.control(ARM, sensed, np.array([*OMEGA, *zeta]), np.zeros(0), work, tau) == 0
        wanted = (
            sensed.qdd_ref
            - OMEGA**2 * (sensed.q - sensed.q_ref)
            - 2 * zeta * OMEGA * (sensed.qd - sensed.qd_ref)
        )
        np.testing.assert_allclose(
            tau, inverse_dynamics(ARM, sensed.q, sensed.qd, wanted), rtol=1e-10
        )


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("time", "gain"), [(0.0, 1.0), (5.0, 0.5), (9.0, 0.1), (9.8, 0.02), (50.0, 0.02)]
)
def test_damping_law_is_3_3_1(time, gain):
    """K(t) = 1 - 0.1 t up to 9.8 s, then 0.02, with the defaults."""
    sensed, tau = _sensed(np.random.default_rng(4)), np.zeros(6)
    sensed.time[0] = time
    damping.control(ARM, sensed, damping.METHOD.pack({}, 6), np.zeros(0), make_work(6), tau)
    np.testing.assert_allclose(tau, -gain * sensed.qd, rtol=1e-12)


def _errors(hold, step, q_error, qd_error, duration):
    sim = simulation(
        f"plant: {{step: {step}}}\ncontroller: {{hold: {hold}, saturate: false}}\ntime_limit: {duration}\n"
        + REST
    )
    q0 = sim.state.q.copy()
    sim.state.q[:] += q_error
    sim.state.qd[:] += qd_error
    data = sim.run().data
    return data.time.values, data.q.values - q0


def _law(time, q_error, qd_error):
    decay = np.exp(-np.outer(time, OMEGA))
    return (q_error + np.outer(time, qd_error + OMEGA * q_error)) * decay


def test_an_initial_error_dies_out_critically_damped_joint_by_joint():
    """(c0 + c1 t) exp(-omega t), (4.5): large errors, so that nothing hides in a linear regime."""
    c0 = np.array([0.3, -0.2, 0.25, 0.4, -0.3, 0.5])
    v0 = np.array([1.0, 2.0, -3.0, 1.0, 0.0, -5.0])
    time, found = _errors("false", 0.0005, c0, v0, 0.5)
    np.testing.assert_allclose(found, _law(time, c0, v0), atol=1e-6 * 0.5)


def test_a_joint_without_error_stays_where_it_is():
    """The loop is decoupled: joint 2 swings back by 0.5 rad and no other joint moves."""
    c0 = np.array([0.0, 0.5, 0.0, 0.0, 0.0, 0.0])
    _, found = _errors("false", 0.001, c0, np.zeros(6), 0.3)
    others = np.delete(found, 1, axis=1)
    assert np.abs(found[:, 1]).max() == pytest.approx(0.5)
    assert np.abs(others).max() < 1e-6


def test_a_held_torque_approaches_the_law_with_the_step():
    c0, errors = np.full(6, 0.05), []
    for step in (0.001, 0.0005, 0.00025):
        time, found = _errors("true", step, c0, np.zeros(6), 0.2)
        errors.append(np.abs(found - _law(time, c0, np.zeros(6))).max())
    assert errors[0] > 1e-5  # it is another loop
    rates = np.array(errors[:-1]) / errors[1:]
    np.testing.assert_allclose(rates, 2.0, atol=0.15)


def _tracking(text, outcome="reached"):
    run = simulation(text + GOAL + "record: {every: 5}\ntime_limit: 20\n").run()
    assert run.outcome == outcome
    return np.abs(run.data.q.values - run.data.q_ref.values).max()


def test_free_motion_follows_a_continuous_reference():
    """What is left comes from holding the torque: it goes with the period, and without holding it is gone."""
    at_1_ms, at_half = (_tracking(f"plant: {{step: {step}}}\n") for step in (0.001, 0.0005))
    assert at_half < 1e-5
    assert at_1_ms / at_half == pytest.approx(2.0, abs=0.1)
    assert _tracking("controller: {hold: false}\n") < 1e-8


def test_free_motion_with_the_held_table_of_the_document_has_its_error():
    """7.3: 1e-3 rad, which comes from holding the reference for 5.24 ms."""
    assert (
        1e-4 < _tracking("trajectory: {sample_time: 0.00524}\ndetection: {threshold: 100}\n") < 2e-3
    )


def test_a_wrong_model_tracks_worse():
    right = _tracking("detection: {threshold: 1000}\n")
    wrong = _tracking("detection: {threshold: 1000}\ncontroller: {model: ur5_tu2023}\n")
    assert wrong > 100 * right


def test_a_wrong_model_sags_by_what_it_forgot():
    """At rest M_model K0 q~ = g_model - g: the static error is known."""
    from dynamics import gravity_torque, mass_matrix, with_dynamics

    sim = simulation("controller: {model: ur5_tu2023}\ntime_limit: 3\n" + REST)
    q0 = sim.state.q.copy()
    sim.step(3.0)
    model = with_dynamics(sim.arm, load_arm("ur5_tu2023"))
    missing = gravity_torque(model, sim.state.q) - gravity_torque(sim.arm, sim.state.q)
    held = mass_matrix(model, sim.state.q) @ (OMEGA**2 * (sim.state.q - q0))
    assert np.abs(missing).max() > 0.1
    np.testing.assert_allclose(held, missing, atol=1e-6)


def test_plant_and_model_that_share_a_mistake_cancel():
    """With the printed dynamics in both the loop is as good as with the right ones in both."""
    text = "plant: {{dynamics: {0}}}\ncontroller: {{model: {1}}}\ndetection: {{threshold: 1000}}\n"
    printed, own = "ur5_ragazzon2012_as_printed", "ur5_ragazzon2012"
    assert _tracking(text.format(printed, printed)) < 2 * _tracking(text.format(own, own))
    assert _tracking(text.format(own, printed), "time_limit") > 1e-3
