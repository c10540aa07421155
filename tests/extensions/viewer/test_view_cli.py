"""The command view, and run --view: what they write, open, print and refuse."""

from __future__ import annotations

import webbrowser

import pytest
from refusals import refused_by_command

from hopfield_nav import load_run, load_world, simulate
from hopfield_nav.cli import main
from hopfield_nav.extensions.known_world import plan_world, save_plan


@pytest.fixture
def opened(monkeypatch):
    """Addresses that would have been opened in a browser."""
    addresses = []
    monkeypatch.setattr(webbrowser, "open", lambda address: addresses.append(address) or True)
    return addresses


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    return simulate(load_world("empty", ["time_limit=1"])).save(
        tmp_path_factory.mktemp("runs") / "empty"
    )


def test_view_writes_into_the_folder_and_opens(saved, opened, capsys):
    assert main(["view", str(saved)]) == 0
    page = saved / "view.html"
    assert opened == [page.as_uri()]
    assert capsys.readouterr().out.split() == [str(page)]
    assert "three.js authors" in page.read_text(encoding="utf-8")


def test_html_writes_there_and_opens_nothing(saved, opened, tmp_path):
    assert main(["view", str(saved), "--html", str(tmp_path / "a.html")]) == 0
    assert opened == []
    assert [path.name for path in tmp_path.iterdir()] == ["a.html"]


def test_where_there_is_no_browser_it_says_so(saved, monkeypatch, capsys):
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    assert main(["view", str(saved)]) == 0
    assert "no browser was found" in capsys.readouterr().out


def test_a_plan_is_viewed_by_the_same_command(opened, tmp_path):
    save_plan(plan_world(load_world("cell")), tmp_path / "cell")
    assert main(["view", str(tmp_path / "cell")]) == 0
    assert opened == [(tmp_path / "cell" / "view.html").as_uri()]


def test_what_is_no_run_and_no_plan_is_refused(saved, opened, tmp_path, capsys):
    refused_by_command(capsys, ["view", str(tmp_path / "none")], "no such folder")
    refused_by_command(capsys, ["view", str(tmp_path)], "not the folder of a run")
    refused_by_command(
        capsys, ["view", str(saved), "--html", str(tmp_path / "no" / "a.html")], "no such folder"
    )
    (tmp_path / "plan.json").write_text("{")
    refused_by_command(capsys, ["view", str(tmp_path)], "not the folder of a plan")
    assert opened == []
    assert [path.name for path in tmp_path.iterdir()] == ["plan.json"]


def test_run_in_sight_is_the_same_run(opened, tmp_path, capsys):
    """The page lies beside the folder; the record is that of a run without it."""
    seen, plain = tmp_path / "seen", tmp_path / "plain"
    assert main(["run", "empty", "--view", "--no-plots", "--out", str(seen)]) == 0
    output = capsys.readouterr()
    assert opened == [(tmp_path / "seen.html").as_uri()]
    assert opened[0] in output.err
    assert '"live": false' in (tmp_path / "seen.html").read_text()
    assert f"hopfield-nav view {seen}" in "".join(output.out.split("\n")).replace("  ", "")
    assert main(["run", "empty", "--no-plots", "--out", str(plain)]) == 0
    assert load_run(seen).data.identical(load_run(plain).data)
    assert load_run(seen).summary["wall_time_s"] > 0.0


def test_run_in_sight_needs_signals(tmp_path, capsys):
    command = [
        "run",
        "empty",
        "--view",
        "--set",
        "record.signals=none",
        "--out",
        str(tmp_path / "a"),
    ]
    refused_by_command(capsys, command, "no view without signals")
    assert list(tmp_path.iterdir()) == []
