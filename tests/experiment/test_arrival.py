"""Arrival with a model that is not exact: the reference is corrected at rest, and nothing felt is hidden."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scenes import push_with_force, simulation

from dynamics import forward_kinematics
from hopfield_nav import load_world, simulate
from hopfield_nav.control import MAX_CORRECTION
from hopfield_nav.experiment import Simulation
from hopfield_nav.experiment.arrival import arrived

WRONG_MASSES = "controller.model_error.mass_scale=1.1"
UNKNOWN_LOAD = ["tool.payload.mass=1", "controller.model_error.payload=unknown"]
DEAF = [
    "detection.estimator=joint_error",
    "detection.measure=wrench_norm",
    "detection.threshold=1000",
]
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
    assert outcome == "unreachable"
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
    while sim.outcome is None and sim.time < float(sim.trajectory.knots[-1]) + 6.0:
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
    assert np.abs(correction).max() < MAX_CORRECTION
    goal = forward_kinematics(sim.arm, sim.state.q)[:3, 3]
    assert np.linalg.norm(goal - sim.navigator.goal) < 1e-4
    push_with_force(sim, (0.0, 1e-9))
    sim.step(3.0)
    assert not [d for d in sim.detections if d.time > 1.0 and d.false_alarm]


def test_an_arm_with_wrong_friction_does_not_hunt_after_it_has_arrived():
    """For 2 s after it is within 1 mm the tool neither leaves again nor jumps."""
    world = load_world(
        "ragazzon2012_real", ["obstacles=[]", "goal.tolerance=1e-9", "time_limit=40"]
    )
    data = simulate(world).data
    error = np.linalg.norm(data.tool_position.values - np.array(world.goal_point), axis=1)
    first = int(np.flatnonzero(error < 1e-3)[0])
    after = slice(first, first + 2000)
    assert error[after].max() < 1.2e-3
    assert np.abs(np.diff(error[after])).max() < 5e-5


# --- what is sensed, and what is true
# ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "exact"), [([], True), (["plant.engine=flexible", *DEAF], False)]
)
def test_the_goal_is_reached_by_what_is_sensed_and_the_truth_is_told_beside_it(changes, exact):
    """The encoders of elastic joints are on the rotors, and what the joints bend under is not sensed."""
    tolerance = "goal.tolerance=1e-4"
    run = simulate(
        load_world("empty", ["record.signals=none", "time_limit=40", tolerance, *changes])
    )
    true, sensed = run.summary["final_tool_error_m"], run.summary["final_sensed_error_m"]
    assert run.outcome == "reached"
    assert sensed <= 1e-4 * (1 + 1e-9)
    if exact:
        assert true == pytest.approx(sensed, abs=1e-12)
        assert run.summary["reason"] == "the tool is within 0.0001 m of the goal"
    else:
        assert true > 1e-3
        assert (
            f"sensed within 0.0001 m of the goal, but is {true:.3g} m from it"
            in run.summary["reason"]
        )


def test_before_anything_was_sensed_there_is_no_sensed_error():
    sim = Simulation(load_world("empty"))
    assert sim.record().summary["final_sensed_error_m"] is None
    sim.step(0.01)
    assert sim.record().summary["final_sensed_error_m"] > 0.0


# --- an arm that will not arrive says so
# --------------------------------------------------------------------

STICKY = [
    "arm=ur5_full",
    "plant.friction=arm",
    "plant.presliding=ideal",
    "controller.model_error.friction_scale=0.5",
]
UNFELT = ["detection.measure=joint_torque", "detection.threshold=1000"]
TOO_HEAVY = ["tool.payload.mass=4", "controller.model_error.payload=unknown", *UNFELT]


@pytest.mark.parametrize(
    ("changes", "cause", "cure"),
    [
        ([WRONG_MASSES, "controller.settling=0"], "controller.settling is 0", WRONG_MASSES),
        (
            [*STICKY, *UNFELT, "controller.settling=0"],
            "controller.settling is 0",
            "controller.settling=1",
        ),
        (TOO_HEAVY, "limit of 0.05 rad", "controller.model_error.payload=known"),
    ],
)
def test_an_arm_that_rests_beside_its_goal_ends_early_and_says_why(changes, cause, cure):
    """It waited until the time limit, without a word."""
    run = simulate(load_world("empty", ["record.every=100", *changes]))
    reason = run.summary["reason"]
    assert run.outcome == "unreachable"
    assert run.summary["simulated_time_s"] < 30.0
    told = float(re.search(r"rests ([\d.]+) mm", reason).group(1))
    assert told == pytest.approx(1e3 * run.summary["final_tool_error_m"], rel=0.01)
    assert "tolerance is 1 mm" in reason
    assert cause in reason
    mended = [c for c in changes if c != "controller.settling=0"]
    assert (
        simulate(load_world("empty", ["record.signals=none", *mended, cure])).outcome == "reached"
    )
    wider = [*changes, "goal.tolerance=0.05"]
    assert simulate(load_world("empty", ["record.signals=none", *wider])).outcome == "reached"


def test_steps_of_any_length_end_it_at_the_same_moment():
    world = load_world("empty", ["record.signals=none", WRONG_MASSES, "controller.settling=0"])
    ends = []
    for duration in (0.3, 1.7, 100.0):
        sim = Simulation(world)
        while sim.step(duration) is None:
            pass
        ends.append((sim.outcome, sim.reason, sim.time))
    assert ends[0] == ends[1] == ends[2]


@pytest.mark.parametrize("rate", [0.02, 0.1])
def test_an_arm_that_settles_slowly_is_waited_for(rate):
    outcome, error = arrival(WRONG_MASSES, f"controller.settling={rate}", "time_limit=100")
    assert (outcome, error <= 1e-3 + 1e-6) == ("reached", True)


def test_an_arm_that_is_held_by_an_obstacle_is_waited_for():
    """What presses may be felt at last, or give way: such a run is not ended."""
    sim = settled(0.0, "momentum_observer")
    push_with_force(sim, (0.0, 5.0))
    sim.step(30.0)
    assert sim.outcome is None
    push_with_force(sim, (0.0, 1e-12))
    sim.plant = sim.plant._replace(contact=sim.plant.contact._replace(solids=np.zeros((0, 17))))
    sim.step(12.0)
    assert sim.outcome == "unreachable"


def test_without_a_goal_nothing_ends_early():
    run = simulate(
        load_world("empty", ["goal=null", "time_limit=15", "record.signals=none", WRONG_MASSES])
    )
    assert run.outcome == "time_limit"


def test_what_three_digits_do_not_show_is_no_difference():
    assert arrived(1e-3, 1.0003e-3) == "the tool is within 0.001 m of the goal"
    assert "is 0.00101 m from it" in arrived(1e-3, 1.008e-3)
