"""The dynamics against MuJoCo at 1000 random states of every built-in set; see ``oracles.mujoco_model``."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from oracles import largest_relative_error, mujoco_model, over_states, random_states, random_tool

from dynamics import (
    coriolis_matrix,
    forward_dynamics,
    forward_kinematics,
    gravity_torque,
    inverse_dynamics,
    jacobian,
    mass_matrix,
    with_tool,
)

TOLERANCE = 1e-8


@pytest.fixture
def states():
    return random_states(6, 1000, seed=2)


def _set(model, data, q, qd=0.0):
    data.qpos[:], data.qvel[:] = q, qd
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fwdVelocity(model, data)


def _tool_jacobian(model, data):
    rows = np.zeros((6, model.nv))
    mujoco.mj_jacSite(model, data, rows[:3], rows[3:], 0)
    return rows


def test_inverse_dynamics(arm, states):
    model, data = mujoco_model(arm)

    def inverse(q, qd, qdd):
        data.qpos[:], data.qvel[:], data.qacc[:] = q, qd, qdd
        mujoco.mj_inverse(model, data)
        return data.qfrc_inverse

    expected = over_states(inverse, states.q, states.qd, states.qdd)
    assert (
        largest_relative_error(inverse_dynamics(arm, states.q, states.qd, states.qdd), expected)
        < TOLERANCE
    )


def test_forward_dynamics_with_wrench(arm, states):
    arm = with_tool(arm, random_tool())
    model, data = mujoco_model(arm)
    kinematic_model, kinematic_data = mujoco_model(arm, "kinematics")

    def forward(q, qd, tau, wrench):
        _set(kinematic_model, kinematic_data, q)
        data.qpos[:], data.qvel[:] = q, qd
        data.qfrc_applied[:] = tau
        mujoco.mj_applyFT(
            kinematic_model,
            kinematic_data,
            wrench[:3],
            wrench[3:],
            kinematic_data.site_xpos[0],
            6,
            data.qfrc_applied,
        )
        mujoco.mj_forward(model, data)
        return data.qacc

    expected = over_states(forward, states.q, states.qd, states.tau, states.wrench)
    found = forward_dynamics(arm, states.q, states.qd, states.tau, states.wrench)
    assert largest_relative_error(found, expected) < TOLERANCE


def test_mass_matrix(arm, states):
    model, data = mujoco_model(arm)

    def full(q):
        _set(model, data, q)
        matrix = np.zeros((6, 6))
        mujoco.mj_fullM(model, data, matrix)
        return matrix

    assert (
        largest_relative_error(mass_matrix(arm, states.q), over_states(full, states.q)) < TOLERANCE
    )


def test_gravity_and_coriolis_torque(arm, states):
    model, data = mujoco_model(arm)

    def bias(q, qd):
        _set(model, data, q, qd)
        return data.qfrc_bias

    coriolis = np.einsum("kij,kj->ki", coriolis_matrix(arm, states.q, states.qd), states.qd)
    found = coriolis + gravity_torque(arm, states.q)
    assert largest_relative_error(found, over_states(bias, states.q, states.qd)) < TOLERANCE


def test_kinematics_and_jacobian(arm, states):
    arm = with_tool(arm, random_tool())
    model, data = mujoco_model(arm, "kinematics")

    def look(q):
        _set(model, data, q)
        pose = np.column_stack([data.site_xmat[0].reshape(3, 3), data.site_xpos[0]])
        return np.column_stack([np.vstack([pose, np.zeros((3, 4))]), _tool_jacobian(model, data)])

    expected = over_states(look, states.q)
    np.testing.assert_allclose(
        forward_kinematics(arm, states.q)[:, :3], expected[:, :3, :4], rtol=0, atol=TOLERANCE
    )
    np.testing.assert_allclose(jacobian(arm, states.q), expected[:, :, 4:], rtol=0, atol=TOLERANCE)
