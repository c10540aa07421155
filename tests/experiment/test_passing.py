"""Walls that do not stop the tool are warned of before the run, and others are not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hopfield_nav import load_world, simulate
from hopfield_nav.experiment import Simulation

WORLDS = sorted((Path(__file__).resolve().parents[2] / "worlds").glob("*.yaml"))
NORM = "detection.measure=force_norm"
TWELVE = "detection.threshold=12"
FAST = "trajectory.time_per_cell=0.1"  # 0.26 m/s


def wall(thickness, *settings):
    box = f"obstacles=[{{box: {{center: [0.40, 0.0, 0.0], size: [{thickness}, 0.6, 1.0]}}}}]"
    return load_world("empty", [box, "record.signals=none", "time_limit=60", *settings])


def row(*settings):
    """The same way barred by a row of cylinders, two of which the tool meets between."""
    wall = "obstacles=[{wall: {from: [0.40, -0.29], to: [0.40, 0.31], radius: 0.02}}]"
    return load_world("empty", [wall, "record.every=10", "time_limit=60", NORM, TWELVE, *settings])


PASSED = [
    (wall(0.001, FAST), "the impact at 0.4 m/s"),
    (wall(0.002, FAST), "the impact at 0.4 m/s"),
    (wall(0.02, NORM, "contact.stiffness=1e3"), "pushes back with 10 N at most"),
    (wall(0.02, "contact.stiffness=1e3"), "pushes back with 10 N at most"),
    (wall(0.04, NORM, "contact.stiffness=1e3", TWELVE), "pushes back with 20 N at most"),
    (wall(0.005, NORM, "detection.threshold=200"), "a collision is felt at up to 200 N"),
    (
        wall(0.001, "detection.measure=wrench_norm", "detection.threshold=200"),
        "felt at up to 200 N",
    ),
]
HELD = [
    wall(0.001),
    wall(0.005, FAST),
    wall(0.02, "contact.stiffness=3e3"),
    wall(0.04, NORM, "detection.threshold=200"),
]


@pytest.mark.parametrize(("world", "words"), PASSED, ids=range(len(PASSED)))
def test_a_wall_that_is_passed_is_warned_of(world, words):
    (warning,) = Simulation(world).warnings
    assert words in warning
    assert "obstacle 0 (box)" in warning
    assert "\n" not in warning
    assert simulate(world).summary["passed_through"]


ROWS = [
    ((1000,), True),
    ((1341,), True),
    ((1341, "controller.model_error.mass_scale=1.2"), True),
    ((1341, "explore=slide"), True),
    ((600, "detection.measure=persistent_joint_torque", "detection.threshold=4"), True),
    ((5000,), False),
    ((5000, "controller.model_error.mass_scale=1.2"), False),
    ((300000,), False),
]


@pytest.mark.parametrize(("settings", "passed"), ROWS, ids=range(len(ROWS)))
def test_between_two_cylinders_of_a_wall_it_is_the_wall_that_holds_or_not(settings, passed):
    """The tool is less deep in each than in both; what counts is on which side of the middle line it was."""
    stiffness, *others = settings
    run = Simulation(row(f"contact.stiffness={stiffness}", *others)).run()
    crossed = bool(np.any(run.data.tool_position.values[:, 0] > 0.40))
    assert crossed == passed
    assert run.summary["passed_through"] == passed


@pytest.mark.parametrize("world", HELD, ids=range(len(HELD)))
def test_a_wall_that_holds_is_not(world):
    assert Simulation(world).warnings == []
    assert not simulate(world).summary["passed_through"]


def test_a_step_that_jumps_over_the_wall_is_warned_of():
    step = ["plant.step=0.002", "contact.stiffness=1e4", "trajectory.time_per_cell=0.05"]
    warnings = Simulation(wall(0.002, *step)).warnings
    assert [w for w in warnings if "in one step of 0.002 s" in w and "smaller plant.step" in w]
    assert not [w for w in Simulation(wall(0.01, *step)).warnings if "in one step" in w]
    two = [
        f"{{box: {{center: [{x}, 0.0, 0.0], size: [{size}, 0.6, 1.0]}}}}"
        for x, size in ((0.4, 0.002), (0.45, 0.001))
    ]
    (told,) = [
        w
        for w in Simulation(wall(0.002, f"obstacles=[{', '.join(two)}]", *step)).warnings
        if "in one step" in w
    ]
    assert "obstacle 1 (box)" in told  # the thinner one is named


def test_a_threshold_that_no_motor_reaches_is_warned_of():
    assert out_of_reach("detection.threshold=200")
    assert (
        simulate(load_world("u_trap", ["detection.threshold=200"])).summary["collision_count"] == 0
    )
    assert not out_of_reach("detection.threshold=20")
    assert not out_of_reach("detection.threshold=200", "controller.saturate=false")


def out_of_reach(*settings):
    """The warnings that the motors cannot press as hard as would be felt."""
    warnings = Simulation(load_world("u_trap", settings)).warnings
    return [warning for warning in warnings if "but the motors press with" in warning]


def test_known_obstacles_and_detectors_without_such_a_threshold_are_left_out():
    soft = ["contact.stiffness=1e3", "record.signals=none"]
    known = "known=[{box: {center: [0.40, 0.0, 0.0], size: [0.001, 0.2, 1.0]}}]"
    assert Simulation(load_world("empty", [known, *soft])).warnings == []
    for estimator in ("none", "tracking_error"):
        world = wall(0.02, *soft, f"detection.estimator={estimator}", "detection.measure=tracking")
        assert Simulation(world).warnings == []


@pytest.mark.parametrize("path", WORLDS, ids=lambda path: path.stem)
def test_no_world_that_comes_along_is_warned_of(path):
    assert Simulation(load_world(path)).warnings == []
