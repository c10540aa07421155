"""The command list, the names of the program itself, and completion in a shell."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from refusals import refused_by_command

import hopfield_nav
from dynamics import list_arms
from hopfield_nav.cli.app import main
from hopfield_nav.cli.known import KINDS, describe_known
from hopfield_nav.extensions.bench import list_suites
from hopfield_nav.plugin import method_names
from hopfield_nav.world import list_sweeps, list_worlds

NAMES = {
    "worlds": list_worlds(),
    "arms": list_arms(),
    "laws": method_names("controller"),
    "estimators": method_names("estimator"),
    "detectors": method_names("detector"),
    "planners": method_names("planner"),
    "responses": method_names("response"),
    "beliefs": method_names("belief"),
    "spaces": method_names("navigator"),
    "engines": method_names("engine"),
    "sweeps": list_sweeps(),
    "suites": list_suites(),
}


@pytest.mark.parametrize("what", KINDS)
def test_every_name_that_a_world_may_give_is_listed_with_a_line(
    what, capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    assert main(["list", what]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(NAMES[what])
    assert all(len(line.split()) > 3 for line in lines)
    assert set(describe_known(what)) == set(NAMES[what])


def test_an_unknown_list_is_refused_with_the_nearest(capsys):
    refused_by_command(capsys, ["list", "detector"], "Did you mean 'detectors'?")


def test_the_package_is_a_program_with_a_version(tmp_path):
    command = [sys.executable, "-m", "hopfield_nav", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
    assert re.fullmatch(
        rf"hopfield-nav {hopfield_nav.__version__} \(sources [0-9a-f]{{12}}\)\n", done.stdout
    )


@pytest.mark.parametrize(
    ("typed", "known"), [("run u_", ["u_trap"]), ("list de", ["detectors"]), ("anim", ["animate"])]
)
def test_a_shell_is_told_how_a_word_goes_on(typed, known, monkeypatch, capsys):
    monkeypatch.setenv("_HOPFIELD_NAV_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", f"hopfield-nav {typed}")
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split())))
    assert main([]) == 0
    assert capsys.readouterr().out.split() == known


def test_the_completion_can_be_shown(capsys):
    assert main(["--show-completion", "bash"]) == 0
    assert "complete -o default -F _hopfield_nav_completion hopfield-nav" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("word", "keys"),
    [
        ("f_min", ["detection.threshold"]),
        ("K_P", ["controller.proportional", "controller.omega"]),
        ("k_d", ["controller.derivative", "controller.damping_ratio", "controller.omega"]),
        ("payload", ["tool.payload.mass", "tool.payload.center_of_mass"]),
        ("detection.report", ["detection.report"]),
    ],
)
def test_keys_are_found_by_a_word_of_the_thesis_or_of_their_own(word, keys, capsys):
    assert main(["list", "keys", word]) == 0
    lines = capsys.readouterr().out.splitlines()
    found = [line.split()[0] for line in lines]
    assert set(keys) <= set(found)
    assert all(word.casefold() in line.casefold() for line in lines)


def test_every_key_of_a_world_is_listed_and_a_word_of_none_is_refused(capsys):
    assert main(["list", "keys"]) == 0
    lines = capsys.readouterr().out.splitlines()
    found = {line.split()[0] for line in lines}
    assert {"goal.cell", "map.spacing", "planner.beta", "sensors.velocity_noise"} <= found
    assert all(len(line.split()) > 3 for line in lines)
    refused_by_command(capsys, ["list", "keys", "treshold"], "Did you mean 'threshold'?")
    assert main(["list", "arms", "ur1"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["ur10e", "ur16e"]
