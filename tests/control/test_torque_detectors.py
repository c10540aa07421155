"""Detectors on the joint torques: each protection with and without what it protects from."""

from __future__ import annotations

import numpy as np
import pytest
from pushed_arm import PERIOD, rough, watch

from dynamics import (
    gravity_torque,
    inverse_dynamics,
    joint_friction_torque,
    load_arm,
    presliding_torque,
)
from hopfield_nav.control.detectors import (
    adaptive_high_pass,
    adaptive_joint_torque,
    high_pass_joint_torque,
    joint_torque,
    persistent_joint_torque,
)
from hopfield_nav.plugin import Method, make_sensed

ARM = load_arm("ur5_ragazzon2012")
ONE = {"threshold": 1.0}


def scripted(torques: np.ndarray) -> tuple[dict[str, np.ndarray], Method]:
    """A resting arm, and an estimator that says what is written: ``torques`` (k, n) by period."""
    states = {name: np.zeros((len(torques), 6)) for name in make_sensed(6)._fields}
    states["time"] = PERIOD * np.arange(len(torques))[:, None]

    def say(model, sensed, parameters, memory, work, tau_external, wrench):
        tau_external[:] = torques[round(sensed.time[0] / PERIOD) % len(torques)]
        return 0

    return states, Method("estimator", "scripted", say)


def levels(detector, torques, arm=ARM, states=None, **values):
    found, say = scripted(torques)
    return watch({**found, **(states or {})}, arm, say, detector.METHOD, **values)[2]


def step(size, count=1000, at=500, joint=1):
    torques = np.zeros((count, 6))
    torques[at:, joint] = size
    return torques


# --- joint_torque, persistence
# --------------------------------------------------------------------------


def test_each_joint_has_its_own_threshold():
    thresholds = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
    for i, threshold in enumerate(thresholds):
        for sign in (-1.0, 1.0):
            found = levels(joint_torque, 3.0 * sign * np.eye(6)[i : i + 1], threshold=thresholds)
            assert found[0] == pytest.approx(3.0 / threshold)


ALL = [
    joint_torque,
    persistent_joint_torque,
    high_pass_joint_torque,
    adaptive_joint_torque,
    adaptive_high_pass,
]


@pytest.mark.parametrize("detector", ALL, ids=lambda module: module.METHOD.name)
def test_the_level_is_in_proportion_to_the_torque_and_none_without(detector):
    push = step(0.08)
    weak, strong = (levels(detector, factor * push, **ONE) for factor in (1.0, 8.0))
    assert not weak[:500].any()
    np.testing.assert_allclose(strong, 8.0 * weak, rtol=1e-9)
    assert weak.max() > 0.005


def test_a_spike_is_no_alarm_with_persistence_and_is_one_without():
    spike = step(5.0) - step(5.0, at=503)
    assert levels(joint_torque, spike, **ONE).max() == 5.0
    assert levels(persistent_joint_torque, spike, **ONE, persistence=0.005).max() == 1.0


def test_a_lasting_push_is_an_alarm_after_the_time_set():
    push = step(5.0)
    for persistence in (0.0, 0.005, 0.02):
        found = levels(persistent_joint_torque, push, **ONE, persistence=persistence)
        first = np.flatnonzero(found > 1.0)[0]
        # counted from the last period in which it was not above
        assert first == 500 + max(0, round(persistence / PERIOD) - 1)
        assert found[first] == 5.0


def test_joints_that_take_turns_do_not_persist_and_a_jump_of_the_clock_is_no_time():
    turns = np.zeros((1000, 6))
    turns[500:, 0] = np.tile([5.0, 0.0], 250)
    turns[500:, 1] = np.tile([0.0, 5.0], 250)
    assert levels(persistent_joint_torque, turns, **ONE, persistence=0.004).max() == 1.0
    states, _ = scripted(step(5.0, count=503))
    states["time"][502:] += 10.0
    always = Method("estimator", "always", lambda m, s, p, me, w, t, f: t.fill(2.0) or 0)
    assert (
        watch(states, ARM, always, persistent_joint_torque.METHOD, **ONE, persistence=0.6)[2].max()
        == 1.0
    )


# --- high pass
# ------------------------------------------------------------------------------------------


def test_a_constant_error_of_the_model_alarms_without_the_high_pass_only():
    constant = step(3.0, at=0)
    assert levels(joint_torque, constant, **ONE).min() == 3.0
    assert levels(high_pass_joint_torque, constant, **ONE).max() == 0.0


def test_an_observer_that_starts_with_the_wrong_model_is_no_contact():
    """Its residual goes from 0 to the whole error of gravity within 1/L."""
    error = (
        0.1
        * gravity_torque(ARM, np.zeros(6))
        * (1 - np.exp(-100.0 * PERIOD * np.arange(1000)))[:, None]
    )
    assert np.abs(error).max() > 4.0
    assert levels(joint_torque, error, **ONE).max() > 4.0
    assert levels(high_pass_joint_torque, error, **ONE).max() < 1.0
    assert levels(adaptive_high_pass, error, **ONE, mass_error=0.0).max() > 1.0
    assert levels(adaptive_high_pass, error, **ONE, mass_error=0.1).max() < 1.0


def test_a_slow_error_is_held_down_by_the_ratio_of_rates():
    """A ramp of slope s leaves s/corner behind a first-order high pass."""
    ramp = np.zeros((3000, 6))
    ramp[:, 1] = 2.0 * PERIOD * np.arange(3000)
    found = levels(high_pass_joint_torque, ramp, **ONE, corner=5.0)
    assert found[-1] == pytest.approx(2.0 / 5.0, rel=5e-3)
    assert levels(joint_torque, ramp, **ONE).max() > 5.0


def test_a_sudden_contact_alarms_with_and_without_and_fades_with_the_corner():
    contact = step(3.0)
    assert levels(joint_torque, contact, **ONE)[500] == 3.0
    found = levels(high_pass_joint_torque, contact, **ONE, corner=5.0)
    wanted = 3.0 * np.exp(-5.0 * PERIOD * (1 + np.arange(500)))
    np.testing.assert_allclose(found[500:], wanted, rtol=1e-9)


# --- thresholds that know the model's error
# --------------------------------------------------------------


def moving(arm, count=1000):
    rng = np.random.default_rng(4)
    q = np.cumsum(0.5e-3 * rng.uniform(-1, 1, 6) * np.ones((count, 1)), axis=0) + 0.3
    qd = np.gradient(q, PERIOD, axis=0)
    return {"q": q, "qd": qd, "qdd_ref": np.zeros((count, 6))}


def test_the_error_of_wrong_masses_alarms_without_the_allowance_only():
    heavy = ARM._replace(mass=ARM.mass * 1.1, inertia=ARM.inertia * 1.1)
    states = moving(ARM)
    q, qd, qdd = (states[name] for name in ("q", "qd", "qdd_ref"))
    error = inverse_dynamics(heavy, q, qd, qdd) - inverse_dynamics(ARM, q, qd, qdd)
    assert levels(joint_torque, error, states=states, **ONE).max() > 2.0
    assert levels(adaptive_joint_torque, error, states=states, **ONE, mass_error=0.0).max() > 2.0
    assert levels(adaptive_joint_torque, error, states=states, **ONE, mass_error=0.1).max() < 1.0
    assert levels(adaptive_high_pass, error, states=states, **ONE, mass_error=0.1).max() < 1.0


def test_a_contact_hidden_by_the_error_of_gravity_is_felt_through_the_high_pass():
    """4 N·m on joint 2, where gravity may be wrong by 5: the wide threshold misses it."""
    states = {"q": np.zeros((2000, 6))}
    assert 0.1 * abs(gravity_torque(ARM, np.zeros(6))[1]) > 4.0
    # what is allowed for at the start is forgotten by then
    contact = step(4.0, count=2000, at=1500)
    assert levels(adaptive_joint_torque, contact, states=states, **ONE).max() < 1.0
    assert levels(adaptive_high_pass, contact, states=states, **ONE).max() > 3.0


def test_friction_at_a_reversal_alarms_without_the_allowance_only():
    """A friction that is wrong by a fifth, while joint 2 turns round."""
    arm = rough()
    speed = np.zeros((1000, 6))
    speed[:, 1] = np.linspace(0.3, -0.3, 1000)
    error = 0.2 * joint_friction_torque(arm, speed)
    states = {"qd": speed}
    without = {"friction_error": 0.0, "stiction_share": 0.0, "mass_error": 0.0, **ONE}
    for detector in (adaptive_joint_torque, adaptive_high_pass):
        assert levels(detector, error, arm, states, **without).max() > 1.2
        assert (
            levels(detector, error, arm, states, **{**without, "friction_error": 0.2}).max() < 1.0
        )


def test_about_speed_zero_sticking_is_allowed_for():
    arm = rough()
    hidden = step(5.0)  # less than breaks joint 2 away
    values = {**ONE, "mass_error": 0.0}
    turning = {"qd": np.full((1000, 6), 0.5)}
    for detector in (adaptive_joint_torque, adaptive_high_pass):
        assert levels(detector, hidden, arm, **values).max() < 1.0
        assert levels(detector, hidden, arm, **values, stiction_share=0.0).max() > 1.0
        assert levels(detector, hidden, arm, turning, **values).max() > 1.0


def test_a_level_that_is_off_is_allowed_for_in_the_middle_of_a_turn_as_well():
    """Joint 2 to and fro by random strokes, its gear's level a fifth too low in the model, its stiffness right."""
    rng, level, sigma = np.random.default_rng(1), 8.0, 2e4
    ends = np.cumsum(
        np.append(
            5e-3, rng.choice([1e-4, 4e-4, 1e-3], 200) * np.where(np.arange(200) % 2, 1.0, -1.0)
        )
    )
    path = np.zeros((4000, 6))
    path[:, 1] = np.interp(np.linspace(0, 201, 4000), np.arange(202), np.append(0.0, ends))

    def gear(height, stiffness=sigma):
        friction = np.array([[height, 0.0, height, 0.05]] * 6)
        return ARM._replace(friction=friction, presliding=np.full(6, stiffness))

    believed = gear(level)
    found, softer, stiffer = (
        presliding_torque(gear(level, sigma * x), path) for x in (1.0, 0.2, 5.0)
    )
    error = presliding_torque(gear(1.25 * level), path) - found
    values = {"threshold": 0.05, "mass_error": 0.0, "friction_error": 0.25, "pole": 1000.0}
    assert levels(adaptive_joint_torque, error, believed, {"q": path}, **values).max() < 1.0
    without = 0.25 * np.abs(found) + 1.25 * np.minimum(np.abs(stiffer - softer), 2.0 * level)
    # the states of the gear alone do not cover it
    assert (np.abs(error) - without).max() > 0.05 * level


def test_breakaway_is_as_uncertain_as_the_rest_of_the_friction_and_a_push_beyond_it_is_felt():
    """A model whose breakaway of 8 N·m on joint 2 is a fifth too low: the joint bears 10."""
    arm = rough()
    values = {**ONE, "mass_error": 0.0, "friction_error": 0.25}
    assert arm.friction[1, 2] == 8.0
    assert levels(adaptive_joint_torque, step(10.0), arm, **values).max() < 1.0
    assert (
        levels(adaptive_joint_torque, step(10.0), arm, **{**values, "friction_error": 0.0}).max()
        > 1.0
    )
    assert levels(adaptive_joint_torque, step(11.5), arm, **values).max() > 1.0


def test_the_allowance_of_the_high_pass_fades_as_the_filter_does():
    """After a jump of the model's torque, its error and what is allowed for it decay together."""
    arm = ARM
    states = {"qdd_ref": np.zeros((1000, 6))}
    states["qdd_ref"][500:, 1] = 5.0
    error = 0.1 * inverse_dynamics(arm, np.zeros((1000, 6)), np.zeros((1000, 6)), states["qdd_ref"])
    error[0] = 0.0  # where every observer starts
    found = levels(adaptive_high_pass, error, states=states, threshold=1e-3, mass_error=0.1)
    assert 0.9 < found.max() < 1.0
    assert (
        levels(adaptive_high_pass, error, states=states, threshold=1e-3, mass_error=0.05).max()
        > 1.0
    )
