"""The whole arm feels its way over a map of joint angles: what is claimed is true, goals are reached."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from refusals import refused

from dynamics import forward_kinematics
from hopfield_nav import load_world
from hopfield_nav.build import build_obstacles
from hopfield_nav.control import Onset
from hopfield_nav.experiment import Simulation, simulate
from hopfield_nav.extensions.clearance import build_scene, motion_is_free
from hopfield_nav.extensions.whole_arm import numbers
from hopfield_nav.geometry import arm_clearance, capsule_distance
from hopfield_nav.loop import evaluate
from hopfield_nav.navigation import Detection, Reference
from hopfield_nav.record import load_run, marks_score, place_errors
from hopfield_nav.world import parse_world

STATUS = Path("/proc/self/status")
SMALL = "map: {space: joints, shape: [24, 12, 16, 6, 4, 1]}\n"
QUICK = "trajectory: {tool_speed: 0.25}\nrecord: {signals: none}\ntime_limit: 300\n"
START = "start: {joints: [0.2, -1.6, 1.2, -1.2, -1.5, 0.0]}\n"
GOAL = "goal: {joints: [1.6, -1.5, 1.1, -1.2, -1.5, 0.5]}\n"
# on its straight path
BALL = "obstacles: [{sphere: {center: [-0.2, -0.436, 0.588], radius: 0.06}}]\n"
# on that by steps
BY_STEPS = "obstacles: [{sphere: {center: [-0.054, -0.237, 0.839], radius: 0.06}}]\n"
FENCE = "{box: {center: [0.0, 0.65, 0.5], size: [0.04, 1.3, 1.6]}}"


def world(*parts):
    return parse_world("format: 1\n" + "".join(parts))


@pytest.fixture(scope="module")
def felt():
    simulation = Simulation(world(SMALL, QUICK, START, GOAL, BALL))
    return simulation, simulation.run()


def test_a_ball_in_the_way_is_felt_and_passed(felt):
    simulation, run = felt
    assert run.outcome == "reached", run.summary["reason"]
    assert 1 <= run.summary["collision_count"] <= 20
    assert run.summary["false_alarm_count"] == 0
    np.testing.assert_allclose(simulation.state.q, simulation.world.goal.joints, atol=2e-3)


def test_without_the_ball_nothing_is_felt():
    run = Simulation(world(SMALL, QUICK, START, GOAL)).run()
    assert (run.outcome, run.summary["collision_count"]) == ("reached", 0)


def test_a_push_in_the_wiggle_teaches_nothing_of_the_way():
    """The arm has not set out: no step is closed by it, and no cell or goal is left out."""
    push = "pushes: [{link: 3, times: [1.0, 1.5], force: [0, 0, 60]}]\n"
    simulation = Simulation(world(SMALL, QUICK, START, GOAL, push, "controller: {learn: true}\n"))
    while simulation.time < 2.0 and not simulation.detections:
        simulation.step(0.1)
    learnt = simulation.navigator.map.learning
    assert 1.0 < simulation.detections[0].time < 1.5
    assert (learnt.beliefs.touched(), learnt.shut_exits, learnt.shut_entries) == ({}, set(), set())
    assert simulation.run().outcome == "reached"


@pytest.fixture(scope="module")
def bundled():
    simulation = Simulation(load_world("whole_arm", ["record.every=10", "planner.any_angle=false"]))
    return simulation, simulation.run()


def test_the_bundled_world_is_reached(bundled):
    _, run = bundled
    assert run.outcome == "reached"
    assert run.summary["collision_count"] <= 40


@pytest.mark.study
@pytest.mark.skipif(
    not STATUS.exists(), reason="the system does not tell a process its largest memory"
)
def test_sixty_four_million_cells_are_planned_over_in_the_loop():
    """At most 2 GB, in a process of its own; ``getrusage`` would tell the parent's where that is more."""
    code = (
        "import json, re\nfrom hopfield_nav import load_world, simulate\n"
        "from hopfield_nav.record import place_errors\n"
        "run = simulate(load_world('whole_arm_fine', ['record.every=20', 'planner.any_angle=true']))\n"
        f"memory = 1024 * int(re.search(r'VmHWM:\\s+(\\d+) kB', open('{STATUS}').read())[1])\n"
        "print(json.dumps([run.summary, place_errors(run)[0].tolist(), memory]))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    summary, errors, memory = json.loads(told.stdout.splitlines()[-1])
    assert summary["outcome"] == "reached"
    assert 1 <= summary["collision_count"] <= 10
    assert np.mean(np.array(errors) <= 0.04) >= 0.75
    assert memory <= 2e9


def test_every_fact_is_true(bundled):
    """Each step that is said to be closed comes within 2 mm of an obstacle."""
    simulation, _ = bundled
    navigator, arm = simulation.navigator, simulation.arm
    facts = sorted(navigator.map.learning.beliefs.facts)
    assert len(facts) >= 3
    q = simulation.state.q
    ends = np.array(
        [[navigator.map.search.centre(np.array(c), q) for c in step.ends] for step in facts]
    )
    scene = build_scene(arm, build_obstacles(simulation.world), margin=2e-3)
    assert not motion_is_free(arm, scene, ends[:, 0], ends[:, 1]).any()


def test_most_touches_have_the_true_point_among_their_places(bundled):
    """Against the first true contact of each, which the arm never sees."""
    simulation, run = bundled
    data, near = run.data, []
    for k in range(data.sizes["event"]):
        time, began = data.time.values, data.touch_time.values[k]
        rows = (time >= began - 0.02) & (time <= data.event_time.values[k] + 0.02)
        true = data.contact_point.values[rows]
        true = true[np.isfinite(true).all(axis=1)]
        places = simulation.detections[k].places.points
        if len(true) and len(places):
            near.append(np.linalg.norm(places[:, None] - true[None], axis=2).min() < 0.08)
    assert len(near) >= 5
    assert np.mean(near) > 0.5


def test_what_is_known_is_passed_without_a_touch():
    known = BALL.replace("obstacles", "known")
    simulation = Simulation(world(SMALL, QUICK, START, GOAL, known))
    solids, least = build_obstacles(simulation.world), np.inf
    while simulation.outcome is None:
        simulation.step(0.05)
        least = min(
            least, float(arm_clearance(simulation.arm, simulation.state.q[None], solids)[0])
        )
    assert simulation.outcome == "reached"
    assert not simulation.detections
    assert least > 0.0


def test_an_omniscient_arm_touches_nothing():
    run = Simulation(
        world(SMALL, QUICK, START, GOAL, BALL, "planner: {strategy: omniscient}\n")
    ).run()
    assert (run.outcome, run.summary["collision_count"]) == ("reached", 0)


def test_where_no_configuration_reaches_the_goal_the_run_ends_at_once():
    inside = "known: [{sphere: {center: [0.4, 0.3, 0.2], radius: 0.1}}]\ngoal: {position: [0.4, 0.3, 0.2]}\n"
    simulation = Simulation(world(SMALL, START, inside))
    assert simulation.outcome == "no_path"
    assert "configuration" in simulation.reason


def test_a_fence_without_a_gap_ends_as_no_path():
    """Of a coarse map on which one joint alone can pass: facts close it."""
    coarse = "map: {space: joints, shape: [8, 1, 1, 1, 1, 1]}\n"
    run = Simulation(world(coarse, QUICK, START, GOAL, f"obstacles: [{FENCE}]\n")).run()
    assert run.outcome == "no_path"
    assert "facts alone" in run.summary["reason"]


def test_no_point_of_the_arm_is_faster_than_wanted():
    simulation = Simulation(world(SMALL, "trajectory: {tool_speed: 0.1}\n", START, GOAL))
    trajectory = simulation.navigator.motion.trajectory
    times = np.linspace(trajectory.knots[0], trajectory.knots[-1], 2000)
    q = np.array([evaluate(trajectory, t)[0] for t in times])
    tool = forward_kinematics(simulation.arm, q)[:, :3, 3]
    speed = np.linalg.norm(np.diff(tool, axis=0), axis=1) / np.diff(times)
    assert 0.05 < speed.max() <= 0.1 + 1e-6


def test_a_run_is_saved_and_read_back(tmp_path):
    text = "trajectory: {tool_speed: 0.25}\nrecord: {every: 20}\n"
    run = simulate(world(SMALL, text, START, GOAL, BALL))
    run.save(tmp_path / "run")
    again = load_run(tmp_path / "run")
    for name in ("felt_point", "felt_link", "felt_weight", "event_certainty"):
        np.testing.assert_array_equal(again.data[name].values, run.data[name].values)
    assert "event_map" not in again.data
    weight = again.data.felt_weight.values
    assert (weight.sum(axis=1) <= 1.0 + 1e-9).all()
    assert len(again.plans()) == len(run.data.event_time) + 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("goal: {cell: [1, 2]}\n", "goal.cell"),
        ("goal: {position: [0.4, 0.2]}\n", "goal.position"),
        ("goal: {joints: [0, 0]}\n", "goal.joints"),
        ("detection: {measure: wrench_norm}\n", "detection.measure"),
        ("detection: {mark: actual}\n", "detection.mark"),
        ("planner: {clearance: 0.01}\n", "planner.clearance"),
    ],
)
def test_what_a_map_of_joint_angles_cannot_have_is_refused(text, told):
    with refused(told):
        world(SMALL, text)


def test_the_optimist_reaches_it_too():
    run = Simulation(
        world(SMALL, QUICK, START, GOAL, BALL, "planner: {strategy: optimist}\n")
    ).run()
    assert run.outcome == "reached", run.summary["reason"]
    assert 1 <= run.summary["collision_count"] <= 60
    assert run.summary["false_alarm_count"] == 0


def test_felt_places_beside_the_truth(bundled):
    _, run = bundled
    error, right = place_errors(run)
    assert 1 <= len(error) == len(right) <= run.data.sizes["event"]
    truth = run.data.event_true_point.values
    solids = build_obstacles(run.world)
    points = np.pad(truth[np.isfinite(truth[:, 0])], ((0, 0), (0, 4)))  # capsules without size
    points[:, 3:6] = points[:, :3]
    # on an obstacle's surface
    assert np.abs(capsule_distance(points, solids).min(axis=1)).max() < 5e-3
    found = marks_score(run)
    assert found["map_error_m"] is None
    assert found["place_error_p50_m"] == pytest.approx(np.median(error))
    assert found["place_link_share"] == pytest.approx(right.mean())


SQUEEZED = "obstacles: [{sphere: {center: [-0.4477, -0.1289, 0.5878], radius: 0.05}}]\n"  # 7 mm, at the start


def test_an_arm_that_is_touched_at_its_start_leaves_along_the_torque():
    """It closes nothing, as no step was driven; from where it then is it goes on to its goal."""
    simulation = Simulation(world(SMALL, QUICK, START, GOAL))
    navigator, torque = simulation.navigator, np.array([3.0, -4.0, 0.0, 0.0, 0.0, 0.0])
    start = np.array(simulation.world.start.joints)
    motion = navigator.first_motion(start)
    for time in (0.05, 0.10):  # on the first leg, and on the way back
        q, _, _ = evaluate(motion.trajectory, time)
        detection = Detection(time, q, np.zeros(3), torque, Onset(time - 0.01, q), 0.0)
        _, motion = navigator.on_detection(detection)
    end = float(motion.trajectory.knots[-1])
    left, at_rest, _ = evaluate(motion.trajectory, end)
    np.testing.assert_allclose(left - q, 0.1 * torque / 5.0, atol=1e-9)
    np.testing.assert_allclose(at_rest, 0.0, atol=1e-9)
    assert navigator.closed_steps() == {}
    onward = navigator.replan(Reference(end, left, at_rest, at_rest), 0.0)
    reached, _, _ = evaluate(onward.trajectory, float(onward.trajectory.knots[-1]))
    np.testing.assert_allclose(reached, simulation.world.goal.joints, atol=1e-9)


def test_leaving_a_squeezed_start_saves_touches(monkeypatch):
    steps = "planner: {any_angle: false, finer: false}\n"  # straight lines lead away from it of themselves
    leaving = Simulation(world(SMALL, QUICK, START, GOAL, SQUEEZED, steps)).run()
    assert leaving.outcome == "reached", leaving.summary["reason"]
    monkeypatch.setattr(numbers, "LEAVE", 0.0)
    staying = Simulation(world(SMALL, QUICK, START, GOAL, SQUEEZED, steps)).run()
    assert 0 < leaving.summary["collision_count"] < staying.summary["collision_count"]
