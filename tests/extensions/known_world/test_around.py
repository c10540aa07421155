"""Straight lines round what stands in the way: where the tool goes, whether it is free, what is chosen."""

from __future__ import annotations

import numpy as np
import pytest
from known_cell import ARM, pose

from dynamics import BadInput, forward_kinematics
from hopfield_nav import geometry, load_world
from hopfield_nav.extensions.clearance import build_scene, collides
from hopfield_nav.extensions.known_world import (
    facts,
    plan_around,
    plan_known,
    plan_shortest,
    plan_world,
)

START, GOAL = pose([0.5, -0.25, 0.3]), pose([0.5, 0.25, 0.3])


def post(radius=0.05, height=0.4):
    return geometry.finite_cylinder([0.5, 0.0, height / 2], radius, height)


def scene_with(*solids):
    return build_scene(ARM, np.array(solids)) if solids else build_scene(ARM)


def tool(q):
    return forward_kinematics(ARM, q)[:, :3, 3]


def way(path):
    return np.linalg.norm(np.diff(tool(path.q), axis=0), axis=1).sum()


@pytest.fixture(scope="module")
def found():
    plan = plan_around(ARM, scene_with(post()), START, [GOAL])
    assert plan.path is not None
    return plan


def test_the_tool_is_on_straight_lines_from_corner_to_corner(found):
    path = found.path
    assert path.kind == "around"
    assert path.is_of_tool
    assert len(path.corners) in (3, 4)
    points = tool(path.q)
    np.testing.assert_allclose(points[[0, -1]], [START[:3, 3], GOAL[:3, 3]], atol=1e-8)
    for first, last in zip(path.corners[:-1], path.corners[1:], strict=True):
        a, b = points[first], points[last]
        along = (b - a) / np.linalg.norm(b - a)
        rest = points[first : last + 1] - a
        np.testing.assert_allclose(rest, np.outer(rest @ along, along), atol=1e-8)


def test_it_is_free_between_its_rows_too(found):
    scene, q = scene_with(post()), found.path.q
    fine = np.concatenate([q[:-1] + share * np.diff(q, axis=0) for share in np.linspace(0, 1, 5)])
    assert not collides(ARM, scene, fine).any()
    assert plan_shortest(ARM, scene, START, [GOAL]).path is None  # there was something in the way


def test_the_less_is_in_the_way_the_shorter_is_the_way(found):
    thin = plan_around(ARM, scene_with(post(0.02)), START, [GOAL]).path
    thick = plan_around(ARM, scene_with(post(0.1, 0.45)), START, [GOAL]).path
    assert 0.5 < way(thin) <= way(found.path) < way(thick) < 1.5
    nothing = plan_around(ARM, scene_with(), START, [GOAL])
    assert nothing.tried == 0
    assert way(nothing.path) == pytest.approx(0.5, abs=1e-6)


def test_only_the_leg_that_is_not_free_leaves_its_line():
    before = pose([0.35, -0.35, 0.35])
    path = plan_around(ARM, scene_with(post()), before, [START, GOAL]).path
    first = tool(path.q[path.corners])[1]
    np.testing.assert_allclose(first, START[:3, 3], atol=1e-8)
    assert len(path.corners) > 3


def test_a_leg_that_stands_upright_or_only_turns_is_led_around_too():
    high, low = pose([0.5, 0.0, 0.6]), pose([0.5, 0.0, 0.2])
    plate = geometry.box([0.5, 0.0, 0.42], [0.08, 0.08, 0.02])
    path = plan_around(ARM, scene_with(plate), high, [low]).path
    assert path is not None
    assert way(path) > 0.4


def test_no_way_is_one_sentence():
    # the arm stands between
    walls = [geometry.box([x, 0.0, 0.5], [1.6, 0.02, 3.0]) for x in (1.0, -1.0)]
    plan = plan_around(ARM, scene_with(*walls), START, [GOAL])
    assert plan.path is None
    assert plan.reason == "none of 144 detours up to 0.5 m beside the line is free"
    inside = plan_around(ARM, scene_with(geometry.sphere([0.5, 0.25, 0.3], 0.1)), START, [GOAL])
    assert (inside.path, inside.tried) == (None, 0)
    assert "known[0]" in inside.reason
    with pytest.raises(BadInput, match="tool_speed"):
        plan_around(ARM, scene_with(post()), START, [GOAL], tool_speed=-1.0)


def test_auto_weighs_time_and_the_tools_way_and_in_turn_is_the_documents_order():
    auto, in_turn, around = (
        plan_world(load_world("cell", [f"plan.method={method}"]))
        for method in ("auto", "in_turn", "around")
    )
    assert (auto.plan.path.kind, in_turn.plan.path.kind) == ("around", "direct")
    assert auto.plan.path.q.tobytes() == around.plan.path.q.tobytes()
    assert set(auto.plan.reasons) == set(in_turn.plan.reasons) == {"shortest"}
    far, near = facts(in_turn), facts(auto)
    assert near["tool_length_m"] < far["tool_length_m"] / 2
    cost = [f["duration_s"] + f["tool_length_m"] / auto.world.plan.tool_speed for f in (near, far)]
    assert cost[0] < cost[1]


def test_plan_known_has_it_before_the_direct_path(found):
    plan = plan_known(ARM, scene_with(post()), START, [GOAL])
    assert plan.path.q.tobytes() == found.path.q.tobytes()
    assert {path.kind for path in plan.paths} == {"around", "direct"}
