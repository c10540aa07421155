"""Numeric inverse kinematics: convergence, limits, any number of joints, restarts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from made_up_arms import arm_of_rows
from poses import frame_of
from refusals import refused
from scipy.spatial.transform import Rotation

from dynamics import forward_kinematics, inverse_kinematics, numeric_inverse_kinematics, with_tool
from dynamics.inverse.numeric import turn_between

pytestmark = pytest.mark.kernel


def chain(*alphas, limits=None):
    """An arm with links of 0.3 m and these twists."""
    return arm_of_rows([(0.1, 0.3, alpha) for alpha in alphas], limits)


def test_from_a_near_start_it_finds_the_near_solution(ur5):
    rng = np.random.default_rng(1)
    q = rng.uniform(-2, 2, (100, 6))
    q[:, 4] = np.where(np.abs(q[:, 4]) < 0.3, 0.5, q[:, 4])
    for wanted, T in zip(q, forward_kinematics(ur5, q), strict=True):
        found = numeric_inverse_kinematics(ur5, T, wanted + rng.uniform(-0.02, 0.02, 6))
        assert found.converged
        assert found.error <= 1e-10
        np.testing.assert_allclose(forward_kinematics(ur5, found.q), T, atol=2e-10)


def test_agrees_with_the_closed_form(ur5):
    rng = np.random.default_rng(2)
    tooled = with_tool(ur5, frame_of(0.05, -0.1, 0.2, [0.3, 0.2, -1.0]))
    for arm in (ur5, tooled):
        for T in forward_kinematics(arm, rng.uniform(-3, 3, (50, 6))):
            found = numeric_inverse_kinematics(arm, T, rng.uniform(-3, 3, 6), restarts=30, rng=rng)
            assert found.converged
            turns = (inverse_kinematics(arm, T) - found.q + math.pi) % (2 * math.pi) - math.pi
            assert np.abs(turns).max(axis=1).min() < 1e-6


def test_most_random_starts_converge(ur5):
    rng = np.random.default_rng(3)
    T = forward_kinematics(ur5, rng.uniform(-3, 3, (200, 6)))
    assert (
        np.mean([numeric_inverse_kinematics(ur5, x, rng.uniform(-3, 3, 6)).converged for x in T])
        > 0.75
    )


@pytest.mark.parametrize(
    "q",
    [
        [0.3, -1.2, 0.0, -0.8, 1.1, 0.7],
        [0.3, -1.2, 1.4, -0.8, 0.0, 0.7],
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    ],
)
def test_singular_poses(ur5, q):
    T = forward_kinematics(ur5, np.array(q))
    found = numeric_inverse_kinematics(ur5, T, np.array(q) + 0.1)
    assert found.converged
    assert np.abs(forward_kinematics(ur5, found.q) - T).max() < 2e-10


def test_seven_joints():
    arm, rng = chain(*[math.pi / 2, -math.pi / 2] * 3, 0.0), np.random.default_rng(4)
    for T in forward_kinematics(arm, rng.uniform(-2, 2, (20, 7))):
        found = numeric_inverse_kinematics(arm, T, rng.uniform(-2, 2, 7), restarts=20, rng=rng)
        assert found.converged
        np.testing.assert_allclose(forward_kinematics(arm, found.q), T, atol=2e-10)


def test_three_joints_reach_a_position_but_not_a_pose():
    arm = chain(math.pi / 2, 0, 0)
    T = frame_of(0.3, 0.4, 0.5, [1.0, 2.0, 0.5])
    point = numeric_inverse_kinematics(arm, T, np.full(3, 0.3), position_only=True)
    assert point.converged
    np.testing.assert_allclose(forward_kinematics(arm, point.q)[:3, 3], T[:3, 3], atol=1e-10)
    whole = numeric_inverse_kinematics(arm, T, np.full(3, 0.3))
    assert not whole.converged
    assert cost(arm, T, whole.q) == pytest.approx(0.5 * whole.error**2, rel=1e-12)
    for i in range(3):  # a local minimum of the cost that the docstring states
        for step in (1e-3, -1e-3):
            assert cost(arm, T, whole.q + step * np.eye(3)[i]) > cost(arm, T, whole.q)


def cost(arm, T, q):
    now = forward_kinematics(arm, q)
    turn = Rotation.from_matrix(T[:3, :3] @ now[:3, :3].T).as_rotvec()
    return 0.5 * (np.sum((T[:3, 3] - now[:3, 3]) ** 2) + turn @ turn)


def test_joint_limits_are_respected(ur5):
    rng = np.random.default_rng(5)
    arm = ur5._replace(position_limits=np.tile([-1.0, 1.2], (6, 1)))
    q = rng.uniform(-1.0, 1.2, (30, 6))
    for T in forward_kinematics(arm, q):
        found = numeric_inverse_kinematics(arm, T, np.full(6, 5.0), restarts=50, rng=rng)
        assert ((found.q >= -1.0) & (found.q <= 1.2)).all()
        assert found.converged
    beyond = forward_kinematics(arm, np.array([2.0, -0.5, 0.5, -0.5, 0.5, 0.5]))
    solutions = inverse_kinematics(arm, beyond)
    assert not ((solutions >= -1.0) & (solutions <= 1.2)).all(axis=1).any()
    found = numeric_inverse_kinematics(arm, beyond, np.full(6, 0.5), restarts=5, rng=rng)
    assert not found.converged
    assert ((found.q >= -1.0) & (found.q <= 1.2)).all()


def test_two_link_arm_ends_at_its_limit():
    """Planar, so that the constrained minimum is known: joint 1 at its limit, joint 2 at its best."""
    arm = chain(0, 0, limits=[0.5, 3.0])
    found = numeric_inverse_kinematics(
        arm, frame_of(0.0, 0.5, 0.2), np.array([0.2, 0.4]), position_only=True
    )
    assert found.q[0] == 0.5
    elbow = 0.3 * np.array([math.cos(0.5), math.sin(0.5)])
    to_target = np.array([0.0, 0.5]) - elbow
    assert found.q[1] == pytest.approx(math.atan2(to_target[1], to_target[0]) - 0.5, abs=1e-6)


def test_out_of_reach(ur5):
    found = numeric_inverse_kinematics(ur5, frame_of(3.0, 0, 0), np.full(6, 0.3))
    assert not found.converged
    assert np.isfinite(found.q).all()
    assert 2.0 < found.error < 3.0
    assert found.iterations <= 200


def test_restarts_are_reproducible_and_help(ur5):
    T = forward_kinematics(ur5, np.array([2.9, -0.2, -2.5, 1.8, -0.4, 2.2]))
    start = next(
        s
        for s in np.random.default_rng(6).uniform(-3, 3, (200, 6))
        if not numeric_inverse_kinematics(ur5, T, s).converged
    )
    runs = [
        numeric_inverse_kinematics(ur5, T, start, restarts=30, rng=np.random.default_rng(7))
        for _ in range(2)
    ]
    assert runs[0].converged
    np.testing.assert_array_equal(runs[0].q, runs[1].q)
    unlimited = ur5._replace(position_limits=np.tile([-np.inf, np.inf], (6, 1)))
    rng = np.random.default_rng(7)
    assert numeric_inverse_kinematics(unlimited, T, start, restarts=30, rng=rng).converged


def test_at_the_solution_no_step_is_tried(ur5):
    q = np.array([0.3, -1.2, 1.4, -0.8, 1.1, 0.7])
    found = numeric_inverse_kinematics(ur5, forward_kinematics(ur5, q), q)
    assert (found.converged, found.iterations) == (True, 0)
    assert (
        numeric_inverse_kinematics(ur5, frame_of(0.4, 0.1, 0.3), q, max_iterations=3).iterations
        == 3
    )


REFUSED = {
    "a start of five joints": ({"q_start": np.zeros(5)}, "q_start has the wrong shape"),
    "a start of nan": ({"q_start": np.full(6, np.nan)}, "one finite joint position"),
    "two starts": ({"q_start": np.zeros((2, 6))}, "one finite joint position"),
    "a rotation only": ({"T_base_tool": np.eye(3)}, "T_base_tool has the wrong shape"),
    "a pose of twice the size": ({"T_base_tool": 2 * np.eye(4)}, "not a rigid motion"),
    "a pose of nan": ({"T_base_tool": np.full((4, 4), np.nan)}, "not a rigid motion"),
    "two poses": ({"T_base_tool": np.tile(np.eye(4), (2, 1, 1))}, "one pose is needed"),
    "a tolerance below zero": ({"tolerance": -1}, "cannot be negative"),
    "a tolerance of nan": ({"tolerance": math.nan}, "cannot be negative"),
    "fewer iterations than none": ({"max_iterations": -1}, "cannot be negative"),
    "restarts without a generator": ({"restarts": 1}, "need rng"),
    "a tool frame of twice the size": ({"tool": 2 * np.eye(4)}, "tool frame"),
}


@pytest.mark.parametrize(("change", "words"), REFUSED.values(), ids=REFUSED)
def test_bad_input(ur5, change, words):
    given = {"T_base_tool": frame_of(0.4, 0.1, 0.3), "q_start": np.zeros(6)} | change
    with refused(words):
        numeric_inverse_kinematics(with_tool(ur5, given.pop("tool", np.eye(4))), **given)


def test_turn_between():
    rng = np.random.default_rng(8)
    axes = rng.normal(size=(40, 3))
    axes[:6] = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, 0, 0], [1, 1, 0], [0, -1, 1]]
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    for angle in (0.0, 1e-12, 1e-8, 0.3, 3.0, math.pi - 1e-5, math.pi - 1e-9, math.pi):
        for axis in axes:
            before = frame_of(0, 0, 0, rng.normal(size=3))
            after = frame_of(0, 0, 0, angle * axis) @ before
            turn = np.array(turn_between(before, after))
            assert np.linalg.norm(turn) == pytest.approx(angle, abs=1e-14)
            np.testing.assert_allclose(frame_of(0, 0, 0, turn) @ before, after, atol=1e-14)
