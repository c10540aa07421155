"""How the arm goes on after a touch: a word or a section, and what it fits."""

from __future__ import annotations

import pytest
from refusals import refused

from hopfield_nav.world import dump_schema, parse_world


def test_a_bare_word_is_the_method():
    word = parse_world("format: 1\nexplore: follow")
    assert word == parse_world("format: 1\nexplore: {method: follow}")
    assert word.explore.retract == 0.005
    assert parse_world(word.to_yaml()) == word
    assert parse_world("format: 1\nexplore:").explore.method == "replan"


@pytest.mark.needs("surfaces")
def test_an_editor_is_told_of_both():
    word, section = dump_schema()["properties"]["explore"]["anyOf"]
    assert word["anyOf"] == [{"enum": ["replan", "follow", "slide"]}, {"pattern": r"\.py:"}]
    assert section["$ref"].endswith("ExploreSection")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param(
            "explore: folow",
            "explore.method.*'folow'.*: replan, follow, slide, or FILE.py:NAME.* Did you mean 'follow'",
            marks=pytest.mark.needs("surfaces"),
        ),
        ("explore: {metod: follow}", "explore.metod.*Did you mean 'method'"),
        ("explore: {method: follow, retract: 5}", "explore.retract.*at most 0.1 m.*millimetres"),
        ("explore: {method: follow, retract: 0}", "explore.retract.*above 0"),
        ("explore: {method: follow, step: 0.1}", "explore.step: unknown key"),
        ("explore: [follow]", "explore.*a mapping of keys"),
        (
            "explore: follow\ndetection: {mark: actual}",
            "line 2.*explore.method.*detection.mark: felt",
        ),
        ("explore: follow\nplanner: {radius: 2}", "planner.radius: 1"),
        ("explore: follow\nplanner: {any_angle: true}", "planner.any_angle: false"),
        ("explore: follow\nmap: {space: joints}", "map.space: tool"),
        ("explore: {method: slide, force: 0}", "explore.force.*0.1 to 1000 N"),
        ("explore: {method: slide, speed: 0}", "explore.speed.*above 0"),
        ("explore: slide\ncontact: {bodies: arm}", "contact.bodies: tool"),
        ("explore: slide\ndetection: {reaction: stop}", "detection.reaction: retreat"),
        (
            "explore: slide\ndetection: {estimator: joint_error, measure: force_norm}",
            "momentum_observer",
        ),
        ("explore: slide\ndetection: {estimator: none, measure: force_norm}", "momentum_observer"),
        ("explore: slide\ncontroller: {hold: false}", "controller.hold: true"),
    ],
)
def test_faults(text, words):
    with refused(words):
        parse_world(f"format: 1\n{text}\n")
