"""A timed path on the simulated arm under its controller."""

from __future__ import annotations

import math

import numpy as np
import pytest
from planned_paths import HOME, direct_path, line_path, planned_path
from scenes import world

from dynamics import load_arm, with_payload
from hopfield_nav.experiment import follow
from hopfield_nav.extensions.known_world import time_path

ARM = load_arm("ur5_ragazzon2012")
SWEEP = direct_path(
    [[0, -0.3, 0.5, 0, 1, 0], [1.5, -1.6, 1.2, 0.5, 1, 0.5], [0, -0.3, 0.5, 0, 1, 0]]
)
QUIET = (
    "arm: ur5_ragazzon2012\ntime_limit: 30\ncontroller: {law: inverse_dynamics, saturate: true}\n"
)


def errors(run):
    """Largest difference between the joints and their reference [rad]."""
    return np.abs(run.data.q.values - run.data.q_ref.values).max()


@pytest.mark.parametrize(
    ("path", "limits"),
    [
        (lambda: SWEEP, {}),
        (lambda: SWEEP, {"acceleration": 40.0, "share": 0.8}),
        (lambda: line_path(ARM, HOME, [0.0, -0.3, 0.2]), {"tool_speed": 0.25}),
    ],
    ids=["movej", "torque", "line"],
)
def test_the_arm_follows_a_timed_path(path, limits):
    path = path()
    trajectory = time_path(ARM, path, **limits)
    run = follow(world(QUIET), trajectory)
    assert run.outcome == "reached"
    assert run.summary["simulated_time_s"] == pytest.approx(trajectory.knots[-1], abs=1e-3)
    assert run.summary["saturated_share"] == 0.0
    assert errors(run) < 1e-3
    np.testing.assert_allclose(run.data.q.values[-1], path.q[-1], atol=2e-3)


def test_without_the_torque_limit_the_motors_saturate():
    run = follow(world(QUIET), time_path(ARM, SWEEP, acceleration=300.0, share=math.inf))
    assert run.summary["saturated_share"] > 0.01
    assert errors(run) > 0.05


def test_a_model_of_the_payload_saves_the_arm_from_saturation():
    """The torque limits hold for the arm model that was given, and for no other."""
    loaded = QUIET + "tool: {payload: {mass: 5.0, center_of_mass: [0, 0, 0.1]}}\n"
    heavy, limits = with_payload(ARM, 5.0, [0, 0, 0.1]), {"acceleration": 40.0, "share": 0.9}
    known, unknown = (
        follow(world(loaded), time_path(arm, SWEEP, **limits)) for arm in (heavy, ARM)
    )
    assert known.summary["saturated_share"] == 0.0
    assert unknown.summary["saturated_share"] > 0.0


def test_a_path_without_motion_is_followed_for_no_time():
    run = follow(world(QUIET), time_path(ARM, planned_path([HOME], "direct", [0])))
    assert run.outcome == "reached"
    assert run.summary["simulated_time_s"] < 0.01
