"""Keys that say when an obstacle stands, and how fast what was felt grows old: where they are refused."""

from __future__ import annotations

import pytest
from refusals import refused

from hopfield_nav.world import parse_world

BALL = "sphere: {center: [0.4, 0.2, 0.0], radius: 0.03}"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"known: [{{{BALL}, vanishes: 5}}]", "known.0.vanishes: what is known neither comes nor goes; found 5"),
        (f"obstacles: [{{{BALL}, appears: 5}}]\nmap: {{space: joints}}", "appears: on a map of joint angles nothing"),
        ("planner: {forget: 5}\nmap: {space: joints}", "planner.forget: on a map of joint angles nothing grows old"),
        ("planner: {forget: 5}\ndetection: {mark: actual}", "planner.forget: marked cells do not grow old"),
        (f"obstacles: [{{{BALL}, appears: 5, vanishes: 5}}]", "it would go before it comes; found 5.0; allowed: below"),
        (f"obstacles: [{{{BALL}, appears: 0}}]", "obstacles.0.appears: out of range; found 0"),
        (f"obstacles: [{{{BALL}, vanish: 3}}]", "Did you mean 'vanishes'"),
        ("obstacles: [{appears: 3}]", "exactly one kind is needed"),
        ("planner: {forget: 0}", "planner.forget: out of range"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_in_a_line(text, words):
    with refused(words):
        parse_world(f"format: 1\n{text}\n")


def test_a_world_reads_back_what_it_writes():
    world = parse_world(
        f"format: 1\nobstacles: [{{{BALL}, appears: 2.5, vanishes: 7}}]\nplanner: {{forget: 9}}\n"
    )
    again = parse_world(world.resolve(0).to_yaml())
    assert again.obstacles[0].times == (2.5, 7.0)
    assert again.changes
    still = parse_world(f"format: 1\nobstacles: [{{{BALL}}}]\n")
    assert not still.changes
    assert "appears" not in still.to_yaml()
