"""Parts of the whole arm's navigator, each by its law: goals, lines, doubts, the nearest of several goals."""

from __future__ import annotations

import tracemalloc
from types import SimpleNamespace

import numpy as np
import pytest
from benches import suite_module

from dynamics import forward_kinematics, load_arm
from hopfield_nav.build import build_arm
from hopfield_nav.control import Onset
from hopfield_nav.extensions.clearance import build_scene, clearance, collides
from hopfield_nav.extensions.whole_arm import JointGrid, default_bounds, numbers
from hopfield_nav.extensions.whole_arm.grid import goal_solutions
from hopfield_nav.extensions.whole_arm.learning import CollisionBelief, is_true_stop, tangent_points
from hopfield_nav.extensions.whole_arm.lines import joint_lines
from hopfield_nav.extensions.whole_arm.step_checks import doubtful
from hopfield_nav.extensions.whole_arm.strategies.felt_points import FeltPoints
from hopfield_nav.geometry import arm_distance, pack_primitives, sphere
from hopfield_nav.loop import sample
from hopfield_nav.navigation import ContactHypotheses, Detection, space_of
from hopfield_nav.world import parse_world

random_surface_points = suite_module("surface_points").random_surface_points

ARM = load_arm("ur5_ragazzon2012")
START = np.array([0.2, -1.6, 1.2, -1.2, -1.5, 0.0])
GRID = JointGrid(START - 1.2, START + 1.2, (8, 6, 6, 3, 2, 1))
GOAL = np.array([0.45, 0.2, 0.3])
POINT, FAR = forward_kinematics(
    ARM, GRID.centre(np.array([[4, 3, 3, 1, 0, 0], [0, 1, 5, 2, 1, 0]]))
)[:, :3, 3]


def places(*weighted):
    points, weights = zip(*weighted, strict=True)
    return ContactHypotheses(np.array(points), np.full(len(points), 3), np.array(weights))


@pytest.mark.parametrize(
    "goal",
    ["position: [0.45, 0.2, 0.3]", "pose: {position: [0.45, 0.2, 0.3], rotation: [3.1, 0.1, 0.4]}"],
)
def test_every_solution_puts_the_tool_at_the_goal(goal):
    world = parse_world(
        f"format: 1\nmap: {{space: joints}}\nknown: [{{floor: {{height: -0.02}}}}]\ngoal: {{{goal}}}\n"
    )
    arm, grid = build_arm(world), default_bounds(ARM, np.array(world.start.joints), world.map.shape)
    scene = build_scene(arm, pack_primitives([]))
    found = goal_solutions(world, arm, scene, grid)
    assert len(found) >= 4
    np.testing.assert_allclose(
        forward_kinematics(arm, found)[:, :3, 3], np.tile(GOAL, (len(found), 1)), atol=1e-8
    )
    several = np.array(grid.shape) > 1
    assert ((found >= grid.lower - 1e-9) & (found <= grid.upper + 1e-9))[:, several].all()
    assert not collides(arm, scene, found).any()
    assert len(np.unique(found.round(6), axis=0)) == len(found)


def test_joint_lines_are_straight_rest_at_corners_and_keep_the_speed():
    rows = START + np.array(
        [
            [0, 0, 0, 0, 0, 0],
            [0.3, 0, 0, 0, 0, 0.1],
            [0.6, 0, 0, 0, 0, 0.2],
            [0.6, 0.4, 0, 0, 0, 0.2],
        ]
    )
    trajectory = joint_lines(ARM, rows, 0.1, 2.0)
    assert trajectory.knots[0] == 2.0
    times, q, qd, _ = sample(trajectory, 40)
    for k in range(3):
        inside = (times >= trajectory.knots[k]) & (times <= trajectory.knots[k + 1])
        line = rows[k + 1] - rows[k]
        share = (q[inside] - rows[k]) @ line / (line @ line)
        off = q[inside] - rows[k] - share[:, None] * line
        assert np.abs(off).max() < 1e-9
        assert share.min() > -1e-9
        assert share.max() < 1.0 + 1e-9
    at_corner = np.abs(times - trajectory.knots[2]) < 1e-9
    assert np.abs(qd[at_corner]).max() < 1e-9
    straight_on = np.abs(times - trajectory.knots[1]) < 1e-9
    assert np.abs(qd[straight_on]).max() > 0.01
    rng = np.random.default_rng(0)
    dense = np.repeat(q[::7], 20, axis=0)
    step = np.repeat(qd[::7], 20, axis=0) * 1e-5
    before = random_surface_points(ARM, dense, rng)
    after = random_surface_points(ARM, dense + step, np.random.default_rng(0))
    same = before.body == after.body
    speed = np.linalg.norm(after.point - before.point, axis=1)[same] / 1e-5
    assert 0.05 < np.quantile(speed, 0.99) < 0.12


def test_what_touches_say_adds_up_and_can_be_taken_back():
    once, twice = CollisionBelief(ARM, GRID), CollisionBelief(ARM, GRID)
    once.add(places((POINT, 0.7)))
    for _ in range(2):
        twice.add(places((POINT, 0.7)))
    assert once.against.max() > 0.0
    np.testing.assert_allclose(twice.against, 2.0 * once.against, rtol=1e-6)
    levels = [np.count_nonzero(doubtful(twice.evidence(), c)) for c in numbers.CERTAINTY_LEVELS]
    assert levels == sorted(levels, reverse=True)
    assert levels[0] > levels[-1] == 0
    assert all(
        (doubtful(twice.evidence(), c) >= doubtful(once.evidence(), c)).all()
        for c in numbers.CERTAINTY_LEVELS
    )


def test_a_touch_keeps_five_bytes_of_a_doubted_cell():
    """Long runs have hundreds of touches, on finer maps of millions of cells."""
    doubts = CollisionBelief(ARM, JointGrid(START - 1.2, START + 1.2, (48, 36, 36, 12, 4, 1)))
    doubts.add(places((POINT, 0.5)))
    cells = np.count_nonzero(doubts.against)
    assert cells > 10_000
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(4):
        doubts.add(places((POINT, 0.5)))
    kept = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert kept < 4 * 5.5 * cells


@pytest.fixture(scope="module")
def on_the_forearm():
    """A place on the forearm's surface at some joint angles, with the arm's normal there."""
    q = START + 0.1
    found = random_surface_points(ARM, np.repeat(q[None], 200, axis=0), np.random.default_rng(3))
    k = int(np.flatnonzero(found.link == 3)[0])
    return q, ContactHypotheses(found.point[[k]], found.link[[k]], np.array([0.9])), found.normal[k]


def test_the_surface_about_a_place_lies_across_the_arms_normal_evenly_about_it(on_the_forearm):
    q, felt, normal = on_the_forearm
    (around,) = tangent_points(ARM, q, felt, 0.1) - felt.points[:, None]
    np.testing.assert_allclose(np.linalg.norm(around, axis=1), 0.1)
    np.testing.assert_allclose(around @ normal, 0.0, atol=1e-6)
    np.testing.assert_allclose(around.sum(axis=0), 0.0, atol=1e-12)


def beside(felt, q):
    """A belief without and one with surfaces, of the same touch, and how much more the second says."""
    plain, wide = CollisionBelief(ARM, GRID), CollisionBelief(ARM, GRID, surface=0.1)
    for doubts in (plain, wide):
        doubts.add(felt, q)
    np.testing.assert_array_equal(plain.evidence(), wide.evidence(surfaces=False))
    return plain, wide, lambda: wide.evidence() - plain.evidence()


def test_a_surface_is_believed_about_likely_places_with_less_certainty_than_these(on_the_forearm):
    q, felt, _ = on_the_forearm
    plain, wide, more = beside(felt, q)
    assert (more() >= 0.0).all()
    there = more() > 0.0
    assert there.any()
    assert wide.has_surfaces()
    assert not plain.has_surfaces()
    assert wide.evidence()[there].max() <= -np.log(1.0 - 0.9 * 0.9 * numbers.SURFACE_SHARE) + 0.01
    for unlikely, at in (
        (felt._replace(weights=np.array([numbers.SURFACE_WEIGHT - 0.01])), q),
        (felt, None),
    ):
        assert not beside(unlikely, at)[1].has_surfaces()


def test_surfaces_may_be_let_go_from_the_tenth_touch_on(on_the_forearm):
    q, felt, _ = on_the_forearm
    for plain_or_wide in (0, 1):
        doubts = beside(felt, q)[plain_or_wide]

        def at_last(doubts=doubts):
            told = SimpleNamespace(
                collisions=doubts, believed=SimpleNamespace(against=None), points=None, weights=None
            )
            return FeltPoints().believe(told).at_last

        for _ in range(numbers.PATIENCE - 2):
            doubts.add(felt, q)
        assert at_last() is None
        doubts.add(felt, q)
        assert (at_last() is not None) == (plain_or_wide == 1)
    np.testing.assert_array_equal(at_last(), doubts.evidence(surfaces=False))


def test_where_the_arm_was_no_surface_is_believed(on_the_forearm):
    q, felt, _ = on_the_forearm
    (around,) = tangent_points(ARM, q, felt, 0.1)
    _, wide, more = beside(felt, q)
    cell = tuple(int(c) for c in np.argwhere(more() > 0.0)[0])
    wide.passed([cell], np.zeros((0, 6)))
    assert more()[cell] == 0.0
    drawn = np.random.default_rng(4).uniform(GRID.lower, GRID.upper, (20_000, 6))
    at_place = (
        arm_distance(ARM, drawn, pack_primitives([sphere(felt.points[0], 1e-6)])).min(axis=(1, 2))
        < 0.0
    )
    free = drawn[~at_place]
    before = np.count_nonzero(more() > 0.0)
    assert before > 0
    for point in around:
        inside = (
            arm_distance(ARM, free, pack_primitives([sphere(point, 1e-6)])).min(axis=(1, 2)) < -0.01
        )
        assert inside.any()
        wide.passed([], free[inside][:1])
        now = np.count_nonzero(more() > 1e-6)
        assert now <= before
        before = now
    assert before == 0


def test_a_place_that_the_arm_passed_through_is_ruled_out():
    rng = np.random.default_rng(1)
    q = rng.uniform(GRID.lower, GRID.upper, (4000, 6))
    inside = arm_distance(ARM, q, pack_primitives([sphere(POINT, 1e-6)])).min(axis=(1, 2)) < -0.01
    elsewhere = (
        arm_distance(ARM, q, pack_primitives([sphere(POINT, 1e-6), sphere(FAR, 1e-6)])).min(
            axis=(1, 2)
        )
        > 0.1
    )
    doubts = CollisionBelief(ARM, GRID)
    doubts.add(places((POINT, 0.6), (FAR, 0.4)))
    marked = doubts.against.copy()
    doubts.passed([], q[elsewhere][:5])
    np.testing.assert_array_equal(doubts.against, marked)
    doubts.passed([], q[inside][:1])
    assert [len(p.points) for p in doubts.touches] == [1]
    np.testing.assert_allclose(doubts.touches[0].weights, [1.0])
    alone = CollisionBelief(ARM, GRID)
    alone.add(places((FAR, 1.0)))
    np.testing.assert_allclose(doubts.against, alone.against, atol=1e-5)


def test_touches_of_one_obstacle_bear_each_other_out_in_any_order():
    near = POINT + np.array([0.02, 0.0, 0.0])
    unsure, sure, elsewhere = (
        places((POINT, 0.5), (FAR, 0.5)),
        places((near, 0.9)),
        places((-FAR, 0.9)),
    )
    found = []
    for order in ((unsure, sure, elsewhere), (elsewhere, sure, unsure)):
        doubts = CollisionBelief(ARM, GRID)
        for touch in order:
            doubts.add(touch)
        found.append(doubts)
        weighed = next(t for t in doubts.touches if len(t.points) == 2)
        gain = 1.0 + numbers.AGREEMENT * 0.9 * (1.0 - 0.02 / numbers.TOGETHER)
        np.testing.assert_allclose(weighed.weights, np.array([gain, 1.0]) / (gain + 1.0))
    np.testing.assert_allclose(found[0].against, found[1].against, atol=1e-5)
    apart = CollisionBelief(ARM, GRID)
    for touch in (unsure, elsewhere):
        apart.add(touch)
    np.testing.assert_array_equal(apart.touches[0].weights, [0.5, 0.5])


def test_what_was_borne_out_by_a_place_that_is_ruled_out_is_not_any_more():
    near = POINT + np.array([0.06, 0.0, 0.0])
    rng = np.random.default_rng(1)
    q = rng.uniform(GRID.lower, GRID.upper, (4000, 6))
    to = [
        arm_distance(ARM, q, pack_primitives([sphere(p, 1e-6)])).min(axis=(1, 2))
        for p in (near, POINT, FAR)
    ]
    passing = q[(to[0] < -0.006) & (to[1] > 0.0) & (to[2] > 0.0)][:1]
    assert len(passing) == 1
    doubts = CollisionBelief(ARM, GRID)
    doubts.add(places((POINT, 0.5), (FAR, 0.5)))
    doubts.add(places((near, 0.9), (-FAR, 0.1)))
    assert doubts.touches[0].weights[0] > 0.6
    doubts.passed([], passing)
    np.testing.assert_allclose(doubts.touches[0].weights, [0.5, 0.5])


def test_cells_that_were_visited_are_free():
    doubts = CollisionBelief(ARM, GRID)
    doubts.add(places((POINT, 0.9)))
    cell = tuple(int(c) for c in np.argwhere(doubtful(doubts.evidence(), 0.0))[0])
    doubts.passed([cell], np.zeros((0, 6)))
    assert not doubtful(doubts.evidence(), 0.0)[cell]


@pytest.mark.parametrize(
    ("share", "aside", "push", "stopped"),
    [(0.5, 0.0, -1.0, True), (1.0, 0.0, -1.0, True), (0.5, 0.0, 1.0, False), (0.5, 0.2, -1.0, False),
     (1.5, 0.0, -1.0, False)],
)  # fmt: skip
def test_a_true_stop_is_on_the_step_and_against_the_motion(share, aside, push, stopped):
    """Not where the arm was pushed on, nor where it stood beside the step or beyond its end."""
    begin, step, sideways = np.zeros(6), 0.4 * np.eye(6)[1], np.eye(6)[2]
    q = begin + share * step + aside * sideways
    touch = Detection(1.0, q, np.zeros(3), push * step, Onset(1.0, q), 0.0)
    assert is_true_stop(touch, begin, begin + step) is stopped


def test_the_distance_to_itself_is_the_least_of_all_pieces_of_a_run():
    """In whatever piece of its record the arm came nearest to itself; pieces may be empty."""
    far, near = (
        np.array([0.0, -1.57, 0.0, 0.0, 0.0, 0.0]),
        np.array([0.0, -1.6, 2.6, 0.0, 0.0, 0.0]),
    )
    gaps = clearance(ARM, build_scene(ARM), np.array([far, near]))
    assert gaps[1] < gaps[0]
    space = space_of(parse_world("format: 1\nmap: {space: joints}\n"))
    for pieces in ([near[None], far[None]], [far[None], np.zeros((0, 6)), np.array([near, far])]):
        assert space.self_distance(ARM, pieces) == gaps[1]
