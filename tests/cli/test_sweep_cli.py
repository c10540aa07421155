"""``hopfield-nav sweep``: what it prints, where results go, Ctrl-C and resuming."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from importlib import import_module
from pathlib import Path

import psutil
import pytest
from pictures import assert_fit_to_print
from refusals import refused_by_command

from hopfield_nav.cli.app import main
from hopfield_nav.cli.sweep_report import TimeLeft, duration
from hopfield_nav.record import read_netcdf

ROOT = Path(__file__).resolve().parents[2]
SWEEP = """
format: 1
world: u_trap
set: {{time_limit: {limit}}}
vary:
  detection.threshold: [6, 12]
repeats: {repeats}
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """An empty current folder with the sweep file ``quick.yaml``; figures are a stand-in."""
    (tmp_path / "quick.yaml").write_text(SWEEP.format(limit=8, repeats=2))

    def draw(folder, pdf=False, out=None):
        (Path(folder) / "drawn").write_text("")
        return [Path("x.png")]

    monkeypatch.setitem(
        vars(import_module("hopfield_nav.figures.sweep")), "draw_sweep_figures", draw
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_sweep_from_its_first_line_to_summary(place, capsys):
    assert main(["sweep", "quick.yaml", "--workers", "0"]) == 0
    out, err = capsys.readouterr()
    assert "quick: 4 runs" in err
    assert "time_limit" in out
    assert out.startswith("2 runs: 2 time_limit")  # nothing is random, so that a repeat counts once
    assert "0/1  0% (0–79)" in out  # Wilson
    folder = place / "runs" / "quick"
    assert {"sweep.csv", "sweep.nc", "sweep.yaml", "drawn"} <= {p.name for p in folder.iterdir()}
    assert main(["plot", str(folder)]) == 0
    assert main(["sweep", "quick.yaml", "--workers", "0", "--no-plots"]) == 0
    assert not (place / "runs" / "quick-2" / "drawn").exists()


def test_the_best_is_drawn_beside_the_base_world(tmp_path, monkeypatch, capsys):
    """By an aim, which another one replaces in the finished sweep; nothing of a run is kept without pictures."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "quick.yaml").write_text(
        SWEEP.format(limit=6, repeats=1).replace("[6, 12]", "[1, 6, 12]")
    )
    assert main(["sweep", "quick.yaml", "--workers", "0", "--no-plots"]) == 0
    folder = tmp_path / "runs" / "quick"
    assert not (folder / "runs").exists()
    aim = "{least: final_tool_error_m, while: {detection_delay_median_s: '> 0.01'}}"
    assert main(["sweep", "quick.yaml", "--workers", "0", "--resume", "--aim", aim]) == 0
    out = capsys.readouterr().out
    assert "by the aim: least final_tool_error_m while detection_delay_median_s > 0.01" in " ".join(
        out.split()
    )
    attributes = read_netcdf(folder / "sweep.nc").attrs
    kept = {int(path.name) for path in (folder / "runs").iterdir()}
    assert kept == {attributes["base_run"], attributes["best_run"]} == {0, attributes["best_run"]}
    assert_fit_to_print(folder / "figures" / "paths.png")
    refused_by_command(
        capsys,
        ["sweep", "quick.yaml", "--aim", "{least: colision_count}"],
        "Did you mean 'collision_count'",
    )
    refused_by_command(capsys, ["sweep", "quick.yaml", "--aim", "{least: ["], "--aim")


def test_resume_of_the_newest_folder_and_its_refusals(place, capsys):
    refused_by_command(
        capsys, ["sweep", "quick.yaml", "--workers", "0", "--resume"], "nothing to resume"
    )
    assert main(["sweep", "quick.yaml", "--workers", "0", "--no-plots"]) == 0
    table = (place / "runs/quick/sweep.csv").read_bytes()
    (place / "runs/quick/sweep.csv").write_bytes(b"".join(table.splitlines(keepends=True)[:3]))
    assert main(["sweep", "quick.yaml", "--workers", "0", "--no-plots", "--resume"]) == 0
    assert "quick: 2 of 4 runs" in capsys.readouterr().err
    assert (place / "runs/quick/sweep.csv").read_bytes() == table
    (place / "quick.yaml").write_text(SWEEP.format(limit=8, repeats=3))
    assert main(["sweep", "quick.yaml", "--workers", "0", "--no-plots", "--resume"]) == 0
    assert "quick: 2 of 6 runs" in capsys.readouterr().err
    (place / "quick.yaml").write_text(SWEEP.format(limit=7, repeats=2))
    line = refused_by_command(
        capsys, ["sweep", "quick.yaml", "--workers", "0", "--resume"], "time_limit has been changed"
    )
    assert "since these results were begun, from 8.0 to 7.0" in line


def test_until_decided_says_beforehand_and_at_the_end(place, capsys):
    (place / "quick.yaml").write_text(SWEEP.format(limit=0.5, repeats=2))
    words = ["sweep", "quick.yaml", "--workers", "0", "--no-plots"]
    assert main([*words, "--until-decided", "--at-most", "9"]) == 0
    out, err = capsys.readouterr()
    assert "quick: 0 runs are there; up to 9 until it is decided" in err
    assert "seeds of a setting to show what takes most: " in err
    assert "decided: nothing in these runs is random" in " ".join(out.split())
    refused_by_command(capsys, [*words, "--at-most", "9"], "--at-most: without --until-decided")
    refused_by_command(capsys, [*words, "--until-decided", "--at-most", "1"], "fewer runs than")


def test_usage(place, capsys):
    refused_by_command(capsys, ["sweep", "nothing"], "unknown sweep")
    refused_by_command(capsys, ["sweep", "quick.yaml", "--workers", "-1"], "--workers")
    assert main(["check", "quick.yaml"]) == 0


def test_check_tries_every_combination_once_and_counts_those_that_cannot_run(place, capsys):
    both = "{planner.radius: [1, 2], explore.method: [replan, follow]}"
    (place / "grid.yaml").write_text(f"{{format: 1, world: u_trap, vary: {both}, repeats: 20}}")
    assert main(["check", "grid.yaml"]) == 2
    (line,) = capsys.readouterr().err.splitlines()[-1:]
    assert "1 of 4 combinations cannot run" in line
    assert "found 'planner.radius=2, explore.method=follow'" in line


@pytest.mark.parametrize(
    "whole_group",
    [pytest.param(False, marks=pytest.mark.study), True],
    ids=["kill -INT", "Ctrl-C in a terminal"],
)
def test_interrupted(tmp_path, whole_group):
    """A real SIGINT while two workers run: 130, no traceback, nothing left; the rest is done as after a SIGKILL."""
    (tmp_path / "long.yaml").write_text(SWEEP.format(limit=20, repeats=8))
    process, table = begun(tmp_path)
    workers = psutil.Process(process.pid).children(recursive=True)
    (os.killpg if whole_group else os.kill)(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "Warning" not in err
    assert "of 16 runs are kept" in err
    assert err.rstrip().endswith("interrupted")
    assert psutil.wait_procs(workers, timeout=5)[1] == []
    assert 3 <= table.read_bytes().count(b"\n") < 17


@pytest.mark.parametrize(
    "how", [pytest.param(signal.SIGTERM, marks=pytest.mark.study), signal.SIGKILL]
)
def test_workers_end_with_a_sweep_that_is_killed(tmp_path, how):
    """They are in the middle of runs, and nobody tells them."""
    (tmp_path / "long.yaml").write_text(SWEEP.format(limit=20, repeats=8))
    process, _ = begun(tmp_path)
    workers = psutil.Process(process.pid).children(recursive=True)
    assert len([worker for worker in workers if "spawn_main" in " ".join(worker.cmdline())]) == 2
    process.send_signal(how)
    process.communicate(timeout=20)
    assert process.returncode == -how
    assert psutil.wait_procs(workers, timeout=20)[1] == []
    if how == signal.SIGKILL:  # which leaves most behind
        assert_resumed(tmp_path)


def program(place, *words):
    """The command that is tested, and where it runs."""
    here = {**os.environ, "PYTHONPATH": str(ROOT)}
    return [sys.executable, "-W", "ignore", "-m", "hopfield_nav", *words], {
        "cwd": place,
        "env": here,
        "text": True,
    }


def begun(place):
    """A sweep on two workers that has its first rows, in a session of its own; and its table."""
    command, how = program(place, "sweep", "long.yaml", "--no-plots", "--workers", "2")
    process = subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE, **how)
    table = place / "runs/long/sweep.csv"
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline and (
        not table.exists() or table.read_bytes().count(b"\n") < 3
    ):
        time.sleep(0.02)
    return process, table


def assert_resumed(place):
    """What is missing is done, by this process alone."""
    command, how = program(place, "sweep", "long.yaml", "--no-plots", "--workers", "0", "--resume")
    done = subprocess.run(command, capture_output=True, check=False, **how)
    assert done.returncode == 0, done.stderr
    assert (place / "runs/long/sweep.csv").read_bytes().count(b"\n") == 17


def test_words():
    assert [duration(s) for s in (0.2, 59, 125, 12000)] == [
        "1 s",
        "59 s",
        "2 min 05 s",
        "3 h 20 min",
    ]


def test_the_time_left_is_told_from_more_than_the_first_run():
    """The first row waits for workers that start and load: 40 s here, and the others half a second each."""
    pace = TimeLeft(100)
    assert pace.line(1, Counter(reached=1), now=40.0) == "1 of 100 runs: 1 reached"
    assert "left" not in pace.line(3, Counter(reached=3), now=41.0)
    assert "2 a second, 48 s left: 4 reached" in pace.line(4, Counter(reached=4), now=41.5)
    again = TimeLeft(100)  # after 60 rows that stand from before
    again.line(61, Counter(reached=61), now=0.0)
    assert "20 s left" in again.line(81, Counter(reached=81), now=21.05)


def test_two_sweeps_at_once_get_a_folder_each(place):
    (place / "quick.yaml").write_text(SWEEP.format(limit=0.5, repeats=1))
    words = [
        sys.executable,
        "-m",
        "hopfield_nav",
        "sweep",
        "quick.yaml",
        "--workers",
        "0",
        "--no-plots",
    ]
    both = [
        subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.PIPE, cwd=place)
        for _ in "ab"
    ]
    told = [process.communicate()[1].decode() for process in both]
    assert [process.returncode for process in both] == [0, 0], told
    tables = [(place / "runs" / name / "sweep.csv").read_bytes() for name in ("quick", "quick-2")]
    assert tables[0] == tables[1]
    assert tables[0].count(b"\n") == 3
