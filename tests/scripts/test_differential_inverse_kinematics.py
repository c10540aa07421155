"""Jacobian steps along a path: order of the error, what Euler angles lose, what feedback gains."""

from __future__ import annotations

import numpy as np
import pytest
from made_up_arms import arm_of_rows
from nowoczyn2023.differential import differential_inverse_kinematics, path_error
from oracles import random_tool
from refusals import refused
from scipy.spatial.transform import Rotation, Slerp

from dynamics import forward_kinematics, inverse_kinematics, load_arm, with_tool

ARM = load_arm("ur5_tu2023")
TURN = np.array([0.5, 0.6, 0.7])  # [rad]


def _path(count: int, turn: np.ndarray = TURN) -> np.ndarray:
    """One metre along y at constant speed while the tool turns by a rotation vector."""
    ends = Rotation.from_rotvec([np.zeros(3), turn]) * Rotation.from_rotvec([np.pi, 0, 0])
    share = np.linspace(0, 1, count)
    poses = np.tile(np.eye(4), (count, 1, 1))
    poses[:, :3, :3] = Slerp([0, 1], ends)(share).as_matrix()
    poses[:, :3, 3] = [-0.5, -0.5, 0.3]
    poses[:, 1, 3] += share
    return poses


def _follow(count, orientation="rotation_vector", feedback=False, turn=TURN, arm=ARM):
    poses = _path(count, turn)
    start = inverse_kinematics(arm, poses[0])[0]
    return differential_inverse_kinematics(arm, poses, start, orientation, feedback)


@pytest.mark.kernel
def test_reported_errors_are_those_of_the_joint_positions():
    path, poses = _follow(101), _path(101)
    reached = forward_kinematics(ARM, path.q)
    np.testing.assert_allclose(
        path.position_error, np.linalg.norm(reached[:, :3, 3] - poses[:, :3, 3], axis=1), atol=1e-15
    )
    turned = Rotation.from_matrix(reached[:, :3, :3]) * Rotation.from_matrix(poses[:, :3, :3]).inv()
    np.testing.assert_allclose(path.turn_error, turned.magnitude(), atol=1e-12)
    assert path.position_error[0] < 1e-12


def test_error_without_feedback_is_of_first_order():
    """It adds up what Euler's method misses: half of it with half the step."""
    position, turn = zip(
        *((p.position_error[-1], p.turn_error[-1]) for p in map(_follow, (501, 1001))), strict=True
    )
    assert position[0] / position[1] == pytest.approx(2, rel=0.05)
    assert turn[0] / turn[1] == pytest.approx(2, rel=0.05)


def test_error_with_feedback_is_of_second_order():
    errors = [_follow(n, feedback=True).position_error.max() for n in (501, 1001)]
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.1)
    assert errors[1] < 0.01 * _follow(1001).position_error.max()


def test_published_error_of_steps_of_40_micrometres():
    """nowoczyn2023 2.2: up to 0.1 mm after 1 m; the same for both kinds of orientation if it is constant."""
    still = np.zeros(3)
    paths = [_follow(25001, o, turn=still) for o in ("rotation_vector", "euler")]
    assert 2e-5 < paths[0].position_error[-1] < 1e-4
    np.testing.assert_allclose(paths[0].q, paths[1].q, atol=1e-10)


def test_differences_of_euler_angles_are_no_rotation():
    """As printed the turn is lost, however small the steps; the rotation vector keeps it."""
    assert _follow(4001).turn_error[-1] < 1e-3
    coarse, fine = (_follow(n, "euler").turn_error[-1] for n in (2001, 4001))
    assert fine > 0.3
    assert fine == pytest.approx(coarse, rel=0.01)


def test_a_turn_about_one_base_axis_survives_euler_angles():
    """About z alone yaw is the rotation, and (2.3) is right."""
    turn = np.array([0, 0, 0.8])
    assert _follow(4001, "euler", turn=turn).turn_error[-1] < 1e-3


def test_tool_frame_is_followed(rigid_arm):
    arm = with_tool(rigid_arm, random_tool())
    q = np.array([0.3, -1.2, 1.5, -0.4, 1.1, 0.2]) + np.linspace(0, 0.5, 2001)[:, None] * [
        1,
        -1,
        1,
        1,
        -1,
        1,
    ]
    poses = forward_kinematics(arm, q)
    path = differential_inverse_kinematics(arm, poses, q[0], feedback=True)
    np.testing.assert_allclose(path.q, q, atol=1e-5)


def test_singular_start_is_told():
    """Wrist singularity: no step is taken, the rest is NaN and no error."""
    q = np.array([0.3, -1.2, 1.5, -0.4, 0.0, 0.2])
    poses = np.tile(forward_kinematics(ARM, q), (3, 1, 1))
    poses[1:, 0, 3] += 1e-5
    path = differential_inverse_kinematics(ARM, poses, q)
    np.testing.assert_array_equal(path.q[0], q)
    assert np.isnan(path.q[1:]).all()
    assert np.isnan(path.position_error[1:]).all()


def test_one_pose_is_a_path():
    q = np.array([0.3, -1.2, 1.5, -0.4, 1.0, 0.2])
    path = differential_inverse_kinematics(ARM, forward_kinematics(ARM, q)[None], q)
    assert path.q.shape == (1, 6)
    assert path.position_error[0] < 1e-15


FIVE = arm_of_rows([(0.1, 0.1, "pi/2")] * 5)


REFUSED = {
    "one pose": (ARM, np.eye(4), np.zeros(6), "a path of poses"),
    "no pose": (ARM, np.zeros((0, 4, 4)), np.zeros(6), "a path of poses"),
    "poses of zeros": (ARM, np.zeros((3, 4, 4)), np.zeros(6), "not a rigid motion"),
    "a start of five joints": (ARM, _path(3), np.zeros(5), "q_start has the wrong shape"),
    "an arm of five joints": (FIVE, _path(3), np.zeros(5), "six joints only"),
}


@pytest.mark.parametrize(("arm", "poses", "start", "words"), REFUSED.values(), ids=REFUSED)
def test_bad_input(arm, poses, start, words):
    with refused(words):
        differential_inverse_kinematics(arm, poses, start)


def test_an_unknown_orientation():
    with refused("unknown orientation"):
        differential_inverse_kinematics(ARM, _path(3), np.zeros(6), "quaternion")


def test_more_rows_than_poses_have_no_error():
    with refused("one joint position a pose"):
        path_error(ARM, _path(3), np.zeros((4, 6)))
