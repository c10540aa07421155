"""A planner of a user has no keys of the network: they are refused, unless they stand at their defaults."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from refusals import refused

from hopfield_nav.world import dump_schema, load_world, parse_world, recorded_world
from hopfield_nav.world.planner_section import NETWORK_KEYS

GIVEN = {
    "network": "sum", "beta": 0.1, "activation": "tanh", "ties": ["-v", "+v", "+u", "-u"],
    "strategy": "optimist",
    "no_path_error": 0.01, "finer": False, "approach": 0.2, "surface": 0.1,
}  # fmt: skip
WHOLE_ARMS = {"approach": "0", "surface": "0", "strategy": "felt_points"}
OWN = "mine.py:PLANNER"
ASKED = [
    pytest.param(key, marks=pytest.mark.needs("whole_arm")) if key == "strategy" else key
    for key in NETWORK_KEYS
]
WIDE = "format: 1\nmap: {shape: [9, 9, 5]}\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    text = "from hopfield_nav.plugin import Method\n\nPLANNER = Method('planner', 'mine', object)\n"
    (tmp_path / "mine.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def world_text(keys: dict, head: str = "format: 1\n") -> str:
    return head + yaml.safe_dump({"planner": keys})


@pytest.mark.parametrize("key", ASKED)
def test_a_key_of_the_network_is_refused_in_one_line(key, folder):
    what = rf"line \d+: planner.{key}: only "
    with refused(
        what if key == "activation" else rf"{what}planner hopfield has it; .*, or kind: hopfield"
    ):
        parse_world(world_text({"kind": OWN, key: GIVEN[key]}), folder=folder)


def test_the_value_and_what_is_allowed_are_told(folder):
    for kind in ("a_star", OWN):
        with refused(
            "only planner hopfield has it; found 'sum'; allowed: limit, its default, or kind: hopfield"
        ):
            parse_world(world_text({"kind": kind, "network": "sum"}), folder=folder)
    with refused(r"allowed: \[\+v, -v, \+u, -u\], its default"):
        parse_world(world_text({"kind": OWN, "ties": GIVEN["ties"]}), folder=folder)


JOINTS = "format: 1\nmap: {space: joints}\n"


GONE = [
    ("planner.probe", 3, "unknown key"),
    ("planner.random_walks", 20, "unknown key"),
    ("planner.kind", "potential_field", "unknown planner; .*; allowed: .*hopfield"),
    ("planner.kind", "roadmap", "unknown planner; .*; allowed: .*hopfield"),
    ("planner.samples", 50, "unknown key"),
    ("planner.connections", 4, "unknown key"),
    ("planner.strategy", "hypothesis_sets", "unknown belief; .*; allowed: .*felt_points"),
    ("planner.strategy", "thompson", "unknown belief; .*; allowed: .*felt_points"),
    ("planner.unreachable", "precompute", "allowed: .*lazy"),
    ("explore.step", 0.06, "unknown key"),
]


@pytest.mark.parametrize(("key", "value", "told"), GONE)
def test_what_older_records_hold_is_read_there_and_as_any_other_fault_in_a_world(
    key, value, told, tmp_path
):
    section, name = key.split(".")
    with refused(f"line 3: {key}: .*{told}") as caught:
        parse_world(f"{JOINTS}{section}: {{{name}: {json.dumps(value)}}}\n")
    assert not caught.value.others
    saved = yaml.safe_load(parse_world(JOINTS).to_yaml())
    saved[section][name] = value
    (tmp_path / "world.yaml").write_text(yaml.safe_dump(saved))
    assert recorded_world(tmp_path / "world.yaml").planner == parse_world(JOINTS).planner


def test_the_whole_arm_passes_nothing_by():
    with refused(
        r"line 3: detection.graze: on a map of joint angles the arm always goes back .*; found 'pass'"
    ):
        parse_world(f"{JOINTS}detection: {{graze: pass}}\n")
    assert parse_world(f"{JOINTS}detection: {{graze: retreat}}\n") == parse_world(JOINTS)


def test_a_record_may_have_both(tmp_path):
    path = tmp_path / "world.yaml"
    path.write_text(
        f"{JOINTS}planner: {{probe: true}}\ndetection: {{graze: pass}}\n", encoding="utf-8"
    )
    assert recorded_world(path).detection.graze == "pass"


def test_the_network_takes_its_own_keys():
    keys = {key: GIVEN[key] for key in GIVEN if key not in WHOLE_ARMS}
    section = parse_world(world_text(keys)).planner.model_dump(mode="json")
    assert keys.items() <= section.items()


@pytest.mark.needs("whole_arm")
@pytest.mark.parametrize(("key", "none"), WHOLE_ARMS.items())
def test_some_keys_are_the_whole_arms_alone(key, none):
    value = GIVEN[key]
    told = rf"planner.{key}: only the whole arm has it; found {value!r}; allowed: {none}, or map.space: joints"
    with refused(rf"line \d+: {told}"):
        parse_world(world_text({key: value}))
    world = parse_world(world_text({key: value}, "format: 1\nmap: {space: joints}\n"))
    assert getattr(world.planner, key) == value


@pytest.mark.parametrize("head", ["format: 1\n", WIDE])
@pytest.mark.parametrize("kind", ["hopfield", "a_star", OWN])
def test_a_world_that_was_written_with_all_defaults_is_read_again(kind, head, folder):
    written = parse_world(world_text({"kind": kind}, head), folder=folder).to_yaml()
    assert all(key in yaml.safe_load(written)["planner"] for key in GIVEN)
    assert parse_world(written, folder=folder).to_yaml() == written


def test_keys_of_another_planner_are_all_named(folder):
    given = [f"planner.kind={OWN}", "planner.network=sum", "planner.beta=0.1"]
    with refused(
        "--set planner.network=sum: planner.network: only planner hopfield has it"
    ) as caught:
        load_world("ragazzon2012", given)
    (other,) = caught.value.others
    assert "planner.beta: only planner hopfield has it; found 0.1; allowed: null" in str(other)
    assert load_world("ragazzon2012", [f"planner={{kind: {OWN}}}"]).planner.network == "limit"


@pytest.mark.needs("whole_arm")
def test_the_schema_takes_what_the_program_takes():
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(json.dumps(dump_schema()))
    check = jsonschema.validators.validator_for(schema)(schema)
    check.validate({"format": 1, "planner": {"kind": "hopfield", **GIVEN}})
    for head in ("format: 1\n", WIDE):
        check.validate(yaml.safe_load(parse_world(head).to_yaml()))
    check.validate({"format": 1, "planner": {"kind": OWN, "weight": 3}})
    check.validate({"format": 1, "planner": {"kind": "a_star"}})
    assert not check.is_valid({"format": 1, "planner": {"samples": 3}})
    assert not check.is_valid({"format": 1, "planner": {"kind": "rodmap"}})


def test_the_page_says_what_belongs_to_the_network():
    page = (Path(__file__).parents[2] / "docs" / "reference" / "keys.md").read_text(
        encoding="utf-8"
    )
    for key in NETWORK_KEYS:
        row = re.search(rf"^\| `planner\.{key}` \|.*$", page, re.MULTILINE)
        assert row is not None
        assert "for `hopfield`" in row[0], key
