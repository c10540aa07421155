"""Direct paths: counts and order by brute force, and every path proven free."""

import itertools

import numpy as np
import pytest
from known_cell import TURN, cell, empty, free_joints, free_pairs, pose, tool_at
from refusals import refused

from dynamics import forward_kinematics, inverse_kinematics
from hopfield_nav import geometry
from hopfield_nav.extensions.clearance import build_scene, collides, motion_is_free
from hopfield_nav.extensions.known_world import plan_direct, turn_alternatives


def brute_turns(q, limits):
    """Every q + 2π k within the limits, by trying k from -3 to 3 on every joint."""
    choices = [
        [a + TURN * k for k in range(-3, 4) if low - 1e-9 <= a + TURN * k <= high + 1e-9]
        for a, (low, high) in zip(q, limits, strict=True)
    ]
    return np.array(list(itertools.product(*choices)))


def test_turns_against_brute_force():
    arm, _ = empty()
    for q in np.random.default_rng(1).uniform(-np.pi, np.pi, (20, 6)):
        np.testing.assert_allclose(
            turn_alternatives(arm, q), brute_turns(q, arm.position_limits), atol=1e-9
        )
        assert len(turn_alternatives(arm, q)) == 64


@pytest.mark.parametrize("zeros", range(7))
def test_an_angle_of_exactly_zero_has_three_turns(zeros):
    arm, _ = empty()
    q = np.where(np.arange(6) < zeros, 0.0, 0.5)
    assert len(turn_alternatives(arm, q)) == 3**zeros * 2 ** (6 - zeros)
    assert np.abs(turn_alternatives(arm, q)).max() <= TURN


def test_turns_of_other_limits():
    arm, _ = empty()
    narrow = arm._replace(position_limits=np.tile([-1.0, 1.0], (6, 1)))
    assert turn_alternatives(narrow, np.full(6, 0.5)).tolist() == [[0.5] * 6]
    assert turn_alternatives(narrow, np.full(6, 0.5 + TURN)) == pytest.approx(np.full((1, 6), 0.5))
    assert len(turn_alternatives(narrow, np.full(6, 2.0))) == 0
    endless = arm._replace(position_limits=np.tile([-np.inf, np.inf], (6, 1)))
    assert turn_alternatives(endless, np.full(6, 9.0)).tolist() == [[9.0] * 6]


def test_a_pose_has_512_candidates_and_joints_have_64():
    arm, scene = empty()
    starts, goals = free_pairs(arm, scene, 1, 3)
    assert len(inverse_kinematics(arm, goals[0])) == 8
    assert plan_direct(arm, scene, starts[0], [goals[0]]).candidates == [1, 512]
    assert plan_direct(arm, scene, starts[0], [np.full(6, 0.5)]).candidates == [1, 64]


def test_the_best_five_are_the_five_shortest_free_ones_of_all():
    arm, scene = cell()
    starts, goals = free_pairs(arm, scene, 12, 4)
    blocked = 0
    for start, goal in zip(starts, goals, strict=True):
        everything = np.concatenate(
            [brute_turns(q, arm.position_limits) for q in inverse_kinematics(arm, goal)]
        )
        lengths = np.abs(everything - start).sum(axis=1)
        order = np.argsort(lengths)
        free = motion_is_free(arm, scene, start, everything[order])
        plan = plan_direct(arm, scene, start, [goal], 5)
        assert [w.length for w in plan.paths] == pytest.approx(lengths[order][free][:5], rel=1e-9)
        blocked += not free[:5].all()
        for path in plan.paths:
            np.testing.assert_allclose(forward_kinematics(arm, path.q[-1]), goal, atol=1e-9)
            assert path.q[0].tolist() == start.tolist()
            assert path.corners.tolist() == [0, 1]
    assert blocked > 3  # obstacles decide


def test_via_points_against_all_sequences():
    arm, scene = cell()
    # one turn: few enough for brute force
    arm = arm._replace(position_limits=np.tile([-np.pi, np.pi], (6, 1)))
    (start, *_), goals = free_pairs(arm, scene, 4, 6)
    for via, goal in itertools.pairwise(goals):
        first, second = inverse_kinematics(arm, via), inverse_kinematics(arm, goal)
        plan = plan_direct(arm, scene, start, [via, goal], 3)
        lengths = sorted(
            np.abs(a - start).sum() + np.abs(b - a).sum()
            for a in first[motion_is_free(arm, scene, start, first)]
            for b in second[motion_is_free(arm, scene, a, second)]
        )
        assert [w.length for w in plan.paths] == pytest.approx(lengths[:3], rel=1e-9)
        assert plan.motions < len(first) * (1 + len(second))


def test_an_open_start_takes_the_best_of_its_joint_positions():
    arm, scene = cell()
    q = free_joints(arm, scene, 2, 8)
    a, b = forward_kinematics(arm, q)
    best = min(plan_direct(arm, scene, s, [b], 1).paths[0].length for s in inverse_kinematics(arm, a)
               if not collides(arm, scene, s))  # fmt: skip
    found = plan_direct(arm, scene, a, [b], 1)
    assert found.paths[0].length <= best + 1e-9
    assert found.candidates == [512, 512]
    np.testing.assert_allclose(forward_kinematics(arm, found.paths[0].q), [a, b], atol=1e-9)


def test_reasons():
    arm, scene = cell()
    start = free_joints(arm, scene, 1, 9)[0]
    far, in_table = pose([2.0, 0, 0.3]), pose([0.5, 0.2, 0.1])
    assert plan_direct(arm, scene, start, [far]).reason == "the goal is out of reach"
    assert (
        plan_direct(arm, scene, start, [far, pose([0.4, 0.2, 0.4])]).reason
        == "via point 1 is out of reach"
    )
    reason = plan_direct(arm, scene, start, [in_table]).reason
    assert reason.startswith("the goal is free in no joint position: ")
    assert "known[1]" in reason
    assert plan_direct(arm, scene, np.zeros(6), [start]).reason.startswith(
        "the start is free in no joint position"
    )


def test_where_every_direct_motion_is_blocked():
    """Between two plates, above and below: every straight motion of joint 1 past the wall is in the way."""
    arm, _ = empty()
    start, goal = pose([0.5, 0.3, 0.3]), pose([0.5, -0.3, 0.3])
    wall = geometry.box([0.75, 0, 0.75], [1.2, 0.02, 1.4])
    back = geometry.box([-0.75, 0, 0.75], [1.2, 0.02, 1.4])
    roof = geometry.box([0, 0, 1.2], [2.4, 0.02, 0.5])
    scene = build_scene(arm, geometry.pack_primitives([wall, back, roof]))
    plan = plan_direct(arm, scene, start, [goal])
    assert plan.paths == []
    assert plan.reason.startswith("every direct motion is blocked")
    assert plan_direct(arm, empty()[1], start, [goal]).paths  # without the walls there is one


def test_a_tool_is_taken_into_account():
    arm = tool_at(0, 0, 0.15)
    scene = build_scene(arm, cell()[1].solids)
    start = free_joints(arm, scene, 1, 11)[0]
    plan = plan_direct(arm, scene, start, [pose([0.4, 0.25, 0.25])], 1)
    np.testing.assert_allclose(
        forward_kinematics(arm, plan.paths[0].q[-1])[:3, 3], [0.4, 0.25, 0.25], atol=1e-9
    )


@pytest.mark.parametrize(
    ("station", "words"),
    [
        (np.zeros(5), "neither joints nor a pose"),
        (np.full(6, np.nan), "neither joints nor a pose"),
        (np.full(6, 7.0), "joint 1 beyond its limits"),
        (2 * np.eye(4), r"stations\[0\]"),
        ("x", "no numbers"),
    ],
)
def test_a_bad_station_is_one_line(station, words):
    arm, scene = empty()
    with refused(words):
        plan_direct(arm, scene, np.zeros(6), [station])
