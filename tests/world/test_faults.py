"""Every kind of fault of a world file: its line, its key, what is allowed, the nearest known name."""

import re
from importlib import resources

import numpy as np
import pytest
from refusals import refused

from dynamics import forward_kinematics, load_arm
from hopfield_nav import plan_path, simulate
from hopfield_nav.world import load_world, parse_world


def fault(text: str) -> str:
    with refused("w.yaml") as caught:
        parse_world(text, "w.yaml")
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "line", "parts"),
    [
        ("format: 1\nplaner: {}", 2, ["unknown key", "'planner'"]),
        ("format: 1\nplanner:\n  netwrk: sum", 3, ["planner.netwrk", "'network'"]),
        ("format: 1\nplanner:\n  network: sums", 3, ["'sums'", "limit, sum", "Did you mean 'sum'"]),
        (
            "format: 1\ncontroller:\n  law: inverse_dynamic",
            3,
            ["unknown controller", "'inverse_dynamics'"],
        ),
        ("format: 1\ncontroller:\n  omga: 3", 3, ["unknown key", "'omega'"]),
        (
            "format: 1\nplanner: {beta 0.1, radius: 1}",
            2,
            ["unknown key", "'beta 0.1'", "Did you mean 'beta'"],
        ),
        (
            "format: 1\ncontroller: {law: damping, omega: 3, model: ur5_tu2023}",
            2,
            ["unknown key", "gain_start"],
        ),
        (
            "format: 1\ncontroller:\n  omega: [1, 2, 3, 4, 5, -6]",
            3,
            ["controller.omega.5", "0.001 to"],
        ),
        (
            "format: 1\ncontroller:\n  omega: [1, 2]",
            3,
            ["wrong number of values", "6, one a joint"],
        ),
        (
            "format: 1\ndetection:\n  threshold: true",
            3,
            ["detection.threshold", "a finite number", "[N·m]"],
        ),
        ("format: 1\ndetection:\n  measur: force_norm", 3, ["'measure'"]),
        ("format: 2", 1, ["format", "allowed: 1"]),
        ("seed: 1", None, ["missing key"]),
        (
            "format: 1\nstart:\n  joints: [146, -64, 147, 7, 90, -34]",
            3,
            ["start.joints.0", "degrees"],
        ),
        ("format: 1\nstart:\n  joints: [0, 0, 0]", 3, ["wrong number of joints", "6, as arm"]),
        (
            "format: 1\nobstacles:\n- cylinder:\n    center: [400, 0]\n    radius: 0.03",
            4,
            ["millimetres"],
        ),
        (
            "format: 1\nobstacles:\n- cylinder:\n    center: [0.4, 0]\n    radius: 30",
            5,
            ["radius", "millimetres"],
        ),
        ("format: 1\nobstacles:\n- cylinder:\n    center: [0.4, 0]\n    radius: 0", 5, ["above 0"]),
        (
            "format: 1\nobstacles:\n- cylinder: {center: [0.4, 0, 0], radius: 0.1}",
            3,
            ["a list of 2"],
        ),
        ("format: 1\nobstacles:\n- cylinder: {center: [0.4, 0]}", 3, ["radius: missing key"]),
        ("format: 1\nobstacles:\n- cilinder: {center: [0.4, 0], radius: 0.1}", 3, ["'cylinder'"]),
        ("format: 1\nobstacles:\n- {}", 3, ["exactly one"]),
        (
            "format: 1\nobstacles:\n- random_cylinders: {count: 3, radius: [0.2, 0.1]}",
            3,
            ["smallest"],
        ),
        (
            "format: 1\nobstacles:\n- cylinder: {center: [0, 0], radius: 1, height: [1, 0]}",
            3,
            ["height", "lower end"],
        ),
        (
            "format: 1\nobstacles:\n- cylinder: {center: [0, 0], radius: 1, height: 1}",
            3,
            ["a list of 2"],
        ),
        (
            "format: 1\nobstacles:\n- sphere: {center: [0.4, 0], radius: 0.1}",
            3,
            ["center", "a list of 3"],
        ),
        ("format: 1\nobstacles:\n- sphere: {center: [0.4, 0, 0]}", 3, ["radius: missing key"]),
        ("format: 1\nobstacles:\n- sphere: {center: [0.4, 0, 0], radius: 30}", 3, ["millimetres"]),
        (
            "format: 1\nobstacles:\n- box: {center: [0, 0, 0], size: [1, 1]}",
            3,
            ["size", "a list of 3"],
        ),
        (
            "format: 1\nobstacles:\n- box: {center: [0, 0, 0], size: [1, 1, 0]}",
            3,
            ["size.2", "above 0"],
        ),
        (
            "format: 1\nobstacles:\n- box: {center: [0, 0, 0], size: [1, 1, 1],\n    rotation: [0, 90, 0]}",
            4,
            ["box.rotation", "roll, pitch, yaw", "degrees"],
        ),
        (
            "format: 1\nobstacles:\n- box: {center: [0, 0, 0], size: [1, 1, 1],\n"
            "    rotation: [[1, 0, 0], [0, 1, 0], [0, 0, 2]]}",
            4,
            ["rotation"],
        ),
        ("format: 1\nobstacles:\n- floor: {heigth: 0}", 3, ["'height'"]),
        (
            "format: 1\nobstacles:\n- {floor: {height: 0}, sphere: {center: [0, 0, 0], radius: 1}}",
            3,
            ["exactly one"],
        ),
        ("format: 1\nknown:\n- {}", 3, ["exactly one", "cylinder or sphere or box or floor"]),
        ("format: 1\ncontact:\n  bodies: arms", 3, ["tool, arm", "'arm'"]),
        (
            "format: 1\nknown:\n- box: {center: [0.3, 0.1, 0], size: [0.1, 0.1, 0.1]}\ngoal: {position: [0.3, 0.05]}",
            4,
            ["inside known obstacle 0"],
        ),
        (
            "format: 1\nknown:\n- floor: {height: 0.1}\ngoal: {position: [0.3, 0.05]}",
            4,
            ["inside known obstacle 0"],
        ),
        (
            "format: 1\nknown:\n- random_cylinders: {count: 3, radius: [0.1, 0.2]}",
            3,
            ["unknown key"],
        ),
        ("format: 1\nmap:\n  spacing: 26.3", 3, ["millimetres"]),
        ("format: 1\nmap:\n  shape: [20, 1]", 3, ["map.shape.1", "2 to 4096"]),
        ("format: 1\nmap:\n  shape: [20, 20, 20, 20]", 3, ["a list of 2 to 3"]),
        ("format: 1\ngoal:\n  cell: [20, 6]", 3, ["goal outside the map", "[0, 0] to [19, 19]"]),
        ("format: 1\nmap: {rim: blocked}\ngoal: {cell: [19, 6]}", 3, ["[1, 1] to [18, 18]"]),
        (
            "format: 1\ngoal:\n  position: [1.6, 0]",
            3,
            ["goal outside the map", "x from 0.1501 to 0.6498 m"],
        ),
        ("format: 1\ngoal: {cell: [3, 4], position: [0.3, 0.1]}", 2, ["exactly one"]),
        ("format: 1\ngoal: {tolerance: 0.1}", 2, ["exactly one"]),
        ("format: 1\ngoal: {cell: [1.5, 2]}", 2, ["goal.cell.0", "whole number"]),
        (
            "format: 1\nknown:\n- cylinder: {center: [0.3, 0.1], radius: 0.1}\ngoal: {position: [0.3, 0.05]}",
            4,
            ["inside known obstacle 0"],
        ),
        (
            "format: 1\nplant: {step: 0.003}\ncontroller:\n  period: 0.01",
            4,
            ["multiple of plant.step"],
        ),
        ("format: 1\nplant:\n  step: 1", 3, ["milliseconds"]),
        ("format: 1\ncontroller:\n  delay: 0.0015", 3, ["control periods"]),
        ("format: 1\ncontroller:\n  delay: 0.1", 3, ["at most 64"]),
        ("format: 1\nplant:\n  damping: [1, 2]", 3, ["wrong number of values"]),
        ("format: 1\nplant:\n  damping: -1", 3, ["0 to 10000"]),
        ("format: 1\nplant:\n  friction: coulomb", 3, ["plant.friction", "allowed: arm"]),
        (
            "format: 1\nplant:\n  dynamics: ur5_ragazzon2021",
            3,
            ["unknown arm", "'ur5_ragazzon2012'"],
        ),
        ("format: 1\narm: 5", 2, ["allowed: text"]),
        ("format: 1\nsensors:\n  noise: 1", 3, ["encoder_resolution", "velocity_noise"]),
        ("format: 1\ngravity: [0, 0, -9810]", 2, ["gravity.2"]),
        ("format: 1\ngravity: [40, 40, 0]", 2, ["50 m/s²"]),
        (
            "format: 1\ntool: {frame: {rotation: [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}}",
            2,
            ["not a rotation"],
        ),
        (
            "format: 1\ntool: {payload: {inertia: [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}}",
            2,
            ["not an inertia"],
        ),
        ("format: 1\nplanner:\n  ties: [+u, +u, +v, -v]", 3, ["each step must be named once"]),
        ("format: 1\nplanner:\n  radius: 0.5", 3, ["1 to 16 cells"]),
        ("format: 1\ntrajectory:\n  time_per_cell: fast", 3, ["the word ragazzon2012"]),
        ("format: 1\ntrajectory:\n  time_per_cell: 0", 3, ["above 0"]),
        ("format: 1\ntime_limit: .inf", 2, ["finite"]),
        ("format: 1\ntime_limit: .nan", 2, ["finite"]),
        ("format: 1\ntime_limit: true", 2, ["a number"]),
        ("format: 1\nseed: -1", 2, ["whole number from 0"]),
        ("format: 1\nrecord:\n  every: 0", 3, ["from 1"]),
        (
            "format: 1\ncontroller: {law: damping}\ndetection: {estimator: joint_error}",
            3,
            ["detection.estimator", "K0 of the control law", "momentum_observer"],
        ),
    ],
)
def test_fault_names_line_key_and_what_is_allowed(text, line, parts):
    message = fault(text)
    assert message.startswith(f"w.yaml, line {line}: " if line else "w.yaml")
    for part in parts:
        assert part in message


def test_the_first_fault_of_the_file_is_reported():
    assert "line 2: seed" in fault("format: 1\nseed: x\ntime_limit: y\ngoal: 3")


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (b"", ["empty"]),
        (b"# nothing\n", ["empty"]),
        (b"- format: 1", ["line 1", "a mapping of keys"]),
        (b"just words", ["a mapping of keys"]),
        (b"format: 1\nmap:\n\tspacing: 0.1", ["line 3", "spaces, not tabs"]),
        (b"format: 1\nseed: 1\nseed: 2", ["line 3", "key given twice", "'seed'"]),
        (b"format: 1\nmap: [1, 2", ["line 2", "not valid YAML"]),
        (b"format: 1\ndescription: \xff\xfe", ["line 2", "UTF-8"]),
        (b"format: 1\n--- \nformat: 1", ["not valid YAML"]),
        (b"format: 1\ndescription: !!python/name:os.system x", ["line 2", "tag"]),
        (b"format: 1\nobstacles: &a [*a]", ["line 2", "in itself"]),
        (b"format: 1\ndescription: \x07", ["not valid YAML"]),
        (b"format: 1\nobstacles: " + b"[" * 3000, ["nested too deeply"]),
        (b"format: 1\n? [a, b]\n: 3", ["line 2", "a key must be a word"]),
    ],
)
def test_faults_of_the_file_itself(tmp_path, content, parts):
    path = tmp_path / "w.yaml"
    path.write_bytes(content)
    with refused("w.yaml") as caught:
        load_world(path)
    for part in parts:
        assert part in str(caught.value)


def test_aliases_that_grow_without_bound_are_refused():
    levels = "\n".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 12))
    assert "too many values" in fault(f"a0: &a0 [x]\n{levels}")


def test_an_arm_without_friction_is_no_arm_with_friction(tmp_path):
    """Even if its file says at what speed it would break away."""
    text = resources.files("dynamics").joinpath("arms/ur5_full.yaml").read_text(encoding="utf-8")
    still = re.sub("friction: {.*}", "friction: {coulomb: 0, stribeck_speed: 0.2}", text)
    (tmp_path / "still.yaml").write_text(still, encoding="utf-8")
    (tmp_path / "w.yaml").write_text("format: 1\narm: still.yaml\nplant: {friction: arm}")
    with refused("line 3: plant.friction: arm still.yaml has no joint friction in its file"):
        load_world(tmp_path / "w.yaml")


@pytest.mark.parametrize("digits", [400, 401, 5000])
def test_a_number_of_any_length_is_named_as_it_was_written(digits):
    """A whole number of more than 400 digits was said to be infinite, and one of 5,000 ended in a traceback."""
    with refused(r"line 2: seed: out of range; found 9{50}.*; allowed: a whole number from 0 to"):
        parse_world(f"format: 1\nseed: {'9' * digits}\n")
    with refused(r"seed: out of range; found -9{50}"):
        load_world("empty", [f"seed=-{'9' * digits}"])
    with refused("seed: out of range; found"):
        load_world("empty", {"seed": 10**digits})
    with refused("^seed; found"):
        simulate(load_world("empty"), seed=10**digits)
    with refused("time_limit: wrong kind of value; found 9{50}"):
        parse_world(f"format: 1\ntime_limit: {'9' * digits}\n")


def test_a_number_beyond_all_floats_is_named_as_it_was_written():
    with refused("time_limit: wrong kind of value; found '1e400'"):
        parse_world("format: 1\ntime_limit: 1e400\n")
    with refused("radius of the neighbourhood"):
        plan_path(np.zeros((3, 3), bool), (0, 0), (2, 2), radius=10**400)
    with refused("must hold numbers"):
        forward_kinematics(load_arm("ur5e"), [10**400] * 6)
