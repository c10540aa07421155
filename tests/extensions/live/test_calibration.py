"""Motors, friction and thresholds out of a stretch of free motion, and what may be expected of them."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from served import CONSTANT, moving

from dynamics import load_arm
from hopfield_nav.extensions.live import calibrate
from hopfield_nav.extensions.recordings import replay, signals_of_recording
from hopfield_nav.plugin import find_method
from hopfield_nav.record import alarm_rate, quiet_time

ARM, ESTIMATOR = load_arm("ur5_controller"), find_method("estimator", "momentum_observer")
VALUES = {"pole": 15.0}
FRICTION = np.array([6.0, 8.0, 6.0, 1.4, 1.3, 1.3])  # [N·m]


def rubbing(seconds, push=0.0):
    """Motion with Coulomb friction, which the model does not know yet."""
    data = moving(seconds, push=push)
    return data.assign(current=data.current + FRICTION * np.sign(data.qd) / CONSTANT)


def levels(found, data):
    m = found.methods
    return replay(m.model, signals_of_recording(data, m.motors), m.estimator, m.detector, m.values)


@pytest.mark.parametrize("name", ["joint_torque", "adaptive_joint_torque"])
def test_motors_friction_and_threshold_of_free_motion(name):
    found = calibrate(rubbing(60.0), ARM, ESTIMATOR, find_method("detector", name), VALUES)
    motors = found.methods.motors
    np.testing.assert_allclose(motors.motor_constant[1:3], CONSTANT, rtol=0.02)  # they bear the weight
    np.testing.assert_allclose(motors.friction[:3, 0], FRICTION[:3], rtol=0.1)
    assert not levels(found, rubbing(20.0)).detected.any()
    assert levels(found, rubbing(20.0, push=150.0)).detected.any()


def test_one_threshold_is_a_tenth_above_the_largest_level():
    detector, data = find_method("detector", "wrench_norm"), rubbing(30.0)
    found = calibrate(data, ARM, ESTIMATOR, detector, VALUES)
    assert levels(found, data).level.max() == pytest.approx(1 / 1.1)


def test_a_threshold_that_is_given_stays():
    given = {**VALUES, "threshold": 3.25}
    found = calibrate(rubbing(30.0), ARM, ESTIMATOR, find_method("detector", "joint_torque"), given)
    assert found.methods.values["threshold"] == 3.25


def test_every_half_is_judged_by_the_other():
    """A knock in one half alone is an alarm of what the other half gave; set on both, it is none."""
    data, knocked = rubbing(60.0), rubbing(60.0).copy(deep=True)
    knocked.current.values[1000:1100, 1] += 40.0 / CONSTANT
    detector = find_method("detector", "joint_torque")
    found, quiet = (calibrate(d, ARM, ESTIMATOR, detector, VALUES) for d in (knocked, data))
    assert quiet.alarms == 0
    assert found.alarms >= 1
    assert not levels(found, knocked).detected.any()
    assert found.per_hour == alarm_rate(found.alarms, found.seconds)
    assert found.seconds == pytest.approx(60.0, abs=0.1)


def test_what_so_much_quiet_proves():
    """Against Garwood's table: nothing in 120 s allows 111 an hour, one an hour takes 3.7 hours."""
    assert alarm_rate(0, 120.0)[2] == pytest.approx(3.689 * 30, rel=1e-3)
    assert quiet_time(1.0) == pytest.approx(3.689 * 3600, rel=1e-3)
    assert alarm_rate(0, quiet_time(5.0))[2] == pytest.approx(5.0)
    with refused("no rate"):
        quiet_time(0.0)


def test_a_joint_that_rests_is_refused():
    data = moving(30.0)
    for name in ("q", "qd", "q_ref", "qd_ref", "qdd_ref"):
        data[name].values[:, 4] = 0.0
    with refused("joint 5 is not excited"):
        calibrate(data, ARM, ESTIMATOR, find_method("detector", "joint_torque"), VALUES)
