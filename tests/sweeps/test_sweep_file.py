"""Sweep files: which runs follow, and every kind of fault with its line and key."""

from __future__ import annotations

import contextlib
import io
import json
import pickle
import random
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dynamics
from dynamics import BadInput
from hopfield_nav.cli.app import main
from hopfield_nav.record import SUMMARY as QUANTITIES
from hopfield_nav.sweeps import dump_sweep_schema, load_sweep, make_sweep, sweep_from
from hopfield_nav.world import load_world
from hopfield_nav.world.document import parse_document
from hopfield_nav.world.files import list_sweeps, world_folders

HEAD = "format: 1\nworld: ragazzon2012\n"
FULL = """\
format: 1
description: every kind of value
world: ragazzon2012
set: {record.signals: none, goal: {position: [0.5972, -0.0921]}}
vary:
  detection.threshold: [6, 8, 12, 16]
  trajectory.time_per_cell: {linear: [0.25, 1.0, 4]}
  controller.omega: {scale: {log: [0.5, 2, 5]}}
zip:
  - {map.spacing: [0.0526, 0.0263], map.shape: [[10, 10], [20, 20]]}
repeats: 3
seed: 5
quantities: [outcome, simulated_time_s]
"""
RANDOM = """\
format: 1
world: ragazzon2012
vary:
  detection.threshold: [6, 12]
random:
  contact.stiffness: {normal: [1e5, 1e4]}
  contact.friction: {uniform: [0, 0.5]}
  controller.omega: {scale: {sobol: [0.5, 2]}}
  goal.tolerance: {sobol: [0.001, 0.002]}
samples: 6
"""


def sweep(text, folder=None):
    return sweep_from(parse_document(text, "s.yaml"), folder or Path(), "s")


def axes_of(made):
    return {axis[0].name: list(axis[0].values) for axis in made.grid}


def fault(text):
    with pytest.raises(BadInput) as caught:
        sweep(text)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_grid_runs_through_every_combination_the_last_fastest():
    s = sweep(FULL)
    assert s.count == 4 * 4 * 5 * 2 * 3 == len(list(map(s.job, range(s.count))))
    assert s.parameters == (
        "detection.threshold", "trajectory.time_per_cell", "controller.omega*", "map.spacing", "map.shape",
    )  # fmt: skip
    first = axes_of(s)
    assert list(first) == [*s.parameters[:3], "map.spacing"]
    assert first["trajectory.time_per_cell"] == [0.25, 0.5, 0.75, 1.0]
    assert first["controller.omega*"][2] == 1.0
    assert [(s.job(i).repeat, s.job(i).seed) for i in range(4)] == [(0, 5), (1, 6), (2, 7), (0, 5)]
    assert s.job(3).values["map.shape"] == [20, 20]
    assert s.job(s.count - 1).values == {
        "detection.threshold": 16, "trajectory.time_per_cell": 1.0, "controller.omega*": 2.0,
        "map.spacing": 0.0263, "map.shape": [20, 20],
    }  # fmt: skip
    assert len({json.dumps([j.values, j.seed]) for j in map(s.job, range(s.count))}) == s.count
    for index in (-1, s.count):
        with pytest.raises(IndexError):
            s.job(index)


def test_the_world_of_a_job_has_its_values():
    s = sweep(FULL)
    job = s.job(s.count - 2)
    world = s.world_for(job)
    assert world.detection.parameters["threshold"] == 16
    assert world.controller.parameters["omega"] == (45, 45, 75, 120, 135, 150)
    assert world.map.shape == (20, 20)
    assert world.seed == job.seed == 6
    assert world.record.signals == "none"
    assert world.goal.cell is None
    assert (s.world.name, world.name) == ("ragazzon2012", "ragazzon2012")
    assert load_world("ragazzon2012").controller.parameters["omega"][0] == 22.5


def test_logs_are_left_out_unless_runs_are_kept():
    text = HEAD + "vary: {detection.threshold: [6]}\n"
    assert sweep(text).world_for(sweep(text).job(0)).record.signals == "none"
    kept = sweep(text + "keep: runs\n")
    assert kept.world_for(kept.job(0)).record.signals == "all"


@pytest.mark.parametrize(
    ("ends", "values"),
    [
        ("1, 31, 4", [1, 11, 21, 31]),
        ("31, 1, 3", [31, 16, 1]),
        ("1, 2, 3", [1.0, 1.5, 2.0]),
        ("7, 9, 1", [7]),
    ],
)
def test_evenly_spaced_whole_numbers_are_whole_where_they_can_be(ends, values):
    found = axes_of(sweep(HEAD + f"vary: {{controller.omega: {{linear: [{ends}]}}}}\n"))[
        "controller.omega"
    ]
    assert (found, [type(v) for v in found]) == (values, [type(v) for v in values])


def test_a_scaled_whole_number_stays_whole():
    s = sweep(HEAD + "set: {goal: {position: [0.3, 0]}}\nvary: {map.shape: {scale: [1.5, 2]}}\n")
    assert s.world_for(s.job(0)).map.shape == (30, 30)
    assert s.parameters == ("map.shape*",)


def test_one_entry_of_a_list_that_the_world_leaves_to_its_default():
    s = sweep(HEAD + "vary:\n  start.joints.5: [-0.6, -0.5]\n  controller.omega.0: {scale: [2]}\n")
    world = s.world_for(s.job(1))
    assert world.start.joints == (2.5511, -1.1193, 2.5706, 0.1196, 1.5708, -0.5)
    assert world.controller.parameters["omega"][:2] == (45.0, 22.5)


def test_random_samples_are_repeatable_and_grow_at_the_end():
    s, more = sweep(RANDOM), sweep(RANDOM.replace("samples: 6", "samples: 16"))
    assert s.count == 12
    assert [s.job(i).values for i in range(6)] == [sweep(RANDOM).job(i).values for i in range(6)]
    assert [s.job(i).values for i in range(6)] == [more.job(i).values for i in range(6)]
    assert s.job(6).values["contact.stiffness"] == s.job(0).values["contact.stiffness"]
    other = sweep(RANDOM.replace("friction: {uniform: [0, 0.5]}", "damping: {uniform: [0, 9]}"))
    assert other.job(0).values["contact.stiffness"] == s.job(0).values["contact.stiffness"]
    assert sweep(RANDOM + "seed: 1\n").job(0).values != s.job(0).values
    assert s.remarks[0].startswith("a Sobol sequence")
    assert more.remarks == ()


def test_sobol_keys_form_one_sequence():
    s = sweep(RANDOM.replace("samples: 6", "samples: 256"))
    names = ("controller.omega*", "goal.tolerance")
    points = np.array([[s.job(i).values[name] for name in names] for i in range(256)])
    points = (points - [0.5, 0.001]) / [1.5, 0.001]
    counts, _, _ = np.histogram2d(*points.T, bins=16, range=[[0, 1], [0, 1]])
    assert np.all(counts == 1)


def test_ten_million_runs_cost_no_memory():
    s = sweep(HEAD + "vary: {detection.threshold: {linear: [1, 20, 1000]}}\nrepeats: 10000\n")
    assert s.count == 10_000_000
    tracemalloc.start()
    assert s.job(9_999_999).values == {"detection.threshold": 20.0}
    assert sum(1 for _, job in zip(range(1000), map(s.job, range(s.count)), strict=False)) == 1000
    assert tracemalloc.get_traced_memory()[1] < 100_000
    tracemalloc.stop()


def test_a_sweep_travels_to_another_process():
    for text in (FULL, RANDOM):
        s = sweep(text)
        copy = pickle.loads(pickle.dumps(s))
        assert [copy.job(i) for i in range(9)] == [s.job(i) for i in range(9)]
        assert copy.world_for(copy.job(7)) == s.world_for(s.job(7))
        assert copy.digest == s.digest


@pytest.mark.parametrize("text", [FULL, RANDOM])
def test_written_out_it_is_the_same_sweep(text, tmp_path):
    s = sweep(text)
    (tmp_path / "sweep.csv").touch()  # as among results
    (tmp_path / "sweep.yaml").write_text(s.to_yaml(tmp_path))
    again = load_sweep(tmp_path)
    assert again.digest == s.digest
    assert again.digest in (tmp_path / "sweep.yaml").read_text()
    assert list(map(again.job, range(again.count))) == list(map(s.job, range(s.count)))
    assert again.world_for(again.job(5)).model_dump() == s.world_for(s.job(5)).model_dump()
    assert again.name == tmp_path.name


def test_digest_knows_what_decides_the_rows_and_nothing_else():
    base = sweep(FULL).digest
    assert sweep("# a remark\n" + FULL.replace("every kind", "any kind")).digest == base
    for old, new in [("16]", "17]"), ("ats: 3", "ats: 2"), ("seed: 5", "seed: 6"), ("-0.0921", "-0.1"),
                     ("simulated_time_s]", "collision_count]"), ("2, 5]", "3, 5]")]:  # fmt: skip
        assert sweep(FULL.replace(old, new)).digest != base
    assert sweep(RANDOM).digest != sweep(RANDOM + "seed: 1\n").digest


def test_files_are_found_beside_the_sweep_and_count_by_content(tmp_path):
    arm = Path(dynamics.__file__).parent / "arms/ur5_ragazzon2012.yaml"
    (tmp_path / "worlds").mkdir()
    (tmp_path / "mine.yaml").write_text(arm.read_text())
    (tmp_path / "worlds/base.yaml").write_text("format: 1\narm: ../mine.yaml\n")
    text = "format: 1\nworld: worlds/base.yaml\nvary: {controller.model: [null, ./mine.yaml]}\n"
    (tmp_path / "s.yaml").write_text(text)
    s = load_sweep(tmp_path / "s.yaml")
    assert s.world_for(s.job(1)).controller.model == "./mine.yaml"
    (tmp_path / "out").mkdir()
    (tmp_path / "out/sweep.yaml").write_text(s.to_yaml(tmp_path / "out"))
    again = load_sweep(tmp_path / "out")
    assert again.world_for(again.job(1)).controller.model == "../mine.yaml"
    assert again.digest == s.digest
    (tmp_path / "mine.yaml").write_text(arm.read_text() + "# changed\n")
    assert load_sweep(tmp_path / "s.yaml").digest != s.digest


def test_in_python_arrays_are_lists_and_the_step_is_followed():
    world = load_world("u_trap")
    s = make_sweep(
        world, {"plant.step": np.array([0.0005, 0.001])}, repeats=2, quantities=["collision_count"]
    )
    assert (s.count, tuple(s.kept)) == (4, ("outcome", "collision_count"))
    assert s.world_for(s.job(0)).controller.period == 0.0005
    named = make_sweep("u_trap", {"detection.threshold": range(6, 9)}, set={"time_limit": 5})
    assert axes_of(named) == {"detection.threshold": [6, 7, 8]}
    assert named.world.time_limit == 5
    with pytest.raises(BadInput, match=r"sweep: detection\.treshold: unknown key.*'threshold'"):
        make_sweep("u_trap", {"detection.treshold": [6]})


@pytest.mark.parametrize(
    ("text", "line", "parts"),
    [
        ("vary:\n  detection.treshold: [6]", 4, ["detection.treshold", "unknown key", "'threshold'"]),
        ("vary:\n  contrller.omega: [6]", 4, ["unknown key", "'controller'"]),
        ("vary:\n  detection.threshold:\n  - 6\n  - -1", 6, ["detection.threshold", "out of range", "-1"]),
        ("vary:\n  detection.threshold: {linear: [0, 8, 3]}", 4, ["detection.threshold", "out of range"]),
        ("vary:\n  detection.threshold: []", 4, ["vary.detection.threshold", "empty list"]),
        ("vary:\n  detection.threshold: 8", 4, ["no list of values", "linear: [first"]),
        ("vary:\n  detection.threshold: {log: [0, 8, 3]}", 4, ["log.0", "no logarithm", "above 0"]),
        ("vary:\n  detection.threshold: {linear: [6, 8, 0]}", 4, ["linear.2", "wrong count"]),
        ("vary:\n  detection.threshold: {linear: [6, 8, 2.5]}", 4, ["linear.2", "wrong count"]),
        ("vary:\n  detection.threshold: {linear: [6, 6, 2]}", 4, ["no range"]),
        ("vary:\n  detection.threshold: {linear: [6, 8]}", 4, ["[first, last, count]"]),
        ("vary:\n  detection.threshold: {liner: [6, 8, 2]}", 4, ["unknown kind of values", "'linear'"]),
        ("vary:\n  detection.threshold: {scale: [x]}", 4, ["scale.0", "a finite number"]),
        ("vary:\n  arm: {scale: [2]}", 4, ["nothing to scale", "'ur5_ragazzon2012'"]),
        ("vary:\n  trajectory.time_per_cell: {scale: [2]}", 4, ["nothing to scale"]),
        ("vary:\n  detection.threshold: [6, 8, 6]", 4, ["value given twice", "6"]),
        ("vary:\n  seed: [6, 8]", 4, ["cannot be swept", "repeats"]),
        ("vary:\n  detection..threshold: [6, 8]", 4, ["not understood"]),
        ("vary:\n  obstacles.99.cylinder.radius: [0.01]", 4, ["no such entry of the list", "99", "0 to"]),
        ("vary:\n  map.shape: [[20, 20], [10, 10]]", 4, ["map.shape", "goal outside", "does not fit"]),
        ("vary:\n  start.joints: [[0, 0]]", 4, ["start.joints", "wrong number of joints"]),
        ("vary:\n  controller.omega: [[1, 2]]", 4, ["controller.omega", "wrong number of values"]),
        ("vary:\n  planner.network: [sum, limt]", 4, ["unknown value", "'limit'"]),
        ("set:\n  detection.threshold: 8\nvary:\n  detection.threshold: [8]", 6, ["the same key twice"]),
        ("set:\n  goal.cell: [1, 2]\nvary:\n  goal: [{cell: [3, 4]}]", 6, ["inside the other"]),
        ("vary:\n  map.spacing: [0.03]\nzip:\n- {map.spacing: [0.03]}", 6, ["the same key twice"]),
        ("zip:\n- {map.spacing: [0.03]}\n- {map.spacing: [0.03]}", 5, ["the same key twice"]),
        ("zip:\n- {map.spacing: [0.03], map.shape: [[20, 20], [30, 30]]}", 4, ["zip.0", "different lengths"]),
        ("zip:\n- {}", 4, ["empty group"]),
        ("zip: {map.spacing: [1]}", 3, ["a list"]),
        ("set:\n  detection.threshold: -8", 4, ["detection.threshold", "out of range"]),
        ("set:\n  map.shape: [10, 10]", None, ["set.map.shape", "goal outside the map"]),
        ("set:\n  seed: 3", 4, ["cannot be swept"]),
        ("random: {contact.stiffness: {uniform: [1, 2]}}", 3, ["random keys without samples"]),
        ("samples: 3", 3, ["samples without random keys"]),
        ("samples: 3\nrandom:\n  contact.friction: {uniform: [1, 1]}", 5, ["low is not below high"]),
        ("samples: 3\nrandom:\n  contact.friction: {normal: [1, 0]}", 5, ["standard deviation", "above 0"]),
        ("samples: 3\nrandom:\n  contact.friction: {noraml: [1, 1]}", 5, ["'normal'"]),
        ("samples: 3\nrandom:\n  contact.friction: [1, 1]", 5, ["no random draw"]),
        ("samples: 99\nrandom:\n  contact.friction: {normal: [0.1, 0.1]}", 5, ["friction: sample", "0 to 2"]),
        ("samples: 99\nrandom:\n  contact.friction: {uniform: [0, 3]}", 5, ["sample", "out of range"]),
        ("samples: 9\nvary: {gravity: [1]}\nrandom:\n  gravity: {uniform: [0, 1]}", 6, ["twice"]),
        ("repeats: 0", 3, ["repeats", "whole number from 1"]),
        ("repeats: 6000000\nvary: {contact.friction: [0, 1]}", None, ["too many runs", "12000000"]),
        ("quantities: [outcome, colision_count]", 3, ["quantities.1", "'collision_count'"]),
        ("quantities: [outcome, outcome]", 3, ["given twice"]),
        ("keep: run", 3, ["'runs'"]),
        ("vari: {}", 3, ["unknown key", "'vary'"]),
        ("time_limit_per_run: -1", 3, ["above 0"]),
    ],
)  # fmt: skip
def test_faults(text, line, parts):
    message = fault(HEAD + text)
    assert message.startswith(f"s.yaml, line {line}: " if line else "s.yaml"), message
    for part in parts:
        assert part in message, message


def test_of_a_key_that_is_given_twice_no_value_is_judged():
    """Nobody knows which of the two is meant."""
    twice = "vary:\n  map.spacing: [-1]\n  detection.threshold: [-8]\nzip:\n- {map.spacing: [0.03]}"
    with pytest.raises(BadInput) as caught:
        sweep(HEAD + twice)
    assert "the same key twice" in str(caught.value)
    assert caught.value.others == ()


def test_faults_of_the_base_world():
    assert "s.yaml, line 2: world: unknown world" in fault("format: 1\nworld: ragazon2012\n")
    assert "missing key" in fault("format: 1\nvary: {detection.threshold: [1]}")
    assert "s.yaml, line 2: world.goal" not in fault("format: 1\nworld: {format: 1, gaol: null}\n")
    assert "s.yaml, line 4: goal.cell" in fault(
        "format: 1\nworld:\n  format: 1\n  goal: {cell: [30, 1]}\n"
    )
    with pytest.raises(BadInput, match=r"unknown sweep.*'beta_network'"):
        load_sweep("beta_netwrk")


def test_the_command_checks_sweeps(tmp_path, capsys):
    path = tmp_path / "s.yaml"
    path.write_text(RANDOM)
    assert main(["check", str(path), "ragazzon2012", "beta_network"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{path}: ok, 12 runs; {load_sweep(path).remarks[0]}"
    assert lines[1:] == ["ragazzon2012: ok", "beta_network: ok, 18 runs"]
    assert main(["check", "beta_netwrk"]) == 2
    assert "'beta_network'" in capsys.readouterr().err


@pytest.mark.parametrize("name", list_sweeps())
def test_bundled_sweeps(name):
    s = load_sweep(name)
    assert s.file.description
    assert s.count >= 14
    s.world_for(s.job(0))
    s.world_for(s.job(s.count - 1))


def test_the_main_sweep_holds_the_choice_of_the_document():
    axes = axes_of(load_sweep("omega_threshold"))
    assert 1.0 in axes["controller.omega*"]
    assert 12 in axes["detection.threshold"]
    assert min(len(values) for values in axes.values()) >= 8
    assert load_sweep("random_worlds").count == 100 * 30


def test_maps_of_every_resolution_cover_the_same_square():
    s = load_sweep("map_resolution")
    for job in map(s.job, range(s.count)):
        grid = s.world_for(job).map
        low = [grid.origin[k] - grid.spacing / 2 for k in range(2)]
        assert low == pytest.approx([0.13695, -0.26305], abs=1e-9)
        assert [grid.spacing * n for n in grid.shape] == pytest.approx([0.526, 0.526], abs=1e-8)


def test_schema_accepts_the_bundled_sweeps():
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(json.dumps(dump_sweep_schema()))
    check = jsonschema.validators.validator_for(schema)(schema)
    for name in list_sweeps():
        file = next(p for f in world_folders() if (p := f / "sweeps" / f"{name}.yaml").exists())
        check.validate(parse_document(file.read_text(), name).data)
    check.validate(parse_document(FULL, "s").data)
    check.validate(parse_document(RANDOM, "s").data)
    for bad in (
        {"vari": {}},
        {"vary": {"a": {"linear": [1, 2]}}},
        {"repeats": 0},
        {"quantities": ["x"]},
    ):
        assert not check.is_valid({"format": 1, "world": "empty", **bad})
    assert set(QUANTITIES) == set(schema["properties"]["quantities"]["items"]["enum"])


def test_the_page_names_every_key():
    docs = Path(__file__).parents[2] / "docs"
    page, tables, studies = (
        docs.joinpath(f"{name}.md").read_text()
        for name in ("sweeps", "reference/record", "lab/sweeps")
    )
    assert [name for name in dump_sweep_schema()["properties"] if f"`{name}`" not in page] == []
    assert [name for name in QUANTITIES if f"`{name}`" not in tables] == []
    assert [name for name in list_sweeps() if f"`{name}`" not in studies] == []


ODD = [None, True, "", "words", -1, 0, 3, 10**400, 1e300, float("nan"), [], {}, [[]], [{}], {"scale": 1},
       {"scale": {"scale": [1]}}, {"log": [1, 2, 3]}, {"linear": [1e308, -1e308, 3]}, {"uniform": [0, 1]},
       [None], [[1, 2], [3]], "nowhere.yaml", {"cell": [1, 2]}, ["nowhere.py:METHOD"]]  # fmt: skip


def places(data, at=()):
    found = [at] if at else []
    items = (
        data.items()
        if isinstance(data, dict)
        else enumerate(data)
        if isinstance(data, list)
        else ()
    )
    for key, value in items:
        found += places(value, (*at, key))
    return found


@settings(
    max_examples=150,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(
    st.integers(0, 10**9), st.sampled_from([FULL, RANDOM]), st.sampled_from(ODD), st.integers(0, 3)
)
def test_damaged_sweeps_are_refused_in_a_line_a_fault(tmp_path_factory, seed, text, value, how):
    dice = random.Random(seed)
    data = parse_document(text, "s").data
    *outer, key = dice.choice(places(data))
    inner = data
    for part in outer:
        inner = inner[part]
    if how == 0:
        del inner[key]
    elif how == 1 and isinstance(inner, dict):
        inner[key[: dice.randrange(len(key))] + dice.choice(["a", ".", ".0", "0."])] = inner.pop(
            key
        )
    else:
        inner[key] = value
    path = tmp_path_factory.getbasetemp() / "damaged.yaml"
    path.write_text(yaml.dump(data))
    out, err = io.StringIO(), io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patched,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        # begins one run; every world is looked at
        patched.setattr("hopfield_nav.cli.check._PATIENCE", 0.0)
        status = main(["check", str(path)])
    assert status in (0, 2), err.getvalue()
    message = (err if status else out).getvalue()
    lines = message.splitlines()
    assert len(lines) == 1 or status == 2
    assert all("damaged.yaml" in line for line in lines)
    assert all(line.startswith("hopfield-nav: ") for line in lines) or status == 0
