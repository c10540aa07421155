"""Units are data of the schema's fields: marks tell them, descriptions do not repeat them."""

from __future__ import annotations

import re

import pytest

from hopfield_nav.plugin import KINDS, find_method, method_names
from hopfield_nav.sweeps import sections as sweep_sections
from hopfield_nav.world import World, section_model, unit_of
from hopfield_nav.world.fields import Section, described, fields_of
from hopfield_nav.world.schema import dump_schema


def sections(kind=Section):
    """Every kind of section, those of sweep files too."""
    assert sweep_sections
    for section in kind.__subclasses__():
        yield section
        yield from sections(section)


@pytest.mark.parametrize(
    ("key", "unit"),
    [
        (("controller", "period"), "s"), (("plant", "damping"), "N·m·s/rad"), (("goal", "tolerance"), "m"),
        (("start", "joints"), "rad"), (("tool", "payload", "inertia"), "kg·m²"), (("gravity",), "m/s²"),
        (("trajectory", "time_per_cell"), "s"), (("obstacles", 0, "box", "rotation"), "rad"),
        (("planner", "radius"), "cells"), (("seed",), None), (("goal", "cell"), None), (("tool",), None),
    ],
)  # fmt: skip
def test_units_of_keys(key, unit):
    assert unit_of(section_model(key[:-1], World).model_fields[key[-1]]) == unit


def test_no_description_repeats_a_unit():
    for section in sections():
        for key, field in fields_of(section).items():
            repeated = unit_of(field) and described(section, key).count(f"[{unit_of(field)}]") > 1
            assert not repeated, f"{section.__name__}.{key}"


def test_every_key_says_what_it_means():
    for section in sections():
        for key, field in fields_of(section).items():
            assert described(section, key).removesuffix(f"[{unit_of(field)}]"), (
                f"{section.__name__}.{key}"
            )


def test_editors_and_messages_show_the_unit():
    plant = dump_schema()["$defs"]["PlantSection"]["properties"]
    assert plant["step"]["description"] == "integration step [s] (core)"
    assert described(World, "gravity").endswith("[m/s²]")
    assert not re.search(r"\[.*\]", described(World, "seed"))


@pytest.mark.parametrize("kind", KINDS)
def test_the_defaults_of_every_method_pass_its_own_check(kind):
    for method in (find_method(kind, name) for name in method_names(kind)):
        for parameter in method.parameters:
            if parameter.of_arm is not None:  # a default that follows from the arm is none here
                assert parameter.default is None
                continue
            checked = parameter.check(parameter.default)
            assert checked == parameter.default
