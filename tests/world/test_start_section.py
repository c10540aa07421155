"""Where the arm begins: joint angles, or a pose or a position of the tool."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

from dynamics import forward_kinematics
from hopfield_nav import simulate
from hopfield_nav.build import build_arm
from hopfield_nav.world import parse_world

DOWN = [[0, 1, 0], [1, 0, 0], [0, 0, -1]]


def tool(world):
    return forward_kinematics(build_arm(world), np.array(world.start.joints))


@pytest.mark.parametrize("height", [None, 0.15])
def test_a_position_puts_the_tool_there_turned_as_on_the_way(height):
    at = [0.3, 0.1] if height is None else [0.3, 0.1, height]
    world = parse_world(
        f"format: 1\nmap: {{origin: [0.15, -0.25, 0.05]}}\nstart: {{position: {at}}}"
    )
    np.testing.assert_allclose(tool(world)[:3, 3], [0.3, 0.1, height or 0.05], atol=1e-9)
    np.testing.assert_allclose(tool(world)[:3, :3], DOWN, atol=1e-9)


@pytest.mark.parametrize("arm", ["ur5_ragazzon2012", "ur5e"])
def test_a_pose_puts_the_tool_there_with_its_frame(arm):
    text = "{position: [0.4, -0.2, 0.3], rotation: [3.0, 0.2, -0.5]}"
    frame = "tool: {frame: {position: [0, 0.02, 0.1]}}"
    world = parse_world(
        f"format: 1\narm: {arm}\n{frame}\nstart: {{pose: {text}}}\nplan: {{start: {{pose: {text}}}}}"
    )
    np.testing.assert_allclose(tool(world)[:3, 3], [0.4, -0.2, 0.3], atol=1e-9)
    np.testing.assert_allclose(tool(world)[:3, :3], world.plan.start.pose.rotation, atol=1e-9)


def test_joint_angles_nearest_to_the_default_and_written_out():
    usual = parse_world("format: 1")
    place = [float(v) for v in tool(usual)[:3, 3]]
    world = parse_world(f"format: 1\nstart: {{position: {place}}}")
    # of a tool not quite upright
    np.testing.assert_allclose(world.start.joints, usual.start.joints, atol=1e-3)
    assert parse_world(world.to_yaml()) == world


def test_any_rotation_is_left_to_the_arm():
    world = parse_world(
        "format: 1\ntrajectory: {tool_rotation: free}\nstart: {position: [0.3, 0.1, 0.2]}"
    )
    np.testing.assert_allclose(tool(world)[:3, 3], [0.3, 0.1, 0.2], atol=1e-9)


def test_a_run_begins_there():
    run = simulate(parse_world("format: 1\nstart: {position: [0.3, 0.1]}\ntime_limit: 0.02"))
    np.testing.assert_allclose(run.data.tool_position[0, :2], [0.3, 0.1], atol=1e-9)


@pytest.mark.parametrize(
    ("start", "words"),
    [
        ("{position: [3, 0]}", "line 2: start.position: the arm does not reach the start"),
        (
            "{pose: {position: [0.9, 0.9, 0.9], rotation: [0, 0, 0]}}",
            "start.pose: the arm does not reach",
        ),
        ("{position: [0.3, 0.1], joints: [0, 0, 0, 0, 0, 0]}", "one of them is enough"),
        ("{position: [0.3]}", "a list of 2 to 3"),
        ("{pose: {position: [0.3, 0, 0]}}", r"start\.pose\.rotation: missing key"),
    ],
)
def test_faults(start, words):
    with refused(words):
        parse_world(f"format: 1\nstart: {start}")
