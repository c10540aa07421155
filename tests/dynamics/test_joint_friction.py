"""The friction law of the joints, and its entries in an arm file."""

import numpy as np
import pytest
from made_up_arms import arm_of_rows
from refusals import refused

from dynamics import joint_friction_torque, load_arm

pytestmark = pytest.mark.kernel


def _arm(**friction):
    return arm_of_rows([(0.1, 0.2, 0.0)], friction=friction)


def test_it_takes_power_at_every_speed():
    arm, speed = (
        _arm(coulomb=3.0, viscous=2.0, breakaway=5.0, stribeck_speed=0.1),
        np.linspace(-3, 3, 601),
    )
    power = joint_friction_torque(arm, speed[:, None])[:, 0] * speed
    assert np.all(power[speed != 0] > 0)


def test_the_three_parts_add_up():
    arm = _arm(coulomb=3.0, viscous=2.0, breakaway=5.0, stribeck_speed=0.1)
    torque = joint_friction_torque(arm, np.array([[1e-9], [0.1], [4.0], [-4.0]]), smoothing=0.0)[
        :, 0
    ]
    np.testing.assert_allclose(torque, [5.0, 3.2 + 2.0 * np.exp(-1.0), 11.0, -11.0], atol=1e-8)


def test_the_smooth_sign_passes_through_zero():
    arm = _arm(coulomb=3.0)
    torque = joint_friction_torque(arm, np.array([[0.0], [0.01], [1.0]]))[:, 0]
    np.testing.assert_allclose(torque, [0.0, 3.0 * np.tanh(1.0), 3.0])


def test_an_arm_without_an_entry_has_none():
    assert not np.any(joint_friction_torque(load_arm("ur5_ragazzon2012"), np.ones(6)))


@pytest.mark.parametrize(
    ("friction", "told"),
    [
        ({"coulomb": -1.0}, "coulomb: out of range"),
        ({"viscous": -1.0}, "viscous: out of range"),
        ({"coulomb": 2.0, "breakaway": 1.0}, "breakaway"),
        ({"coulomb": 2.0, "stribeck_speed": 0.0}, "stribeck_speed: out of range"),
        ({"coulom": 2.0}, "coulomb"),
    ],
)
def test_what_cannot_be_is_refused(friction, told):
    with refused(told):
        _arm(**friction)
