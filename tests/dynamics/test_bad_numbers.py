"""No number in gives no number out, or an error; arms whose arrays do not fit one another are refused."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

import dynamics
from dynamics import load_arm, with_payload

Q = np.array([0.1, -1.0, 1.0, 0.2, 0.3, 0.4])
OF_ANGLES = (
    "forward_kinematics", "jacobian", "link_frames", "mass_matrix", "gravity_torque", "potential_energy",
    "jacobian_determinant", "manipulability", "singular_values",
)  # fmt: skip
OF_MOTION = ("inverse_dynamics", "forward_dynamics", "euler_lagrange_torque")


@pytest.mark.parametrize("name", OF_ANGLES)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_an_angle_that_is_no_number_gives_none(ur5, name, bad):
    """In a batch the other rows stay what they are alone."""
    function = getattr(dynamics, name)
    rows = np.tile(Q, (3, 1))
    rows[1, 1] = bad
    with np.errstate(invalid="ignore"):
        many = function(ur5, rows)
    assert np.isnan(many[1]).any()
    np.testing.assert_array_equal(many[[0, 2]], [function(ur5, Q)] * 2)


@pytest.mark.parametrize("joint", range(6))
def test_the_determinant_looks_at_every_joint(ur5, joint):
    """Also at those that turn nothing that it depends on."""
    q = Q.copy()
    q[joint] = np.nan
    assert np.isnan(dynamics.jacobian_determinant(ur5, q))
    with refused("a joint angle is no finite number"):
        dynamics.near_singularities(ur5, q)


PAYLOADS = {
    "too heavy": (1e308, [0, 0, 0.1], None),
    "too far": (1.0, [0, 0, 1e200], None),
    "too large a tensor": (1.0, [0, 0, 0], np.eye(3) * 1e308),
    "a word": ("x", [0, 0, 0], None),
    "nothing": (None, [0, 0, 0], None),
    "not a number": (np.nan, [0, 0, 0], None),
    "below zero": (-1.0, [0, 0, 0], None),
    "two numbers": (1.0, [0, 0], None),
}


@pytest.mark.parametrize(("mass", "center", "inertia"), PAYLOADS.values(), ids=PAYLOADS)
def test_impossible_payloads(mass, center, inertia):
    with refused("payload"):
        with_payload(load_arm("ur5e"), mass, center, inertia)


@pytest.mark.parametrize("name", [*OF_ANGLES, *OF_MOTION, "with_dynamics", "inverse_kinematics"])
@pytest.mark.parametrize("arm", ["ur5e", None])
def test_a_name_is_no_arm(name, arm):
    """Before anything is compiled."""
    arguments = {"with_dynamics": (arm,), "inverse_kinematics": (np.eye(4),)}.get(name, (Q,) * 3)
    with refused("no arm; .*allowed: one from load_arm"):
        getattr(dynamics, name)(arm, *arguments[: 1 if name in OF_ANGLES else 3])
