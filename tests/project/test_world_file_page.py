"""The tables of docs/world_files.md: every key with the default that the program has."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from hopfield_nav import load_world
from hopfield_nav.plugin import extensions, find_method
from hopfield_nav.world import World, dump_schema, fields_of, section_model

PAGE = Path(__file__).resolve().parents[2] / "docs" / "world_files.md"
OF = re.compile(r"^\| `([a-z_.]+)`(?:, `([a-z_.]+)`)? \|.*\| (\w+) \|$", re.MULTILINE)
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


def _field(key):
    """The declaration of a key, and the class of the section that it stands in."""
    *outer, name = key.split(".")
    section = section_model(tuple(outer), World)
    return fields_of(section)[name], section


def _belongs(key):
    """What a key belongs to: what its mark says, or its section, or the key of that."""
    field, section = _field(key)
    own = (field.json_schema_extra or {}).get("extension", section.extension)
    return own if own != "core" or "." not in key else _belongs(key.rpartition(".")[0])


def _ten():
    text = PAGE.read_text(encoding="utf-8").split("### The ten that most people set")[1].split("###")[0]
    return [row[1] for row in OF.finditer(text)]


def test_the_page_says_to_what_each_key_belongs():
    text = PAGE.read_text(encoding="utf-8").split("\n## Keys\n")[1].split("\n## Obstacles")[0]
    rows = list(OF.finditer(text))
    assert len(rows) > 100
    for row in rows:
        assert row[3] == _belongs(row[1]), row[1]
        for other in filter(None, [row[2]]):
            assert row[3] == _belongs(f"{row[1].rpartition('.')[0]}.{other.rpartition('.')[2]}")


def test_every_key_of_the_schema_names_the_core_or_an_extension_that_exists():
    schema, known = dump_schema(), {"core", *(extension.name for extension in extensions())}
    named = set()
    for section in [schema, *schema["$defs"].values()]:
        for key, value in section.get("properties", {}).items():
            assert value["extension"] in known, key
            named.add(value["extension"])
            owner = value["extension"] if value["extension"] == "core" else f"extension {value['extension']}"
            assert f"({owner}" in value["description"], key
    assert named == {"core", "engines", "known_world", "self_model", "surfaces", "whole_arm"}


def test_exactly_the_ten_keys_of_the_page_are_marked():
    schema, ten = dump_schema(), _ten()
    sections = [schema, *(section for name, section in schema["$defs"].items() if "_" not in name)]
    marked = [key for s in sections for key, v in s.get("properties", {}).items() if v.get("mostSet")]
    assert sorted(marked) == sorted(key.rpartition(".")[2] for key in ten)
    assert len(ten) == 10
    for key in ten:
        assert _field(key)[0].json_schema_extra == {"mostSet": True}, key
