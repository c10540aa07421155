"""Sensors: rounding and noise, what the control computer and the record see of it, and repeatability."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scenes import REST, simulation

from dynamics.kernels.decorators import kernel
from hopfield_nav.control import make_generator, make_sensors, sense, sense_torque

NOISY = "sensors: {encoder_resolution: 1.0e-4, velocity_noise: 0.01}\ntime_limit: 0.5\n"


@kernel
def _many(sensors, q, qd, random, out):
    sensed = np.zeros(q.size)
    for k in range(out.shape[0]):
        sense(sensors, q, qd, random, sensed, out[k])


@pytest.mark.kernel
def test_the_noise_is_normal_and_independent():
    out = np.zeros((20000, 2))
    _many(
        make_sensors(2, 0.0, [0.5, 2.0]), np.zeros(2), np.array([1.0, -1.0]), make_generator(3), out
    )
    z = (out - [1.0, -1.0]) / [0.5, 2.0]
    np.testing.assert_allclose(z.mean(axis=0), 0.0, atol=0.03)
    np.testing.assert_allclose(z.std(axis=0), 1.0, atol=0.02)
    np.testing.assert_allclose((z**4).mean(axis=0), 3.0, atol=0.2)
    assert abs(np.corrcoef(z.T)[0, 1]) < 0.03
    assert abs(np.corrcoef(z[1:, 0], z[:-1, 0])[0, 1]) < 0.03


@kernel
def _many_torques(sensors, random, commanded, tau, measured):
    for k in range(tau.shape[0]):
        tau[k] = commanded
        sense_torque(sensors, random, tau[k], measured[k])


@pytest.mark.kernel
def test_the_noise_of_the_torque_is_normal_and_is_measured():
    """The motors add a noise of the deviation that was asked for; a joint without noise adds none."""
    commanded, (tau, measured) = np.array([3.0, -2.0, 1.0]), np.zeros((2, 20000, 3))
    _many_torques(
        make_sensors(3, torque_noise=[0.5, 2.0, 0.0]), make_generator(3), commanded, tau, measured
    )
    np.testing.assert_array_equal(tau, measured)
    np.testing.assert_array_equal(tau[:, 2], 1.0)
    z = (tau - commanded)[:, :2] / [0.5, 2.0]
    np.testing.assert_allclose(z.mean(axis=0), 0.0, atol=0.03)
    np.testing.assert_allclose(z.std(axis=0), 1.0, atol=0.02)


@pytest.mark.kernel
def test_exact_sensors_draw_no_random_numbers():
    random = make_generator(1)
    before, q = random.state, np.array([0.1, 0.2])
    out = np.zeros((1, 2))
    _many(make_sensors(2), q, q, random, out)
    assert random.state == before
    np.testing.assert_array_equal(out[0], q)


def test_measured_angles_lie_on_the_encoders_steps_and_the_torque_follows_them():
    data = simulation(NOISY + REST).run().data
    steps = data.q_sensed.values / 1e-4
    np.testing.assert_allclose(steps, np.round(steps), atol=1e-6)
    error = data.qd_sensed.values - data.qd.values
    assert error.std() == pytest.approx(0.01, rel=0.05)
    assert np.abs(np.diff(data.tau.values, axis=0)).max() > 0.01
    exact = simulation("time_limit: 0.5\n" + REST).run().data
    np.testing.assert_array_equal(exact.q_sensed.values, exact.q.values)


def test_a_seed_repeats_the_noise_and_another_does_not():
    first, again, other = (simulation(f"seed: {s}\n" + NOISY + REST).run().data for s in (1, 1, 2))
    np.testing.assert_array_equal(first.qd_sensed.values, again.qd_sensed.values)
    assert not np.array_equal(first.qd_sensed.values, other.qd_sensed.values)


def test_the_summary_lists_what_is_not_ideal():
    summary = (
        simulation(
            NOISY + REST + "arm: ur5_full\nplant: {friction: arm}\n"
            "controller: {period: 0.002, delay: 0.002, model_error: {mass_scale: 1.1, payload: unknown}}\n"
        )
        .record()
        .summary["imperfections"]
    )
    assert summary == {
        "plant.friction": "arm",
        "controller.model_error.mass_scale": 1.1,
        "controller.model_error.payload": "unknown",
        "sensors.encoder_resolution": 1e-4,
        "sensors.velocity_noise": 0.01,
        "controller.period_s": 0.002,
        "controller.delay_s": 0.002,
    }
    assert simulation(REST).record().summary["imperfections"] == {}


def test_model_errors_reach_the_model_and_not_the_plant():
    sim = simulation(
        "arm: ur5_full\nplant: {friction: arm}\ntool: {payload: {mass: 2}}\n"
        "controller:\n"
        "  model_error: {mass_scale: [1, 1.1, 1, 1, 1, 1], friction_scale: 0.8, payload: unknown}\n"
        + REST
    )
    model, arm = sim.controller.model, sim.plant.arm
    assert model.mass[1] == pytest.approx(1.1 * arm.mass[1])
    np.testing.assert_allclose(model.inertia[1], 1.1 * arm.inertia[1])
    np.testing.assert_allclose(model.friction[:, :3], 0.8 * arm.friction[:, :3])
    assert arm.mass[5] == pytest.approx(model.mass[5] + 2.0)


FAULTS = {
    "noise without a computer": (
        "sensors: {velocity_noise: 0.1}\ncontroller: {hold: false}",
        "true state",
    ),
    "two values": ("sensors: {velocity_noise: [0.1, 0.2]}", "6, one a joint"),
    "too coarse": ("sensors: {encoder_resolution: 1}", "0 to 0.1 rad"),
    "misspelt": ("sensors: {velocitynoise: 0.1}", "velocity_noise"),
    "an unknown payload": ("controller: {model_error: {payload: none}}", "known, unknown"),
}


@pytest.mark.parametrize(("text", "words"), FAULTS.values(), ids=FAULTS)
def test_faults_are_one_line(text, words):
    with refused(words):
        simulation(text + "\n")


@pytest.mark.kernel
def test_encoders_round_to_the_nearest_step():
    """Never further off than half a step, and without a bias: rounding down would have one of half a step."""
    step, q = 1e-3, np.random.default_rng(0).uniform(-3, 3, 4000)
    out, measured = np.zeros((1, q.size)), np.zeros(q.size)
    _measure(make_sensors(q.size, step), q, make_generator(0), measured, out[0])
    assert np.abs(measured - q).max() <= 0.5 * step * (1 + 1e-9)
    assert abs((measured - q).mean()) < 0.02 * step


@kernel
def _measure(sensors, q, random, q_out, qd_out):
    sense(sensors, q, q, random, q_out, qd_out)
