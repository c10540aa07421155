"""Shortest paths on straight lines: continuous, free, and as short as an independent search finds."""

import math
import re

import numpy as np
import pytest
from known_cell import ARM, TURN, cell, empty, free_joints, free_pairs, pose, tool_at
from refusals import refused
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra
from scipy.spatial.transform import Rotation

from dynamics import BadInput, NoClosedForm, forward_kinematics, inverse_kinematics
from hopfield_nav import geometry
from hopfield_nav.extensions.clearance import build_scene, collides, motion_is_free
from hopfield_nav.extensions.known_world import (
    ROW_LENGTH,
    plan_direct,
    plan_known,
    plan_shortest,
    poses_at,
    shortest_path,
    straight_line,
    turn_alternatives,
)
from hopfield_nav.extensions.known_world.line_reasons import _nearest, _Step
from hopfield_nav.extensions.known_world.shortest_path import ROW_CHANGE


def near_pairs(arm, scene, count, seed):
    """As ``free_pairs``, but the goal is a pose that a turn of about 0.4 rad in every joint leads to."""
    starts = free_joints(arm, scene, 4 * count, seed)
    ends = starts + np.random.default_rng(seed).normal(0, 0.4, starts.shape)
    free = ~collides(arm, scene, ends)
    return starts[free][:count], forward_kinematics(arm, ends[free][:count])


def assert_on_line(arm, plan):
    """The tool is where the line has it, at every row of the path."""
    np.testing.assert_allclose(
        forward_kinematics(arm, plan.path.q), poses_at(plan.line, plan.places), atol=1e-9
    )


def test_paths_lie_on_the_line_and_are_free():
    arm, scene = cell()
    starts, goals = near_pairs(arm, scene, 40, 12)
    solved = 0
    for start, goal in zip(starts, goals, strict=True):
        plan = plan_shortest(arm, scene, start, [goal])
        if plan.path is None:
            assert plan.reason.startswith("no continuous path: ")
            continue
        solved += 1
        q = plan.path.q
        assert q[0].tolist() == start.tolist()
        assert_on_line(arm, plan)
        np.testing.assert_allclose(forward_kinematics(arm, q[-1]), goal, atol=1e-9)
        assert np.diff(plan.places).max() * plan.line.lengths[0] <= ROW_LENGTH * (1 + 1e-6)
        assert np.abs(np.diff(q, axis=0)).max() <= ROW_CHANGE
        assert (np.abs(q) <= TURN).all()
        assert motion_is_free(arm, scene, q[:-1], q[1:]).all()
        assert plan.path.length == pytest.approx(np.abs(np.diff(q, axis=0)).sum())
    assert 15 < solved < 40


def independent_length(arm, scene, start, line, steps, bound):
    """Length of the shortest chain of joint positions: scipy's Dijkstra on the graph written out in full."""
    layers = [start[None]]
    for T in poses_at(line, np.linspace(0, 1, steps + 1)[1:]):
        rows = inverse_kinematics(arm, T)
        free = rows[~collides(arm, scene, rows)] if len(rows) else rows
        layers.append(
            np.concatenate([np.empty((0, 6)), *(turn_alternatives(arm, q) for q in free)])
        )
    offset = np.concatenate([[0], np.cumsum([len(x) for x in layers])])
    i, j, cost = [], [], []
    for k in range(steps):
        for a, q in enumerate(layers[k]):
            change = np.abs(layers[k + 1] - q)
            near = np.nonzero((change <= bound + 1e-12).all(axis=1))[0]
            i += [offset[k] + a] * len(near)
            j += list(offset[k + 1] + near)
            cost += list(change[near].sum(axis=1))
    graph = coo_array((cost, (i, j)), shape=(offset[-1], offset[-1])).tocsr()
    return dijkstra(graph, indices=0)[offset[-2] :].min(initial=math.inf)


def test_as_short_as_dijkstra_on_the_whole_graph():
    arm, scene = cell()
    starts, goals = near_pairs(arm, scene, 14, 13)
    solved = 0
    for start, goal in zip(starts, goals, strict=True):
        plan = plan_shortest(arm, scene, start, [goal], steps=30, tool_speed=0.05, turn_speed=0.25)
        time = max(plan.line.lengths[0] / 0.05, plan.line.angles[0] / 0.25) / 30
        length = independent_length(arm, scene, start, plan.line, 30, time * arm.speed_limits)
        if plan.path is None:
            assert math.isinf(length) or plan.searches > 1
            continue
        if plan.searches == 1:
            on_steps = np.isin(np.round(plan.places * 30, 9), np.arange(31))
            steps = plan.path.q[on_steps]
            assert np.abs(np.diff(steps, axis=0)).sum() == pytest.approx(length, rel=1e-9)
            solved += 1
    assert solved > 6


def test_an_open_start_is_never_longer():
    arm, scene = cell()
    starts, goals = near_pairs(arm, scene, 20, 14)
    both = 0
    for start, goal in zip(starts, goals, strict=True):
        given = plan_shortest(arm, scene, start, [goal]).path
        opened = plan_shortest(arm, scene, forward_kinematics(arm, start), [goal]).path
        if given is not None:
            assert opened is not None
            both += 1
            # the search minimises over the steps: between them the two differ by little
            assert opened.length <= given.length * 1.001
    assert both > 3


def test_via_points_are_corners():
    arm, scene = cell()
    stations = [pose([0.35, 0.3, 0.4]), pose([0.35, 0.3, 0.65]), pose([0.35, -0.3, 0.65])]
    plan = plan_shortest(arm, scene, pose([0.55, 0.3, 0.4]), stations)
    assert plan.path is not None, plan.reason
    assert plan.places[plan.path.corners].tolist() == [0, 1, 2, 3]
    tool = forward_kinematics(arm, plan.path.q)[:, :3, 3]
    np.testing.assert_allclose(tool[plan.path.corners[1:]], [s[:3, 3] for s in stations], atol=1e-9)


def test_given_joints_are_met_with_their_turns():
    arm, scene = empty()
    plan = plan_shortest(arm, scene, pose([0.4, 0.3, 0.3]), [pose([0.4, -0.3, 0.3])])
    start, end = plan.path.q[0], plan.path.q[-1]
    again = plan_shortest(arm, scene, start, [end])
    np.testing.assert_array_equal(again.path.q[[0, -1]], [start, end])
    turned = end.copy()
    turned[5] += TURN if end[5] < 0 else -TURN
    other = plan_shortest(arm, scene, start, [turned])
    assert other.path is None
    assert "joint 6 would have to jump" in other.reason
    shifted = start.copy()
    shifted[5] += TURN if start[5] < 0 else -TURN
    assert plan_shortest(arm, scene, shifted, [turned]).path.length == pytest.approx(
        again.path.length
    )


def test_a_wall_across_the_line_is_the_reason_and_the_place():
    arm, _ = empty()
    wall = geometry.pack_primitives([geometry.box([0.5, 0, 0.5], [1.0, 0.02, 1.0])])
    start, goal = pose([0.5, 0.3, 0.3]), pose([0.5, -0.3, 0.3])
    plan = plan_shortest(arm, build_scene(arm, wall), start, [goal])
    assert plan.path is None
    assert "no joint position is free" in plan.reason
    assert "known[0]" in plan.reason
    assert 0.01 < plan.point[1] < 0.29  # on this side of the wall, and under way
    assert plan_shortest(arm, build_scene(arm), start, [goal]).path is not None


def test_out_of_reach_is_named_with_its_place():
    """The line passes the base's axis nearer than the wrist can come to it."""
    arm, scene = empty()
    plan = plan_shortest(arm, scene, pose([0.4, 0.0, 0.3]), [pose([-0.4, 0.0, 0.3])])
    assert plan.reason.startswith("no continuous path: out of reach (")
    assert plan.point[0] == pytest.approx(arm.dh[3, 1], abs=0.01)
    assert plan.point[0] == pytest.approx(0.4 - 0.8 * plan.place, abs=1e-9)


@pytest.mark.parametrize("bad", [0, 1, 2])
@pytest.mark.parametrize(
    "position", [[2.0, 0.3, 0.3], [0.5, 0.25, 0.1]], ids=["far", "in the table"]
)
def test_a_bad_station_is_named_before_the_line_is_searched(bad, position):
    arm, scene = cell()
    places = [pose([0.38, y, 0.4]) for y in (0.25, 0.0, -0.25)]
    assert plan_shortest(arm, scene, places[0], places[1:]).path is not None
    places[bad] = pose(position)
    plan = plan_shortest(arm, scene, places[0], places[1:])
    name = ("the start", "via point 1", "the goal")[bad]
    what = " is out of reach" if position[0] > 1 else " is free in no joint position: "
    assert plan.reason.startswith(name + what)
    assert plan.reason == plan_direct(arm, scene, places[0], places[1:]).reason
    assert (plan.place, plan.point.tolist(), plan.searches) == (bad, position, 0)


@pytest.mark.parametrize("bad", ["the start", "the goal"])
def test_a_station_beyond_the_limits_is_named(bad):
    arm, _ = empty()
    arm = arm._replace(position_limits=np.tile([-0.5, 0.5], (6, 1)))
    scene = build_scene(arm)
    inside = np.array([0.3, -0.4, 0.4, 0.1, 0.45, 0.3])
    outside = forward_kinematics(arm, np.array([2.5, -1.1, 1.5, 0.1, 1.5, 0.3]))
    near = outside.copy()
    near[0, 3] += 0.05
    ends = (outside, near) if bad == "the start" else (inside, outside)
    plan = plan_shortest(arm, scene, ends[0], [ends[1]])
    assert plan.reason == f"{bad} is within the joints' limits on no turn"


def test_a_search_that_is_given_up_says_so(monkeypatch):
    """One step across a wall: every edge touches it, and with one search only one of them is tried."""
    arm, _ = empty()
    scene = build_scene(
        arm, geometry.pack_primitives([geometry.box([0.5, 0, 0.5], [1.0, 0.02, 1.0])])
    )
    places = [pose([0.5, y, 0.3]) for y in (0.3, -0.3)]
    whole = plan_shortest(arm, scene, places[0], places[1:], steps=1)
    assert whole.reason.startswith("no continuous path: something is touched between two steps")
    assert whole.searches > 2
    monkeypatch.setattr(shortest_path, "_MOST_SEARCHES", 2)
    plan = plan_shortest(arm, scene, places[0], places[1:], steps=1)
    assert plan.searches == 2
    assert plan.reason.startswith(
        "the search was given up after 2 paths along the steps; on the last one something"
    )


def test_a_limit_is_named():
    """A square around the base turns joint 1 by more than its limits hold."""
    arm, scene = empty()
    narrow = arm._replace(position_limits=np.array([[-3.0, 3.0], *arm.position_limits[1:]]))
    r = 0.45
    square = [
        pose([r, r, 0.3]),
        pose([-r, r, 0.3]),
        pose([-r, -r, 0.3]),
        pose([r, -r, 0.3]),
        pose([r, r, 0.3]),
    ]
    round_base = plan_shortest(arm, scene, square[0], square[1:])
    assert round_base.path is not None, round_base.reason
    assert abs(round_base.path.q[-1, 0] - round_base.path.q[0, 0]) == pytest.approx(TURN)
    plan = plan_shortest(narrow, scene, square[0], square[1:])
    assert plan.path is None
    assert re.search(
        r"joint 1 would pass its limit; (all \d|\d of \d) joint positions are free", plan.reason
    )


@pytest.mark.parametrize("steps", [100, 101])
def test_a_line_through_a_wrist_singularity(steps):
    """The tool turns about joint 5's axis through sin θ5 = 0: on a step of the line, and between two.

    With the tool point on that axis joint 5 alone has to move. At the singular pose θ6 is open; on
    from it the other wrist branch takes over.
    """
    arm, _ = empty()
    arm = tool_at(0, 0, -arm.dh[5, 1], arm)
    a = np.array([0.3, -1.2, 1.4, -1.0, -0.4, 0.2])
    b = a.copy()
    b[4] = 0.4
    plan = plan_shortest(arm, build_scene(arm), a, [forward_kinematics(arm, b)], steps=steps)
    assert plan.path is not None, plan.reason
    assert plan.line.lengths[0] < 1e-12
    np.testing.assert_allclose(plan.path.q[-1], b, atol=1e-6)
    np.testing.assert_allclose(
        np.delete(plan.path.q, 4, axis=1),
        np.delete(a[None], 4, axis=1) + 0 * plan.path.q[:, :5],
        atol=1e-5,
    )
    assert_on_line(arm, plan)


def test_past_a_wrist_singularity_the_joints_are_too_slow_for_the_line():
    """The same turn with the tool point off the axis passes near the singularity: a matter of speed."""
    arm, scene = empty()
    a = np.array([0.3, -1.2, 1.4, -1.0, -0.4, 0.2])
    b = a.copy()
    b[4] = 0.4
    goal = forward_kinematics(arm, b)
    fast = plan_shortest(arm, scene, a, [goal], tool_speed=0.2, turn_speed=1.0)
    assert fast.path is None
    assert "would have to jump" in fast.reason
    slow = plan_shortest(arm, scene, a, [goal], tool_speed=0.004, turn_speed=0.02)
    assert slow.path is not None, slow.reason
    assert_on_line(arm, slow)


def test_a_line_that_is_singular_all_along_keeps_joint_6():
    """Joint 5 stays at zero: every step is singular; joints 2 to 4 move the tool in their plane."""
    arm, scene = empty()
    a = np.array([0.3, -1.2, 1.4, -0.9, 0.0, 0.7])
    T = forward_kinematics(arm, a)
    goal = T.copy()
    goal[:3, 3] += [0.0, 0.0, 0.1]
    plan = plan_shortest(arm, scene, a, [goal])
    assert plan.path is not None, plan.reason
    np.testing.assert_allclose(plan.path.q[:, 4], 0.0, atol=1e-9)
    np.testing.assert_allclose(plan.path.q[:, 5], 0.7, atol=1e-6)
    assert_on_line(arm, plan)


def singular_pairs(arm, scene, count, seed):
    """Free joints with θ5 = 0, and others that turn the tool alike, (count, 6) each."""
    rng = np.random.default_rng(seed)
    a = rng.uniform(-2.5, 2.5, (4 * count, 6))
    a[:, 4] = 0.0
    b = a.copy()
    b[:, 1:3] += rng.uniform(-0.2, 0.2, (4 * count, 2))
    b[:, 3] = a[:, 1:4].sum(axis=1) - b[:, 1:3].sum(axis=1)
    free = ~collides(arm, scene, a) & ~collides(arm, scene, b)
    return a[free][:count], b[free][:count]


def test_an_open_start_with_a_singular_wrist_takes_joint_6_from_the_goal():
    arm, scene = empty()
    given = opened = 0
    for a, b in zip(*singular_pairs(arm, scene, 10, 4), strict=True):
        if plan_shortest(arm, scene, a, [b]).path is None:
            continue
        given += 1
        path = plan_shortest(arm, scene, forward_kinematics(arm, a), [b]).path
        opened += path is not None
        assert path is None or path.q[0, 5] == pytest.approx(b[5], abs=1e-6)
    assert given >= 9
    assert opened == given


def test_an_open_line_that_is_singular_all_along_tries_other_angles_of_joint_6():
    """With the arm nearly stretched the start cannot be reached at θ6 = 0, nor followed from next to it."""
    arm, scene = empty()
    a = np.array([-0.0151365926, -2.1976776834, 0.0966608516, -1.850430645, 0.0, 2.0328831777])
    T = forward_kinematics(arm, a)
    goal = T.copy()
    goal[:3, 3] = [0.6264174855165536, -0.20050443318046038, 0.7461003873640055]
    assert plan_shortest(arm, scene, a, [goal]).path is not None
    plan = plan_shortest(arm, scene, T, [goal])
    assert plan.path is not None, plan.reason
    assert plan.searches > 20
    assert_on_line(arm, plan)


def test_of_the_angles_of_joint_6_the_one_with_the_shortest_path_is_taken():
    arm, scene = empty()
    a = np.array([0.3, -1.2, 1.4, -0.9, 0.0, 0.7])
    T = forward_kinematics(arm, a)
    goal = T.copy()
    goal[2, 3] += 0.1
    lengths = []
    for theta6 in np.deg2rad(np.arange(-165, 181, 15)):
        for q in inverse_kinematics(arm, T, theta6=theta6):
            path = plan_shortest(arm, scene, q, [goal]).path
            lengths.append(path.length if path else np.inf)
    assert max(x for x in lengths if x < np.inf) > 1.2 * min(lengths)
    assert plan_shortest(arm, scene, T, [goal]).path.length == pytest.approx(min(lengths), rel=1e-4)


def test_a_line_out_of_a_singular_wrist_is_as_good_as_the_line_into_it():
    """Speed limits and collisions are the same both ways; on the way in joint 6 follows from the line."""
    arm, scene = empty()
    starts, _ = singular_pairs(arm, scene, 14, 5)
    ends = starts + np.random.default_rng(6).uniform(-0.4, 0.4, starts.shape)
    ends[:, 4] += np.where(ends[:, 4] > 0, 0.2, -0.2)
    both = 0
    for a, b in zip(*forward_kinematics(arm, np.array([starts, ends])), strict=True):
        speeds = {"tool_speed": 0.02, "turn_speed": 0.1}
        inward = plan_shortest(arm, scene, b, [a], **speeds).path
        if inward is None:
            continue
        both += 1
        outward = plan_shortest(arm, scene, a, [b], **speeds)
        assert outward.path is not None, outward.reason
        assert outward.path.length <= inward.length * 1.001
        np.testing.assert_allclose(
            forward_kinematics(arm, outward.path.q),
            poses_at(outward.line, outward.places),
            atol=1e-9,
        )
    assert both > 7


def test_a_singular_wrist_is_part_of_the_reason():
    arm, scene = empty()
    a = np.array([0.3, -1.2, 1.4, -0.9, 0.0, 0.7])
    others = inverse_kinematics(arm, forward_kinematics(arm, a), theta6=-0.1)
    b = others[np.argmin(np.abs(others - a).max(axis=1))]
    np.testing.assert_allclose(b[4:], [0.0, -0.1], atol=1e-6)
    plan = plan_shortest(arm, scene, a, [b])
    assert re.search(r"joint \d would have to jump", plan.reason)
    assert "the wrist is singular there" in plan.reason
    off = np.array([0.3, -1.2, 1.4, -0.9, 1.0, 0.7])
    turned = np.array([0.3, -1.2, 1.4, -0.9, 1.0, 0.7 - TURN])
    reason = plan_shortest(arm, scene, off, [turned]).reason
    assert "joint 6 would have to jump" in reason
    assert "singular" not in reason


@pytest.mark.parametrize("given", [False, True], ids=["whole turns free", "turns given"])
def test_the_jump_that_is_named_is_the_least_of_all(given):
    """Of every free joint position after every one before, the one whose worst joint exceeds its bound least."""
    draw = np.random.default_rng(3)
    for _ in range(50):
        bound = draw.uniform(0.05, 0.2, 6)
        free = np.array([False, True, True, True])
        parts = [
            _Step(draw.uniform(-3, 3, (4, 6)), free, draw.uniform(-3, 3, (3, 6))) for _ in range(2)
        ]
        least, named = math.inf, (0, 0.0)
        for part in parts:
            for after in part.solutions[part.free]:
                for before in part.last:
                    jump = np.abs(after - before)
                    jump = jump if given else np.abs(jump - TURN * np.rint(jump / TURN))
                    worst = int(np.argmax(jump - bound))
                    if jump[worst] - bound[worst] < least:
                        least, named = jump[worst] - bound[worst], (worst, jump[worst])
        joint, change, inside = _nearest(ARM, parts, bound, given)
        assert (joint, inside) == (named[0], True)
        assert change == pytest.approx(named[1], abs=1e-12)


def test_half_a_turn_goes_the_way_round_that_is_possible():
    """Turned a little less than half a turn the way round is settled: one of the two has to do."""
    arm, scene = empty()
    axes = np.random.default_rng(7).normal(size=(30, 3))
    flipped = refused = 0
    for q, axis in zip(free_joints(arm, scene, 30, 8), axes, strict=True):
        T, solved = forward_kinematics(arm, q), []
        for angle in (np.pi, np.pi - 1e-5, 1e-5 - np.pi):
            goal = T.copy()
            goal[:3, :3] @= Rotation.from_rotvec(axis / np.linalg.norm(axis) * angle).as_matrix()
            plan = plan_shortest(arm, scene, q, [goal])
            solved.append(plan.path is not None)
            if angle == np.pi and plan.path is not None:
                flipped += not np.allclose(plan.line.turn, straight_line(np.array([T, goal])).turn)
                found = forward_kinematics(arm, plan.path.q)
                np.testing.assert_allclose(found, poses_at(plan.line, plan.places), atol=1e-9)
                np.testing.assert_allclose(found[-1], goal, atol=1e-9)
        assert solved[0] == any(solved[1:])
        refused += not solved[0]
    assert flipped > 1
    assert refused > 1


def test_slower_lines_may_turn_the_joints_more():
    arm, scene = cell()
    starts, goals = free_pairs(arm, scene, 30, 15)
    fast, slow = (
        {
            k
            for k in range(30)
            if plan_shortest(arm, scene, starts[k], [goals[k]], tool_speed=v, turn_speed=5 * v).path
        }
        for v in (0.5, 0.02)
    )
    assert fast < slow


def test_start_and_goal_in_one_place():
    arm, scene = empty()
    q = np.array([0.3, -1.2, 1.4, -0.9, 1.0, 0.7])
    plan = plan_shortest(arm, scene, q, [forward_kinematics(arm, q)])
    assert plan.path is not None
    assert plan.path.length == pytest.approx(0.0, abs=1e-9)


def test_in_turn_falls_back_from_the_line_to_the_direct_path():
    arm, scene = cell()
    start, goal = pose([0.5, 0.25, 0.4]), pose([0.5, -0.25, 0.4])  # the cylinder stands on the line
    plan = plan_known(arm, scene, start, [goal], "in_turn")
    assert plan.path.kind == "direct"
    assert set(plan.reasons) == {"shortest"}
    assert "known[2]" in plan.reasons["shortest"]
    assert len(plan.paths) == 5
    beside = [pose([0.38, s * 0.25, 0.4]) for s in (1, -1)]
    assert plan_known(arm, scene, beside[0], beside[1:]).path.kind == "shortest"


def test_without_a_path_every_method_says_why():
    arm, scene = cell()
    plan = plan_known(arm, scene, pose([0.5, 0.25, 0.4]), [pose([0.5, 0.25, 0.1])], method="direct")
    assert plan.path is None
    assert plan.reason.startswith("direct: the goal is free in no joint position")


START, GOAL = pose([0.5, 0.2, 0.3]), pose([0.5, 0.3, 0.3])
BENT = ARM._replace(twist=np.array([[1.0, 0.0]] * 6))
REFUSED = {
    "no steps": (ARM, {"steps": 0}, BadInput, "steps must be positive"),
    "backwards": (ARM, {"tool_speed": -1.0}, BadInput, "tool_speed must be positive"),
    "turning by nan": (ARM, {"turn_speed": math.nan}, BadInput, "turn_speed must be positive"),
    "an arm of another type": (BENT, {}, NoClosedForm, "needs an arm of UR type"),
}


@pytest.mark.parametrize(("arm", "change", "error", "words"), REFUSED.values(), ids=REFUSED)
def test_bad_input(arm, change, error, words):
    with refused(words, error):
        plan_shortest(arm, empty()[1], START, [GOAL], **change)


def test_an_unknown_method():
    with refused("Did you mean 'shortest'"):
        plan_known(*empty(), START, [GOAL], method="shortes")
