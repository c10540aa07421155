"""All faults of a file at once, those of form and those of content; then what a run would refuse."""

from __future__ import annotations

import re

import pytest
from refusals import refused

from hopfield_nav.cli.app import main
from hopfield_nav.world import parse_world

FORM = """\
format: 1
planer: {}
detection: {threshold: -3, mesure: x, mark: feltt}
start: {joints: [0, 0, 300, 0, 0, 0]}
obstacles:
  - cylinder: {center: [0.4, 0], radius: 30}
  - cilinder: {center: [0.4, 0], radius: 30}
  - wall: {from: [0, 0]}
map: {shape: [1, 20]}
goal: {cell: [3, 4], position: [1, 2]}
"""
KEYS_OF_FORM = [
    "planer", "detection.threshold", "detection.mesure", "detection.mark", "start.joints.2",
    "obstacles.0.cylinder.radius", "obstacles.1.cilinder", "obstacles.2.wall.radius", "obstacles.2.wall.to",
    "map.shape.0", "goal",
]  # fmt: skip
CONTENT = """\
format: 1
plant: {step: 0.0015, damping: [1, 2]}
controller: {period: 0.002, delay: 0.0001}
planner: {network: sum, beta: 0.9}
goal: {cell: [30, 4]}
start: {position: [3, 0]}
"""
KEYS_OF_CONTENT = [
    "plant.damping", "controller.period", "controller.delay", "planner.beta", "goal.cell", "start.position",
]  # fmt: skip
REFUSED = """\
format: 1
tool: {payload: {mass: 1, inertia: [[1, 0, 0], [0, 1, 0], [0, 0, 5]]}}
obstacles:
- random_cylinders: {count: 3, radius: [0.2, 0.3], clearance: 3}
- sphere: {center: [0.5, 0.0, 0.2], radius: 0.05}
start: {joints: [0, 0, 0, 0, 0, 0]}
plant: {step: 0.02}
contact: {stiffness: 1.0e+8}
goal: {cell: [3, 4]}
"""
KEYS_REFUSED = ["tool.payload.inertia", "obstacles.0", "start.joints", "plant.step"]


def faults(text):
    with refused("w.yaml") as caught:
        parse_world(text, "w.yaml")
    return [caught.value, *caught.value.others]


def keys(told):
    return [re.search(r"\.yaml, line \d+: ([\w.]+): ", str(fault)).group(1) for fault in told]


@pytest.mark.parametrize(
    ("text", "wanted"), [(FORM, KEYS_OF_FORM), (CONTENT, KEYS_OF_CONTENT)], ids=["form", "content"]
)
def test_all_are_told_each_with_its_line(text, wanted):
    told = faults(text)
    assert sorted(keys(told)) == sorted(wanted)
    lines = text.splitlines()
    for fault, key in zip(told, keys(told), strict=True):
        line = int(re.search(r"line (\d+)", str(fault)).group(1))
        assert any(part in lines[line - 1] for part in key.split(".") if not part.isdigit())


def test_those_of_form_come_before_those_of_content():
    assert sorted(
        keys(faults(FORM + "plant: {step: 0.0015}\ncontroller: {period: 0.002}\n"))
    ) == sorted(KEYS_OF_FORM)


@pytest.mark.parametrize("line", FORM.splitlines()[1:4] + FORM.splitlines()[-2:])
def test_a_fault_has_no_other_where_it_stands_alone(line):
    """Each line of the file with many faults tells by itself what it told among the others."""
    alone = keys(faults(f"format: 1\n{line}"))
    assert alone == [key for key in KEYS_OF_FORM if key.split(".")[0] == line.split(":")[0]]


def test_an_unknown_method_does_not_make_its_parameters_faults():
    told = faults("format: 1\ncontroller: {law: computed_torqe, proportional: 3}\nseed: -1")
    assert keys(told) == ["controller.law", "seed"]


def test_what_a_run_would_refuse_is_found_by_check(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "w.yaml").write_text(REFUSED)
    assert main(["check", "w.yaml"]) == 2
    lines = [
        x
        for x in capsys.readouterr().err.splitlines()
        if not x.startswith(("compiling once", "compiled in"))
    ]
    assert sorted(keys(lines)) == sorted(KEYS_REFUSED)
    assert not list(tmp_path.glob("runs"))
    for key in KEYS_REFUSED:  # and the run refuses each of them alone
        kept = [entry for entry in _entries(REFUSED) if _names(entry) & _needed(key)]
        text = "format: 1\n" + "".join(kept)
        (tmp_path / "w.yaml").write_text(
            text if key == "obstacles.0" else re.sub("- random.*\n", "", text)
        )
        assert main(["run", "w.yaml"]) == 2
        assert f": {key}: " in capsys.readouterr().err


def test_a_start_inside_an_obstacle_is_an_error_of_check_and_a_warning_of_run(tmp_path, capsys):
    sphere = "obstacles: [{sphere: {center: [0.25, -0.15, 0], radius: 0.2}}]"
    (tmp_path / "w.yaml").write_text(f"format: 1\n{sphere}")
    assert main(["check", str(tmp_path / "w.yaml")]) == 2
    assert "start.joints: the arm starts in contact" in capsys.readouterr().err
    assert main(["check", "empty"]) == 0
    assert capsys.readouterr().out == "empty: ok\n"


@pytest.mark.parametrize(
    "name",
    [
        "u_trap",
        "over_the_wall",
        pytest.param("hypotheses_table", marks=pytest.mark.needs("whole_arm")),
    ],
)
def test_the_picture_of_a_world(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["check", name, "--picture"]) == 0
    assert f"picture in {name}.png" in capsys.readouterr().out
    assert (tmp_path / f"{name}.png").stat().st_size > 20_000


def test_a_sweep_tells_all_faults_of_its_form(tmp_path, capsys):
    (tmp_path / "s.yaml").write_text(
        "format: 1\nworld: empty\nvary: {gravity: [1]}\nrepeat: 2\nkeep: al\n"
    )
    assert main(["check", str(tmp_path / "s.yaml")]) == 2
    told = keys(capsys.readouterr().err.splitlines())
    assert told == ["repeat", "keep"]


def _entries(text):
    """The keys of the top with what belongs to them."""
    return re.findall(r"^(?!format)\w+:.*\n(?:[ -].*\n)*", text, re.MULTILINE)


def _names(entry):
    return {entry.split(":")[0]}


def _needed(key):
    also = {"plant.step": {"obstacles", "contact"}, "start.joints": {"goal"}}
    return {key.split(".")[0]} | also.get(key, set())
