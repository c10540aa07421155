"""The wrench at the flange: MuJoCo's force and torque sensors, Pinocchio, and Newton's second law."""

from __future__ import annotations

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from oracles import (
    largest_relative_error,
    mujoco_model,
    over_states,
    pinocchio_model,
    random_states,
    random_tool,
)
from refusals import refused

from dynamics import (
    flange_wrench,
    forward_kinematics,
    inverse_dynamics,
    jacobian,
    link_frames,
    load_arm,
    make_load,
    with_payload,
    with_tool,
)

ARM = with_tool(load_arm("ur5_full"), random_tool())
TENSOR = np.array([[3e-3, 4e-4, -2e-4], [4e-4, 5e-3, 3e-4], [-2e-4, 3e-4, 4e-3]])
LOAD = make_load(1.7, [0.03, -0.02, 0.08], TENSOR)
STATES = random_states(6, 300, seed=4)


def _found(wrench=None):
    return flange_wrench(ARM, STATES.q, STATES.qd, STATES.qdd, LOAD, wrench)


def test_mujocos_sensors_at_the_flange_read_the_opposite():
    """They give what the arm exerts on the body beyond; ours is what that body exerts on the arm."""
    full = " ".join(map(str, [*np.diag(TENSOR), TENSOR[0, 1], TENSOR[0, 2], TENSOR[1, 2]]))
    body = f"""<body name="load"><site name="flange"/>
        <inertial mass="1.7" pos="0.03 -0.02 0.08" fullinertia="{full}"/></body>"""
    model, data = mujoco_model(
        ARM, beyond=body, sensors='<force site="flange"/><torque site="flange"/>'
    )
    index = model.body("load").id

    def read(q, qd, qdd, wrench):
        data.qpos[:], data.qvel[:], data.qacc[:] = q, qd, qdd
        mujoco.mj_fwdPosition(model, data)
        point = forward_kinematics(ARM, q)[:3, 3]
        moment = wrench[3:] + np.cross(point - data.xipos[index], wrench[:3])
        data.xfrc_applied[index] = [*wrench[:3], *moment]
        mujoco.mj_inverse(model, data)
        return -data.sensordata

    expected = over_states(read, STATES.q, STATES.qd, STATES.qdd, STATES.wrench)
    assert largest_relative_error(_found(STATES.wrench), expected) < 1e-9


def test_pinocchios_motion_of_the_centre_of_mass_obeys_newton_and_euler():
    """m a = F + m g - f, and the rate of the angular momentum about the centre of mass."""
    model, data = pinocchio_model(ARM)
    flange = model.addFrame(
        pin.Frame("flange", model.njoints - 1, 0, _flange_placement(model), pin.OP_FRAME)
    )
    data = model.createData()
    found, h = _found(), 1e-6
    for row in range(20):
        q, qd, qdd = STATES.q[row], STATES.qd[row], STATES.qdd[row]

        def momentum(t, q=q, qd=qd, qdd=qdd):
            pin.forwardKinematics(model, data, q + t * qd + t * t / 2 * qdd, qd + t * qdd)
            place = pin.updateFramePlacement(model, data, flange)
            motion = pin.getFrameVelocity(model, data, flange, pin.LOCAL)
            inertia = pin.Inertia(LOAD.mass, LOAD.center_of_mass, LOAD.inertia)
            at_base = place.act(inertia * motion)
            return at_base.vector

        rate = (momentum(h) - momentum(-h)) / (2 * h)  # force, and moment about the base origin
        place = pin.SE3(link_frames(ARM, q)[-1])
        heavy = LOAD.mass * ARM.gravity
        weight = np.concatenate([heavy, np.cross(place.act(LOAD.center_of_mass), heavy)])
        expected = place.actInv(pin.Force(weight - rate)).vector
        np.testing.assert_allclose(found[row], expected, rtol=0, atol=2e-5)


def _flange_placement(model):
    tool = model.frames[model.getFrameId("tool")].placement
    return tool * pin.SE3(ARM.tool).inverse()


def test_the_joints_bear_what_the_flange_transmits():
    """Torques with load and wrench, less those of the bare arm, are J^T of it at the flange's origin."""
    loaded = with_payload(ARM, *LOAD)
    given = (STATES.q, STATES.qd, STATES.qdd)
    borne = inverse_dynamics(loaded, *given, STATES.wrench) - inverse_dynamics(ARM, *given)
    turn = link_frames(ARM, STATES.q)[:, -1, :3, :3]
    felt = _found(STATES.wrench).reshape(-1, 2, 3)
    base = np.einsum("kij,kmj->kmi", turn, felt).reshape(-1, 6)
    columns = jacobian(with_tool(ARM, np.eye(4)), STATES.q)
    expected = -np.einsum("kij,ki->kj", columns, base)
    assert largest_relative_error(borne, expected) < 1e-9


def test_at_rest_without_contact_it_is_the_weight():
    q, zero = STATES.q, np.zeros((300, 6))
    felt = flange_wrench(ARM, q, zero, zero, LOAD)
    turn = link_frames(ARM, q)[:, -1, :3, :3]
    weight = LOAD.mass * np.einsum("kji,j->ki", turn, ARM.gravity)
    np.testing.assert_allclose(felt[:, :3], weight, atol=1e-12)
    np.testing.assert_allclose(felt[:, 3:], np.cross(LOAD.center_of_mass, weight), atol=1e-12)


def test_nothing_beyond_the_flange_weighs_nothing():
    np.testing.assert_array_equal(flange_wrench(ARM, STATES.q, STATES.qd, STATES.qdd), 0.0)


@pytest.mark.parametrize("wrench", [np.zeros(5), np.zeros((2, 6))])
def test_a_wrench_of_another_shape_is_refused(wrench):
    with refused("wrench"):
        flange_wrench(ARM, STATES.q, STATES.qd, STATES.qdd, LOAD, wrench)
