"""The commands plan and demo: files, exit status, one line for every fault."""

import itertools
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from pictures import decode
from refusals import refused_by_command

from hopfield_nav import load_world
from hopfield_nav.cli.app import main
from hopfield_nav.extensions.known_world import facts, load_plan_csv

ENDS = {"start": "[0.42,-0.2,0.26]", "goal": "[0.42,0.22,0.26]"}
LINE = [word for end, at in ENDS.items() for word in ("--set", f"plan.{end}.pose.position={at}")]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_plan_leaves_trajectory_program_numbers_and_world(capsys):
    assert main(["plan", "cell", "--no-plots"]) == 0
    out = capsys.readouterr().out
    assert "around, free for the whole motion" in out
    assert "shortest not possible" in out
    made = Path("runs/cell-plan")
    assert sorted(p.name for p in made.iterdir()) == [
        "plan.csv",
        "plan.json",
        "plan.script",
        "world.yaml",
    ]
    facts = json.loads((made / "plan.json").read_text())
    table = load_plan_csv(made / "plan.csv")
    assert table.time[-1] == pytest.approx(facts["duration_s"])
    np.testing.assert_allclose(
        table.q[[0, -1]], [facts["start_joints_rad"], facts["goal_joints_rad"]], atol=1e-8
    )
    assert "def planned_path():" in (made / "plan.script").read_text()
    assert load_world(made / "world.yaml") == load_world("cell")
    assert main(["plan", "cell", "--no-plots"]) == 0
    assert Path("runs/cell-plan-2").is_dir()


def test_a_plan_goes_to_the_next_free_name(capsys, monkeypatch):
    """Another program took the name while this one planned."""

    def meanwhile(planned):
        Path("a").mkdir(exist_ok=True)
        Path("a/theirs").touch()
        return facts(planned)

    monkeypatch.setattr("hopfield_nav.extensions.known_world.planned.facts", meanwhile)
    assert main(["plan", "cell", *LINE, "--no-plots", "--out", "a"]) == 0
    assert "a was taken meanwhile; the results are in a-2" in capsys.readouterr().err
    assert [p.name for p in Path("a").iterdir()] == ["theirs"]
    assert Path("a-2/plan.csv").is_file()


def test_the_program_of_a_straight_line():
    assert main(["plan", "cell", *LINE, "--no-plots", "--out", "a"]) == 0
    assert "servoj(" in Path("a/plan.script").read_text()
    assert json.loads(Path("a/plan.json").read_text())["method"] == "shortest"


def test_without_a_plan_the_reasons_are_printed_and_nothing_is_left(capsys):
    words = ["--set", "plan.method=direct", "--set", "plan.goal.pose.position=[2,0,0.3]"]
    assert main(["plan", "cell", "--no-plots", *words]) == 1
    assert capsys.readouterr().out == "no plan; direct: the goal is out of reach\n"
    assert not list(Path().glob("runs/*"))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("plan cell --motion movej", "--motion: this option is no more"),
        ("plan cell --set plan.clearence=0.01", "Did you mean 'clearance'?"),
        ("plan cell --set plan.start={joints:[90,0,0,0,0,0]}", "degrees"),
        ("plan cell --set plan.goal.pose.position=[520,0.2,0.3]", "millimetres"),
        ("plan cell --set plan.method=shortes", "shortest"),
        ("plan empty --set goal=null", "nothing to plan to"),
        ("plan nowhere", "unknown world"),
    ],
)
def test_bad_input_is_one_line(capsys, words, expected):
    refused_by_command(capsys, [*words.split(), "--no-plots"], expected)
    assert not list(Path().glob("runs/*"))


def test_simulate_runs_the_plan_under_the_controller(capsys):
    assert main(["plan", "cell", *LINE, "--simulate", "--no-plots", "--out", "a"]) == 0
    summary = json.loads(Path("a/simulated/summary.json").read_text())
    assert summary["outcome"] == "reached"
    assert summary["collision_count"] == 0


def test_without_an_extra_a_plan_is_the_same(capsys, monkeypatch):
    assert main(["plan", "cell", *LINE, "--no-plots", "--out", "all"]) == 0
    for name in ("toppra", "ompl"):
        monkeypatch.setitem(sys.modules, name, None)
    assert main(["plan", "cell", *LINE, "--no-plots", "--out", "none"]) == 0
    assert Path("all/plan.csv").read_bytes() == Path("none/plan.csv").read_bytes()
    assert json.loads(Path("none/plan.json").read_text())["time_optimal"]
    assert "pip install" not in capsys.readouterr().err


def test_the_film_is_of_the_arm_in_simulation(capsys):
    near = ["--set", "plan.goal.pose.position=[0.42,-0.16,0.26]"]  # a short film
    assert main(["plan", "cell", *LINE, *near, "--animate", "--no-plots", "--out", "a"]) == 0
    (film,) = Path("a").glob("film.*")
    duration = json.loads(Path("a/plan.json").read_text())["duration_s"]
    frames = decode(film)
    assert len(frames) == pytest.approx(30 * (duration + 1.5), abs=3)
    assert np.ptp(frames[len(frames) // 2].astype(float) - frames[0]) > 100
    assert not Path("a/simulated").exists()


def test_the_demonstration_repeats_itself_from_a_seed(capsys):
    assert main(["demo", "--rounds", "2", "--no-plots", "--seed", "4", "--out", "a"]) == 0
    first = capsys.readouterr().out
    assert main(["demo", "--rounds", "2", "--no-plots", "--seed", "4", "--out", "b"]) == 0
    assert first.replace("in a", "in b") == capsys.readouterr().out
    assert [line[:3] for line in first.splitlines()[1:]] == ["001", "002"]
    for plan in sorted(Path("a").iterdir()):
        other = Path("b") / plan.name / "plan.csv"
        assert (plan / "plan.csv").read_bytes() == other.read_bytes()


def test_the_demonstration_ends_where_nobody_watches(monkeypatch, capsys):
    """Ten rounds; on a terminal it goes on until it is ended."""
    import hopfield_nav.extensions.known_world.commands.demo as command

    none = command._random_plans(load_world("cell"), 0)
    first = next(none)
    monkeypatch.setattr(command, "_random_plans", lambda world, seed: itertools.repeat(first, 25))
    monkeypatch.setattr("hopfield_nav.extensions.known_world.planned.save_plan", lambda *_: None)
    words = ["demo", "--no-plots", "--out"]
    assert main([*words, "a"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 11
    assert "Ctrl-C" not in lines[0]
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert main([*words, "b"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 26
    assert "Ctrl-C" in lines[0]


def test_the_demonstration_says_what_it_does(capsys):
    """Short lines: the path that was found, and which better ones are not there; reasons are in the files."""
    assert main(["demo", "--rounds", "4", "--no-plots", "--seed", "4", "--out", "a"]) == 0
    for line in capsys.readouterr().out.splitlines()[1:]:
        number, _, words = line.partition("  ")
        assert re.fullmatch(
            r"(straight line|detour|direct path|sampled path), [\d.]+ rad, [\d.]+ s(  \(no [a-z ]+\))?",
            words,
        )
        facts = json.loads(Path(f"a/{number}/plan.json").read_text())
        assert words.startswith("straight line") == (facts["method"] == "shortest")
        assert ("(no" in words) == bool(facts["not_possible"])


def test_the_demonstration_can_be_interrupted(monkeypatch, capsys):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("hopfield_nav.extensions.known_world.commands.plan.draw_plan", interrupt)
    assert main(["demo", "--out", "a"]) == 130
    assert "interrupted" in capsys.readouterr().err
    assert Path("a/001/plan.csv").is_file()


def test_a_simulated_plan_that_touches_something_unknown_is_no_success(capsys):
    post = "obstacles=[{cylinder: {center: [0.42, 0.0], radius: 0.03}}]"
    assert (
        main(["plan", "cell", *LINE, "--set", post, "--simulate", "--no-plots", "--out", "a"]) == 1
    )
    assert "not looked at" in capsys.readouterr().out


def test_the_demonstration_goes_on_where_the_motors_are_too_weak(capsys):
    world = load_world("cell", ["tool.payload={mass: 14, center_of_mass: [0, 0, 0.1]}"])
    Path("heavy.yaml").write_text(world.to_yaml())
    assert main(["demo", "heavy.yaml", "--rounds", "2", "--no-plots", "--out", "a"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_a_tool_that_points_backwards_is_warned_of(capsys):
    words = ["--set", "tool.frame.position=[0, 0, -0.12]", "--set", "plan.method=direct"]
    assert main(["plan", "cell", *words, "--no-plots"]) in (0, 1)
    out = capsys.readouterr().out
    assert "inside link 5" in out or out.startswith("no plan")
