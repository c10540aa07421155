"""MuJoCo as the plant of the loop."""

from __future__ import annotations

import builtins

import numpy as np
import pytest
from scenes import REST, advance, numbers_of, push_with_force, simulation

from dynamics import BadInput
from hopfield_nav import load_world
from hopfield_nav.experiment import Simulation, simulate

SWING = REST + (  # a model that is far too light lets the arm fall
    "controller: {law: computed_torque, proportional: 1, derivative: 1, hold: %s,\n"
    "  model: ur5_ragazzon2012_as_printed}\ntime_limit: 0.5\n"
)


def _both(text):
    return [
        simulation(text + f"plant: {{engine: {engine}}}\n") for engine in ("internal", "mujoco")
    ]


def test_main_experiment_marks_the_same_cells():
    ours, theirs = (
        simulate(load_world("ragazzon2012", [f"plant.engine={engine}"]))
        for engine in ("internal", "mujoco")
    )
    assert theirs.outcome == ours.outcome == "reached"
    assert len(ours.data.event_cell) >= 10
    np.testing.assert_array_equal(theirs.data.event_cell.values, ours.data.event_cell.values)
    np.testing.assert_allclose(
        theirs.data.event_time.values, ours.data.event_time.values, rtol=0, atol=0.002
    )
    np.testing.assert_allclose(theirs.data.force.max(), ours.data.force.max(), rtol=1e-6)


@pytest.mark.parametrize("hold", ["true", "false"])
def test_same_motion_as_our_plant(hold):
    """Far from rest, with viscous friction, under a law that is held or is not."""
    scenes = [
        simulation(SWING % hold + f"plant: {{engine: {engine}, damping: 0.5, step: 0.0005}}\n")
        for engine in ("internal", "mujoco")
    ]
    ours, theirs = (scene.run().data for scene in scenes)
    assert np.ptp(ours.q.values, axis=0).max() > 0.3
    for name in ("q", "qd", "tau", "tool_position"):
        np.testing.assert_allclose(
            theirs[name].values, ours[name].values, rtol=0, atol=1e-8, err_msg=name
        )


def test_semi_implicit_euler_is_mujocos_own():
    scenes = [
        simulation(
            SWING % "true"
            + f"plant: {{engine: {e}, damping: 2, integrator: semi_implicit_euler}}\n"
        )
        for e in ("internal", "mujoco")
    ]
    ours, theirs = (scene.run().data.q.values for scene in scenes)
    np.testing.assert_allclose(theirs, ours, rtol=0, atol=1e-8)


def test_contact_with_damping_and_friction():
    scenes = _both(REST + "contact: {damping: 50, friction: 0.3}\ntime_limit: 0.2\n")
    for scene in scenes:
        push_with_force(scene, (8.0, -6.0))
        advance(scene, 150)
    np.testing.assert_allclose(scenes[1].state.q, scenes[0].state.q, rtol=0, atol=1e-9)
    ours, theirs = (scene.state.truth for scene in scenes)
    for mine, its in zip(
        (*ours[:3], numbers_of(ours.touch)), (*theirs[:3], numbers_of(theirs.touch)), strict=True
    ):
        np.testing.assert_allclose(its, mine, rtol=1e-6, atol=1e-9)
    assert np.linalg.norm(scenes[1].state.truth.touch.force) == pytest.approx(10.0, rel=0.1)


def test_the_sensor_at_the_flange_feels_the_same_contact():
    """Weight, inertia and contact of a payload on the way into an obstacle, read by either engine."""
    change = [
        "tool.payload={mass: 1, center_of_mass: [0, 0, 0.05]}", "sensors.wrench={period: 0.002}",
        "detection={estimator: wrist_sensor, measure: force_norm, threshold: 1000}", "time_limit=6",
    ]  # fmt: skip
    ours, theirs = (
        simulate(load_world("u_trap", [*change, f"plant.engine={engine}"])).data
        for engine in ("internal", "mujoco")
    )
    assert np.linalg.norm(ours.force.values, axis=1).max() > 10.0
    for name in ("force_sensed", "moment_sensed", "force_estimate"):
        np.testing.assert_allclose(theirs[name], ours[name], atol=1e-3, err_msg=name)


def test_sliding_on_what_was_felt_goes_the_same_way():
    change = [
        "explore=slide",
        "sensors.wrench={}",
        "detection={estimator: wrist_sensor, measure: force_norm}",
    ]
    ours, theirs = (
        simulate(load_world("over_the_wall", [*change, f"plant.engine={engine}"])).summary
        for engine in ("internal", "mujoco")
    )
    assert theirs["outcome"] == "reached"
    for name in ("slide_count", "collision_count"):
        assert theirs[name] == ours[name]
    assert theirs["simulated_time_s"] == pytest.approx(ours["simulated_time_s"], rel=0.02)


def test_every_link_can_touch():
    """The arm falls on a floor, which damps and rubs; elbow, wrist and hand meet it one after the other."""
    floor = "obstacles: [{floor: {height: -0.05}}]\ncontact: {bodies: arm, stiffness: 10000, "
    floor += "damping: 20, friction: 0.2}\n"
    scenes = [
        simulation(SWING % "true" + floor + f"plant: {{engine: {engine}, step: 0.0005}}\n")
        for engine in ("internal", "mujoco")
    ]
    ours, theirs = (scene.run().data for scene in scenes)
    assert len(set(ours.contact_link.values) - {0}) >= 2
    np.testing.assert_array_equal(theirs.contact_link.values, ours.contact_link.values)
    for name in ("q", "force", "tau_external"):
        np.testing.assert_allclose(
            theirs[name].values, ours[name].values, rtol=1e-6, atol=1e-6, err_msg=name
        )


def test_it_is_mujoco_that_moves():
    """The loop has no dynamics of its own: another gravity in MuJoCo's model, another motion."""
    one, other = (simulation(SWING % "true" + "plant: {engine: mujoco}\n") for _ in range(2))
    other.loop.model.opt.gravity[:] = 0.0
    advance(one, 200)
    advance(other, 200)
    assert np.abs(one.state.q - other.state.q).max() > 0.01


def test_stepping_resetting_and_recording():
    text = "plant: {engine: mujoco}\ngoal: {cell: [6, 11]}\ntime_limit: 0.3\nrecord: {every: 7}\n"
    whole, pieces = simulation(text), simulation(text)
    whole.run()
    pieces.step(0.1)
    pieces.reset()
    for _ in range(5):
        pieces.step(0.063)
    np.testing.assert_array_equal(pieces.record().data.q.values, whole.record().data.q.values)
    assert pieces.outcome == whole.outcome == "time_limit"


def test_explosion_is_reported():
    law = (
        "controller: {law: computed_torque, proportional: 1.0e+8, derivative: 0, saturate: false}\n"
    )
    scene = simulation(
        REST + law + "plant: {engine: mujoco}\nstart: {joints: [1, -1, 1, 0.1, 1.5, 0.5]}\n"
    )
    scene.state.qd[:] = 0.1
    assert scene.run().outcome == "diverged"
    assert "exploded" in scene.reason


def test_missing_mujoco_is_told_in_one_line(monkeypatch):
    real = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name == "mujoco":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(
        BadInput, match=r"needs MuJoCo; allowed: pip install 'hopfield-nav\[mujoco\]'$"
    ):
        simulation("plant: {engine: mujoco}")


def test_an_arm_that_is_not_rigid_is_refused():
    with pytest.raises(BadInput, match="no rigid arm"):
        Simulation(load_world("ragazzon2012_as_printed", ["plant.engine=mujoco"]))


def test_unknown_engine_is_refused():
    with pytest.raises(BadInput, match="mujoco"):
        simulation("plant: {engine: bullet}\n")


def test_the_hook_is_given_back():
    import mujoco

    advance(simulation("plant: {engine: mujoco}\n" + REST), 3)
    assert mujoco.get_mjcb_passive() is None
