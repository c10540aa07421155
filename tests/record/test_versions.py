"""A record names what made it: versions, and a digest of the sources."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from hopfield_nav import load_run
from hopfield_nav.cli.app import main
from hopfield_nav.experiment import simulate
from hopfield_nav.record import source_digest, version_of
from hopfield_nav.record import versions as versions_file
from hopfield_nav.world import parse_world

PACKAGES = Path(versions_file.__file__).parents[2]
WORLD = "format: 1\ntime_limit: 0.2\n"


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A copy of the sources, in which a wheel has put the worlds; the digest is that of the copy."""
    for name in ("dynamics", "hopfield_nav"):
        shutil.copytree(
            PACKAGES / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "vendor")
        )
    (tmp_path / "hopfield_nav" / "worlds" / "arms").mkdir(parents=True)
    (tmp_path / "hopfield_nav" / "worlds" / "arms" / "mine.yaml").write_text("format: 1\n")
    (tmp_path / "hopfield_nav" / "record" / "__pycache__").mkdir()
    (tmp_path / "hopfield_nav" / "record" / "__pycache__" / "run.cpython-311.pyc").write_bytes(
        b"made here"
    )
    monkeypatch.setattr(
        versions_file, "__file__", str(tmp_path / "hopfield_nav" / "record" / "versions.py")
    )
    yield tmp_path
    source_digest.cache_clear()


def digest() -> str:
    source_digest.cache_clear()
    return source_digest()


def test_sources_have_the_same_digest_wherever_they_lie(monkeypatch, elsewhere):
    there = digest()
    monkeypatch.undo()
    assert re.fullmatch("[0-9a-f]{12}", there)
    assert there == digest()


@pytest.mark.parametrize(
    "name", ["dynamics/arm.py", "dynamics/arms/ur5_ragazzon2012.yaml", "hopfield_nav/loop/log.py"]
)
def test_any_change_of_code_or_arm_gives_another(name, elsewhere):
    before = digest()
    (elsewhere / name).write_text(
        (elsewhere / name).read_text(encoding="utf-8") + "\n", encoding="utf-8"
    )
    assert digest() != before
    (elsewhere / name).rename((elsewhere / name).with_stem("renamed"))
    assert digest() != before


def test_a_record_and_the_command_name_it(tmp_path, capsys):
    run = simulate(parse_world(WORLD))
    run.save(tmp_path / "run")
    kept = load_run(tmp_path / "run")
    assert kept.summary["versions"]["sources"] == source_digest()
    assert kept.data.attrs["version_sources"] == source_digest()
    assert kept.data.attrs["version_hopfield_nav"] == version_of("hopfield-nav")
    assert main(["--version"]) == 0
    assert (
        capsys.readouterr().out
        == f"hopfield-nav {version_of('hopfield-nav')} (sources {source_digest()})\n"
    )


def test_compare_says_which_sources_made_runs_where_they_differ(tmp_path, capsys):
    for name in ("one", "two", "older"):
        run = simulate(parse_world(WORLD))
        versions = run.summary["versions"]
        versions["sources"] = {"one": "aaaaaaaaaaaa", "two": "bbbbbbbbbbbb"}.get(name, "")
        if name == "older":
            del versions["sources"]
        run.save(tmp_path / name)
        assert json.loads((tmp_path / name / "summary.json").read_text())["versions"] == versions
    assert main(["compare", str(tmp_path / "one"), str(tmp_path / "one")]) == 0
    assert "made by" not in capsys.readouterr().out
    assert main(["compare", *(str(tmp_path / name) for name in ("one", "two", "older"))]) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "made by" in line]
    ours = version_of("hopfield-nav")
    assert line.split() == ["made", "by", ours, "aaaaaaaaaaaa", ours, "bbbbbbbbbbbb", ours]
