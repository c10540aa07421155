"""What a wiggle tells of a gear, beside Dahl's law with known numbers."""

from __future__ import annotations

import numpy as np
import pytest

from dynamics import load_arm, presliding_torque
from hopfield_nav.control.believed_friction import (
    STANDING_SPEED,
    make_friction_belief,
    update_believed_friction,
)
from hopfield_nav.extensions.self_model import fit_gear
from hopfield_nav.plugin import make_sensed

PERIOD, STEP = 1e-3, 1e-5
TIME = np.arange(0.0, 2.0, PERIOD)
ARM = load_arm("ur5_full")


def wiggled(level, stiffness, size=2e-3, begun=0.0):
    """Angles of a joint that turns to and fro, and the torque that its friction takes."""
    q = np.zeros((len(TIME), 6))
    q[:, 0] = size * np.sin(2 * np.pi * 2.0 * TIME)
    friction = ARM.friction.copy()
    friction[0, [0, 2]] = level
    arm = ARM._replace(friction=friction, presliding=np.full(6, stiffness))
    return q[:, 0], presliding_torque(arm, q, np.array([begun, 0, 0, 0, 0, 0]))[:, 0]


@pytest.mark.parametrize("level", [1.2, 8.0])
@pytest.mark.parametrize("stiffness", [1e4, 2e4, 1e5])
@pytest.mark.parametrize("begun", [0.0, -0.9])
def test_level_and_stiffness_lie_where_the_fit_says(level, stiffness, begun):
    q, torque = wiggled(level, stiffness, begun=begun * level)
    noise = np.random.default_rng(1).normal(0.0, 0.1, len(q))
    fit = fit_gear(STEP * np.round(q / STEP), torque + 37.0 + noise, PERIOD, STEP)
    assert fit.slipped
    assert abs(fit.level - level) < 3.0 * fit.deviation
    assert fit.softest < stiffness < fit.stiffest
    if level / stiffness > 5 * STEP:  # the encoder sees how the gear gives
        assert fit.stiffest < 3.0 * fit.softest


def test_a_gear_that_gives_within_a_step_of_its_encoder_is_seen_to_be_stiff_alone():
    q, torque = wiggled(8.0, 1e7)
    fit = fit_gear(STEP * np.round(q / STEP), torque, PERIOD, STEP)
    assert fit.slipped
    assert fit.stiffest == np.inf
    assert fit.softest < 1e7
    assert abs(fit.level - 8.0) < 3.0 * fit.deviation


@pytest.mark.parametrize("size", [0.0, 5e-5])
def test_a_joint_that_hardly_moves_tells_nothing(size):
    q, torque = wiggled(8.0, 1e4, size)
    assert not fit_gear(STEP * np.round(q / STEP), torque, PERIOD, STEP).slipped


def test_what_an_encoder_hides_is_doubted_less_the_faster_a_joint_is():
    """By a bell of the speed, ``STANDING_SPEED`` wide."""
    arm = load_arm("ur5_full")._replace(presliding=np.full(6, 2000.0))

    def hidden(speed):
        doubts = []
        for step in (0.0, 1e-3):
            sensed, believed = make_sensed(6), make_friction_belief(6)
            for k in range(40):
                sensed.q[:], sensed.qd[:] = 1e-3 * k, speed
                update_believed_friction(arm, sensed, np.full(6, step), believed)
            doubts.append(sensed.friction_doubt.copy())
        return doubts[1] - doubts[0]

    still = hidden(0.0)
    assert (still > 0.0).all()
    for speed in (0.01, 0.02, 0.04):
        np.testing.assert_allclose(
            hidden(speed), still * np.exp(-((speed / STANDING_SPEED) ** 2)), rtol=1e-9
        )
    assert not hidden(1.0).any()


def test_noise_is_told():
    q, torque = wiggled(8.0, 2e4)
    noise = np.random.default_rng(2).normal(0.0, 1.0, len(q))
    quiet, loud = (fit_gear(q, torque + share * noise, PERIOD) for share in (0.1, 3.0))
    assert loud.deviation > 1.5 * quiet.deviation
    assert loud.stiffest / loud.softest > quiet.stiffest / quiet.softest
