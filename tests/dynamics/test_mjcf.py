"""The MuJoCo model that is written from an arm."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from oracles import largest_relative_error, over_states, random_states, random_tool
from refusals import refused

from dynamics import forward_dynamics, forward_kinematics, inverse_dynamics, load_arm, with_tool
from dynamics.files import mjcf_text
from dynamics.files.mjcf import LEAST_INERTIA

STATES = random_states(6, 50, seed=11)


def _compile(text):
    model = mujoco.MjModel.from_xml_string(text)
    return model, mujoco.MjData(model)


def _torques(model, data):
    def one(q, qd, qdd):
        data.qpos[:], data.qvel[:], data.qacc[:] = q, qd, qdd
        mujoco.mj_inverse(model, data)
        return data.qfrc_inverse

    return over_states(one, STATES.q, STATES.qd, STATES.qdd)


def test_same_torques(rigid_arm):
    found = _torques(*_compile(mjcf_text(rigid_arm)))
    expected = inverse_dynamics(rigid_arm, STATES.q, STATES.qd, STATES.qdd)
    # MuJoCo is given 1e-9 kg·m² for zero
    point_masses = not rigid_arm.inertia.any(axis=(1, 2)).all()
    assert largest_relative_error(found, expected) < (1e-8 if point_masses else 1e-12)


def test_same_accelerations_with_damping():
    arm = load_arm("ur5e")
    damping = np.array([1.0, 2.0, 0.5, 0.1, 0.2, 0.3])
    model, data = _compile(mjcf_text(arm, damping=damping))

    def forward(q, qd, tau):
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, qd, tau
        mujoco.mj_forward(model, data)
        return data.qacc

    found = over_states(forward, STATES.q, STATES.qd, STATES.tau)
    expected = forward_dynamics(arm, STATES.q, STATES.qd, STATES.tau - damping * STATES.qd)
    assert largest_relative_error(found, expected) < 1e-10


def test_same_tool_pose(rigid_arm):
    arm = with_tool(rigid_arm, random_tool())
    model, data = _compile(mjcf_text(arm))

    def pose(q):
        data.qpos[:] = q
        mujoco.mj_forward(model, data)
        return np.column_stack([data.site_xmat[0].reshape(3, 3), data.site_xpos[0]])

    expected = forward_kinematics(arm, STATES.q)[:, :3]
    np.testing.assert_allclose(over_states(pose, STATES.q), expected, rtol=0, atol=1e-12)


def _of_radius(arm, radius):
    return arm._replace(
        capsules=np.column_stack([arm.capsules[:, :7], np.full(len(arm.capsules), radius)])
    )


def test_radius_changes_no_torque(rigid_arm):
    """kebria2016 IV.D: the links' radius is arbitrary."""
    thin, thick = (_compile(mjcf_text(_of_radius(rigid_arm, r))) for r in (0.001, 0.2))
    assert thin[0].geom_size[:, 0].max() < thick[0].geom_size[:, 0].min()
    np.testing.assert_array_equal(_torques(*thin), _torques(*thick))


def test_touching_geometry_does_not_collide():
    model, data = _compile(mjcf_text(_of_radius(load_arm("ur5e"), 0.5)))
    mujoco.mj_forward(model, data)
    assert model.ngeom > 6
    assert data.ncon == 0


def test_zero_tensor_becomes_the_least():
    arm = load_arm("ur5_controller")
    model, _ = _compile(mjcf_text(arm))
    zero = np.flatnonzero(~arm.inertia.any(axis=(1, 2)))
    assert len(zero) > 0
    np.testing.assert_allclose(model.body_inertia[zero + 1], LEAST_INERTIA, rtol=1e-6)


def test_rotor_inertia_is_armature():
    arm = load_arm("ur5_controller")
    assert arm.rotor_inertia.min() > 0
    np.testing.assert_array_equal(_compile(mjcf_text(arm))[0].dof_armature, arm.rotor_inertia)


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("ur5_ragazzon2012_as_printed", {}, "no rigid arm"),
        ("ur5e", {"step": float("nan")}, "must be positive"),
        ("ur5e", {"step": -1.0}, "must be positive"),
    ],
    ids=["not rigid", "step of nan", "step below zero"],
)
def test_what_has_no_model_is_refused(name, given, words):
    with refused(words):
        mjcf_text(load_arm(name), **given)
