"""Arrival with a model that is not exact: the reference is corrected at rest, and nothing felt is hidden."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import push_with_force, simulation

from dynamics import forward_kinematics
from hopfield_nav import load_world, simulate
from hopfield_nav.control import MOST

WRONG_MASSES = "controller.model_error.mass_scale=1.1"
UNKNOWN_LOAD = ["tool.payload.mass=1", "controller.model_error.payload=unknown"]
DEAF = ["detection.estimator=joint_error", "detection.measure=wrench_norm", "detection.threshold=1000"]
NEAR = "goal: {cell: [4, 10], tolerance: 1.0e-9}\ntime_limit: 60\n"
HEAVIER = "controller: {model_error: {mass_scale: 1.1}, settling: %g}\n"
FEELS = "detection: {estimator: %s, measure: force_norm, threshold: 15}\n"


def arrival(*changes):
    """Outcome and final error [m] in a world with nothing in the way."""
    run = simulate(load_world("empty", ["record.signals=none", "time_limit=40", *changes]))
    return run.outcome, run.summary["final_tool_error_m"]


@pytest.mark.parametrize("changes", [[WRONG_MASSES], [*UNKNOWN_LOAD, *DEAF]])
def test_an_arm_with_a_wrong_model_arrives_because_the_reference_is_corrected(changes):
    outcome, error = arrival(*changes)
    assert outcome == "reached"
    assert error <= 1e-3 + 1e-6
    outcome, error = arrival(*changes, "controller.settling=0")
    assert outcome == "time_limit"
    assert error > 1.5e-3


def test_the_arm_as_imperfect_as_a_real_one_arrives_within_a_millimetre():
    run = simulate(load_world("ragazzon2012_real", ["record.signals=none"]))
    assert run.world.goal.tolerance == 1e-3
    assert run.outcome == "reached"


def test_with_an_exact_model_nothing_is_corrected():
    with_it, without = (
        simulate(load_world("ragazzon2012", [f"controller.settling={rate}", "record.every=50"]))
        for rate in (1.0, 0.0)
    )
    np.testing.assert_array_equal(with_it.data.q, without.data.q)


def settled(rate, estimator):
    """An arm that stands at its goal for some seconds, its masses 10 % off."""
    sim = simulation(HEAVIER % rate + NEAR + FEELS % estimator)
    while sim.outcome is None and sim.time < float(sim._trajectory.knots[-1]) + 6.0:
        sim.step(0.1)
    assert sim.outcome is None
    return sim


@pytest.mark.parametrize("estimator", ["joint_error", "momentum_observer"])
def test_a_force_that_grows_by_1_newton_a_second_is_detected_all_the_same(estimator):
    """The correction moves the reference; the error that shows the force is seen against the moved one."""
    felt = {}
    for rate in (0.0, 1.0):
        sim = settled(rate, estimator)
        begun, before = sim.time, len(sim.detections)
        while len(sim.detections) == before:
            assert sim.time < begun + 40.0
            push_with_force(sim, (0.0, sim.time - begun + 1e-6))
            sim.step(0.05)
        felt[rate] = sim.detections[-1].time - begun
    assert felt[1.0] == pytest.approx(felt[0.0], abs=0.6)


def test_nothing_winds_up_while_something_is_pressed():
    """A lasting push below the threshold moves the arm back by a bounded correction, and no further."""
    sim = settled(1.0, "momentum_observer")
    push_with_force(sim, (0.0, 5.0))
    sim.step(10.0)
    correction = sim.state.control.correction
    assert np.abs(correction).max() < MOST
    goal = forward_kinematics(sim.arm, sim.state.q)[:3, 3]
    assert np.linalg.norm(goal - sim.navigator.goal) < 1e-4
    push_with_force(sim, (0.0, 1e-9))
    sim.step(3.0)
    assert not [d for d in sim.detections if d.time > 1.0 and d.false_alarm]


def test_an_arm_with_wrong_friction_does_not_hunt_after_it_has_arrived():
    """For 2 s after it is within 1 mm the tool neither leaves again nor jumps."""
    world = load_world("ragazzon2012_real", ["obstacles=[]", "goal.tolerance=1e-9", "time_limit=40"])
    data = simulate(world).data
    error = np.linalg.norm(data.tool_position.values - np.array(world.goal_point), axis=1)
    first = int(np.flatnonzero(error < 1e-3)[0])
    after = slice(first, first + 2000)
    assert error[after].max() < 1.2e-3
    assert np.abs(np.diff(error[after])).max() < 5e-5
