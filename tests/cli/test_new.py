"""The command new: what it writes checks and runs as it is, in an empty folder."""

from __future__ import annotations

import json
from pathlib import Path

import yaml
from refusals import refused_by_command

from hopfield_nav.cli.app import main


def test_the_new_world_checks_and_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "mine.yaml"]) == 0
    assert main(["check", "mine.yaml"]) == 0
    assert "mine.yaml: ok\n" in capsys.readouterr().out
    assert main(["run", "mine.yaml", "--no-plots"]) == 0
    summary = json.loads(Path("runs/mine/summary.json").read_text())
    assert summary["collision_count"] > 0
    assert summary["warnings"] == []
    text = Path("mine.yaml").read_text()
    assert text.count("#") > 20
    assert {"obstacles", "map", "start", "goal", "detection"} <= yaml.safe_load(text).keys()


def test_nothing_is_overwritten_and_no_other_file_is_written(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("mine.yaml").write_text("mine")
    refused_by_command(capsys, ["new", "mine.yaml"], "nothing is overwritten")
    refused_by_command(capsys, ["new", "mine"], "FILE.yaml")
    refused_by_command(capsys, ["new", "nowhere/mine.yaml"], "cannot be written")
    assert [p.name for p in tmp_path.iterdir()] == ["mine.yaml"]
    assert Path("mine.yaml").read_text() == "mine"
