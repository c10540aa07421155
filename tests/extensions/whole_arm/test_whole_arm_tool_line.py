"""The line of the tool: along it the arm comes to its goal and leaves its start, until it is touched."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

from dynamics import forward_kinematics, load_arm
from hopfield_nav.experiment import Simulation
from hopfield_nav.extensions.clearance import build_scene, motion_is_free
from hopfield_nav.extensions.whole_arm import JointGrid, numbers
from hopfield_nav.extensions.whole_arm.arm_map import choose_path
from hopfield_nav.extensions.whole_arm.lines import tool_line
from hopfield_nav.extensions.whole_arm.search import Query, Search
from hopfield_nav.geometry import box, pack_primitives
from hopfield_nav.navigation.map import Beliefs, ContactHypotheses
from hopfield_nav.plugin import CollisionEvidence
from hopfield_nav.world import parse_world

ARM = load_arm("ur5_ragazzon2012")
EMPTY = build_scene(ARM, pack_primitives([]))
START = np.array([0.2, -1.6, 1.2, -1.2, -1.5, 0.0])
GOAL = START + np.array([0.9, 0.3, 0.2, -0.2, 0.1, 0.0])
GRID = JointGrid(START - 1.2, START + 1.2, (8, 6, 6, 3, 2, 1))
SMALL = "map: {space: joints, shape: [24, 12, 16, 6, 4, 1]}\n"
QUICK = "trajectory: {tool_speed: 0.25}\nrecord: {every: 20}\ntime_limit: 300\n"
ENDS = f"start: {{joints: {START.tolist()}}}\ngoal: {{joints: {GOAL.tolist()}}}\n"


def beside_and_along(arm, rows, q):
    """How far the tool is off its axis at q, how far behind q (k,) [m], and how far it is turned from there."""
    pose, poses = forward_kinematics(arm, q), forward_kinematics(arm, rows)
    way = pose[:3, 3] - poses[:, :3, 3]
    along = way @ pose[:3, 2]
    turned = np.abs(poses[:, :3, :3] - pose[:3, :3]).max(axis=(1, 2))
    return np.linalg.norm(way - along[:, None] * pose[:3, 2], axis=1), along, turned


@pytest.mark.parametrize("name", ["ur5_ragazzon2012", "iiwa7_gripper"])
def test_the_tool_comes_straight_along_its_axis(name):
    arm = load_arm(name)
    q = GOAL if len(arm.dh) == 6 else np.array([0.3, 0.6, 0.2, -1.3, 0.1, 0.8, 0.0])
    rows = tool_line(arm, build_scene(arm, pack_primitives([])), q, 0.15)
    np.testing.assert_array_equal(rows[-1], q)
    between = (
        rows[:-1, None] + np.linspace(0, 1, 50)[:, None] * np.diff(rows, axis=0)[:, None]
    ).reshape(-1, len(q))
    off, along, _ = beside_and_along(arm, between, q)
    assert off.max() < 0.0101
    assert along.max() == pytest.approx(0.15, abs=1e-6)
    assert along.min() > -1e-6
    assert (np.diff(along) < 1e-6).all()
    assert beside_and_along(arm, rows, q)[2].max() < 1e-6  # not turned where the line is given


def test_without_a_distance_there_is_no_line():
    np.testing.assert_array_equal(tool_line(ARM, EMPTY, GOAL, 0.0), GOAL[None])


def test_the_line_ends_before_what_is_known():
    pose = forward_kinematics(ARM, GOAL)
    whole = tool_line(ARM, EMPTY, GOAL, 0.2)
    wrist = forward_kinematics(ARM, whole[0])[:3, 3] - 0.1 * pose[:3, 2]
    scene = build_scene(ARM, pack_primitives([box(wrist, (0.05, 0.05, 0.05))]))
    assert not motion_is_free(ARM, scene, whole[:-1], whole[1:]).all()
    rows = tool_line(ARM, scene, GOAL, 0.2)
    assert 0.0 < beside_and_along(ARM, rows, GOAL)[1].max() < 0.19
    assert motion_is_free(ARM, scene, rows[:-1], rows[1:]).all()


def test_a_path_ends_with_the_line_unless_doubt_speaks_against_it_or_it_is_shut():
    line = tool_line(ARM, EMPTY, GOAL, 0.1)
    search = Search(ARM, EMPTY, GRID, GOAL[None], lines=[line])
    doubts = CollisionEvidence(np.zeros(GRID.shape, np.float32))

    def path(doubts, shut):
        path = choose_path(
            search, Query(GRID.cell_of(START), START, Beliefs(GRID.shape), doubts, shut)
        ).path
        return path.goal, search.rows(path, START)

    goal, rows = path(doubts, set())
    assert goal == 1
    np.testing.assert_allclose(rows[-len(line) :], line)
    for told, shut in (
        (doubts, {(1, None)}),
        (
            doubts._replace(points=forward_kinematics(ARM, line[:1])[:, :3, 3], weights=np.ones(1)),
            set(),
        ),
    ):
        goal, rows = path(told, shut)
        assert goal == 0
        np.testing.assert_allclose(rows[-1], GOAL)


def test_the_arm_leaves_and_arrives_along_its_tool():
    """Until it is a tenth of a metre behind where it began, and from as far behind its goal; else not."""
    for told, is_straight in (("planner: {approach: 0.1}\n", True), ("", False)):
        run = Simulation(parse_world(f"format: 1\n{SMALL}{QUICK}{ENDS}{told}")).run()
        assert run.outcome == "reached"
        for q, way in ((START, run.data.q.values), (GOAL, run.data.q.values[::-1])):
            off, along, _ = beside_and_along(ARM, way, q)
            away = int(np.argmax(np.hypot(off, along) > 0.09))
            assert bool(off[:away].max() < 0.0101) is is_straight


def test_an_arm_whose_goal_is_as_near_does_not_leave():
    near = f"start: {{joints: {START.tolist()}}}\ngoal: {{joints: {(START + 0.03).tolist()}}}\n"
    run = Simulation(
        parse_world(f"format: 1\n{SMALL}{QUICK}{near}planner: {{approach: 0.2}}\n")
    ).run()
    assert run.outcome == "reached"
    _, along, _ = beside_and_along(ARM, run.data.q.values, START)
    assert along.max() < 0.15


BESIDE = "obstacles: [{sphere: {center: [-0.146, -0.5, 0.538], radius: 0.02}}]\n"  # where the wrist is on the line


def test_touched_on_its_line_the_arm_comes_another_way():
    simulation = Simulation(
        parse_world(f"format: 1\n{SMALL}{QUICK}{ENDS}{BESIDE}planner: {{approach: 0.2}}\n")
    )
    run = simulation.run()
    assert (run.outcome, run.summary["collision_count"]) == ("reached", 1)
    assert simulation.navigator.map.learning.shut_exits == {(1, None)}


def test_after_some_touches_the_arm_no_longer_looks_for_its_line():
    map_ = Simulation(
        parse_world(f"format: 1\n{SMALL}{QUICK}{ENDS}planner: {{approach: 0.2}}\n")
    ).navigator.map
    here = map_.entry(START, True)
    for count in range(numbers.LINE_TOUCHES + 1):
        assert map_.path_by_belief(here, START)[0].path.goal == (
            1 if count < numbers.LINE_TOUCHES else 0
        )
        elsewhere = np.array([[0.0, 0.1 * count, 1.5]])
        map_.collisions.add(ContactHypotheses(elsewhere, np.array([6]), np.ones(1)))


def test_a_map_of_the_tool_has_no_line():
    with refused("planner.approach"):
        parse_world("format: 1\nplanner: {approach: 0.2}\n")


@pytest.mark.parametrize("is_taken", [True, False])
def test_an_arm_without_a_goal_stays_where_it_is(is_taken):
    known = f"known: [{{sphere: {{center: {forward_kinematics(ARM, GOAL)[:3, 3].tolist()}, radius: 0.05}}}}]\n"
    told = f"format: 1\n{SMALL}{QUICK}{ENDS}{known if is_taken else ''}planner: {{approach: 0.2}}\n"
    run = Simulation(parse_world(told)).run()
    assert (run.outcome == "no_path") is is_taken
    assert (run.summary["simulated_time_s"] < 0.01) is is_taken


def test_on_a_finer_map_lines_are_forgotten():
    """Numbers of goals stay, those of lines behind them stand for none."""
    map_ = Simulation(
        parse_world(f"format: 1\n{SMALL}{QUICK}{ENDS}planner: {{approach: 0.2}}\n")
    ).navigator.map
    goals, cell = len(map_.search.ends), (3, 2, 4, 1, 0, 0)
    assert map_.search.tool_lines == {(goals - 1, None)}
    map_.learning.shut_exits |= map_.search.tool_lines | {(0, cell)}
    here = map_.entry(START, False)
    assert "past what is known" not in map_.why_none(here, START).reason
    assert map_.refine(None, START) is not None
    assert map_.refine(None, START) is None
    assert (len(map_.search.ends), map_.search.tool_lines) == (goals - 1, set())
    assert {number for number, _ in map_.learning.shut_exits} == {0}
    map_.learning.shut_exits.clear()
    assert "past what is known" in map_.why_none(map_.entry(START, False), START).reason
