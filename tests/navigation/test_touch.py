"""Grazes: what does not oppose the motion is passed by, what does is not, and nothing false is learned."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import GOAL, simulation

from dynamics import forward_kinematics, jacobian
from hopfield_nav import load_world
from hopfield_nav.build import build_obstacles
from hopfield_nav.experiment import Simulation, simulate
from hopfield_nav.geometry import capsule_distance
from hopfield_nav.loop import evaluate
from hopfield_nav.navigation.motion import Reference, Segment
from hopfield_nav.navigation.responses.touch import ToolTouch, is_glancing, segment_under_way
from hopfield_nav.record import score_run

BESIDE = "obstacles: [{cylinder: {center: [0.36, %.4f], radius: 0.04}}]\n"
LINE = -0.0921  # [m] y of the straight path to the goal


def beside(overlap: float, change: str = "") -> Simulation:
    """A cylinder beside the path, into which the tool would go by so much [m]."""
    return simulation(GOAL + BESIDE % (LINE + 0.04 - overlap) + change)


@pytest.fixture(scope="module")
def grazed():
    return beside(0.014).run()


def test_a_cylinder_beside_the_path_is_noted_and_passed_by(grazed):
    assert grazed.outcome == "reached"
    assert grazed.summary["collision_count"] == 0
    assert grazed.summary["graze_count"] == grazed.passed_by.sum() >= 1
    stopped = beside(0.014, "detection: {graze: retreat}\n").run()
    assert stopped.summary["collision_count"] >= 1
    assert stopped.summary["graze_count"] == 0
    assert grazed.summary["simulated_time_s"] < stopped.summary["simulated_time_s"]


def test_the_arm_passes_more_slowly(grazed):
    data = grazed.data
    event = float(data.event_time[0])
    speed = np.linalg.norm(np.gradient(data.tool_position.values, data.time.values, axis=0), axis=1)
    before = speed[(data.time > event - 0.3) & (data.time < event - 0.1)].mean()
    after = speed[(data.time > event + 0.1) & (data.time < event + 0.4)].mean()
    assert after < 0.8 * before


def test_a_cylinder_in_the_path_is_no_graze():
    run = beside(0.04).run()
    assert run.outcome == "reached"
    assert run.summary["collision_count"] >= 1
    assert not run.passed_by[0]


@pytest.mark.parametrize("overlap", [0.018, 0.022, 0.030, 0.040])
def test_a_passage_is_forced_no_further_than_by_a_threshold(overlap):
    """Beside the path or in it: two thresholds, and what the force grows by until the arm turns."""
    run = beside(overlap).run()
    assert run.outcome == "reached"
    assert 1.0 < run.data.level.values.max() < 3.5


@pytest.mark.parametrize(
    "change",
    [
        [],
        ["controller.period=0.008"],
        ["plant.dynamics=ur5_full", "controller.model=ur5_full"],
        ["controller.model_error.mass_scale=1.1"],
    ],
)
def test_facts_stay_true_where_touches_are_passed_by(change):
    grazes = 0
    for seed in (100, 103, 108):
        sim = Simulation(
            load_world("random_cylinders", ["record.signals=none", *change]), seed=seed
        )
        grazes += sim.run().summary["graze_count"]
        solids, grid = build_obstacles(sim.world), sim.navigator.grid
        for step in sim.navigator.beliefs.facts:
            line = np.concatenate([*(grid.centre(cell) for cell in step.ends), [0.0]])[None]
            assert capsule_distance(line, solids).min() < 2e-3
    assert grazes > 0


def test_summary_and_score_agree_on_repeated_alarms():
    run = simulate(load_world("free_rotation"))
    assert run.summary["graze_count"] > 0
    assert score_run(run).repeated_alarms == run.summary["repeated_alarm_count"]


@pytest.mark.parametrize(
    ("degrees", "number", "graze"),
    [(90, 3, True), (50, 3, True), (40, 3, False), (0, 3, False), (120, 3, True), (90, 0, False)],
)
def test_what_is_a_graze(degrees, number, graze):
    """The angle between the force and the way back; never on a retreat."""
    sim = beside(0.014)
    motion = sim.navigator.motion
    time = 0.5 * (motion.trajectory.knots[3] + motion.trajectory.knots[4])
    q, qd, _ = evaluate(motion.trajectory, time)
    heading = (jacobian(sim.arm, q) @ qd)[:3]
    heading /= np.linalg.norm(heading)
    aside = np.cross(heading, [0.0, 0.0, 1.0])
    force = -10.0 * (np.cos(np.radians(degrees)) * heading + np.sin(np.radians(degrees)) * aside)
    segment = Segment(number, None, heading, forward_kinematics(sim.arm, q)[:3, 3], 0.0)
    touch = ToolTouch(Reference(time, q, qd, 0.0 * qd), segment, force)
    assert is_glancing(touch, motion, sim.arm) is graze
    at_rest = ToolTouch(Reference(time, q, 0.0 * qd, 0.0 * qd), segment, force)
    assert not is_glancing(at_rest, motion, sim.arm)
    begin, end = segment_under_way(motion, time)
    np.testing.assert_array_equal([begin, end], motion.places[3:5])


def test_every_segment_is_found_by_its_time():
    """The first one before the trajectory begins, and the last one after its end."""
    motion = simulation(GOAL).navigator.motion
    knots, places = motion.trajectory.knots, motion.places
    for number, time in enumerate((knots[1:] + knots[:-1]) / 2):
        begin, end = segment_under_way(motion, float(time))
        np.testing.assert_array_equal([begin, end], places[number : number + 2])
    np.testing.assert_array_equal(segment_under_way(motion, knots[0] - 1.0), places[:2])
    np.testing.assert_array_equal(segment_under_way(motion, knots[-1] + 1.0), places[-2:])
