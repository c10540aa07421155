"""The world of an arm with seven joints: it feels its way round a wall, within what its joints can do."""

from __future__ import annotations

import numpy as np
import pytest

from dynamics import forward_kinematics, load_arm
from hopfield_nav import load_world, simulate


@pytest.fixture(scope="module")
def run():
    return simulate(load_world("panda"))


def test_it_arrives_and_has_felt_the_wall(run):
    assert run.outcome == "reached"
    assert run.summary["collision_count"] >= 2
    assert run.summary["false_alarm_count"] == 0
    assert run.summary["warnings"] == []
    q = run.data.q.values
    assert q.shape[1] == 7
    tool = forward_kinematics(load_arm("panda"), q[-1])[:3, 3]
    np.testing.assert_allclose(tool, [*run.world.goal.position, 0.3], rtol=0, atol=1e-3)


def test_no_joint_leaves_what_its_maker_allows(run):
    arm, data = load_arm("panda"), run.data
    low, high = arm.position_limits.T
    assert np.all((data.q.values > low) & (data.q.values < high))
    assert np.all(np.abs(data.qd.values) < arm.speed_limits)
    assert np.all(np.abs(data.tau.values) <= arm.torque_limits)


def test_without_the_wall_it_feels_nothing():
    run = simulate(load_world("panda", ["obstacles=[]"]))
    assert run.outcome == "reached"
    assert run.summary["collision_count"] == 0
    assert run.summary["contact_count"] == 0
