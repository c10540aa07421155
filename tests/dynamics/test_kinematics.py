"""Forward kinematics and Jacobian against the documents and against differences."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import random_states, random_tool
from poses import HOME

from dynamics import forward_kinematics, jacobian, link_frames, load_arm, with_tool
from dynamics.kinematics import add_force_torque, update_frames, velocity_of_point
from dynamics.work import make_work


def _cell_center(u, v):
    """Centre of cell (u, v), counted from 1, of ragazzon2012 (6.13) [m]."""
    return np.array([0.0263 * u + 0.1238, 0.0263 * v - 0.2762, 0.0])


@pytest.mark.parametrize("name", ["ur5_ragazzon2012", "ur5_ragazzon2012_as_printed"])
def test_start_pose_is_the_center_of_its_cell(name):
    T_base_tool = forward_kinematics(load_arm(name), HOME)
    np.testing.assert_allclose(T_base_tool[:3, 3], _cell_center(2, 11), atol=2e-4)
    assert T_base_tool[2, 3] == pytest.approx(-9e-6, abs=1e-6)
    np.testing.assert_allclose(T_base_tool[:3, :3], [[0, 1, 0], [1, 0, 0], [0, 0, -1]], atol=1e-4)


def test_start_pose_with_positive_a_is_elsewhere():
    """Table 3.1 of ragazzon2012 prints the opposite sign for a2, a3."""
    arm = load_arm("ur5_ragazzon2012")
    wrong = arm._replace(offset=arm.offset * [-1, 1, 1])
    assert np.linalg.norm(forward_kinematics(wrong, HOME)[:3, 3] - _cell_center(2, 11)) > 0.1


def test_stretched_arm():
    """At q = 0 the UR5 lies along -x, its flange looking along -y."""
    arm = load_arm("ur5_tu2023")
    T_base_tool = forward_kinematics(arm, np.zeros(6))
    np.testing.assert_allclose(
        T_base_tool[:3, 3], [-0.425 - 0.39225, -0.10915 - 0.0823, 0.08916 - 0.09465], atol=1e-15
    )
    np.testing.assert_allclose(T_base_tool[:3, 2], [0, -1, 0], atol=1e-15)


def test_link_frames_follow_the_table(arm):
    """A_i = Rot_z(theta) Trans_z(d) Trans_x(a) Rot_x(alpha), multiplied out."""
    q = random_states(6, 1, seed=5).q[0]
    frame = np.eye(4)
    for i, (theta, d, a, alpha) in enumerate(arm.dh):
        c, s, ca, sa = np.cos(q[i] + theta), np.sin(q[i] + theta), np.cos(alpha), np.sin(alpha)
        frame = frame @ [
            [c, -s * ca, s * sa, a * c],
            [s, c * ca, -c * sa, a * s],
            [0, sa, ca, d],
            [0, 0, 0, 1],
        ]
        np.testing.assert_allclose(link_frames(arm, q)[i + 1], frame, atol=1e-14)
    np.testing.assert_array_equal(link_frames(arm, q)[0], np.eye(4))
    np.testing.assert_array_equal(link_frames(arm, q)[6], forward_kinematics(arm, q))


def test_rotations_are_orthonormal(arm):
    rotation = link_frames(arm, random_states(6, 1000, seed=6).q)[..., :3, :3]
    np.testing.assert_allclose(
        rotation @ np.swapaxes(rotation, -1, -2),
        np.broadcast_to(np.eye(3), rotation.shape),
        atol=1e-14,
    )


@pytest.mark.parametrize("tooled", [False, True])
def test_jacobian_is_the_derivative_of_the_pose(arm, tooled):
    arm = with_tool(arm, random_tool()) if tooled else arm
    q, step = random_states(6, 200, seed=8).q, 1e-5
    T, J = forward_kinematics(arm, q), jacobian(arm, q)
    for k in range(6):
        slope = forward_kinematics(arm, q + step * np.eye(6)[k]) - forward_kinematics(
            arm, q - step * np.eye(6)[k]
        )
        slope /= 2 * step
        spin = slope[:, :3, :3] @ np.swapaxes(T[:, :3, :3], 1, 2)
        turning = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1)
        np.testing.assert_allclose(J[:, :3, k], slope[:, :3, 3], atol=1e-9)
        np.testing.assert_allclose(J[:, 3:, k], turning, atol=1e-9)


def test_a_point_of_a_link_moves_and_is_pushed_as_the_links_before_it_allow(arm):
    """Its velocity is the derivative of its place, and a force on it has the power F v."""
    rng, h = np.random.default_rng(6), 1e-6
    states = random_states(6, 5, seed=8)
    for q, qd in zip(states.q, states.qd, strict=True):
        work = make_work(6)
        update_frames(arm, q, work)
        ahead, here, behind = (link_frames(arm, q + step * qd) for step in (h, 0.0, -h))
        for link in range(1, 7):
            point, force, torque = rng.uniform(-0.3, 0.3, 3), rng.uniform(-50, 50, 3), np.zeros(6)
            place = here[link, :3, :3] @ point + here[link, :3, 3]
            velocity = velocity_of_point(work, qd, link, place)
            moved = (ahead[link, :3] - behind[link, :3]) @ np.append(point, 1.0) / (2 * h)
            np.testing.assert_allclose(velocity, moved, atol=1e-8)
            add_force_torque(work, link, place, force, torque)
            assert torque @ qd == pytest.approx(force @ velocity, abs=1e-10)
            assert not torque[link:].any()


def test_tool_frame_multiplies_from_the_right(arm):
    T_flange_tool = random_tool()
    q = random_states(6, 50, seed=9).q
    np.testing.assert_allclose(
        forward_kinematics(with_tool(arm, T_flange_tool), q),
        forward_kinematics(arm, q) @ T_flange_tool,
        atol=1e-14,
    )


def test_lists_and_integers_are_welcome():
    arm = load_arm("ur5e")
    np.testing.assert_array_equal(
        forward_kinematics(arm, [0, 1, 0, 0, 0, 0]),
        forward_kinematics(arm, np.array([0.0, 1.0, 0, 0, 0, 0])),
    )


def test_arguments_stay_as_they_are():
    arm, q = load_arm("ur5e"), np.linspace(0, 1, 6)
    before = q.copy()
    forward_kinematics(arm, q)[:] = 5
    jacobian(arm, q)[:] = 5
    np.testing.assert_array_equal(q, before)
    assert forward_kinematics(arm, q)[3, 3] == 1
