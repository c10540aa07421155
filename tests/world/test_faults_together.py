"""A fault of form beside one of content: both are told, unless the second depends on what the first hides."""

from __future__ import annotations

import copy
import itertools
import re

import pytest
import yaml
from refusals import refused

from hopfield_nav.cli.app import main
from hopfield_nav.world import parse_world

# What is written at some keys of a world, and the key at which the fault is told.
FORM = [
    ({"planer": {}}, "planer"),
    ({"description": 3}, "description"),
    ({"arm": 5}, "arm"),
    ({"tool.frame.position": [0, 0]}, "tool.frame.position"),
    ({"tool.payload.mas": 1}, "tool.payload.mas"),
    ({"gravity": [0, 0, -9810]}, "gravity.2"),
    ({"plant": 3}, "plant"),
    ({"plant.step": "fast"}, "plant.step"),
    ({"plant.stpe": 0.002}, "plant.stpe"),
    ({"plant.engine": "mujcoo"}, "plant.engine"),
    ({"controller.law": "computed_torqe"}, "controller.law"),
    ({"controller.omega": [1, 2, 3, 4, 5, -6]}, "controller.omega.5"),
    ({"controller.omga": 3}, "controller.omga"),
    ({"sensors.wrench": {"period": -1}}, "sensors.wrench.period"),
    ({"contact.stiffness": 0}, "contact.stiffness"),
    ({"obstacles": [{"cilinder": {}}, {"sphere": {"center": [0.4, 0, 0]}}]}, "obstacles.0.cilinder"),
    ({"known": [{"sphere": {"center": [0.3, 0.3, 0], "raduis": 0.1}}]}, "known.0.sphere.raduis"),
    ({"pushes": [{"link": 0, "times": [0, 1], "force": [0, 0, 1]}]}, "pushes.0.link"),
    ({"map": []}, "map"),
    ({"map.spacing": 26.3}, "map.spacing"),
    ({"map.shpe": [40, 40]}, "map.shpe"),
    ({"planner.kind": "hopfeld"}, "planner.kind"),
    ({"planner.any_angle": 3, "planner.clearance": 0.1}, "planner.any_angle"),
    ({"planner.betta": 3}, "planner.betta"),
    ({"trajectory.time_per_cell": "fast"}, "trajectory.time_per_cell"),
    ({"detection.estimator": "momentm"}, "detection.estimator"),
    ({"detection.threshold": -3}, "detection.threshold"),
    ({"explore": "folow"}, "explore.method"),
    ({"start.joints": [0, 0, 300, 0, 0, 0]}, "start.joints.2"),
    ({"start": 1}, "start"),
    ({"goal.cell": [1.5, 2]}, "goal.cell.0"),
    ({"goal.cel": [3, 4]}, "goal.cel"),
    ({"plan.via": [{"joints": [400]}]}, "plan.via.0.joints.0"),
    ({"time_limit": 0}, "time_limit"),
    ({"seed": -1}, "seed"),
    ({"record.every": 0}, "record.every"),
]  # fmt: skip
MORE = {"obstacles.0.cilinder": ["obstacles.1.sphere.radius"]}

# The same of content, and all the keys that decide whether it is a fault at all.
CONTENT = [
    ({"arm": "ur55"}, "arm", ["arm"]),
    ({"plant.dynamics": "ur55"}, "plant.dynamics", ["plant.dynamics"]),
    ({"controller.model": "ur55"}, "controller.model", ["controller.model"]),
    ({"start.joints": [0, 0, 0]}, "start.joints", ["start", "arm"]),
    ({"start.position": [3, 0]}, "start.position",
     ["start", "arm", "tool.frame", "trajectory.tool_rotation", "map.origin"]),
    ({"plant.damping": [1, 2]}, "plant.damping", ["plant.damping"]),
    ({"controller.omega": [1, 2]}, "controller.omega", ["controller.omega", "controller.law"]),
    ({"sensors.encoder_resolution": [0, 0]}, "sensors.encoder_resolution", ["sensors.encoder_resolution"]),
    ({"plant.friction": "arm"}, "plant.friction", ["plant.friction", "plant.dynamics", "arm"]),
    ({"controller.period": 0.0015}, "controller.period", ["controller.period", "plant.step"]),
    ({"controller.delay": 0.0001}, "controller.delay",
     ["controller.delay", "controller.period", "plant.step"]),
    ({"plant.stiffness": 1000}, "plant.stiffness", ["plant.stiffness", "plant.engine"]),
    ({"controller.hold": False, "sensors.velocity_noise": 0.1}, "sensors.velocity_noise",
     ["controller.hold", "sensors.velocity_noise"]),
    ({"pushes": [{"link": 9, "times": [0, 1], "force": [0, 0, 1]}]}, "pushes.0.link", ["pushes.0.link"]),
    ({"planner.network": "sum", "planner.beta": 0.9}, "planner.beta",
     ["planner.kind", "planner.network", "planner.beta", "planner.radius", "map.shape"]),
    ({"planner.ties": ["+u", "-u", "+v", "-v", "+w", "-w"]}, "planner.ties", ["planner.ties", "map.shape"]),
    ({"goal.cell": [99, 99]}, "goal.cell", ["goal.cell", "map"]),
    ({"goal.position": [0.3, 0.05], "known": [{"floor": {"height": 0.1}}]}, "goal.position",
     ["goal.position", "known.0.floor", "map"]),
    ({"explore.method": "follow", "planner.radius": 2}, "explore.method",
     ["explore", "planner.radius", "planner.kind", "planner.any_angle", "map.space", "detection.mark"]),
    ({"plan.goal": {"joints": [0, 0]}}, "plan.goal.joints", ["plan.goal", "arm"]),
]  # fmt: skip
UNKNOWN = {  # what nobody knows, beside a fault of form at a key
    "planer": "planner", "tool.payload.mas": "tool.payload.mass", "plant.stpe": "plant.step",
    "map.shpe": "map.shape", "planner.betta": "planner.beta", "goal.cel": "goal.cell",
    "controller.omga": "controller.omega", "explore.method": "explore",
    "known.0.sphere.raduis": "known.0.sphere",
}  # fmt: skip


def told(data):
    with refused("w.yaml") as caught:
        parse_world(yaml.safe_dump(data, sort_keys=False, default_flow_style=None, width=1000), "w.yaml")
    faults = [str(fault) for fault in (caught.value, *caught.value.others)]
    lines = [int(re.search(r"line (\d+)", fault).group(1)) for fault in faults]
    assert lines == sorted(lines)
    return sorted(re.search(r"line \d+: ([\w.]+): ", fault).group(1) for fault in faults)


def world_of(*parts):
    """A world with all the parts; None where two of them write at the same place."""
    data: dict = {"format": 1}
    for dotted, value in itertools.chain.from_iterable(part.items() for part in parts):
        *outer, last = dotted.split(".")
        inner = data
        for key in outer:
            inner = inner.setdefault(key, {})
            if not isinstance(inner, dict):
                return None
        if last in inner or (inner and outer and outer[0] in ("start", "goal")):  # which hold one thing
            return None
        inner[last] = value
    return data


def hides(form, needed):
    """Whether what nobody knows beside a fault of form is among what a check needs."""
    return any(form == key or form.startswith(f"{key}.") or key.startswith(f"{form}.") for key in needed)


@pytest.mark.parametrize(("form", "key"), FORM, ids=[key for _, key in FORM])
def test_both_are_told_unless_one_depends_on_the_other(form, key):
    tried = 0
    for content, about, needed in CONTENT:
        data = world_of(form, content)
        if data is None:
            continue
        tried += 1
        hidden = UNKNOWN.get(key, key)
        known = hides(hidden, content) and hidden != key  # what was meant by a misspelt key is given, too
        wanted = [key, *MORE.get(key, []), *([about] if known or not hides(hidden, needed) else [])]
        assert told(data) == sorted(wanted), data
    assert tried >= len(CONTENT) - 6


@pytest.mark.parametrize(("first", "second"), list(itertools.combinations(CONTENT, 2)), ids=lambda c: c[1])
def test_two_of_content_are_told_unless_one_depends_on_the_other(first, second):
    data = world_of(first[0], second[0])
    if data is None:
        return
    (_, key, needed), (_, other, also) = first, second
    pairs = ((key, needed, other), (other, also, key))
    wanted = {k for k, needs, by in pairs if not hides(by, needs)}
    decided_by_value = {"controller.period", "controller.delay"}  # a wrong period is a period all the same
    wanted |= decided_by_value & {key, other}
    assert set(told(data)) == wanted, data


def test_nothing_is_said_that_depends_on_an_arm_that_nobody_knows():
    seven = [0.1] * 7
    data = {"format": 1, "arm": "pandda", "start": {"joints": seven}, "controller": {"omega": seven}}
    assert told(data | {"plan": {"goal": {"joints": [6.0] * 7}}, "plant": {"friction": "arm"}}) == ["arm"]
    assert told({"format": 1, "arm": "pandda", "start": {"position": [9, 9]}} | {
        "controller": {"omega": seven}}) == ["arm", "start.position.0", "start.position.1"]  # fmt: skip


def test_joints_are_counted_by_the_arm_where_the_start_is_wrong():
    start = {"joints": [0, 0, 0]}
    assert told({"format": 1, "start": start, "controller": {"omega": [1.0] * 6}}) == ["start.joints"]
    assert told({"format": 1, "start": start, "controller": {"omega": [1.0] * 3}}) == [
        "controller.omega", "start.joints",
    ]  # fmt: skip


def test_a_misspelt_key_is_not_missed_too():
    sphere = {"center": [0.4, 0, 0], "raduis": 0.1}
    assert told({"format": 1, "obstacles": [{"sphere": sphere}]}) == ["obstacles.0.sphere.raduis"]
    assert told({"format": 1, "goal": {"cel": [3, 4]}}) == ["goal.cel"]


def test_what_follows_from_a_faulty_step_is_no_fault():
    """The control period is one step unless it is given."""
    assert told({"format": 1, "plant": {"step": 9}, "controller": {"delay": 0.003}}) == ["plant.step"]


def test_faults_of_entries_beside_a_faulty_one():
    push = {"times": [0, 1], "force": [0, 0, 1]}
    data = {"format": 1, "pushes": [{"link": 0, **push}, {"link": 9, **push}]}
    assert told(data) == ["pushes.0.link", "pushes.1.link"]
    known = [{"sphere": {"center": [0.3, 0.1, 0], "radius": -1}}, {"floor": {"height": 0.1}}]
    assert told({"format": 1, "known": known, "goal": {"position": [0.3, 0.1]}}) == [
        "goal.position", "known.0.sphere.radius",
    ]  # fmt: skip


@pytest.mark.parametrize("odd", [{}, [], {"a": 1}, None, "words"], ids=str)
def test_an_odd_entry_of_a_list_is_told_once(odd):
    """Nobody knows the entry, and so nobody knows the list."""
    lists = [["+u", "-u", odd, "-v"], [0, odd, 0], [20, odd], [[1, 0, 0], [0, odd, 0], [0, 0, 1]]]
    ties, gravity, shape, rotation = map(copy.deepcopy, lists)  # else they are one and the same in the file
    data = {"format": 1, "tool": {"frame": {"rotation": rotation}}, "gravity": gravity, "map": {"shape": shape}}
    data |= {"planner": {"ties": ties}, "goal": {"cell": [99, 99]}, "record": {"every": 0}}
    wanted = ["gravity.1", "map.shape.1", "planner.ties.2", "record.every", "tool.frame.rotation.1.1"]
    assert told(data) == wanted


def test_checks_within_a_section_beside_a_faulty_key():
    planner = {"any_angle": "yess", "clearance": 0.1, "ties": ["+u", "+u", "+v", "-v"], "activation": "tanh"}
    wanted = ["planner.activation", "planner.any_angle", "planner.ties"]
    assert told({"format": 1, "planner": planner}) == wanted


def test_what_every_method_would_refuse_is_told_beside_an_unknown_one():
    detection = {"measure": "joint_torqe", "threshold": -3, "own": 3, "hold_off": -1}
    assert told({"format": 1, "detection": detection}) == [
        "detection.hold_off", "detection.measure", "detection.threshold",
    ]  # fmt: skip


def test_run_refuses_with_the_lines_of_check(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    four = {"arm": "ur55", "controller.omega": [1, 2], "goal.cell": [99, 99], "planner.betta": 3}
    data = world_of(four)
    (tmp_path / "w.yaml").write_text(yaml.safe_dump(data, sort_keys=False))
    assert main(["check", "w.yaml"]) == 2
    lines = capsys.readouterr().err
    assert re.findall(r": ([\w.]+): ", lines) == ["arm", "controller.omega", "goal.cell", "planner.betta"]
    assert main(["run", "w.yaml"]) == 2
    assert capsys.readouterr().err == lines
