"""The arms of Universal Robots' e-Series as ROS describes them, put together by Pinocchio.

The numbers are those of ``config/*/physical_parameters.yaml`` of Universal_Robots_ROS2_Description
in its own frames; the chain is that of its ``urdf/ur_macro.xacro``. The files of ``dynamics/arms``
have standard DH frames.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pinocchio as pin
import pytest

from dynamics import (
    forward_kinematics,
    gravity_torque,
    has_closed_form,
    inverse_dynamics,
    inverse_kinematics,
    load_arm,
    mass_matrix,
)

HALF = math.pi / 2
# of the tensors and centres: about which axes of the link they are written
TURNED = [(HALF, 0, 0), (0, 0, 0), (0, 0, 0), (HALF, 0, 0), (-HALF, 0, 0), (0, 0, 0)]


class Described(NamedTuple):
    """What the description says of an arm: lengths [m], masses [kg], centres, tensors of links."""

    d1: float
    a2: float
    a3: float
    d4: float
    d5: float
    d6: float
    mass: tuple[float, ...]
    center: tuple[tuple[float, float, float], ...]
    tensor: tuple[tuple[float, ...], ...]  # xx, xy, xz, yy, yz, zz


ARMS = {
    "ur3e": Described(
        0.15185, -0.24355, -0.2132, 0.13105, 0.08535, 0.0921,
        (1.98, 3.4445, 1.437, 0.871, 0.805, 0.261),
        ((0, 0, -0.02), (-0.11355, 0, 0.1157), (-0.1632, 0, 0.0238), (0, -0.01, 0), (0, 0.01, 0), (0, 0, -0.02)),
        (
            (0.0027657, 0.0000096, -0.0000149, 0.0021501, 0.0001873, 0.0025626),
            (0.0042623, -0.0000409, -0.0014960, 0.0460284, -0.0000129, 0.0448947),
            (0.0010511, 0.0, -0.0000331, 0.0113396, 0.0000022, 0.0110895),
            (0.0008174, -0.0000005, 0.0000021, 0.0006844, 0.0000617, 0.0005497),
            (0.0006059, -0.0000006, -0.0000006, 0.0005837, -0.0000271, 0.0003831),
            (0.0001080, -0.0000001, -0.0000001, 0.0001086, -0.0000002, 0.0001371),
        ),
    ),
    "ur10e": Described(
        0.1807, -0.6127, -0.57155, 0.17415, 0.11985, 0.11655,
        (7.369, 13.051, 3.989, 2.1, 1.98, 0.615),
        ((0.021, -0.027, 0), (-0.2327, 0, 0.158), (-0.33155, 0, 0.068), (0, -0.018, 0.007), (0, 0.018, -0.007),
         (0, 0, -0.026)),
        (
            (0.03408, 0.00002, -0.00425, 0.03529, 0.00008, 0.02156),
            (0.02814, 0.00005, -0.01561, 0.77068, 0.00002, 0.76943),
            (0.01014, 0.00008, 0.00916, 0.30928, 0.0, 0.30646),
            (0.00296, -0.00001, 0.0, 0.00222, -0.00024, 0.00258),
            (0.00296, -0.00001, 0.0, 0.00222, -0.00024, 0.00258),
            (0.00040, 0.0, 0.0, 0.00041, 0.0, 0.00034),
        ),
    ),
    "ur16e": Described(
        0.1807, -0.4784, -0.36, 0.17415, 0.11985, 0.11655,
        (7.369, 10.450, 4.321, 2.180, 2.033, 0.907),
        ((0, -0.030, -0.016), (-0.1764, 0, 0.16), (-0.166, 0, 0.065), (0, -0.011, -0.009), (0, 0.012, -0.018),
         (0, 0, -0.044)),
        (
            (0.03351, 0.00002, -0.00001, 0.03374, 0.00374, 0.02100),
            (0.02796, -0.00010, -0.00720, 0.47558, 0.00003, 0.47635),
            (0.01091, 0.00006, 0.01012, 0.12060, 0.00001, 0.11714),
            (0.00609, -0.00001, 0.0, 0.00245, 0.00083, 0.00579),
            (0.00389, -0.00001, 0.0, 0.00219, -0.00045, 0.00363),
            (0.00117, 0.0, 0.0, 0.00118, 0.0, 0.00084),
        ),
    ),
}  # fmt: skip


def model_of(arm: Described) -> pin.Model:
    """The chain of ``ur_macro.xacro`` from ``base_link_inertia`` on, whose axes are those of the base."""
    origins = [
        ((0, 0, 0), (0, 0, arm.d1)),
        ((HALF, 0, 0), (0, 0, 0)),
        ((0, 0, 0), (arm.a2, 0, 0)),
        ((0, 0, 0), (arm.a3, 0, arm.d4)),
        ((HALF, 0, 0), (0, -arm.d5, 0)),
        ((HALF, math.pi, math.pi), (0, arm.d6, 0)),
    ]
    model = pin.Model()
    parent = 0
    for k, (turn, place) in enumerate(origins):
        at = pin.SE3(pin.rpy.rpyToMatrix(*map(float, turn)), np.array(place, float))
        parent = model.addJoint(parent, pin.JointModelRZ(), at, f"joint_{k + 1}")
        xx, xy, xz, yy, yz, zz = arm.tensor[k]
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        own = pin.rpy.rpyToMatrix(*map(float, TURNED[k]))
        center = np.array(arm.center[k], float)
        inertia = pin.Inertia(arm.mass[k], center, own @ tensor @ own.T)
        model.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
    return model


@pytest.mark.parametrize("name", ARMS)
def test_kinematics_and_dynamics_are_those_of_the_makers_description(name):
    arm = load_arm(name)
    model = model_of(ARMS[name])
    data = model.createData()
    rng = np.random.default_rng(0)
    for _ in range(50):
        q, qd, qdd = rng.uniform(-3, 3, 6), rng.normal(size=6), rng.normal(size=6)
        pin.forwardKinematics(model, data, q)
        np.testing.assert_allclose(
            forward_kinematics(arm, q), data.oMi[6].homogeneous, rtol=0, atol=1e-12
        )
        upper = np.triu(pin.crba(model, data, q))
        expected = upper + np.triu(upper, 1).T
        np.testing.assert_allclose(mass_matrix(arm, q), expected, rtol=0, atol=1e-12)
        gravity = pin.computeGeneralizedGravity(model, data, q)
        np.testing.assert_allclose(gravity_torque(arm, q), gravity, rtol=0, atol=1e-10)
        torque = pin.rnea(model, data, q, qd, qdd)
        np.testing.assert_allclose(inverse_dynamics(arm, q, qd, qdd), torque, rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", ARMS)
def test_every_pose_has_its_closed_form(name):
    arm = load_arm(name)
    assert has_closed_form(arm)
    rng = np.random.default_rng(1)
    for _ in range(20):
        q = rng.uniform(-3, 3, 6)
        found = inverse_kinematics(arm, forward_kinematics(arm, q))
        assert np.abs(np.angle(np.exp(1j * (found - q)))).max(axis=1).min() < 1e-6


@pytest.mark.parametrize("name", ARMS)
def test_every_tensor_belongs_to_a_body(name):
    """The sum of two principal moments is at least the third."""
    for tensor in load_arm(name).inertia:
        low, middle, high = np.linalg.eigvalsh(tensor)
        assert low > 0
        assert low + middle >= high
