"""Damaged world files: each fault is told in one line with exit status 2, or it is still a valid world.

What a run would refuse of a valid one is not looked at here.
"""

import contextlib
import io
import os
import random
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from refusals import refused_by_command

from hopfield_nav import experiment
from hopfield_nav.cli.app import main

BASE = """\
format: 1
description: base of the damaged worlds
arm: ur5_ragazzon2012
tool: {frame: {position: [0, 0, 0.1]}, payload: {mass: 0.5, center_of_mass: [0, 0, 0.05]}}
gravity: [0, 0, -9.81]
plant: {dynamics: ur5_tu2023, integrator: rk4, step: 0.001, damping: [1, 1, 1, 1, 1, 1]}
controller: {law: inverse_dynamics, omega: [22.5, 22.5, 37.5, 60, 67.5, 75], period: 0.002, delay: 0.004}
contact: {bodies: tool, stiffness: 1e5, friction: 0.1}
obstacles:
  - cylinder: &pole {center: [0.4, 0.0], radius: 0.03}
  - cylinder: {<<: *pole, center: [0.4, 0.1]}
  - random_cylinders: {count: 3, radius: [0.01, 0.03], clearance: 0.05, seed: 4}
known:
  - cylinder: {center: [0.3, 0.2], radius: 0.02}
map: {origin: [0.1501, -0.2499, 0.0], spacing: 0.0263, shape: [20, 20], rim: blocked}
planner: {network: sum, beta: 0.1, radius: 1, ties: [+v, -v, +u, -u]}
trajectory: {time_per_cell: ragazzon2012, sample_time: 0.005}
detection: {estimator: joint_error, measure: wrench_norm, threshold: 12, mark: desired, rearm: null}
start: {joints: [2.5511, -1.1193, 2.5706, 0.1196, 1.5708, -0.5905]}
goal: {cell: [17, 6], tolerance: 0.002}
plan: {via: [{pose: {position: [0.4, 0, 0.3], rotation: [3, 0, 0]}}], goal: {joints: [0, -1, 1, 0, 1, 0]}}
time_limit: 200
seed: 0
record: {every: 1, signals: all}
"""
ODD_VALUES: list[object] = [
    None,
    True,
    False,
    "",
    "words",
    "1:30",
    "\x85",
    -1,
    0,
    3,
    10**400,
    -1e300,
    1e-300,
    float("nan"),
    float("inf"),
    90.0,
    400.0,
    [],
    {},
    [[]],
    [{}],
    {"a": 1},
    [None],
    {"cylinder": None},
    [1, 2, 3],
    "2012-01-01",
    "nowhere.py:METHOD",
    "nowhere.yaml",
    "x" * 5000,
]
ODD_TEXT = [
    "\t",
    "\n",
    ":",
    ": ",
    "- ",
    "[",
    "]",
    "{",
    "}",
    "&",
    "*",
    "*pole",
    "!",
    "!!",
    "!!int ",
    "%",
    "@",
    "`",
    '"',
    "'",
    "#",
    "|",
    ">",
    "?",
    "? ",
    "---",
    "...",
    "<<: ",
    "\0",
    "\x07",
    "\ufeff",
    "\u2028",
    "é",
    "e",
    "9",
    " ",
]
SETTINGS = settings(
    max_examples=200,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module", autouse=True)
def empty_folder():
    """Work in an empty folder: nothing may be written there."""
    before = Path.cwd()
    ready = SimpleNamespace(warnings=[])
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        patched.setitem(vars(experiment), "try_world", lambda world: ready)
        patched.setitem(vars(experiment), "look_for_storm", lambda simulation: None)
        os.chdir(folder)
        yield
        left = [path.name for path in Path(folder).iterdir()]
        os.chdir(before)
    assert left in ([], ["damaged.yaml"])


def check(content: bytes) -> int:
    """Exit status of ``check``; every line that it prints must name the file."""
    Path("damaged.yaml").write_bytes(content)
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(["check", "damaged.yaml"])
    assert status in (0, 2), err.getvalue()
    message = (err if status else out).getvalue()
    lines = message.splitlines()
    assert len(lines) == 1 or (status == 2 and lines), message
    assert all("damaged.yaml" in line for line in lines), message
    assert "Traceback" not in message
    return status


def places(data, at=()):
    """Every path of keys in the data, outermost first."""
    found = [at] if at else []
    items = (
        data.items()
        if isinstance(data, dict)
        else enumerate(data)
        if isinstance(data, list)
        else ()
    )
    for key, value in items:
        found += places(value, (*at, key))
    return found


def change(data, at, how, value, dice):
    """Damage one place of the data."""
    inner = data
    for key in at[:-1]:
        inner = inner[key]
    key = at[-1]
    if how == "replace":
        inner[key] = value
    elif how == "remove":
        del inner[key]
    elif how == "wrap":
        inner[key] = [inner[key]]
    elif how == "repeat":
        inner[key] = [inner[key]] * dice.randrange(2, 5)
    elif how == "scale":
        inner[key] = inner[key] * 1000 if isinstance(inner[key], (int, float)) else value
    elif isinstance(inner, dict):
        position = dice.randrange(len(key) + 1)
        inner[key[:position] + dice.choice("aeiou_.") + key[position + dice.randrange(2) :]] = (
            inner.pop(key)
        )
    else:
        inner.insert(key, value)


@SETTINGS
@given(
    st.integers(0, 10**9),
    st.integers(1, 2),
    st.sampled_from(["replace", "remove", "wrap", "repeat", "scale", "rename"]),
    st.sampled_from(ODD_VALUES),
)
def test_damaged_keys_values_and_structure(seed, times, how, value):
    dice = random.Random(seed)
    data = yaml.safe_load(BASE)
    for _ in range(times):
        change(data, dice.choice(places(data)), how, value, dice)
    check(yaml.dump(data, allow_unicode=True).encode())


@SETTINGS
@given(st.integers(0, len(BASE) - 1), st.integers(0, 3), st.sampled_from(ODD_TEXT))
def test_damaged_text(position, length, text):
    check((BASE[:position] + text + BASE[position + length :]).encode())


@SETTINGS
@given(st.integers(0, len(BASE) - 1), st.binary(max_size=3))
def test_damaged_bytes(position, noise):
    content = BASE.encode()
    check(content[:position] + noise + content[position + len(noise) :])


def test_the_base_is_valid_and_most_damage_is_noticed():
    assert check(BASE.encode()) == 0
    dice = random.Random(0)
    refused = 0
    for _ in range(60):
        data = yaml.safe_load(BASE)
        change(data, dice.choice(places(data)), "rename", "words", dice)
        refused += check(yaml.dump(data).encode()) == 2
    assert refused > 50


@pytest.mark.parametrize("name", [f"world {i}" for i in range(3)])
def test_unknown_names_are_one_line(name, capsys):
    refused_by_command(
        capsys, ["check", name], f"unknown world, sweep, suite or arm; found '{name}'"
    )
