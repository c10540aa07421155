"""The world of an arm with seven joints: it feels its way round a wall, within what its joints can do."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from seven_joints import write_urdf

from dynamics import forward_kinematics, load_arm
from hopfield_nav import load_world, simulate
from hopfield_nav.experiment import Simulation
from hopfield_nav.world import parse_world


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


ON_JOINTS = """format: 1
arm: panda
map: {space: joints, shape: [12, 8, 1, 8, 1, 8, 1]}
start: {joints: [0, 0.2, 0, -2.0, 0, 2.2, 0]}
goal: GOAL
time_limit: 60
controller: {omega: 20}
"""


@pytest.mark.parametrize(
    "goal",
    ["{position: [0.45, 0.1, 0.45]}", "{pose: {position: [0.45, 0.1, 0.4], rotation: DOWN}}"],
    ids=["position", "pose"],
)
def test_joint_angles_for_the_tool_are_searched_where_there_is_no_closed_form(goal):
    given = parse_world(
        ON_JOINTS.replace("GOAL", goal.replace("DOWN", "[[1, 0, 0], [0, -1, 0], [0, 0, -1]]"))
    )
    simulation = Simulation(given)
    solutions = simulation.navigator.map.search.ends
    assert len(solutions) > 3
    low, high = simulation.arm.position_limits.T
    assert np.all((solutions > low) & (solutions < high))
    poses = forward_kinematics(simulation.arm, solutions)
    assert np.abs(poses[:, :3, 3] - given.goal_point).max() < 1e-9
    if given.goal.pose is not None:
        assert np.abs(poses[:, :3, :3] - np.array(given.goal.pose.rotation)).max() < 1e-9
    assert simulation.run().outcome == "reached"


@pytest.mark.parametrize(
    ("goal", "key"),
    [
        ("{position: [0.45, 0.0, 3.45]}", "position"),
        ("{pose: {position: [3, 0, 0.4], rotation: ONE}}", "pose"),
    ],
)
def test_where_none_are_found_the_goal_is_refused_at_its_key(goal, key):
    one = "[[1, 0, 0], [0, 1, 0], [0, 0, 1]]"
    with refused(
        f"^far, line 5: goal.{key}: a numeric search finds no joint angles.*or goal.joints"
    ):
        parse_world(ON_JOINTS.replace("GOAL", goal.replace("ONE", one)), "far")
