"""All faults of a sweep file, in four steps: its form, its base world and its keys, what is set, its values."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest
import yaml
from refusals import refused

from hopfield_nav.sweeps import sweep_from
from hopfield_nav.world.document import parse_document

# What is written at some keys of the file, the key at which the fault is told, and in which step.
FAULTS = [
    ({"vari": {}}, "vari", 0),
    ({"keep": "al"}, "keep", 0),
    ({"repeats": 0}, "repeats", 0),
    ({"quantities": ["outcome", "colision_count"]}, "quantities.1", 0),
    ({"world.planner": {"betta": 3}}, "planner.betta", 1),
    ({"world.goal": {"cell": [99, 99]}}, "goal.cell", 1.5),
    ({"world.start": {"joints": [0, 0]}}, "start.joints", 1.5),
    ({"set.detection.thresold": 3}, "detection.thresold", 2),
    ({"set.record.every": 0}, "record.every", 2),
    ({"set.seed": 3}, "set.seed", 1),
    ({"vary.contact.frction": [0.1, 0.2]}, "contact.frction", 3),
    ({"vary.contact.stiffness": [1e4, -1]}, "contact.stiffness", 3),
    ({"vary.contact.damping": {"linear": [1, 2]}}, "vary.contact.damping.linear", 0),
    ({"vary.controller.omega": [[1, 2]]}, "controller.omega", 3),
    ({"vary.gravity": 9.81}, "vary.gravity", 0),
    ({"zip": [{"tool.payload.mass": [0, 1], "map.spacing": [0.03]}]}, "zip.0", 0),
    ({"samples": 3, "random": {"sensors.velocity_noise": {"noraml": [0, 1]}}},
     "random.sensors.velocity_noise", 0),
]  # fmt: skip


def told(*parts):
    data: dict = {"format": 1, "world": {"format": 1}}
    for dotted, value in itertools.chain.from_iterable(part.items() for part in parts):
        section, _, key = dotted.partition(".")
        if key:
            data.setdefault(section, {})[key] = value
        else:
            data[section] = value
    text = yaml.safe_dump(data, sort_keys=False, default_flow_style=None, width=1000)
    with refused("s.yaml") as caught:
        sweep_from(parse_document(text, "s.yaml"), Path(), "s")
    faults = [str(fault) for fault in (caught.value, *caught.value.others)]
    lines = [int(re.match(r"s.yaml, line (\d+): ", fault).group(1)) for fault in faults]
    assert lines == sorted(lines)
    return sorted(re.match(r"s.yaml, line \d+: ([\w.]+): ", fault).group(1) for fault in faults)


@pytest.mark.parametrize(
    ("first", "second"), list(itertools.combinations(FAULTS, 2)), ids=lambda c: c[1]
)
def test_both_of_two_faults_are_told_or_that_of_the_earlier_step(first, second):
    """Of the base world what is wrong with its content comes after what is wrong with its form."""
    (_, key, step), (_, other, also) = first, second
    both = int(step) == int(also) and (step == also or "set.seed" in (key, other))
    earlier = {key} if step < also else {other}
    assert told(first[0], second[0]) == sorted({key, other} if both else earlier)


def test_values_are_tried_on_what_is_set():
    big = {"set.map.shape": [40, 40], "vary.goal.cell": [[30, 30], [50, 50]]}
    assert told(big) == ["goal.cell"]
    assert told(big, {"set.plant.stpe": 0.001}) == ["plant.stpe"]
    assert told({"set.map.shpe": [40, 40], "vary.goal.cell": [[30, 30]]}) == ["map.shpe"]


def test_a_fault_of_the_base_world_is_told_once_whatever_varies_beside_it():
    base = {"world.detection": {"mark": "feltt"}}
    for more in ({"vary.detection.threshold": [6, -7]}, {"set.detection.hold_off": -1}):
        assert told(base, more) == ["detection.mark"]


def test_every_wrong_value_is_told_where_it_stands():
    text = "format: 1\nworld: {format: 1}\nvary:\n  detection.threshold:\n  - -1\n  - 5\n  - -2\n"
    with refused("line 5: detection.threshold: out of range") as caught:
        sweep_from(parse_document(text, "s.yaml"), Path(), "s")
    assert [re.search(r"line \d+", str(f)).group() for f in caught.value.others] == ["line 7"]


def test_without_a_base_world_its_keys_are_not_tried():
    assert told({"world": "u_tarp", "vary.contact.frction": [0.1], "set.seed": 3}) == [
        "set.seed",
        "world",
    ]
