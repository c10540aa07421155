"""The tables of docs/world_files.md: every key with the default that the program has."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from hopfield_nav import load_world
from hopfield_nav.plugin import find_method

PAGE = Path(__file__).resolve().parents[2] / "docs" / "world_files.md"
ROW = re.compile(r"^\| `([a-z_.]+)`(?:, `([a-z_.]+)`)? \| `?([^|`]*)`? \|", re.MULTILINE)
IN_WORDS = {
    "format": 1, "description": "", "tool.frame.rotation": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "tool.payload.inertia": [[0, 0, 0]] * 3, "controller.period": 0.001, "detection.lag": None,
    "start.joints": [2.5511, -1.1193, 2.5706, 0.1196, 1.5708, -0.5905],
}  # fmt: skip
# sections that are off by default
GIVEN = """\
format: 1
arm: ur5_full
plant: {friction: {coulomb: 0}}
sensors: {wrench: {}}
controller: {learn: {}}
goal: {cell: [17, 6]}
"""
OFF = ("plant.friction.", "goal.", "sensors.wrench.", "controller.learn.")
METHOD = re.compile(r"^\| ((?:law|estimator|detector) [^|]*)?\| ([^|]*`[^|]*) \| ([^|]*) \|", re.MULTILINE)
KINDS = {"law": "controller", "estimator": "estimator", "detector": "detector"}


def _plain(value):
    """Tuples as lists, whole floats as they are."""
    return [_plain(v) for v in value] if isinstance(value, tuple | list) else value


def _value(world, key):
    for name in key.split("."):
        world = getattr(world, name, None)
    return _plain(world)


def test_every_default_is_the_programs(tmp_path):
    (tmp_path / "least.yaml").write_text("format: 1\n")
    (tmp_path / "given.yaml").write_text(GIVEN)
    least, given = load_world(tmp_path / "least.yaml"), load_world(tmp_path / "given.yaml")
    text = PAGE.read_text(encoding="utf-8").split("\n## Keys\n")[1]
    rows = [(key, found[3]) for found in ROW.finditer(text) for key in found.groups()[:2] if key]
    seen = 0
    for key, default in rows:
        if "." not in key and key not in type(least).model_fields:
            continue  # another table's
        expected = IN_WORDS[key] if key in IN_WORDS else yaml.safe_load(default)
        if isinstance(expected, str) and re.fullmatch(r"[0-9]e[0-9]", expected):
            expected = float(expected)
        if default == "":
            continue  # no default: one of several keys
        world = given if key.startswith(OFF) else least
        assert _value(world, key) == expected, key
        seen += 1
    assert seen > 75


def test_every_parameter_of_a_method_has_the_default_of_the_page():
    text = PAGE.read_text(encoding="utf-8").split("## Parameters of methods")[1]
    seen, methods = 0, []
    for found in METHOD.finditer(text):
        if found[1] and found[1].strip():
            kind = KINDS[found[1].split()[0]]
            methods = [find_method(kind, name) for name in re.findall(r"`(\w+)`", found[1])]
        names = re.findall(r"`(\w+)`", found[2])
        defaults = re.findall(r"`\[[^\]]*\]`|[^,` ]+", found[3])
        for method in methods:
            known = {p.name: p.default for p in method.parameters}
            for name, default in zip(names, defaults, strict=True):
                expected = [float(v) for v in re.findall(r"[0-9.e-]+", default)]
                assert _plain(known[name]) == (expected if "[" in default else expected[0]), (method.name, name)
                seen += 1
    assert seen > 18
