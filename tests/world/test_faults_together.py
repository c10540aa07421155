"""Two faults in one file: those of form come first, then all of content that do not depend on another."""

from __future__ import annotations

import copy
import itertools
import re

import pytest
import yaml
from refusals import refused

from hopfield_nav.cli.app import main
from hopfield_nav.plugin.extension import comes_along
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

ARMS = ["arm", "plant.dynamics", "controller.model"]
# The same of content, and all the keys whose faults of content decide whether it is a fault at all.
CONTENT = [
    ({"arm": "ur55"}, "arm", []),
    ({"plant.dynamics": "ur55"}, "plant.dynamics", []),
    ({"controller.model": "ur55"}, "controller.model", []),
    ({"start.joints": [0, 0, 0]}, "start.joints", ARMS),
    ({"start.position": [3, 0]}, "start.position", ARMS),
    ({"plant.damping": [1, 2]}, "plant.damping", ARMS),
    ({"controller.omega": [1, 2]}, "controller.omega", ARMS),
    ({"sensors.encoder_resolution": [0, 0]}, "sensors.encoder_resolution", ARMS),
    ({"plant.friction": "arm"}, "plant.friction", ARMS),
    ({"controller.period": 0.0015}, "controller.period", []),
    ({"controller.delay": 0.0001}, "controller.delay", []),
    ({"plant.stiffness": 1000}, "plant.stiffness", []),
    ({"controller.hold": False, "sensors.velocity_noise": 0.1}, "sensors.velocity_noise", []),
    ({"pushes": [{"link": 9, "times": [0, 1], "force": [0, 0, 1]}]}, "pushes.0.link", ARMS),
    ({"planner.network": "sum", "planner.beta": 0.9}, "planner.beta", []),
    ({"planner.ties": ["+u", "-u", "+v", "-v", "+w", "-w"]}, "planner.ties", []),
    ({"goal.cell": [99, 99]}, "goal.cell", []),
    ({"goal.position": [0.3, 0.05], "known": [{"floor": {"height": 0.1}}]}, "goal.position", []),
    ({"plan.goal": {"joints": [0, 0]}}, "plan.goal.joints", ARMS),
]  # fmt: skip
if comes_along("response follow"):
    CONTENT.append(({"explore.method": "follow", "planner.radius": 2}, "explore.method", []))


def told(data):
    with refused("w.yaml") as caught:
        parse_world(
            yaml.safe_dump(data, sort_keys=False, default_flow_style=None, width=1000), "w.yaml"
        )
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
        # which hold one thing
        if last in inner or (inner and outer and outer[0] in ("start", "goal")):
            return None
        inner[last] = value
    return data


@pytest.mark.parametrize(("form", "key"), FORM, ids=[key for _, key in FORM])
def test_faults_of_form_come_first_and_hide_none_of_content(form, key):
    tried = [data for content, _, _ in CONTENT if (data := world_of(form, content)) is not None]
    assert len(tried) >= len(CONTENT) - 6
    for data in tried:
        assert told(data) == sorted([key, *MORE.get(key, [])]), data


@pytest.mark.parametrize(("content", "key", "_"), CONTENT, ids=[key for _, key, _ in CONTENT])
def test_a_fault_of_content_is_told_alone(content, key, _):
    assert told(world_of(content)) == [key]


@pytest.mark.parametrize(
    ("first", "second"), list(itertools.combinations(CONTENT, 2)), ids=lambda c: c[1]
)
def test_two_of_content_are_told_unless_one_depends_on_the_other(first, second):
    data = world_of(first[0], second[0])
    if data is None:
        return
    (_, key, needed), (_, other, also) = first, second
    assert set(told(data)) == {
        k for k, needs, by in ((key, needed, other), (other, also, key)) if by not in needs
    }


def test_nothing_is_said_that_depends_on_an_arm_that_nobody_knows():
    seven = [0.1] * 7
    data = {
        "format": 1,
        "arm": "pandda",
        "start": {"joints": seven},
        "controller": {"omega": seven},
    }
    assert told(data | {"plan": {"goal": {"joints": [6.0] * 7}}, "plant": {"friction": "arm"}}) == [
        "arm"
    ]
    assert told(data | {"start": {"position": [0.9, 0.9]}}) == ["arm"]


def test_joints_are_counted_by_the_arm_where_the_start_is_wrong():
    start = {"joints": [0, 0, 0]}
    assert told({"format": 1, "start": start, "controller": {"omega": [1.0] * 6}}) == [
        "start.joints"
    ]
    assert told({"format": 1, "start": start, "controller": {"omega": [1.0] * 3}}) == [
        "controller.omega", "start.joints",
    ]  # fmt: skip


def test_a_misspelt_key_is_not_missed_too():
    sphere = {"center": [0.4, 0, 0], "raduis": 0.1}
    assert told({"format": 1, "obstacles": [{"sphere": sphere}]}) == ["obstacles.0.sphere.raduis"]
    assert told({"format": 1, "goal": {"cel": [3, 4]}}) == ["goal.cel"]


def test_what_follows_from_a_faulty_step_is_no_fault():
    """The control period is one step unless it is given."""
    assert told({"format": 1, "plant": {"step": 9}, "controller": {"delay": 0.003}}) == [
        "plant.step"
    ]


def test_faults_of_entries_beside_a_faulty_one():
    push = {"times": [0, 1], "force": [0, 0, 1]}
    data = {"format": 1, "pushes": [{"link": 0, **push}, {"link": 9, **push}]}
    assert told(data) == ["pushes.0.link"]
    data["pushes"][0]["link"] = 8
    assert told(data) == ["pushes.0.link", "pushes.1.link"]


@pytest.mark.parametrize("odd", [{}, [], {"a": 1}, None, "words"], ids=str)
def test_an_odd_entry_of_a_list_is_told_once(odd):
    """Nobody knows the entry, and so nobody knows the list."""
    lists = [["+u", "-u", odd, "-v"], [0, odd, 0], [20, odd], [[1, 0, 0], [0, odd, 0], [0, 0, 1]]]
    # else they are one and the same in the file
    ties, gravity, shape, rotation = map(copy.deepcopy, lists)
    data = {
        "format": 1,
        "tool": {"frame": {"rotation": rotation}},
        "gravity": gravity,
        "map": {"shape": shape},
    }
    data |= {"planner": {"ties": ties}, "goal": {"cell": [99, 99]}, "record": {"every": 0}}
    wanted = [
        "gravity.1",
        "map.shape.1",
        "planner.ties.2",
        "record.every",
        "tool.frame.rotation.1.1",
    ]
    assert told(data) == wanted


def test_what_does_not_fit_within_a_section_is_told_where_its_keys_are_right():
    planner = {
        "any_angle": "yess",
        "clearance": 0.1,
        "ties": ["+u", "+u", "+v", "-v"],
        "activation": "tanh",
    }
    assert told({"format": 1, "planner": planner, "seed": -1}) == ["planner.any_angle", "seed"]
    wanted = ["planner.activation", "planner.clearance", "planner.ties", "seed"]
    assert told({"format": 1, "planner": planner | {"any_angle": False}, "seed": -1}) == wanted


def test_keys_of_an_unknown_method_are_no_faults():
    detection = {"measure": "joint_torqe", "threshold": -3, "own": 3, "hold_off": -1}
    assert told({"format": 1, "detection": detection}) == [
        "detection.hold_off",
        "detection.measure",
    ]
    detection["measure"] = "joint_torque"
    assert told({"format": 1, "detection": detection}) == [
        "detection.hold_off", "detection.own", "detection.threshold",
    ]  # fmt: skip


def test_run_refuses_with_the_lines_of_check(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    content = {"plant.damping": [1, 2], "controller.omega": [1, 2], "goal.cell": [99, 99]}
    for faults, keys in (
        ({"planner.betta": 3, "seed": -1}, ["planner.betta", "seed"]),
        ({}, list(content)),
    ):
        (tmp_path / "w.yaml").write_text(yaml.safe_dump(world_of(content, faults), sort_keys=False))
        assert main(["check", "w.yaml"]) == 2
        lines = capsys.readouterr().err
        assert re.findall(r": ([\w.]+): ", lines) == keys
        assert main(["run", "w.yaml"]) == 2
        assert capsys.readouterr().err == lines
