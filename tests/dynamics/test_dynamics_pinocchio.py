"""Every dynamic quantity against Pinocchio, term by term, at 1000 random states of every built-in set."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from oracles import (
    largest_relative_error,
    over_states,
    pinocchio_jacobian,
    pinocchio_model,
    random_states,
    random_tool,
)

from dynamics import (
    coriolis_matrix,
    forward_dynamics,
    forward_kinematics,
    gravity_torque,
    inverse_dynamics,
    jacobian,
    link_frames,
    mass_matrix,
    with_payload,
    with_tool,
)

COUNT = 1000
TOLERANCE = 1e-10


@pytest.fixture
def states():
    return random_states(6, COUNT, seed=1)


@pytest.fixture(params=["bare", "tool and payload"])
def equipped(request, arm):
    return arm if request.param == "bare" else _equip(arm)


def _equip(arm):
    tensor = np.array([[3e-3, 2e-4, -1e-4], [2e-4, 2e-3, 3e-4], [-1e-4, 3e-4, 2.5e-3]])
    return with_payload(with_tool(arm, random_tool()), 1.7, [0.03, -0.02, 0.08], tensor)


def test_inverse_dynamics(equipped, states):
    model, data = pinocchio_model(equipped)
    expected = over_states(lambda *x: pin.rnea(model, data, *x), states.q, states.qd, states.qdd)
    found = inverse_dynamics(equipped, states.q, states.qd, states.qdd)
    assert largest_relative_error(found, expected) < TOLERANCE


def test_inverse_dynamics_with_wrench(equipped, states):
    model, data = pinocchio_model(equipped)
    expected = over_states(lambda *x: pin.rnea(model, data, *x), states.q, states.qd, states.qdd)
    expected -= np.einsum("kij,ki->kj", pinocchio_jacobian(equipped, states.q), states.wrench)
    found = inverse_dynamics(equipped, states.q, states.qd, states.qdd, states.wrench)
    assert largest_relative_error(found, expected) < TOLERANCE


def test_wrench_as_external_force(rigid_arm, states):
    """The wrench handed to Pinocchio as a force on the last body, without any Jacobian."""
    arm = _equip(rigid_arm)
    model, data = pinocchio_model(arm)
    tool = model.getFrameId("tool")

    def rnea(q, qd, qdd, wrench):
        pin.framesForwardKinematics(model, data, q)
        flange, point = data.oMi[model.njoints - 1], data.oMf[tool].translation
        in_base = pin.Force(wrench[:3], wrench[3:] + np.cross(point, wrench[:3]))
        outside = pin.StdVec_Force()
        outside.extend([pin.Force.Zero()] * (model.njoints - 1) + [flange.actInv(in_base)])
        return pin.rnea(model, data, q, qd, qdd, outside)

    expected = over_states(rnea, states.q, states.qd, states.qdd, states.wrench)
    found = inverse_dynamics(arm, states.q, states.qd, states.qdd, states.wrench)
    assert largest_relative_error(found, expected) < TOLERANCE


def test_mass_matrix(equipped, states):
    model, data = pinocchio_model(equipped)

    def crba(q):
        upper = np.triu(pin.crba(model, data, q))
        return upper + np.triu(upper, 1).T

    assert (
        largest_relative_error(mass_matrix(equipped, states.q), over_states(crba, states.q))
        < TOLERANCE
    )


def test_forward_dynamics(equipped, states):
    model, data = pinocchio_model(equipped)
    expected = over_states(lambda *x: pin.aba(model, data, *x), states.q, states.qd, states.tau)
    found = forward_dynamics(equipped, states.q, states.qd, states.tau)
    assert largest_relative_error(found, expected) < TOLERANCE


def test_forward_dynamics_with_wrench(equipped, states):
    model, data = pinocchio_model(equipped)
    tau = states.tau + np.einsum(
        "kij,ki->kj", pinocchio_jacobian(equipped, states.q), states.wrench
    )
    expected = over_states(lambda *x: pin.aba(model, data, *x), states.q, states.qd, tau)
    found = forward_dynamics(equipped, states.q, states.qd, states.tau, states.wrench)
    assert largest_relative_error(found, expected) < TOLERANCE


def test_gravity(equipped, states):
    model, data = pinocchio_model(equipped)
    expected = over_states(lambda q: pin.computeGeneralizedGravity(model, data, q), states.q)
    assert largest_relative_error(gravity_torque(equipped, states.q), expected) < TOLERANCE


def test_gravity_in_any_direction(rigid_arm, states):
    arm = rigid_arm._replace(gravity=np.array([3.0, -5.0, 7.0]))
    model, data = pinocchio_model(arm)
    expected = over_states(lambda q: pin.computeGeneralizedGravity(model, data, q), states.q)
    assert largest_relative_error(gravity_torque(arm, states.q), expected) < TOLERANCE


def test_coriolis_torque(equipped, states):
    model, data = pinocchio_model(equipped)
    expected = over_states(
        lambda q, qd: pin.computeCoriolisMatrix(model, data, q, qd) @ qd, states.q, states.qd
    )
    found = np.einsum("kij,kj->ki", coriolis_matrix(equipped, states.q, states.qd), states.qd)
    assert largest_relative_error(found, expected) < TOLERANCE


def test_link_frames(equipped, states):
    """Frame i of Denavit-Hartenberg, from the joint poses of the kinematic model."""
    model, data = pinocchio_model(equipped, "kinematics")
    after = [
        pin.SE3(pin.utils.rotate("x", alpha), np.array([a, 0, d])) for _, d, a, alpha in equipped.dh
    ]

    def frames(q):
        pin.forwardKinematics(model, data, q)
        return [np.eye(4)] + [(data.oMi[i + 1] * after[i]).homogeneous for i in range(6)]

    expected = over_states(frames, states.q)
    np.testing.assert_allclose(link_frames(equipped, states.q), expected, rtol=0, atol=TOLERANCE)


def test_forward_kinematics(equipped, states):
    model, data = pinocchio_model(equipped, "kinematics")
    tool = model.getFrameId("tool")

    def pose(q):
        pin.framesForwardKinematics(model, data, q)
        return data.oMf[tool].homogeneous

    expected = over_states(pose, states.q)
    np.testing.assert_allclose(
        forward_kinematics(equipped, states.q), expected, rtol=0, atol=TOLERANCE
    )


def test_jacobian(equipped, states):
    expected = pinocchio_jacobian(equipped, states.q)
    assert largest_relative_error(jacobian(equipped, states.q), expected) < TOLERANCE
