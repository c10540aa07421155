"""Straight lines of the tool, against scipy's slerp."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused
from scipy.spatial.transform import Rotation, Slerp

from hopfield_nav.extensions.known_world import poses_at, straight_line
from hopfield_nav.extensions.known_world.line import flip_choices


def random_poses(count, seed):
    rng = np.random.default_rng(seed)
    T = np.tile(np.eye(4), (count, 1, 1))
    T[:, :3, :3] = Rotation.random(count, random_state=rng).as_matrix()
    T[:, :3, 3] = rng.uniform(-1, 1, (count, 3))
    return T


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 4))
def test_rotation_is_that_of_slerp_and_the_point_goes_straight(seed, count):
    T = random_poses(count, seed)
    line, s = straight_line(T), np.linspace(0, count - 1, 37)
    found = poses_at(line, s)
    slerp = Slerp(np.arange(count), Rotation.from_matrix(T[:, :3, :3]))
    np.testing.assert_allclose(found[:, :3, :3], slerp(s).as_matrix(), atol=1e-12)
    points = [np.interp(s, np.arange(count), T[:, k, 3]) for k in range(3)]
    np.testing.assert_allclose(found[:, :3, 3], np.transpose(points), atol=1e-12)
    np.testing.assert_array_equal(found[:, 3], np.tile([0, 0, 0, 1.0], (37, 1)))


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_shorter_arc(seed):
    T = random_poses(2, seed)
    line = straight_line(T)
    cosine = 0.5 * (np.trace(T[0, :3, :3].T @ T[1, :3, :3]) - 1)
    assert line.angles[0] == pytest.approx(np.arccos(np.clip(cosine, -1, 1)), abs=1e-6)
    assert line.angles[0] <= np.pi + 1e-12


def test_the_given_poses_are_met_to_the_last_bit():
    T = random_poses(4, 7)
    line = straight_line(T)
    np.testing.assert_array_equal(poses_at(line, np.arange(4.0)), line.poses)
    np.testing.assert_allclose(line.poses, T, atol=1e-15)


def test_half_a_turn_and_no_turn():
    T = np.tile(np.eye(4), (3, 1, 1))
    T[1, :3, :3] = T[2, :3, :3] = np.diag([-1.0, -1.0, 1.0])
    line = straight_line(T)
    np.testing.assert_allclose(line.angles, [np.pi, 0.0], atol=1e-12)
    middle = poses_at(line, np.array(0.5))[:3, :3]
    np.testing.assert_allclose(middle @ middle, T[1, :3, :3], atol=1e-12)
    np.testing.assert_array_equal(poses_at(line, np.array(1.5)), T[1])


def test_half_a_turn_has_two_ways_round():
    T = random_poses(2, 3)
    turn = np.pi * np.array([0.6, 0.0, 0.8])
    T[1, :3, :3] = T[0, :3, :3] @ Rotation.from_rotvec(turn).as_matrix()
    s = np.linspace(0, 1, 11)
    paths = [poses_at(straight_line(T, flip), s) for flip in ((), (0,))]
    both = [
        T[0, :3, :3] @ Rotation.from_rotvec(sign * s[:, None] * turn).as_matrix()
        for sign in (1, -1)
    ]
    # which of the two comes first is open
    if np.abs(paths[0][5, :3, :3] - both[0][5]).max() > 1e-6:
        both.reverse()
    for path, rotation in zip(paths, both, strict=True):
        np.testing.assert_allclose(path[:, :3, :3], rotation, atol=1e-12)
        np.testing.assert_allclose(path[-1], T[1], atol=1e-15)


def test_legs_of_half_a_turn_are_found():
    T = np.tile(np.eye(4), (5, 1, 1))
    T[1, :3, :3] = Rotation.from_rotvec([np.pi - 1e-7, 0, 0]).as_matrix()
    T[3, :3, :3] = Rotation.from_rotvec([0, np.pi - 1e-5, 0]).as_matrix()
    T[4, :3, :3] = T[3, :3, :3] @ Rotation.from_rotvec([0, 0, np.pi]).as_matrix()
    line = straight_line(T)  # legs 0, 1 and 3; leg 2 is too short of half a turn
    assert flip_choices(line, 9) == [(), (0,), (1,), (3,), (0, 1), (0, 3), (1, 3), (0, 1, 3)]
    assert flip_choices(line, 4) == [(), (0,), (1,), (3,)]
    assert flip_choices(straight_line(random_poses(3, 1)), 4) == [()]
    np.testing.assert_allclose(straight_line(T, (0,)).angles[0], np.pi + 1e-7, atol=1e-12)


@pytest.mark.parametrize(("call", "words"), [
    (lambda: straight_line(np.eye(4)[None]), "two poses"),
    (lambda: straight_line(np.ones((2, 4, 4))), "poses"),
    (lambda: straight_line(random_poses(2, 0), (0,)), "two ways round"),
    (lambda: poses_at(straight_line(random_poses(2, 0)), np.array([1.2])), "beyond the line"),
])  # fmt: skip
def test_bad_input(call, words):
    with refused(words):
        call()
