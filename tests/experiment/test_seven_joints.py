"""The world of an arm with seven joints: it feels its way round a wall, within what its joints can do."""

from __future__ import annotations

import numpy as np
import pytest
from seven_joints import write_urdf

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


SCENES = [
    ("panda", [0, 0, -9.81], "pipes", 104), ("iiwa7_gripper", [0, -9.81, 0], "box", 107),
    ("panda", [0, 0, 9.81], "shelf", 110), ("iiwa7_gripper", [0, -9.81, 0], "pipes", 108),
    ("seven.urdf", [0, 0, 9.81], "pipes", 112),
]  # fmt: skip


@pytest.mark.parametrize(("name", "gravity", "family", "seed"), SCENES)
def test_a_world_without_numbers_for_the_arm_is_enough(name, gravity, family, seed, tmp_path):
    """Upright, on a wall and below a ceiling, in scenes of which it knows nothing."""
    arm_of = str(write_urdf(tmp_path / name)) if name.endswith(".urdf") else name
    low, high = np.clip(load_arm(arm_of).position_limits.T, -np.pi, np.pi)
    turned = 0.25 * np.random.default_rng(seed).uniform(-1.0, 1.0, len(low))
    run = simulate(load_world({
        "format": 1, "arm": arm_of, "gravity": gravity, "map": {"space": "joints"}, "time_limit": 1500,
        "obstacles": [{"random_scene": {"family": family, "seed": seed}}],
        "goal": {"joints": (low + high) / 2 + turned * (high - low)}, "record": {"signals": "none"},
    }))  # fmt: skip
    assert run.outcome == "reached"
    assert run.summary["false_alarm_count"] == 0
