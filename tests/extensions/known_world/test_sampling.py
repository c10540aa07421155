"""Paths that OMPL finds: over a wall that stops every direct motion, proven, and the same again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from known_planners.independent_check import IndependentCheck
from refusals import refused

from dynamics import forward_kinematics, link_frames
from hopfield_nav.build import build_arm
from hopfield_nav.extensions.clearance import build_scene, clearance, motion_is_free, scene_of_world
from hopfield_nav.extensions.known_world import (
    plan_direct,
    plan_known,
    plan_sampling,
    sampling,
    turn_alternatives,
)
from hopfield_nav.extensions.known_world.sampling import load_ompl
from hopfield_nav.geometry import pack_primitives, sphere
from hopfield_nav.world import parse_world

ROOT = Path(__file__).resolve().parents[3]
WALL = parse_world("""
format: 1
known:
  - floor: {height: 0.0}
  - box: {center: [0.65, 0.0, 0.25], size: [0.9, 0.04, 0.5]}
  - box: {center: [-0.65, 0.0, 0.25], size: [0.9, 0.04, 0.5]}
""")
SEALED = parse_world("""
format: 1
known:
  - floor: {height: 0.0}
  - box: {center: [0.6, 0.0, 0.3], size: [1.0, 0.004, 0.6]}
  - box: {center: [-0.6, 0.0, 0.3], size: [1.0, 0.004, 0.6]}
""")
ARM = build_arm(WALL)
SCENE = scene_of_world(WALL)
HALF_TURN = np.array([np.pi, 0, 0, 0, 0, 0])
START = np.array([-np.pi / 2, -1.2, 2.0, -2.4, -1.57, 0.0])  # before the wall
GOAL = START + HALF_TURN  # the same behind it
LIFTED, BESIDE = np.array([0, -0.3, 0.2, 0, 0, 0]), np.array([0, -0.3, 0.3, 0.5, 0, 6.0])
OUTSIDE = forward_kinematics(ARM, START) + 3.0 * np.eye(4, k=3)  # 3 m away


def test_a_path_where_every_direct_motion_is_blocked():
    direct = plan_direct(ARM, SCENE, START, [GOAL])
    assert direct.paths == []
    assert direct.motions == len(turn_alternatives(ARM, GOAL))
    plan = plan_sampling(ARM, SCENE, START, [GOAL])
    path = plan.path
    assert plan.reason == ""
    assert path.kind == "sampling"
    assert path.q[0].tolist() == START.tolist()
    assert path.q[-1].tolist() in turn_alternatives(ARM, GOAL).tolist()
    assert path.corners.tolist() == list(range(len(path.q)))
    assert path.length == pytest.approx(
        sum(abs(b - a).sum() for a, b in zip(path.q, path.q[1:], strict=False))
    )
    assert np.abs(path.q).max() <= ARM.position_limits.max()
    assert motion_is_free(ARM, SCENE, path.q[:-1], path.q[1:]).all()


@pytest.mark.parametrize("simplify", [False, True])
def test_pinocchio_and_coal_find_no_collision_on_the_path_but_do_on_the_straight_one(simplify):
    other = IndependentCheck(ARM, WALL)
    for seed in range(3):
        path = plan_sampling(ARM, SCENE, START, [GOAL], seed=seed, simplify=simplify).path
        assert other.collisions(path.q)[0] == 0
        looks = np.array([other.tool(q)[:3, 3] for q in other.looks(path.q)])
        assert np.linalg.norm(np.diff(looks, axis=0), axis=1).max() <= 1e-3
    assert other.collisions(np.array([START, GOAL]))[0] > 100


def test_a_pose_is_met_from_a_pose_over_via_points():
    start, via, goal = (forward_kinematics(ARM, q) for q in (START, START + LIFTED, GOAL))
    plan = plan_sampling(ARM, SCENE, start, [via, goal])
    poses = forward_kinematics(ARM, plan.path.q)
    np.testing.assert_allclose(poses[0], start, atol=1e-9)
    np.testing.assert_allclose(poses[-1], goal, atol=1e-9)
    assert np.abs(poses - via).max(axis=(1, 2)).min() < 1e-9
    assert motion_is_free(ARM, SCENE, plan.path.q[:-1], plan.path.q[1:]).all()


def test_simplifying_never_lengthens_in_the_metric_that_ompl_has():
    for seed in range(5):
        raw, short = (
            plan_sampling(ARM, SCENE, START, [GOAL], seed=seed, simplify=s).path.q
            for s in (False, True)
        )
        assert _euclidean(short) <= _euclidean(raw) * (1 + 1e-12)


def _euclidean(q):
    return np.linalg.norm(np.diff(q, axis=0), axis=1).sum()


def test_a_simplified_path_that_is_not_proven_is_not_taken(monkeypatch):
    raw = plan_sampling(ARM, SCENE, START, [GOAL], simplify=False).path.q
    short = plan_sampling(ARM, SCENE, START, [GOAL]).path.q
    assert len(raw) != len(short) or not np.array_equal(raw, short)
    true = motion_is_free
    refused = []

    def refuse_first(*motions):
        refused.append(len(motions[2]))
        return true(*motions) if len(refused) > 1 else np.array([False])

    monkeypatch.setattr(sampling, "motion_is_free", refuse_first)
    assert np.array_equal(plan_sampling(ARM, SCENE, START, [GOAL]).path.q, raw)
    monkeypatch.setattr(sampling, "motion_is_free", lambda *_: np.array([False]))
    assert plan_sampling(ARM, SCENE, START, [GOAL]).path is None


def test_the_arm_is_already_there():
    plan = plan_sampling(ARM, SCENE, START, [START])
    assert plan.path.q.tolist() == [START.tolist()]
    assert plan.path.length == 0.0


def test_a_goal_beyond_what_is_near_is_found_in_the_second_search():
    """Both joints' limits are 2.9 rad, so the goal is 5.6 rad away and on no other turn."""
    arm = ARM._replace(position_limits=np.tile([-2.9, 2.9], (6, 1)))
    start, goal = (np.array([turn, -1.2, 1.5, -1.5, -1.5, 0.0]) for turn in (2.8, -2.8))
    scene = build_scene(arm, np.zeros((0, 17)))
    near, whole = sampling._regions(arm.position_limits, start[None], goal[None])
    assert not (goal >= near[:, 0]).all()
    assert whole.tolist() == arm.position_limits.tolist()
    path = plan_sampling(arm, scene, start, [goal]).path
    assert (path.q[0].tolist(), path.q[-1].tolist()) == (start.tolist(), goal.tolist())


def test_paths_are_as_short_as_a_search_near_the_start_makes_them(monkeypatch):
    """Past the wall within OMPL's own space, two turns in every joint, the arm goes further in the mean."""
    near = [
        _euclidean(plan_sampling(ARM, SCENE, START, [GOAL], seed=seed).path.q) for seed in range(8)
    ]
    monkeypatch.setattr(sampling, "_regions", lambda limits, *_: [limits])
    monkeypatch.setattr(
        sampling, "_STEP", 0.2 * np.linalg.norm(np.diff(ARM.position_limits, axis=1))
    )
    wide = [
        _euclidean(plan_sampling(ARM, SCENE, START, [GOAL], seed=seed).path.q) for seed in range(8)
    ]
    assert np.mean(near) < 0.9 * np.mean(wide)


# no path


@pytest.mark.parametrize(
    ("start", "stations", "reason"),
    [
        (START, [OUTSIDE], "the goal is out of reach"),
        (START, [OUTSIDE, GOAL], "via point 1 is out of reach"),
        (np.zeros(6), [GOAL], "the start is free in no joint position: "),
        (START, [np.zeros(6)], "the goal is free in no joint position: "),
    ],
)
def test_reasons(start, stations, reason):
    plan = plan_sampling(ARM, SCENE, start, stations)
    assert plan.path is None
    assert plan.reason.startswith(reason)
    assert ("known[" in plan.reason) == reason.endswith(": ")


def test_a_goal_too_near_to_be_proven_is_told_as_such():
    """A sphere beside the forearm that ends 0.05 mm from it at the goal, and 0.3 mm from it."""
    elbow, wrist = link_frames(ARM, GOAL)[[2, 3], :3, 3]
    along = (wrist - elbow) / np.linalg.norm(wrist - elbow)
    near = 0.5 * (elbow + wrist) + 0.12 * np.cross(along, [along[1], -along[0], 0.0]) / np.hypot(
        *along[:2]
    )

    def around(radius):
        return build_scene(ARM, pack_primitives([sphere(near, radius)]))

    # a larger one than the arm keeps from itself
    radius = 0.06 + float(clearance(ARM, around(0.06), GOAL))
    close = plan_sampling(ARM, around(radius - 5e-5), GOAL + 0.2 * HALF_TURN, [GOAL])
    assert (
        close.reason
        == "the goal is free in no joint position: it is nearer than 0.1 mm to something"
    )
    assert (
        plan_sampling(ARM, around(radius - 3e-4), GOAL + 0.2 * HALF_TURN, [GOAL]).path is not None
    )


def test_no_path_where_there_is_none():
    """The shoulder, never nearer to the axis than 7 cm, would have to pass a wall that begins at 10 cm."""
    scene, start = scene_of_world(SEALED), np.array([-0.75 * np.pi, *START[1:]])
    beside = start + BESIDE
    assert plan_sampling(ARM, scene, start, [beside], time_limit=0.3).path is not None
    plan = plan_sampling(ARM, scene, start, [start + HALF_TURN], time_limit=0.3)
    assert plan.path is None
    assert plan.reason == "RRTConnect found no path to the goal within 0.3 s"


def test_joints_without_limits_are_refused():
    endless = ARM._replace(position_limits=np.vstack([ARM.position_limits[:5], [-np.inf, np.inf]]))
    with refused("joint 6: sampling needs limits for every joint"):
        plan_sampling(endless, SCENE, START, [GOAL])


# the same again


def test_the_same_seed_gives_the_same_path_and_another_seed_another():
    paths = [plan_sampling(ARM, SCENE, START, [GOAL], seed=s).path.q for s in (0, 1, 0, 2, 0)]
    assert paths[0].tobytes() == paths[2].tobytes() == paths[4].tobytes()
    assert len({path.tobytes() for path in paths}) == 3


def test_another_process_finds_the_same_path_and_prints_nothing_of_ompl():
    helpers = ROOT / "tests" / "helpers"
    folders = [str(ROOT), str(helpers), str(ROOT / "scripts"), str(Path(__file__).parent)]
    code = (
        "from test_sampling import ARM, SCENE, START, GOAL, plan_sampling\n"
        "print(plan_sampling(ARM, SCENE, START, [GOAL], seed=7).path.q.tolist())"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    here = plan_sampling(ARM, SCENE, START, [GOAL], seed=7).path.q.tolist()
    assert (done.stdout, done.stderr) == (f"{here}\n", "")


# in the chain, without OMPL, and wrong settings


def test_the_chain_comes_to_sampling_when_the_others_find_nothing():
    plan = plan_known(ARM, SCENE, START, [GOAL], seed=3)
    alone = plan_sampling(ARM, SCENE, START, [GOAL], seed=3).path
    assert list(plan.reasons) == ["shortest", "around", "direct"]
    assert plan.path.q.tobytes() == alone.q.tobytes()


def test_without_ompl_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ompl", None)
    for call in (plan_sampling, lambda *a: plan_known(*a, method="sampling")):
        with refused(r"pip install 'hopfield-nav\[ompl\]'"):
            call(ARM, SCENE, START, [GOAL])
    chain = plan_known(ARM, SCENE, START, [GOAL])
    assert chain.path is None
    assert chain.reasons["sampling"].startswith("not tried: planning by sampling needs OMPL")


def test_ompl_is_quiet_while_planning_and_as_before_afterwards(capfd):
    util = load_ompl().util
    before = util.getLogLevel()
    util.setLogLevel(util.LOG_DEBUG)
    try:
        plan_sampling(ARM, SCENE, START, [GOAL])
        assert util.getLogLevel() == util.LOG_DEBUG
        assert capfd.readouterr() == ("", "")
    finally:
        util.setLogLevel(before)


ENDLESS = ARM._replace(position_limits=np.tile([-np.inf, np.inf], (6, 1)))
REFUSED = {
    "a seed below zero": (ARM, {"seed": -1}, "wrong seed"),
    "no time": (ARM, {"time_limit": 0.0}, "time_limit must be positive"),
    "a time of nan": (ARM, {"time_limit": float("nan")}, "time_limit must be positive"),
    "joints without limits": (ENDLESS, {}, "limits for every joint"),
}


@pytest.mark.parametrize(("arm", "settings", "words"), REFUSED.values(), ids=REFUSED)
def test_wrong_settings(arm, settings, words):
    with refused(words):
        plan_sampling(arm, SCENE, START, [GOAL], **settings)
