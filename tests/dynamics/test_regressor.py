"""The regressor against Newton-Euler and against Pinocchio's, and the parameter vector."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from conftest import RIGID, UR
from made_up_arms import INCLINE
from oracles import largest_relative_error, over_states, pinocchio_model, random_states
from refusals import refused

from dynamics import inverse_dynamics, load_arm, with_payload
from dynamics.identification import arm_with_parameters, parameter_names, parameters_of, regressor
from dynamics.identification.parameters import (
    LINK_PARAMETERS,
    change_of_frame,
    pseudo_inertia,
    to_standard,
)

TOLERANCE = 1e-10


@pytest.mark.kernel
@pytest.mark.parametrize("gravity", [None, INCLINE], ids=["upright", "incline"])
@pytest.mark.parametrize("frames", ["standard", "modified"])
def test_regressor_times_parameters_is_newton_euler(rigid_arm, frames, gravity):
    arm = rigid_arm if gravity is None else rigid_arm._replace(gravity=gravity)
    s = random_states(6, 300, seed=1)
    Y = regressor(arm, s.q, s.qd, s.qdd, rotor=True, frames=frames)
    found = Y @ parameters_of(arm, rotor=True, frames=frames)
    assert largest_relative_error(found, inverse_dynamics(arm, s.q, s.qd, s.qdd)) < TOLERANCE


def test_the_as_printed_set_too_in_its_own_frames():
    arm = load_arm("ur5_ragazzon2012_as_printed")
    s = random_states(6, 300, seed=1)
    found = regressor(arm, s.q, s.qd, s.qdd) @ parameters_of(arm)
    assert largest_relative_error(found, inverse_dynamics(arm, s.q, s.qd, s.qdd)) < TOLERANCE


@pytest.mark.parametrize("name", RIGID)
def test_every_column_is_pinocchios(name):
    """Pinocchio's bodies sit in the joints' frames, its parameters in another order."""
    arm = load_arm(name)
    s = random_states(6, 50, seed=2)
    model, data = pinocchio_model(arm)
    theirs = over_states(
        lambda *x: pin.computeJointTorqueRegressor(model, data, *x).copy(), s.q, s.qd, s.qdd
    )
    order = [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]  # Pinocchio: m, mc, Ixx, Ixy, Iyy, Ixz, Iyz, Izz
    theirs = theirs.reshape(50, 6, 6, 10)[..., order].reshape(50, 6, 60)
    blocks = np.zeros((60, 60))
    for i, (_, d, a, alpha) in enumerate(arm.dh):
        T_joint_standard = pin.SE3(pin.utils.rotate("x", alpha), np.array([a, 0, d])).homogeneous
        blocks[10 * i : 10 * i + 10, 10 * i : 10 * i + 10] = change_of_frame(T_joint_standard)
    ours = regressor(arm, s.q, s.qd, s.qdd)
    assert largest_relative_error(theirs @ blocks, ours) < TOLERANCE


def test_batches_keep_their_leading_dimensions():
    arm = load_arm("ur5e")
    s = random_states(6, 6, seed=3)
    flat = regressor(arm, s.q, s.qd, s.qdd, rotor=True)
    shaped = regressor(arm, *(x.reshape(2, 3, 6) for x in (s.q, s.qd, s.qdd)), rotor=True)
    assert shaped.shape == (2, 3, 6, 66)
    np.testing.assert_array_equal(shaped.reshape(6, 6, 66), flat)
    np.testing.assert_array_equal(regressor(arm, s.q[0], s.qd[0], s.qdd[0], rotor=True), flat[0])


@pytest.mark.parametrize("name", UR)
def test_an_arm_from_its_parameters_is_the_same_arm(name):
    arm = load_arm(name)
    for frames in ("standard", "modified") if name in RIGID else ("standard",):
        again = arm_with_parameters(arm, parameters_of(arm, True, frames), frames)
        heavy = arm.mass > 0
        np.testing.assert_allclose(again.mass, arm.mass, atol=1e-14)
        np.testing.assert_allclose(
            again.center_of_mass[heavy], arm.center_of_mass[heavy], atol=1e-14
        )
        np.testing.assert_allclose(again.inertia, arm.inertia, atol=1e-14)
        np.testing.assert_array_equal(again.rotor_inertia, arm.rotor_inertia)


def test_torque_is_linear_in_added_bodies():
    """A payload adds its parameters to those of the last link."""
    arm = load_arm("ur5e")
    inertia = np.diag([0.01, 0.02, 0.015])
    loaded = with_payload(arm, 2.0, np.array([0.01, -0.02, 0.05]), inertia)
    alone = with_payload(
        arm._replace(mass=0 * arm.mass, inertia=0 * arm.inertia), 2.0, [0.01, -0.02, 0.05], inertia
    )
    np.testing.assert_allclose(
        parameters_of(loaded) - parameters_of(arm), parameters_of(alone), atol=1e-14
    )


def test_pseudo_inertia_is_positive_for_real_bodies_alone():
    arm = load_arm("ur5e")
    for link in parameters_of(arm)[10:].reshape(-1, 10):
        assert np.linalg.eigvalsh(pseudo_inertia(link))[0] > 0
        beyond = link.copy()
        beyond[4] += link[7] + link[9]  # XX beyond YY + ZZ: no body has that
        assert np.linalg.eigvalsh(pseudo_inertia(beyond))[0] < 0


def test_names_follow_the_parameters():
    names = parameter_names(6, rotor=True)
    assert names[:10] == [f"{p}1" for p in LINK_PARAMETERS]
    assert names[-1] == "IA6"
    arm = load_arm("ur5e")
    values = dict(zip(names, parameters_of(arm, True), strict=True))
    assert values["M2"] == arm.mass[1]
    assert values["MX2"] == pytest.approx(arm.mass[1] * arm.center_of_mass[1, 0])
    expected = arm.inertia[1, 2, 2] + arm.mass[1] * arm.center_of_mass[1, 0] ** 2
    assert values["ZZ2"] == pytest.approx(expected)


AS_PRINTED, UR5E = load_arm("ur5_ragazzon2012_as_printed"), load_arm("ur5e")
REFUSED = {
    "one too few": (
        lambda: arm_with_parameters(UR5E, parameters_of(UR5E)[:-1]),
        "no parameter vector",
    ),
    "nan": (lambda: arm_with_parameters(UR5E, np.full(60, np.nan)), "no parameter vector"),
    "negative masses": (lambda: arm_with_parameters(UR5E, -parameters_of(UR5E)), "no body"),
    "unknown frames": (lambda: to_standard(UR5E, "modifed"), "Did you mean 'modified'"),
    "modified frames of an arm that is not rigid": (
        lambda: regressor(AS_PRINTED, np.zeros(6), np.zeros(6), np.zeros(6), frames="modified"),
        "no rigid arm",
    ),
}


@pytest.mark.parametrize(("call", "words"), REFUSED.values(), ids=REFUSED)
def test_wrong_parameters_are_refused(call, words):
    with refused(words):
        call()
