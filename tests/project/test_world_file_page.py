"""The tables of keys: the page of all is as the schema has it, that of the ten says what the program does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from documentation import keys

from hopfield_nav import load_world
from hopfield_nav.plugin import extensions
from hopfield_nav.world import World, dump_schema, fields_of, section_model

TEN = Path(__file__).resolve().parents[2] / "docs" / "world_files.md"
ROW = re.compile(
    r"^\| `([a-z_.]+)`(?: ★)? \|(?: `?([^|`]*)`?)? \|.*\| (core|engines|known_world|self_model|surfaces|whole_arm) \|$",
    re.M,
)
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
OFF = ("plant.friction.", "goal.tolerance", "sensors.wrench.", "controller.learn.")
# of lists, of places, or one of several keys
NOT_ONE = ("plan.", "pushes.", "start.po", "goal.c", "goal.j", "goal.p")


def _plain(value):
    """Tuples as lists, whole floats as they are."""
    return [_plain(v) for v in value] if isinstance(value, tuple | list) else value


def _value(world, key):
    for name in key.split("."):
        world = getattr(world, name, None)
    return _plain(world)


def test_the_page_of_all_keys_is_as_the_schema_has_it():
    assert keys.PAGE.read_text(encoding="utf-8") == keys.page()


@pytest.mark.parametrize(
    ("page", "least"), [(keys.PAGE, 75), (TEN, 5)], ids=lambda value: getattr(value, "name", "")
)
def test_every_default_is_the_programs(page, least, tmp_path):
    (tmp_path / "least.yaml").write_text("format: 1\n")
    (tmp_path / "given.yaml").write_text(GIVEN)
    plain, given = load_world(tmp_path / "least.yaml"), load_world(tmp_path / "given.yaml")
    seen = 0
    for found in ROW.finditer(page.read_text(encoding="utf-8")):
        key, default, _ = found.groups()
        if not default or key.startswith(NOT_ONE):
            continue
        expected = IN_WORDS[key] if key in IN_WORDS else yaml.safe_load(default)
        assert _value(given if key.startswith(OFF) else plain, key) == expected, key
        seen += 1
    assert seen > least


def _field(key):
    """The declaration of a key, and the class of the section that it stands in."""
    *outer, name = key.split(".")
    section = section_model(tuple(outer), World)
    return fields_of(section)[name], section


def _belongs(key):
    """What a key belongs to: what its mark says, or its section, or the key of that."""
    _, section = _field(key)
    own = section.owners.get(key.rpartition(".")[2], section.extension)
    return own if own != "core" or "." not in key else _belongs(key.rpartition(".")[0])


def _ten():
    text = (
        TEN.read_text(encoding="utf-8").split("### The ten that most people set")[1].split("###")[0]
    )
    return [row[1] for row in ROW.finditer(text)]


def test_the_pages_say_to_what_each_key_belongs():
    rows = [
        row for page in (keys.PAGE, TEN) for row in ROW.finditer(page.read_text(encoding="utf-8"))
    ]
    assert len(rows) > 100
    for row in rows:
        if not row[1].startswith(("pushes.", "plan.via.")):  # of lists
            assert row[3] == _belongs(row[1]), row[1]


def test_every_key_of_the_schema_names_the_core_or_an_extension_that_exists():
    schema, known = dump_schema(), {"core", *(extension.name for extension in extensions())}
    named = set()
    for section in [schema, *schema["$defs"].values()]:
        for key, value in section.get("properties", {}).items():
            assert value["extension"] in known, key
            named.add(value["extension"])
            owner = (
                value["extension"]
                if value["extension"] == "core"
                else f"extension {value['extension']}"
            )
            assert f"({owner}" in value["description"], key
    assert named == {"core", "engines", "known_world", "self_model", "surfaces", "whole_arm"}


def test_exactly_the_ten_keys_of_the_page_are_marked():
    schema, ten = dump_schema(), _ten()
    sections = [schema, *(section for name, section in schema["$defs"].items() if "_" not in name)]
    marked = [
        key for s in sections for key, v in s.get("properties", {}).items() if v.get("mostSet")
    ]
    assert sorted(marked) == sorted(key.rpartition(".")[2] for key in ten)
    assert len(ten) == 10
    for key in ten:
        assert key.rpartition(".")[2] in _field(key)[1].most_set, key
