"""The option --out of commands that write pictures, films and tables."""

from __future__ import annotations

from pathlib import Path

from refusals import refused_by_command

from hopfield_nav import load_world, simulate
from hopfield_nav.cli.app import main


def test_out_says_where_pictures_and_films_go(tmp_path, monkeypatch, capsys):
    """``plot``, ``animate``, ``export`` and ``check --picture``, as every command that writes."""
    monkeypatch.chdir(tmp_path)
    simulate(load_world("empty", ["time_limit=0.5"])).save("runs/a")
    before = sorted(Path("runs/a").rglob("*"))
    assert main(["plot", "runs/a", "--only", "trajectory", "--out", "there/pictures"]) == 0
    assert (
        main(["animate", "runs/a", "--size", "320x180", "--fps", "2", "--out", "there/a.mp4"]) == 0
    )
    assert main(["export", "runs/a", "--csv", "--out", "there/tables"]) == 0
    assert main(["check", "empty", "--picture", "--out", "there"]) == 0
    names = {path.relative_to("there").as_posix() for path in Path("there").rglob("*.*")}
    assert {"pictures/trajectory.png", "a.mp4", "tables/signals.csv", "empty.png"} <= names
    assert sorted(Path("runs/a").rglob("*")) == before
    refused_by_command(capsys, ["animate", "runs/a", "--out", "film.avi"], "FILE.mp4")
    refused_by_command(capsys, ["check", "empty", "--out", "there"], "with --picture")
    Path("file").write_text("in the way")
    refused_by_command(
        capsys, ["plot", "runs/a", "--only", "trajectory", "--out", "file/x"], "cannot be written"
    )
