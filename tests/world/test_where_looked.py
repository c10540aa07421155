"""Where files are looked for, what a message says of it, and what results are called."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from refusals import refused

from dynamics import arm_file
from hopfield_nav.cli.app import main
from hopfield_nav.world import load_world, name_of


@pytest.fixture
def here(tmp_path, monkeypatch):
    """The current folder, empty, beside a folder with a world."""
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "world.yaml").write_text("format: 1\narm: mine.yaml")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


@pytest.mark.parametrize("key", ["arm", "plant.dynamics", "controller.model"])
def test_a_path_of_the_command_line_starts_in_the_current_folder(here, key):
    shutil.copy(arm_file("ur5_tu2023"), here / "mine.yaml")
    assert main(["check", "empty"]) == 0
    data = load_world("empty", [f"{key}=mine.yaml"]).model_dump()
    for part in key.split("."):
        data = data[part]
    assert Path(data) == here / "mine.yaml"


def test_a_path_in_a_world_starts_beside_it_and_the_message_says_where(here):
    looked = str(here.parent / "there" / "mine.yaml")
    with refused("no such arm file") as caught:
        load_world("../there/world.yaml")
    assert f"looked for {looked}" in str(caught.value)
    assert "current folder" not in str(caught.value)
    shutil.copy(arm_file("ur5_tu2023"), here / "mine.yaml")
    with refused("the one in the current folder") as caught:
        load_world("../there/world.yaml")
    assert str(here / "mine.yaml") in str(caught.value)
    assert load_world("../there/world.yaml", ["arm=mine.yaml"]).arm == str(here / "mine.yaml")


def test_a_missing_world_is_told_with_the_folder(here):
    with refused("no such file in") as caught:
        load_world("wrld.yaml")
    assert str(here) in str(caught.value)
    with refused("nor its folder"):
        load_world("nowhere/world.yaml")
    (here / "mine.yaml").write_text("format: 1")
    with refused("Did you mean 'mine.yaml'"):
        load_world("mine")


def test_results_are_named_after_the_file(here):
    for name in ("world", "other"):
        (here / f"{name}.yaml").write_text("format: 1\ntime_limit: 0.01\n")
        assert main(["run", f"{name}.yaml", "--no-plots"]) == 1
        assert (here / "runs" / name / "summary.json").is_file()
    assert main(["run", "runs/world/world.yaml", "--no-plots"]) == 1
    assert sorted(p.name for p in (here / "runs").iterdir()) == ["other", "world", "world-2"]
    assert name_of(here / "sweep.yaml") == "sweep"
    (here / "sweep.csv").touch()
    assert name_of(here / "sweep.yaml") == "here"
