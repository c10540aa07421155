"""The force and torque sensor at the flange, in the loop: laws, errors, and what it does not feel."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scenes import REST, contact_of, simulation, world

from dynamics import forward_kinematics, jacobian, link_frames, load_arm, with_tool
from hopfield_nav import simulate
from hopfield_nav.build import build_model
from hopfield_nav.extensions.recordings import replay, signals_of_run
from hopfield_nav.extensions.recordings.chosen import values_of_world
from hopfield_nav.geometry import arm_bodies, pack_primitives, sphere
from hopfield_nav.loop import ContactLaw, make_contact
from hopfield_nav.plugin import find_method

SENSOR = "sensors: {wrench: {}}\n"
PAYLOAD = (
    "tool: {frame: {position: [0, 0.02, 0.1]}, payload: {mass: 1.5, center_of_mass: [0.02, -0.01, 0.06], "
    "inertia: [[3.0e-3, 0, 0], [0, 4.0e-3, 0], [0, 0, 2.0e-3]]}}\n"
)
RAW = "controller: {model_error: {payload: unknown}}\n"  # nothing is taken off
WRIST = "detection: {estimator: wrist_sensor, measure: force_norm}\n"
MOVING = "goal: {cell: [17, 6]}\ntime_limit: 0.6\n"
FAST = "trajectory: {time_per_cell: 0.25}\n"
PUSHED = "pushes: [{{link: {link}, point: {point}, times: [0.2, 0.9], force: [12, -7, 5]}}]\n"


def _sensed(data):
    return np.hstack([data.force_sensed.values, data.moment_sensed.values])


def _in_base(data, arm, values):
    turn = link_frames(arm, data.q.values)[:, -1, :3, :3]
    return np.einsum("kij,kj->ki", turn, values)


@pytest.mark.parametrize("engine", ["internal", "flexible", "mujoco"])
def test_newtons_second_law_of_the_payload(engine):
    """m a = F + m g - f: its centre of mass accelerates with what pushes it, its weight and the flange."""
    push = PUSHED.format(link=6, point=[0, 0.02, 0.1]) if engine == "internal" else ""
    plant = f"plant: {{engine: {engine}, step: 1.0e-4}}\n"
    made = simulation(PAYLOAD + SENSOR + RAW + REST + MOVING + FAST + push + plant)
    data = made.run().data
    at_center = np.eye(4)
    at_center[:3, 3] = [0.02, -0.01, 0.06]
    columns = jacobian(with_tool(made.arm, at_center), data.q.values)[:, :3]
    speed = np.einsum("kij,kj->ki", columns, data.qd.values)
    acceleration = np.diff(speed, axis=0) / 1e-4  # over the step from a row to the next
    felt = _in_base(data, made.arm, data.force_sensed.values)[1:]  # a sample is known a step later
    wanted = data.force.values[:-1] + 1.5 * (made.arm.gravity - acceleration)
    assert np.abs(acceleration[500:]).max() > 0.5
    assert np.abs(felt - wanted)[500:].max() < 0.02  # the acceleration changes within a step


def test_a_push_in_front_of_the_flange_is_felt_with_its_moment():
    data = (
        simulation(
            SENSOR + REST + PUSHED.format(link=6, point=[0.01, 0.02, 0.1]) + "time_limit: 0.6\n"
        )
        .run()
        .data
    )
    arm = load_arm("ur5_ragazzon2012")
    for row in (300, 500):
        turn = link_frames(arm, data.q.values[row - 1])[-1, :3, :3]
        force = turn.T @ [12, -7, 5]
        np.testing.assert_allclose(data.force_sensed.values[row], force, atol=1e-9)
        np.testing.assert_allclose(
            data.moment_sensed.values[row], np.cross([0.01, 0.02, 0.1], force), atol=1e-9
        )


@pytest.mark.parametrize(("link", "point"), [(3, [0.1, 0, 0]), (5, [0, 0, 0]), (6, [0, 0, -0.03])])
def test_a_push_before_the_flange_is_not_felt(link, point):
    data = (
        simulation(SENSOR + REST + PUSHED.format(link=link, point=point) + "time_limit: 0.6\n")
        .run()
        .data
    )
    assert np.abs(data.tau_external.values[300]).max() > 0.1
    np.testing.assert_array_equal(_sensed(data), 0.0)


@pytest.mark.parametrize(("link", "felt"), [(3, False), (6, True)])
def test_contacts_of_the_tool_are_felt_and_those_of_the_links_are_not(link, felt):
    tool = np.eye(4)
    tool[:3, 3] = [0.02, 0.0, 0.15]
    arm, q = with_tool(load_arm("ur5_full"), tool), np.array([0.3, -1.2, 1.4, 0.2, 0.9, 0.1])
    frame = link_frames(arm, q)[link]
    place = frame[:3, :3] @ ([0.2, 0.0, 0.06] if link == 3 else [0.02, 0.02, 0.12]) + frame[:3, 3]
    ball = pack_primitives([sphere(place, 0.03)])
    contact = make_contact(
        ContactLaw(1e4, 0.0, 0.0), ball, arm_bodies(arm), beyond=len(arm.capsules)
    )
    torque, touch = contact_of(arm, contact, q, np.zeros(6))
    assert np.linalg.norm(touch.force) > 1.0
    if not felt:
        np.testing.assert_array_equal(touch.beyond, 0.0)
        return
    np.testing.assert_allclose(touch.beyond[:3], touch.force)
    np.testing.assert_allclose(touch.beyond[3:], np.cross(touch.point, touch.force))
    at_tool = np.append(
        touch.force, np.cross(touch.point - forward_kinematics(arm, q)[:3, 3], touch.force)
    )
    np.testing.assert_allclose(torque, jacobian(arm, q).T @ at_tool, atol=1e-9)


def test_a_known_payload_is_taken_off_and_an_unknown_one_is_felt():
    known = simulation(PAYLOAD + SENSOR + REST + MOVING).run().data
    unknown = simulation(PAYLOAD + SENSOR + RAW + REST + MOVING).run().data
    largest = np.linalg.norm(known.force_sensed.values, axis=1).max()
    assert largest < 0.25  # the arm follows its reference with a lag
    assert np.linalg.norm(unknown.force_sensed.values, axis=1).min() > 9.0


HIT = "obstacles: [{cylinder: {center: [0.45, -0.05], radius: 0.06}}]\ngoal: {cell: [17, 6]}\ntime_limit: 8\n"


@pytest.mark.parametrize("tool", ["", "tool: {frame: {position: [0.01, 0.02, 0.1]}}\n"])
def test_the_estimate_is_the_force_of_a_step_before_and_acts_at_the_tool_point(tool):
    """A force on the tool point has no moment about it, however far that is from the sensor."""
    made = simulation(HIT + SENSOR + WRIST + tool)
    data = made.run().data
    assert np.abs(data.force.values).max() > 1.0
    force, found = data.force.values, data.force_estimate.values
    rows = data.time.values > 0.11
    # the arm turns on
    np.testing.assert_allclose(found[1:][rows[1:]], force[:-1][rows[1:]], atol=0.01)
    np.testing.assert_allclose(data.moment_estimate.values, 0.0, atol=1e-6)
    wrench = np.hstack([found, data.moment_estimate.values])
    torque = np.einsum("kij,ki->kj", jacobian(made.arm, data.q.values), wrench)
    np.testing.assert_allclose(data.tau_external_estimate.values, torque, atol=1e-9)


def test_an_offset_is_zeroed_and_the_drift_after_that_is_not():
    shifted = "sensors: {wrench: {force_offset: [3, -2, 5], moment_offset: [0.1, 0.2, 0]}}\n"
    data = simulation(shifted + WRIST + "time_limit: 0.5\n").run().data
    np.testing.assert_allclose(data.force_sensed.values[-1], [3, -2, 5], atol=1e-9)
    np.testing.assert_allclose(data.force_estimate.values, 0.0, atol=1e-9)
    never = WRIST.replace("{est", "{zero: 0, est")
    kept = simulation(shifted + never + "time_limit: 0.5\n").run().data
    assert np.linalg.norm(kept.force_estimate.values[-1]) == pytest.approx(
        np.linalg.norm([3, -2, 5])
    )
    drifting = "sensors: {wrench: {force_drift: 2}}\n"
    drifted = simulation(drifting + WRIST + "time_limit: 2\n").run().data
    assert np.linalg.norm(drifted.force_estimate.values[-1]) > 0.5


def test_noise_is_new_in_each_sample_and_drift_adds_up():
    noisy = "sensors: {wrench: {force_noise: 0.4, moment_noise: 0.02}}\n"
    sensed = _sensed(simulation(noisy + REST + "time_limit: 8\n").run().data)[1:]
    np.testing.assert_allclose(sensed.std(axis=0), [0.4] * 3 + [0.02] * 3, rtol=0.05)
    assert abs(np.corrcoef(sensed[1:, 0], sensed[:-1, 0])[0, 1]) < 0.05
    walking = "sensors: {wrench: {force_drift: 0.5, moment_drift: 0.1, period: 0.004}}\n"
    walked = _sensed(simulation(walking + REST + "time_limit: 8\n").run().data)[1:]
    steps = np.diff(walked[::4], axis=0)
    np.testing.assert_allclose(
        steps.std(axis=0), np.sqrt(0.004) * np.repeat([0.5, 0.1], 3), rtol=0.06
    )
    assert abs(np.corrcoef(steps[1:, 0], steps[:-1, 0])[0, 1]) < 0.07


def test_between_samples_the_reading_is_held():
    slow = "sensors: {wrench: {period: 0.01}}\n"
    data = simulation(PAYLOAD + slow + RAW + REST + MOVING).run().data
    changed = np.flatnonzero(np.abs(np.diff(data.force_sensed.values, axis=0)).max(axis=1) > 0) + 1
    assert len(changed) > 50
    assert set(changed % 10) == {1}  # sampled at whole hundredths, known a step later


def test_who_does_not_use_it_gets_the_same_run_in_every_bit():
    text = HIT + "detection: {estimator: joint_error, measure: force_norm}\n"
    errors = "sensors: {velocity_noise: 0.001%s}\n"
    without = simulation(text + errors % "").run()
    beside = simulation(text + errors % ", wrench: {force_noise: 0.5, force_drift: 0.1}").run()
    assert "force_sensed" not in without.data
    for name in without.data.variables:
        np.testing.assert_array_equal(
            without.data[name].values, beside.data[name].values, err_msg=str(name)
        )


def test_a_record_is_replayed_with_its_sensor_and_refused_without_one():
    run = simulate(world(HIT + "sensors: {wrench: {force_noise: 0.2}}\n" + WRIST))
    methods = find_method("estimator", "wrist_sensor"), find_method("detector", "force_norm")
    model = build_model(run.world, load_arm(run.world.arm))
    values = values_of_world(run.world, methods)
    found = replay(model, signals_of_run(run), *methods, values)
    np.testing.assert_allclose(found.level, run.data.level.values, atol=1e-12)
    blind = simulate(world(HIT))
    with refused("none of a sensor at the flange"):
        replay(model, signals_of_run(blind), *methods, values)


FAULTS = {
    "no sensor": (WRIST, "no sensor at the flange"),
    "joint torques": (
        SENSOR + "detection: {estimator: wrist_sensor, measure: joint_torque}\n",
        "judges the torque of each joint.*force_norm",
    ),
    "the default measure": (
        SENSOR + "detection: {estimator: wrist_sensor, measure: adaptive_joint_torque}\n",
        "which wrist_sensor does not know",
    ),
    "a period between steps": (
        "sensors: {wrench: {period: 0.0015}}\n",
        "not a multiple of plant.step",
    ),
    "misspelt": ("sensors: {wrench: {force_noize: 1}}\n", "force_noise"),
    "two numbers": ("sensors: {wrench: {force_offset: [1, 2]}}\n", "3"),
}


@pytest.mark.parametrize(("text", "words"), FAULTS.values(), ids=FAULTS)
def test_faults_are_one_line(text, words):
    with refused(words):
        simulation(text)
