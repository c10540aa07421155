"""The command new: what it writes checks and runs as it is, in an empty folder."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
import yaml
from refusals import refused_by_command
from seven_joints import write_urdf

from dynamics import forward_kinematics, inverse_dynamics, load_arm
from dynamics.files import write_urdf as urdf_of
from hopfield_nav import load_sweep, load_world
from hopfield_nav.cli.app import main
from hopfield_nav.extensions.bench import find_suite, list_suites, load_suite
from hopfield_nav.world import find_sweep, find_world

PATHS = {"arm", "detection"}  # what may name a file


def test_the_new_world_checks_and_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "mine.yaml"]) == 0
    assert main(["check", "mine.yaml"]) == 0
    assert "mine.yaml: ok\n" in capsys.readouterr().out
    assert main(["run", "mine.yaml", "--no-plots"]) == 0
    summary = json.loads(Path("runs/mine/summary.json").read_text())
    assert summary["collision_count"] > 0
    assert summary["warnings"] == []
    assert Path("mine.yaml").read_text().count("#") > 20


def test_the_new_world_has_the_ten_keys_that_most_people_set(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "mine.yaml"]) == 0
    written = yaml.safe_load(Path("mine.yaml").read_text())
    inner = [f"{name}.{key}" for name in ("map", "start", "goal") for key in written.pop(name)]
    page = (Path(__file__).parents[2] / "docs" / "world_files.md").read_text(encoding="utf-8")
    ten = page.split("### The ten that most people set")[1].split("###")[0]
    assert {*written, *inner} == {"format", *re.findall(r"^\| `([a-z_.]+)` \|", ten, re.MULTILINE)}
    assert load_world("mine.yaml").time_limit == 200


def test_what_a_comment_of_the_new_world_offers_can_be_used(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "mine.yaml"]) == 0
    text = Path("mine.yaml").read_text()
    others = re.findall(r"^# (\w+: {.*?})(?:  .*)?$", text, re.MULTILINE)
    assert len(others) >= 6
    for line in others:
        assert load_world({"format": 1, **yaml.safe_load(line)})


def test_nothing_is_overwritten_and_no_other_file_is_written(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("mine.yaml").write_text("mine")
    refused_by_command(capsys, ["new", "mine.yaml"], "nothing is overwritten")
    refused_by_command(capsys, ["new", "mine"], "FILE.yaml")
    refused_by_command(capsys, ["new", "nowhere/mine.yaml"], "cannot be written")
    assert [p.name for p in tmp_path.iterdir()] == ["mine.yaml"]
    assert Path("mine.yaml").read_text() == "mine"


@pytest.mark.parametrize(
    ("source", "path", "read", "commands"),
    [
        ("shelf", find_world("shelf"), load_world, ["check mine.yaml", "run mine.yaml"]),
        ("whole_arm", find_world("whole_arm"), load_world, ["check mine.yaml", "run mine.yaml"]),
        (
            "beta_network",
            find_sweep("beta_network"),
            load_sweep,
            ["check mine.yaml", "sweep mine.yaml"],
        ),
        (
            "suites/whole_arm",
            find_suite("whole_arm"),
            load_suite,
            ["check mine.yaml", "bench mine.yaml"],
        ),
    ],
)
def test_a_copy_of_what_comes_along_has_its_comments_and_can_be_used(
    source, path, read, commands, tmp_path, monkeypatch, capsys
):
    """Of a name that a world and a suite have, the world's."""
    monkeypatch.chdir(tmp_path)
    assert main(["new", "mine.yaml", "--from", source]) == 0
    told = capsys.readouterr().out
    assert all(f"`hopfield-nav {command}`" in told for command in commands)
    assert read("mine.yaml")
    copied, given = Path("mine.yaml").read_text().splitlines(), path.read_text().splitlines()
    assert [line for line in copied if "#" in line] == [line for line in given if "#" in line]
    assert len(copied) == len(given)


@pytest.mark.parametrize("suite", list_suites())
def test_a_copy_of_a_suite_finds_what_the_suite_names(suite, tmp_path, monkeypatch):
    """Worlds, and Python files that come with the program, which are executed without --trust."""
    monkeypatch.chdir(tmp_path)
    assert main(["new", "mine.yaml", "--from", f"suites/{suite}"]) == 0
    copied, given = load_suite("mine.yaml"), load_suite(suite)
    assert copied.suite.families.keys() == given.suite.families.keys()
    for family in given.suite.families:
        first = next(iter(given.suite.conditions)), next(iter(given.suite.methods))
        worlds = [
            each.changed_world(family, *first).model_dump(exclude=PATHS) for each in (copied, given)
        ]
        assert worlds[0] == worlds[1]


def test_what_does_not_come_along_is_refused_and_nothing_is_written(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    told = refused_by_command(
        capsys, ["new", "mine.yaml", "--from", "u_trp"], "Did you mean 'u_trap'?"
    )
    assert "hopfield-nav list worlds" in told
    refused_by_command(
        capsys, ["new", "mine.yaml", "--from", "sweeps/u_trap"], "nothing of that name"
    )
    assert list(tmp_path.iterdir()) == []


def test_the_new_arm_checks_and_a_world_with_it_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "arm.yaml", "--arm"]) == 0
    assert main(["check", "arm.yaml"]) == 0
    assert "arm.yaml: ok, an arm with 6 joints" in capsys.readouterr().out
    Path("world.yaml").write_text(
        "format: 1\narm: arm.yaml\nmap: {space: joints}\ntime_limit: 0.01\n"
    )
    assert main(["check", "world.yaml"]) == 0
    assert main(["run", "world.yaml", "--no-plots"]) in (0, 1)


def test_check_knows_every_kind_of_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_urdf(Path("seven.urdf"))
    assert main(["new", "arm.yaml", "--arm"]) == 0
    text = Path("arm.yaml").read_text()
    assert main(["check", "seven.urdf", "planners"]) == 0
    assert "an arm with 7 joints" in (told := capsys.readouterr().out)
    assert "planners: ok, 25 runs (families 1, conditions 1, methods 5, worlds 5)" in told
    Path("wrong.yaml").write_text(text.replace("format: 1\n", "").replace("d: 0.10", "d: 100"))
    line = 1 + Path("wrong.yaml").read_text().splitlines().index(
        next(row for row in Path("wrong.yaml").read_text().splitlines() if "d: 100" in row)
    )
    refused_by_command(
        capsys, ["check", "wrong.yaml"], f"wrong.yaml, line {line}: joints.5.d: out of range"
    )
    refused_by_command(capsys, ["check", "seven.urdf", "--picture"], "only a world has a picture")
    refused_by_command(capsys, ["check", "planers"], "Did you mean 'planners'?")
    Path("suite.yaml").write_text(
        "format: 1\nfamilies: {a: {world: u_trap}}\nmethods: {b: {planner.knd: a_star}}\n"
    )
    refused_by_command(capsys, ["check", "suite.yaml"], "unknown key")


def test_every_kind_of_file_has_a_schema(capsys):
    titles = {"world": [], "sweep": ["--sweep"], "suite": ["--suite"], "arm": ["--arm"]}
    for title, option in titles.items():
        assert main(["schema", *option]) == 0
        assert json.loads(capsys.readouterr().out)["title"] == f"hopfield-nav {title}"
    refused_by_command(capsys, ["schema", "--arm", "--suite"], "more than one schema")


def test_an_arm_file_is_made_of_a_urdf_and_has_its_numbers(tmp_path, monkeypatch, capsys):
    """To which rotors and friction, which no URDF has, are added by hand; the rest stays as it was."""
    monkeypatch.chdir(tmp_path)
    known = load_arm("ur10e")
    urdf_of(known, "robot.urdf")
    assert main(["new", "my.yaml", "--arm", "--from", "robot.urdf"]) == 0
    assert main(["check", "my.yaml"]) == 0
    assert "ok, an arm with 6 joints" in capsys.readouterr().out
    arm = load_arm("my.yaml")
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 6))
    expected = inverse_dynamics(known, q, qd, qdd)
    np.testing.assert_allclose(inverse_dynamics(arm, q, qd, qdd), expected, atol=1e-9)
    np.testing.assert_allclose(forward_kinematics(arm, q), forward_kinematics(known, q), atol=1e-12)
    text = Path("my.yaml").read_text()
    added = text.replace("rotor_inertia: 0.0", "rotor_inertia: 0.4", 1)
    added = added.replace("  source: robot.urdf\n- mass", FRICTION, 1)
    Path("my.yaml").write_text(added)
    mine = load_arm("my.yaml")
    assert mine.rotor_inertia.tolist() == [0.4, 0, 0, 0, 0, 0]
    assert mine.friction[0, :2].tolist() == [5.0, 6.0]
    assert (
        main(["run", "empty", "--set", "arm=my.yaml", "--set", "time_limit=0.1", "--no-plots"]) <= 1
    )


FRICTION = "  friction: {coulomb: 5, viscous: 6}\n  source: robot.urdf\n- mass"


def test_an_arm_that_comes_along_is_copied_and_what_is_none_is_refused(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "mine.yaml", "--arm", "--from", "ur16e"]) == 0
    np.testing.assert_array_equal(load_arm("mine.yaml").mass, load_arm("ur16e").mass)
    capsys.readouterr()
    refused_by_command(
        capsys, ["new", "x.yaml", "--arm", "--from", "none.urdf"], "no such arm file"
    )
    refused_by_command(
        capsys, ["new", "x.yaml", "--arm", "--from", "ur10"], "Did you mean 'ur10e'?"
    )
    assert not Path("x.yaml").exists()
