"""A world's plan as a whole: task, trajectory and proof, and the plan under the controller."""

import json
from pathlib import Path

import numpy as np
import pytest
import yaml
from known_cell import SOLIDS, cell, pose
from refusals import refused

import dynamics
from dynamics import BadInput, NoClosedForm, forward_kinematics
from hopfield_nav import load_world, plan_world
from hopfield_nav.experiment import follow
from hopfield_nav.extensions.clearance import build_scene, collides, motion_is_free
from hopfield_nav.extensions.clearance.proof import trajectory_is_free
from hopfield_nav.extensions.known_world import (
    PlannedPath,
    facts,
    save_plan,
    task_of_world,
    time_path,
)
from hopfield_nav.extensions.known_world import planned as planned_module
from hopfield_nav.extensions.known_world.task import DIRECT
from hopfield_nav.geometry import sphere
from hopfield_nav.loop import sample
from hopfield_nav.world import parse_world

STRAIGHT = [
    "plan.start.pose.position=[0.42, -0.2, 0.26]",
    "plan.goal.pose.position=[0.42, 0.22, 0.26]",
]


def test_the_cell_needs_a_detour_and_beside_the_can_the_line_is_free():
    across, beside = plan_world(load_world("cell")), plan_world(load_world("cell", STRAIGHT))
    assert across.plan.path.kind == "around"
    assert "the can" in across.plan.reasons["shortest"]
    assert "known[" not in " ".join(across.plan.reasons.values())
    assert beside.plan.path.kind == "shortest"
    for planned in (across, beside):
        q = sample(planned.trajectory, 20)[1]
        assert not collides(planned.arm, planned.scene, q).any()
        tool = forward_kinematics(planned.arm, q[[0, -1]])
        task = task_of_world(planned.world, planned.arm)
        np.testing.assert_allclose(tool, [task.start, task.stations[-1]], atol=1e-8)
    line = forward_kinematics(beside.arm, sample(beside.trajectory, 20)[1])[:, :3, 3]
    np.testing.assert_allclose(line[:, [0, 2]], [[0.42, 0.26]] * len(line), atol=1e-6)


def test_facts_are_those_of_the_trajectory():
    planned = plan_world(load_world("cell", STRAIGHT))
    found = facts(planned)
    assert found["tool_distance_m"] == pytest.approx(0.42, abs=1e-9)
    assert found["tool_length_m"] == pytest.approx(0.42, abs=1e-5)
    assert (
        found["duration_s"] == planned.trajectory.knots[-1] > 0.42 / planned.world.plan.tool_speed
    )
    assert found["clearance_obstacles_m"] > 0
    assert found["joint_length_rad"] == planned.plan.path.length


def test_the_task_of_a_world():
    world = parse_world("format: 1\ngoal: {position: [0.4, 0.1]}")
    arm = plan_world(world).arm
    task = task_of_world(world, arm)
    assert task.start.tolist() == list(world.start.joints)
    np.testing.assert_allclose(task.stations[0][:3, 3], [0.4, 0.1, world.map.origin[2]])
    np.testing.assert_allclose(
        task.stations[0][:3, :3], forward_kinematics(arm, task.start)[:3, :3]
    )
    with refused(r"plan\.goal"):
        task_of_world(parse_world("format: 1"), arm)


def test_clearance_is_kept_from_the_obstacles():
    far = facts(plan_world(load_world("cell", [*STRAIGHT, "plan.clearance=0.02"])))
    assert far["clearance_obstacles_m"] >= 0.02
    assert plan_world(load_world("cell", [*STRAIGHT, "plan.clearance=0.1"])).plan.path is None


def test_the_controller_follows_a_plan_without_touching_what_is_known():
    planned = plan_world(load_world("cell"))
    run = follow(planned.world, planned.trajectory)
    assert run.outcome == "reached"
    assert run.summary["collision_count"] == 0
    assert run.summary["saturated_share"] == 0
    assert run.summary["peak_contact_force_N"] == 0
    np.testing.assert_allclose(run.data.q[-1], planned.plan.path.q[-1], atol=1e-3)


def test_what_is_not_known_is_found_by_touch():
    """The same plan with a post in its way that only the simulated world has."""
    planned = plan_world(load_world("cell", STRAIGHT))
    world = load_world(
        "cell", [*STRAIGHT, "obstacles=[{cylinder: {center: [0.42, 0.0], radius: 0.03}}]"]
    )
    again = plan_world(world)
    np.testing.assert_array_equal(again.plan.path.q, planned.plan.path.q)
    run = follow(world, again.trajectory)
    assert run.summary["collision_count"] > 0
    assert run.summary["peak_contact_force_N"] > 1


def test_the_proof_of_a_trajectory_with_and_without_something_in_the_way():
    arm, scene = cell()
    q = np.array([[0.9, -1.4, 1.2, -1.4, -1.57, 0.0], [1.6, -1.2, 1.0, -1.2, -1.57, 0.5]])
    assert motion_is_free(arm, scene, q[0], q[1])
    trajectory = time_path(arm, PlannedPath(q, DIRECT, np.array([0, 1]), 1.0))
    assert trajectory_is_free(arm, scene, trajectory)
    tool = forward_kinematics(arm, q.mean(axis=0))[:3, 3]
    for radius in (0.02, 0.001):
        blocked = build_scene(arm, np.vstack([SOLIDS, sphere(tool, radius)]))
        assert not trajectory_is_free(arm, blocked, trajectory)
    rest = time_path(arm, PlannedPath(q[:1], DIRECT, np.array([0]), 0.0))
    assert trajectory_is_free(arm, scene, rest)


def test_an_open_start_shows_no_motion_twice():
    planned = plan_world(load_world("cell"))
    motions = [np.diff(path.q, axis=0) for path in planned.plan.paths]
    starts = [np.mod(path.q[0], 2 * np.pi) for path in planned.plan.paths]
    for i in range(len(motions)):
        for j in range(i):
            same = np.allclose(motions[i], motions[j]) and np.allclose(starts[i], starts[j])
            assert not same
    assert np.abs(planned.plan.path.q).max() < 1.5 * np.pi + 0.2


def test_through_via_points():
    via = pose([0.4, 0.0, 0.55]).tolist()
    rotation = [row[:3] for row in via[:3]]
    world = load_world(
        "cell",
        [
            f"plan.via=[{{pose: {{position: [0.4, 0.0, 0.55], rotation: {rotation}}}}}]",
            "plan.method=direct",
        ],
    )
    planned = plan_world(world)
    assert len(planned.plan.path.q) == 3
    np.testing.assert_allclose(
        forward_kinematics(planned.arm, planned.plan.path.q[1])[:3, 3], [0.4, 0.0, 0.55], atol=1e-9
    )


SEVEN = """
format: 1
arm: seven.yaml
start: {joints: [0, -1.5, 1.0, 0.5, 1.5, 0, 0]}
controller: {omega: 22.5}
plan: {method: METHOD, goal: {joints: [0.5, -1.5, 1.0, 0.5, 1.5, 1, 0.3]}}
"""


@pytest.fixture
def seven(tmp_path):
    """A folder with an arm of seven joints: the UR5 with another turning joint at its end."""
    source = Path(dynamics.__file__).parent / "arms" / "ur5_ragazzon2012.yaml"
    data = yaml.safe_load(source.read_text())
    for key in ("joints", "links"):
        data[key] = [*data[key], data[key][-1]]
    data["joints"][-1] = {**data["joints"][-1], "name": "seventh"}
    for key, value in data["limits"].items():
        if isinstance(value, list):
            data["limits"][key] = [*value, value[-1]]
    (tmp_path / "seven.yaml").write_text(json.dumps(data))  # YAML without aliases
    return tmp_path


@pytest.mark.parametrize("method", ["direct", "auto", "sampling"])
def test_any_arm_goes_from_joints_to_joints(seven, method, tmp_path):
    planned = plan_world(parse_world(SEVEN.replace("METHOD", method), folder=seven))
    assert planned.plan.path.q.shape[1] == 7
    if method == "auto":
        assert planned.plan.reasons["shortest"].startswith("not tried: ")
    save_plan(planned, tmp_path / "plan")
    assert not (tmp_path / "plan" / "plan.script").exists()
    with refused("needs an arm of UR type", NoClosedForm):
        plan_world(parse_world(SEVEN.replace("METHOD", "shortest"), folder=seven))


def test_a_path_that_the_motors_cannot_follow_is_passed_over(monkeypatch):
    def time_only_direct(arm, path, *args, **options):
        if path.kind != DIRECT:
            raise BadInput("too much torque")
        return time_path(arm, path, *args, **options)

    monkeypatch.setattr(planned_module, "time_path", time_only_direct)
    planned = plan_world(load_world("cell", STRAIGHT))
    assert planned.plan.path.kind == DIRECT
    assert planned.plan.reasons == {"shortest": "too much torque", "around": "too much torque"}


def test_an_interrupted_plan_leaves_nothing_and_a_full_folder_is_left_alone(monkeypatch, tmp_path):
    found = plan_world(load_world("cell", STRAIGHT))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with refused("the folder is not empty"):
        save_plan(found, tmp_path / "mine")

    def interrupted(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(planned_module, "write_plan_csv", interrupted)
    with pytest.raises(KeyboardInterrupt):
        save_plan(found, tmp_path / "plan")
    assert [p.name for p in tmp_path.rglob("*")] == ["mine", "notes.txt"]


def test_where_no_path_can_be_followed_the_reason_is_the_torque():
    heavy = ["tool.payload={mass: 14, center_of_mass: [0, 0, 0.1]}", "known=[]"]
    goal = [
        "start.joints=[0, 0, 0, 0, 0, 0]",
        "plan={goal: {joints: [0.5, -0.2, 0.1, 0.5, 1.5, 1]}}",
    ]
    planned = plan_world(load_world("cell", [*heavy, *goal]))
    assert planned.trajectory is None
    assert "torque" in planned.plan.reason


def test_a_tool_rotation_with_seven_digits():
    turned = (
        "tool.frame.rotation=[[0.7071068, -0.7071068, 0], [0.7071068, 0.7071068, 0], [0, 0, 1]]"
    )
    assert plan_world(load_world("cell", [turned, "plan.method=direct"])).plan.path is not None


def test_a_goal_on_a_joint_limit(tmp_path):
    joints = [[0, -1.5, 1.0, 0.5, 1.5, 4.0], [1.1, -1.2, 1.0, 0.5, 1.5, 2 * np.pi]]
    places = [
        f"plan.{key}={{joints: {q}}}" for key, q in zip(("start", "goal"), joints, strict=True)
    ]
    planned = plan_world(load_world("cell", [*places, "known=[]", "plan.method=direct"]))
    assert planned.plan.path.q[-1, 5] in (0.0, 2 * np.pi)
    save_plan(planned, tmp_path)
