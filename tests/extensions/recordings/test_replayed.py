"""Replayed methods: the closed loop's own beliefs come back from its record, and refusals."""

from __future__ import annotations

import time as clock

import numpy as np
import pytest
from refusals import refused

from dynamics import inverse_dynamics, jacobian, load_arm, mass_matrix
from hopfield_nav.build import find_methods
from hopfield_nav.experiment import Simulation, build_controller, simulate
from hopfield_nav.extensions.recordings import Signals, replay, signals_of_run
from hopfield_nav.plugin import Method, find_method
from hopfield_nav.world import load_world

ARM = load_arm("ur5_ragazzon2012")
ESTIMATOR, DETECTOR = (
    find_method("estimator", "joint_error"),
    find_method("detector", "wrench_norm"),
)


def again(run, **more):
    """What the methods of a run believe when they are given its record."""
    methods = find_methods(run.world)
    simulation = Simulation(run.world)
    controller = build_controller(run.world, simulation.arm, methods)
    values = {**run.world.detection.parameters, **more}
    if any(p.inherit for p in methods.estimator.parameters):
        values["omega"] = run.world.controller.parameters["omega"]
    return replay(
        controller.model, signals_of_run(run), methods.estimator, methods.detector, values
    )


def random_signals(rng, count=50, n=6):
    arrays = [rng.uniform(-2, 2, (count, n)) for _ in range(6)]
    return Signals(0.008 * np.arange(count), *arrays)


def _torque_is_seen(model, sensed, parameters, memory, work, tau_external, wrench):
    for i in range(tau_external.size):
        tau_external[i] = sensed.tau[i]
    wrench[0] = memory[0]
    memory[0] += 1.0
    wrench[1] = sensed.time[0]
    wrench[2] = work.tool[2, 3]
    return 0


ECHO = Method("estimator", "echo", _torque_is_seen, memory=lambda n: 1)


@pytest.mark.parametrize("period", [0.001, 0.004])
def test_a_run_without_collision_is_repeated_to_the_last_digit(period):
    world = load_world(
        "ragazzon2012", ["detection.threshold=1e5", "time_limit=2.0", f"controller.period={period}"]
    )
    run = simulate(world)
    found = again(run)
    stride = round(period / 0.001)
    data = run.data.isel(time=slice(None, None, stride))
    np.testing.assert_array_equal(found.level, data.level)
    np.testing.assert_array_equal(found.wrench[:, :3], data.force_estimate)
    assert found.level.max() > 0
    assert not found.detected.any()


def test_the_measured_signals_are_replayed_where_sensors_are_imperfect():
    """With the true angles the level would differ: the replay reads what the sensors said."""
    sensors = ["sensors.encoder_resolution=0.0001", "sensors.velocity_noise=0.01"]
    run = simulate(
        load_world("ragazzon2012", ["detection.threshold=1e5", "time_limit=1.0", *sensors])
    )
    found = again(run)
    np.testing.assert_array_equal(found.level, run.data.level)
    np.testing.assert_array_equal(found.tau_external, run.data.tau_external_estimate)
    assert np.abs(run.data.q - run.data.q_sensed).max() > 1e-5


def test_the_torque_that_was_measured_is_in_the_record_and_is_replayed():
    """Its noise is new in every control period, and the observer was given it."""
    noise, period = 0.5, 0.004
    world = load_world(
        "ragazzon2012_momentum",
        [f"sensors.torque_noise={noise}", f"controller.period={period}", "detection.threshold=1e5",
         "time_limit=4", "goal=null"],
    )  # fmt: skip
    run = simulate(world)
    each = run.data.isel(time=slice(None, None, round(period / world.plant.step)))
    np.testing.assert_array_equal(again(run).tau_external, each.tau_external_estimate)
    error = each.tau_sensed.values[1:] - each.tau.values[:-1]
    assert error.std() == pytest.approx(noise, rel=0.05)
    assert abs(np.corrcoef(error[:-1, 0], error[1:, 0])[0, 1]) < 0.1
    quiet = simulate(load_world("ragazzon2012_momentum", ["time_limit=0.01"]))
    assert "tau_sensed" not in quiet.data


def test_a_run_with_gears_that_give_is_repeated_where_the_encoders_step_is_told():
    real = [
        "plant={dynamics: ur5_full, friction: arm}",
        "controller.model=ur5_full",
        "time_limit=1.0",
    ]
    real += [
        "sensors.encoder_resolution=1e-4",
        "detection={measure: adaptive_joint_torque, threshold: 1.0e5}",
    ]
    run = simulate(load_world("ragazzon2012_momentum", real))
    np.testing.assert_array_equal(again(run, encoder_resolution=1e-4).level, run.data.level)
    assert np.any(again(run).level != run.data.level)


def test_alarms_of_a_run_come_back():
    """At the row of a detection the record holds the new plan's reference; everywhere else all is equal."""
    run = simulate(load_world("ragazzon2012", ["time_limit=40"]))
    found, logged = again(run), run.data.detected.values.astype(bool)
    assert logged.sum() >= 2
    same = ~logged
    np.testing.assert_array_equal(found.level[same], run.data.level.values[same])
    for row in np.flatnonzero(logged):
        assert found.detected[row - 1 : row + 3].any()


def test_torque_is_that_of_the_period_before():
    run = simulate(load_world("ragazzon2012", ["time_limit=0.5", "controller.period=0.005"]))
    signals = signals_of_run(run)
    np.testing.assert_array_equal(signals.tau[0], 0.0)
    np.testing.assert_array_equal(
        signals.tau[1:], run.data.tau.values[4::5][: len(signals.time) - 1]
    )
    # held
    np.testing.assert_array_equal(
        signals.tau[1:], run.data.tau.values[0::5][: len(signals.time) - 1]
    )


def test_the_document_s_estimate_row_by_row():
    rng = np.random.default_rng(1)
    signals, omega = random_signals(rng), rng.uniform(1, 30, 6)
    found = replay(
        ARM,
        signals,
        ESTIMATOR,
        DETECTOR,
        {"omega": omega, "threshold": 5.0, "singular_damping": 1e-9},
    )
    for k in range(0, 50, 7):
        expected = mass_matrix(ARM, signals.q[k]) @ (omega**2 * (signals.q[k] - signals.q_ref[k]))
        np.testing.assert_allclose(found.tau_external[k], expected, rtol=1e-10, atol=1e-9)
        back = jacobian(ARM, signals.q[k]).T @ found.wrench[k]
        np.testing.assert_allclose(back, expected, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(found.level, np.linalg.norm(found.wrench, axis=1) / 5.0)


def test_methods_see_torque_time_memory_and_frames():
    signals = random_signals(np.random.default_rng(2))
    found = replay(ARM, signals, ECHO, DETECTOR)
    np.testing.assert_array_equal(found.tau_external, signals.tau)
    np.testing.assert_array_equal(found.wrench[:, 0], np.arange(50))
    np.testing.assert_array_equal(found.wrench[:, 1], signals.time)
    from dynamics import forward_kinematics

    np.testing.assert_allclose(
        found.wrench[:, 2], forward_kinematics(ARM, signals.q)[:, 2, 3], atol=1e-12
    )


def test_an_alarm_is_raised_once_and_armed_again_below():
    level = np.array([0, 2, 2, 2.5, 1.2, 0.5, 3, 0.2])
    signals = random_signals(np.random.default_rng(3), len(level))
    signals.tau[:] = 0.0
    signals.tau[:, 0] = level
    largest = Method("detector", "largest", _largest_torque)
    found = replay(ARM, signals, ECHO, largest)
    np.testing.assert_array_equal(found.level, level)
    np.testing.assert_array_equal(np.flatnonzero(found.detected), [1, 6])
    held = replay(ARM, signals, ECHO, largest, rearm=0.1)  # 3 is more than 1 above the lowest since
    np.testing.assert_array_equal(np.flatnonzero(held.detected), [1, 6])
    signals.tau[6, 0] = 1.4
    assert np.flatnonzero(replay(ARM, signals, ECHO, largest, rearm=0.1).detected).tolist() == [1]
    assert np.flatnonzero(replay(ARM, signals, ECHO, largest).detected).tolist() == [1, 6]


def _largest_torque(model, sensed, parameters, memory, work, tau_external, wrench):
    largest = 0.0
    for i in range(tau_external.size):
        largest = max(largest, abs(tau_external[i]))
    return largest


def test_a_million_rows_in_seconds():
    signals = random_signals(np.random.default_rng(4), 200_000)
    values = {"omega": 20.0}
    replay(ARM, random_signals(np.random.default_rng(5)), ESTIMATOR, DETECTOR, values)  # compiled
    started = clock.perf_counter()
    replay(ARM, signals, ESTIMATOR, DETECTOR, values)
    assert clock.perf_counter() - started < 2.0  # 0.2 s on an idle machine


def nan_torque(signals):
    """The signals with a torque that is no number in row 7."""
    signals.tau[7, 2] = np.nan
    return signals


def same(signals):
    return signals


GOOD = {"omega": 20.0}
REFUSED = {
    "no omega": (same, {}, "omega must be given"),
    "a misspelt parameter": (
        same,
        {**GOOD, "treshold": 3},
        r"unknown parameter; found 'treshold'.*Did you mean 'threshold'",
    ),
    "negative omega": (same, {"omega": -1.0}, "omega: out of range"),
    "omega of nan": (same, {"omega": np.nan}, "omega: wrong kind of value; found nan"),
    "a joint without omega": (same, {"omega": [1, 2, 3, 4, 5, 0]}, "omega.5: out of range"),
    "backwards": (lambda s: s._replace(time=s.time[::-1]), GOOD, "time does not increase"),
    "too short a time": (lambda s: s._replace(time=s.time[1:]), GOOD, "length"),
    "five joints": (
        lambda s: s._replace(qd_ref=s.qd_ref[:, :5]),
        GOOD,
        "qd_ref has the wrong shape",
    ),
    "a torque of nan": (nan_torque, GOOD, r"signals.tau, row 7: not a finite number"),
}


@pytest.mark.parametrize(("change", "values", "words"), REFUSED.values(), ids=REFUSED)
def test_refusals(change, values, words):
    signals = change(random_signals(np.random.default_rng(6)))
    with refused(words):
        replay(ARM, signals, ESTIMATOR, DETECTOR, values)


def test_a_record_too_coarse_is_refused():
    run = simulate(load_world("ragazzon2012", ["time_limit=0.1", "record.every=2"]))
    with refused(r"50 rows, 0.002 s apart.*of which a whole number are 0.001 s"):
        signals_of_run(run)


def test_nothing_recorded_gives_nothing():
    empty = Signals(np.zeros(0), *(np.zeros((0, 6)),) * 6)
    found = replay(ARM, empty, ESTIMATOR, DETECTOR, {"omega": 1.0})
    assert found.tau_external.shape == (0, 6)
    assert found.level.size == 0


def test_model_and_signals_of_three_joints(tmp_path):
    from scenes import PLANAR

    (tmp_path / "planar.yaml").write_text(PLANAR)
    arm = load_arm(str(tmp_path / "planar.yaml"))
    signals = random_signals(np.random.default_rng(7), 20, 3)
    found = replay(arm, signals, ESTIMATOR, DETECTOR, {"omega": [1.0, 2.0, 3.0]})
    zero = np.zeros(3)
    error = np.array([1.0, 4.0, 9.0]) * (signals.q - signals.q_ref)
    still = arm._replace(gravity=np.zeros(3))
    expected = inverse_dynamics(still, signals.q[4], zero, error[4])
    np.testing.assert_allclose(found.tau_external[4], expected, atol=1e-12)
