"""Continuous joint paths: continuity, whole turns, limits, and the named ends."""

from __future__ import annotations

import math

import numpy as np
import pytest
from made_up_arms import arm_of_rows
from refusals import refused
from scipy.spatial.transform import Rotation

from dynamics import (
    follow_path,
    forward_kinematics,
    inverse_kinematics_branches,
    link_frames,
    with_tool,
    within_limits_turns,
)

pytestmark = pytest.mark.kernel
START = np.array([0.3, -1.2, 1.4, -1.8, -1.4, 0.2])


def moved(joint, angle):
    q = START.copy()
    q[joint] += angle
    return q


def shifted(T, offsets):
    poses = np.repeat(T[None], len(offsets), axis=0)
    poses[:, :3, 3] += offsets
    return poses


def circle(arm, q, radius=0.1, count=40):
    angle = np.linspace(0, 2 * math.pi, count)
    offsets = radius * np.stack([np.cos(angle) - 1, np.zeros(count), np.sin(angle)], axis=1)
    return shifted(forward_kinematics(arm, q), offsets)


def about_base_axis(T, angles):
    poses = np.repeat(T[None], len(angles), axis=0)
    turn = Rotation.from_rotvec(np.outer(angles, [0, 0, 1])).as_matrix()
    poses[:, :3] = turn @ T[:3]
    return poses


def assert_reaches(arm, path, poses):
    assert path.reason == ""
    assert path.reached == len(poses)
    np.testing.assert_allclose(forward_kinematics(arm, path.q), poses, atol=1e-9)


def test_circle(ur5):
    poses = circle(ur5, START)
    path = follow_path(ur5, poses, START)
    assert_reaches(ur5, path, poses)
    np.testing.assert_allclose(path.q[0], START, atol=1e-9)
    np.testing.assert_allclose(path.q[-1], START, atol=1e-9)  # it came back on the same branch
    assert np.abs(np.diff(path.q, axis=0)).max() < 0.15


def test_circle_with_a_tool(ur5):
    arm = with_tool(
        ur5, np.array([[0.0, -1, 0, 0.1], [1, 0, 0, 0.0], [0, 0, 1, 0.15], [0, 0, 0, 1]])
    )
    poses = circle(arm, START, radius=0.05)
    assert_reaches(arm, follow_path(arm, poses, START), poses)


def test_through_the_wrap_at_pi(ur5):
    start = moved(0, 2.6)
    poses = about_base_axis(forward_kinematics(ur5, start), np.linspace(0, 1.0, 20))
    path = follow_path(ur5, poses, start)
    assert_reaches(ur5, path, poses)
    np.testing.assert_allclose(path.q[:, 0], 2.9 + np.linspace(0, 1.0, 20), atol=1e-9)
    np.testing.assert_allclose(path.q[:, 1:], np.tile(start[1:], (20, 1)), atol=1e-9)


def test_limits_end_the_path(ur5):
    start = moved(0, 2.6)
    poses = about_base_axis(forward_kinematics(ur5, start), np.linspace(0, 1.0, 21))
    arm = ur5._replace(position_limits=np.tile([-math.pi, math.pi], (6, 1)))
    path = follow_path(arm, poses, start)
    assert path.reached == 5  # 2.9 + 5 · 0.05 > π
    assert path.reason == "limits at waypoint 5"
    assert np.isfinite(path.q[:5]).all()
    assert np.isnan(path.q[5:]).all()


def test_starting_on_a_limit(ur5):
    arm = ur5._replace(position_limits=np.column_stack([START, START + 1]))
    path = follow_path(arm, forward_kinematics(arm, START)[None], START)
    assert path.reached == 1
    assert (path.q[0] >= arm.position_limits[:, 0]).all()


def test_a_start_on_another_turn_stays_there(ur5):
    start = START + 2 * math.pi * np.array([-1, 0, 0, 1, 1, 0])
    poses = circle(ur5, START)
    path = follow_path(ur5, poses, start)
    assert_reaches(ur5, path, poses)
    np.testing.assert_allclose(path.q[0], start, atol=1e-9)


def test_out_of_reach(ur5):
    """Straight on past the stretched arm, where no branch is left."""
    q = np.array([0.3, -1.2, 0.0, -0.8, 1.1, 0.7])
    frames = link_frames(ur5, q)
    outward = frames[3, :3, 3] - frames[1, :3, 3]
    distances = np.linspace(-0.02, 0.02, 20)
    poses = shifted(
        forward_kinematics(ur5, q), np.outer(distances, outward / np.linalg.norm(outward))
    )
    solutions, _ = inverse_kinematics_branches(ur5, poses[0])
    path = follow_path(ur5, poses, solutions[np.argmin(np.abs(solutions - q).max(axis=1))])
    assert path.reached == np.sum(distances < 0)
    assert path.reason == "out of reach at waypoint 10"
    assert np.isnan(path.q[10:]).all()


def test_branch_ends(ur5):
    """Upwards, the branch ends at its stretched elbow while others reach on."""
    poses = shifted(forward_kinematics(ur5, START), np.outer(np.linspace(0, 0.5, 101), [0, 0, 1]))
    path = follow_path(ur5, poses, START)
    assert 0 < path.reached < 100
    assert path.reason.startswith("branch ends (jump of ")
    assert path.reason.endswith(f" rad) at waypoint {path.reached}")
    assert abs(path.q[path.reached - 1, 2]) < 0.3  # nearly stretched
    solutions, _ = inverse_kinematics_branches(ur5, poses[path.reached])
    turns = (solutions - path.q[path.reached - 1] + math.pi) % (2 * math.pi) - math.pi
    nearest = np.abs(turns).max(axis=1).min()
    assert float(path.reason.split()[4]) == pytest.approx(nearest, rel=1e-2)
    assert nearest > 1.0
    assert follow_path(ur5, poses, START, jump=4.0).reached > path.reached  # with a jump it goes on


def test_through_the_wrist_singularity(ur5):
    """The joints run on through s5 = 0, where θ6 is free and the wrist's branches change places."""
    q = np.linspace(START, moved(4, 2.8), 15)
    assert abs(q[7, 4]) < 1e-12
    poses = forward_kinematics(ur5, q)
    path = follow_path(ur5, poses, q[0])
    assert_reaches(ur5, path, poses)
    np.testing.assert_allclose(path.q[[0, 6, 8, 14]], q[[0, 6, 8, 14]], atol=1e-9)
    assert path.q[7, 5] == pytest.approx(q[6, 5], abs=1e-9)  # where it is free it stays


def test_jump_threshold_counts_from_the_start(ur5):
    poses = forward_kinematics(ur5, START)[None]
    assert follow_path(ur5, poses, moved(0, 0.4)).reached == 1
    path = follow_path(ur5, poses, moved(0, 0.4), jump=0.3)
    assert path.reason == "branch ends (jump of 0.4 rad) at waypoint 0"


def general_arm(n=7, limits=6.3):
    alphas = [math.pi / 2, -math.pi / 2] * 4
    return arm_of_rows([(0.1, 0.25, alpha) for alpha in alphas[:n]], limits)


@pytest.mark.parametrize("n", [6, 7])
def test_an_arm_without_closed_form(n):
    arm, q = general_arm(n), np.linspace(0.4, 1.2, n)
    poses = circle(arm, q, radius=0.02)
    path = follow_path(arm, poses, q)
    assert_reaches(arm, path, poses)
    assert np.abs(np.diff(path.q, axis=0)).max() < 0.3
    far = shifted(poses[0], np.outer(np.linspace(0, 5, 60), [1, 0, 0]))
    path = follow_path(arm, far, q)
    assert path.reached < 60
    assert path.reason
    tight = general_arm(n, limits=1.21)
    path = follow_path(tight, far, q)
    assert path.reason == f"limits at waypoint {path.reached}"
    assert follow_path(arm, poses, q, jump=1e-6).reason.startswith("branch ends (jump of ")


def test_empty_path(ur5):
    path = follow_path(ur5, np.empty((0, 4, 4)), START)
    assert (path.q.shape, path.reached, path.reason) == ((0, 6), 0, "")


REFUSED = {
    "one pose": ({"poses": np.eye(4)}, "poses has the wrong shape"),
    "poses of three rows": ({"poses": np.zeros((40, 3, 4))}, "poses has the wrong shape"),
    "poses of nan": ({"poses": np.full((40, 4, 4), np.nan)}, "poses is not a rigid motion"),
    "a start of five joints": ({"start": START[:5]}, "q_start has the wrong shape"),
    "a start of nan": ({"start": np.full(6, np.nan)}, "one finite joint position"),
    "two starts": ({"start": np.tile(START, (2, 1))}, "one finite joint position"),
    "no jump": ({"jump": 0.0}, "jump must be positive"),
    "a jump below zero": ({"jump": -1.0}, "jump must be positive"),
    "a jump of nan": ({"jump": math.nan}, "jump must be positive"),
}


@pytest.mark.parametrize(("change", "words"), REFUSED.values(), ids=REFUSED)
def test_bad_input(ur5, change, words):
    given = {"poses": circle(ur5, START), "start": START, "jump": 0.5} | change
    with refused(words):
        follow_path(ur5, given["poses"], given["start"], jump=given["jump"])


def test_within_limits_turns(ur5):
    q, near = np.array([3.0, -3.0, 0.1, 0.0, 6.0, -6.2]), np.array([-3.0, 3.0, 6.1, -9.0, 0.0, 6.2])
    out = within_limits_turns(ur5, q, near)  # limits ±2π
    turn = 2 * math.pi
    np.testing.assert_allclose(out, [3.0 - turn, -3.0 + turn, 0.1, -turn, 6.0 - turn, -6.2 + turn])


def test_within_limits_turns_is_the_nearest_allowed_turn(ur5):
    rng = np.random.default_rng(1)
    limits = np.sort(rng.uniform(-9, 9, (6, 2)), axis=1)
    arm = ur5._replace(position_limits=limits)
    q, near = rng.uniform(-10, 10, (300, 6)), rng.uniform(-10, 10, (300, 6))
    out = within_limits_turns(arm, q, near)
    choices = q[..., None] + 2 * math.pi * np.arange(-5, 6)
    allowed = (choices >= limits[:, :1]) & (choices <= limits[:, 1:])
    distance = np.where(allowed, np.abs(choices - near[..., None]), np.inf)
    best = np.take_along_axis(choices, distance.argmin(-1)[..., None], -1)[..., 0]
    np.testing.assert_allclose(out, np.where(allowed.any(-1), best, np.nan), atol=1e-12)
    assert np.isnan(out).any()
    assert np.isfinite(out).any()


def test_within_limits_turns_without_limits_and_on_a_limit(ur5):
    free = ur5._replace(position_limits=np.tile([-np.inf, np.inf], (6, 1)))
    np.testing.assert_allclose(
        within_limits_turns(free, np.zeros(6), np.full(6, 100.0)), 32 * math.pi
    )
    on = ur5._replace(position_limits=np.tile([-math.pi, math.pi], (6, 1)))
    beyond = np.full((2, 6), np.nextafter(math.pi, 4))
    np.testing.assert_array_equal(within_limits_turns(on, beyond, np.zeros(6) + 3.0), math.pi)
