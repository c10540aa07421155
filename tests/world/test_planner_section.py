"""A planner has its own keys: what is another's is refused, unless it stands at its default."""

from __future__ import annotations

import itertools
import json
import re
from importlib import resources
from pathlib import Path

import pytest
import yaml
from refusals import refused

from hopfield_nav.world import PlannerSection, dump_schema, load_world, parse_world, recorded_world
from hopfield_nav.world.planner_section import OWN_KEYS, foreign_keys

GIVEN = {
    "network": "sum", "beta": 0.1, "activation": "tanh", "ties": ["-v", "+v", "+u", "-u"],
    "strategy": "optimist", "samples": 50, "connections": 4,
    "no_path_error": 0.01, "finer": False, "approach": 0.2, "surface": 0.1,
}  # fmt: skip
WHOLE_ARMS = {"approach": "0", "surface": "0", "strategy": "felt_points"}
FOREIGN = [(kind, key) for kind in OWN_KEYS for key in foreign_keys(kind)]
ASKED = [
    pytest.param(kind, key, marks=pytest.mark.needs("whole_arm")) if key == "strategy" else (kind, key)
    for kind, key in FOREIGN
]
WIDE = "format: 1\nmap: {shape: [9, 9, 5]}\n"


def world_text(kind: str, keys: dict, head: str = "format: 1\n") -> str:
    return head + yaml.safe_dump({"planner": {"kind": kind, **keys}})


def test_every_key_belongs_to_one_planner_or_to_all():
    own = list(itertools.chain(*OWN_KEYS.values()))
    assert sorted(own) == sorted(GIVEN)
    everyones = {"kind", "radius", "forget", "any_angle", "clearance", "unreachable"}
    assert everyones.isdisjoint(own)
    assert everyones | set(own) == set(PlannerSection.model_fields)


@pytest.mark.parametrize(("kind", "key"), ASKED)
def test_another_planners_key_is_refused_in_one_line(kind, key):
    (owner,) = (name for name, keys in OWN_KEYS.items() if key in keys)
    what = rf"line \d+: planner.{key}: only "
    with refused(what if key == "activation" else rf"{what}planner {owner} has it; .*, or kind: {owner}"):
        parse_world(world_text(kind, {key: GIVEN[key]}))


def test_what_was_found_and_what_is_allowed_is_told():
    with refused("only planner hopfield has it; found 'sum'; allowed: limit, its default, or kind: hopfield"):
        parse_world(world_text("a_star", {"network": "sum"}))
    with refused(r"found False; allowed: true, its default"):
        parse_world(world_text("roadmap", {"finer": False}))
    with refused(r"allowed: \[\+v, -v, \+u, -u\], its default"):
        parse_world(world_text("roadmap", {"ties": GIVEN["ties"]}))


JOINTS = "format: 1\nmap: {space: joints}\n"


def test_probes_are_no_more():
    """A world that has them is told why, all that it was at fault for; one without them is read."""
    told = r"line 3: planner.probe: probes drove twice as far and saved no touch, and are no more; found True"
    with refused(told) as caught:
        parse_world(f"{JOINTS}planner: {{probe: true}}\ntime_limit: -1\n")
    (other,) = caught.value.others
    assert "time_limit" in str(other)
    assert parse_world(f"{JOINTS}planner: {{probe: false}}\n") == parse_world(JOINTS)


GONE = [
    ("planner.probe", 3, False, "probes drove twice as far"),
    ("planner.random_walks", 20, 0, "the potential field, to which they belonged, is no more"),
    ("planner.kind", "potential_field", "hopfield", "the potential field got stuck"),
    ("planner.strategy", "hypothesis_sets", "felt_points", "reached fewer goals than with felt_points"),
    ("planner.strategy", "thompson", "felt_points", "saved no touches and took longer to plan"),
    ("planner.unreachable", "precompute", "lazy", "excluded more cells than lazy"),
    ("explore.step", 0.06, None, "longer strides missed gaps"),
]


@pytest.mark.parametrize(("key", "value", "instead", "why"), GONE)
def test_what_is_no_more_is_refused_with_its_reason_but_read_in_a_saved_run(key, value, instead, why, tmp_path):
    section, name = key.split(".")
    text, plain = (f"{JOINTS}{section}: {{{name}: {json.dumps(v)}}}\n" for v in (value, instead))
    with refused(f"line 3: {key}: .*{why}.*; found .*; allowed: ") as caught:
        parse_world(text)
    assert not caught.value.others
    assert parse_world(plain) == parse_world(JOINTS)
    saved = yaml.safe_load(parse_world(JOINTS).to_yaml())
    saved[section][name] = value
    (tmp_path / "world.yaml").write_text(yaml.safe_dump(saved))
    assert recorded_world(tmp_path / "world.yaml").planner == parse_world(JOINTS).planner


def test_the_whole_arm_passes_nothing_by():
    with refused(r"line 3: detection.graze: to pass by what the whole arm touches .* no more; found 'pass'"):
        parse_world(f"{JOINTS}detection: {{graze: pass}}\n")
    assert parse_world(f"{JOINTS}detection: {{graze: retreat}}\n") == parse_world(JOINTS)


def test_a_record_may_have_both(tmp_path):
    path = tmp_path / "world.yaml"
    path.write_text(f"{JOINTS}planner: {{probe: true}}\ndetection: {{graze: pass}}\n", encoding="utf-8")
    assert recorded_world(path).detection.graze == "pass"


@pytest.mark.parametrize("kind", OWN_KEYS)
def test_a_planner_takes_its_own_keys(kind):
    keys = {key: GIVEN[key] for key in OWN_KEYS[kind] if key not in WHOLE_ARMS}
    section = parse_world(world_text(kind, keys)).planner.model_dump(mode="json")
    assert keys.items() <= section.items()


@pytest.mark.needs("whole_arm")
@pytest.mark.parametrize(("key", "none"), WHOLE_ARMS.items())
def test_some_keys_are_the_whole_arms_alone(key, none):
    value = GIVEN[key]
    told = rf"planner.{key}: only the whole arm has it; found {value!r}; allowed: {none}, or map.space: joints"
    with refused(rf"line \d+: {told}"):
        parse_world(world_text("hopfield", {key: value}))
    world = parse_world(world_text("hopfield", {key: value}, "format: 1\nmap: {space: joints}\n"))
    assert getattr(world.planner, key) == value


@pytest.mark.parametrize("head", ["format: 1\n", WIDE])
@pytest.mark.parametrize("kind", OWN_KEYS)
def test_a_world_that_was_written_with_all_defaults_is_read_again(kind, head):
    written = parse_world(world_text(kind, {}, head)).to_yaml()
    assert all(key in yaml.safe_load(written)["planner"] for key in GIVEN)
    assert parse_world(written).to_yaml() == written


def test_keys_of_another_planner_are_all_named():
    given = ["planner.kind=a_star", "planner.network=sum", "planner.beta=0.1"]
    with refused("--set planner.network=sum: planner.network: only planner hopfield has it") as caught:
        load_world("ragazzon2012", given)
    (other,) = caught.value.others
    assert "planner.beta: only planner hopfield has it; found 0.1; allowed: null" in str(other)
    assert load_world("ragazzon2012", ["planner={kind: a_star}"]).planner.network == "limit"


@pytest.mark.needs("whole_arm")
def test_the_schema_takes_what_the_program_takes():
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(json.dumps(dump_schema()))
    check = jsonschema.validators.validator_for(schema)(schema)
    for kind, own in OWN_KEYS.items():
        check.validate({"format": 1, "planner": {"kind": kind, **{key: GIVEN[key] for key in own}}})
        for head in ("format: 1\n", WIDE):
            check.validate(yaml.safe_load(parse_world(world_text(kind, {}, head)).to_yaml()))
    check.validate({"format": 1, "planner": {"network": "sum"}})
    for kind, key in FOREIGN:
        assert not check.is_valid({"format": 1, "planner": {"kind": kind, key: GIVEN[key]}})
    assert not check.is_valid({"format": 1, "planner": {"samples": 3}})
    assert not check.is_valid({"format": 1, "planner": {"kind": "rodmap"}})


def test_every_planner_of_the_template_checks():
    text = (resources.files("hopfield_nav.cli") / "template.yaml").read_text(encoding="utf-8")
    kinds = []
    for line in re.findall(r"^(?:# )?(planner: {.*?})", text, re.MULTILINE):
        kinds.append(parse_world(f"format: 1\n{line}\n").planner.kind)
    assert sorted(kinds) == sorted(OWN_KEYS)


def test_the_page_says_whose_each_key_is():
    page = (Path(__file__).parents[2] / "docs" / "reference" / "keys.md").read_text(encoding="utf-8")
    for kind, keys in OWN_KEYS.items():
        for key in keys:
            row = re.search(rf"^\| `planner\.{key}` \|.*$", page, re.MULTILINE)
            assert row is not None
            assert f"for `{kind}`" in row[0], key
