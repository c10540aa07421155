"""The section ``plan``: places, defaults, to YAML and back, and every fault on one line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from refusals import refused
from scipy.spatial.transform import Rotation

from hopfield_nav.world import dump_schema, load_world, parse_world
from hopfield_nav.world.plan_section import PlanSection

JOINTS = "[2.5511, -1.1193, 2.5706, 0.1196, 1.5708, -0.5905]"
POSE = "{position: [0.4, 0.1, 0.3], rotation: [3.1, 0.2, -0.4]}"
FULL = f"""format: 1
plan:
  start: {{joints: {JOINTS}}}
  via:
  - pose: {POSE}
  - joints: {JOINTS}
  goal: {{pose: {{position: [0.5, -0.2, 0.3], rotation: [[0, 1, 0], [1, 0, 0], [0, 0, -1]]}}}}
  method: direct
  tool_speed: 0.1
  turn_speed: 2
  steps: 50
  clearance: 0.02
  acceleration: [1, 1, 1, 2, 2, 2]
  ways: 512
"""


def test_a_world_without_the_section_has_its_defaults():
    plan = parse_world("format: 1").plan
    assert (plan.start, plan.via, plan.goal, plan.method) == (None, (), None, "auto")
    assert (plan.tool_speed, plan.turn_speed, plan.steps) == (0.1, 0.5, 100)
    assert (plan.clearance, plan.acceleration, plan.ways) == (0.0, 1.4, 5)
    assert parse_world("format: 1\nplan:").plan == plan == PlanSection()


def test_all_keys_are_written_out_and_read_back():
    world = parse_world(FULL)
    assert parse_world(world.to_yaml()) == world
    assert world.plan.acceleration == (1.0, 1.0, 1.0, 2.0, 2.0, 2.0)
    text = parse_world("format: 1").to_yaml()
    for key in PlanSection.model_fields:
        assert f"{key}:" in text
    assert "joints: null" not in world.to_yaml()


def test_a_saved_world_of_before_the_section_loads():
    lines = parse_world("format: 1\ngoal: {cell: [3, 4]}").to_yaml().splitlines()
    start = lines.index("plan:")
    end = next(i for i in range(start + 1, len(lines)) if not lines[i].startswith(" "))
    old = "\n".join(lines[:start] + lines[end:])
    assert "plan:" not in old
    assert parse_world(old) == parse_world("format: 1\ngoal: {cell: [3, 4]}")


def test_angles_of_a_pose_turn_about_x_then_y_then_z_of_the_base():
    rotation = parse_world(FULL).plan.via[0].pose.rotation
    expected = Rotation.from_euler("xyz", [3.1, 0.2, -0.4]).as_matrix()
    np.testing.assert_allclose(rotation, expected, atol=1e-12)


def test_overrides_reach_into_the_section():
    world = load_world("empty", [f"plan.goal.joints={JOINTS}", "plan.method=sampling"])
    assert world.plan.goal.joints[0] == 2.5511
    assert world.plan.method == "sampling"
    assert load_world("empty", ["plan.steps=7"]).plan.steps == 7
    with refused(r"--set plan\.goal\.joints.*wrong number of joints.*6, as arm"):
        load_world("empty", ["plan.goal.joints=[1, 2]"])


@pytest.mark.parametrize(
    ("lines", "parts"),
    [
        (
            f"  goal: {{joints: {JOINTS}, pose: {POSE}}}",
            ["plan.goal", "exactly one of joints and pose"],
        ),
        ("  start: {}", ["plan.start", "exactly one of joints and pose"]),
        ("  via: [{}]", ["plan.via.0", "exactly one of joints and pose"]),
        ("  via: [{pose: {position: [0, 0, 1]}}]", ["plan.via.0.pose.rotation", "missing key"]),
        ("  goal: {joints: [90, 0, 0, 0, 0, 0]}", ["plan.goal.joints.0", "degrees"]),
        (
            "  goal: {joints: [1, 2, 3]}",
            ["plan.goal.joints", "wrong number of joints", "6, as arm"],
        ),
        (
            "  goal: {pose: {position: [400, 0, 0], rotation: [0, 0, 0]}}",
            ["position.0", "millimetres"],
        ),
        (
            "  goal: {pose: {position: [0, 0, 0], rotation: [180, 0, 0]}}",
            ["pose.rotation", "degrees"],
        ),
        (
            "  goal: {pose: {position: [0, 0, 0], rotation: [[1, 0, 0], [0, 1, 0], [0, 0, 2]]}}",
            ["rotation"],
        ),
        ("  goal: {pose: {postion: [0, 0, 0], rotation: [0, 0, 0]}}", ["Did you mean 'position'"]),
        ("  goal: {joint: [0, 0]}", ["Did you mean 'joints'"]),
        ("  goal: here", ["plan.goal", "a mapping of keys"]),
        ("  goal: {joints: [1, x, 0, 0, 0, 0]}", ["plan.goal.joints.1", "a number"]),
        ("  gaol: {}", ["Did you mean 'goal'"]),
        (
            "  method: shortst",
            ["auto, in_turn, shortest, around, direct, sampling", "Did you mean 'shortest'"],
        ),
        ("  tool_speed: 250", ["above 0, at most 5 m/s", "millimetres a second"]),
        ("  tool_speed: 0", ["above 0"]),
        ("  turn_speed: 57", ["degrees a second"]),
        ("  steps: 0", ["1 to 10000"]),
        ("  steps: 1.5", ["a whole number"]),
        ("  clearance: 20", ["0 to 1 m", "millimetres"]),
        ("  clearance: .nan", ["a finite number"]),
        ("  acceleration: 80", ["0.01 to 50 rad/s²"]),
        ("  acceleration: [1, 2]", ["wrong number of values", "6, one a joint"]),
        ("  ways: 513", ["1 to 512"]),
    ],
)
def test_faults_name_line_and_key(lines, parts):
    with refused("^w.yaml, line 3: plan[.]") as caught:
        parse_world(f"format: 1\nplan:\n{lines}", "w.yaml")
    for part in parts:
        assert part in str(caught.value)


def test_joints_beyond_the_limits_of_the_arm_are_refused(tmp_path):
    """With the arm's own limits of one turn the same angles are taken."""
    source = Path(__file__).parents[2] / "dynamics/arms/ur5_tu2023.yaml"
    text = source.read_text().replace("position: 6.283185307179586", "position: 2.0")
    (tmp_path / "stiff.yaml").write_text(text)
    wide, narrow = ("format: 1\narm: ur5_tu2023", "format: 1\narm: stiff.yaml")
    plan = "\nplan:\n  via:\n  - joints: [0, 0, 0, 0, 1.9, 0]\n  - joints: [0, 0, -2.5, 0, 0, 0]"
    assert parse_world(wide + plan).plan.via[1].joints[2] == -2.5
    with refused(r"line 6: plan\.via\.1\.joints\.2: joint 3 .*-2 to 2 rad"):
        parse_world(narrow + plan, folder=tmp_path)


def test_the_schema_takes_what_the_program_takes():
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(json.dumps(dump_schema()))
    check = jsonschema.validators.validator_for(schema)(schema)
    good = json.loads(json.dumps(parse_world(FULL).model_dump(mode="json")["plan"]))
    check.validate({"format": 1, "plan": good})
    check.validate({"format": 1, "plan": {}})
    for wrong in (
        {"goal": {"joints": [90]}},
        {"goal": {"joints": [0], "pose": {"position": [0, 0, 0], "rotation": [0, 0, 0]}}},
        {"via": [{}]},
        {"steps": 0},
        {"tool_speed": 250},
        {"method": "fast"},
    ):
        assert not check.is_valid({"format": 1, "plan": wrong})
