"""The built wheel, unpacked without the checkout: it holds all that the program reads."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from hopfield_nav.extensions.bench import list_suites
from hopfield_nav.sweeps import FAILURES
from hopfield_nav.world import list_sweeps, list_worlds, load_world

ROOT = Path(__file__).resolve().parents[2]
LOADED = """\
import hopfield_nav, dynamics
from hopfield_nav.world import list_sweeps, list_worlds, load_world
from hopfield_nav.sweeps import load_sweep
for name in list_worlds():
    assert load_world(name).name == name
for name in dynamics.list_arms():
    dynamics.load_arm(name)
for name in list_sweeps():
    load_sweep(name)
print(hopfield_nav.__file__, *list_worlds(), *list_sweeps())
"""
ONE_WORLD = """\
import sys
from dynamics import BadInput
from hopfield_nav.extensions.bench import find_suite, load_suite
from hopfield_nav.sweeps.job import run_job
suite = load_suite(sys.argv[1], worlds=1)
print(find_suite(sys.argv[1]))
try:
    suite.require_ready()
except BadInput as error:
    print("not ready", error, sep="\\n")
else:
    row = run_job(suite, 0)
    print(row["outcome"], row["error"], sep="\\n")
"""


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """The folder of a wheel's content."""
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as content:
        content.extractall(folder / "content")
    return folder / "content"


def _run(unpacked, folder, *arguments, **variables):
    here = {**os.environ, "PYTHONPATH": str(unpacked), **variables}
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, cwd=folder, env=here, capture_output=True, text=True, check=False
    )


def test_every_world_arm_and_sweep_is_in_it(unpacked, tmp_path):
    done = _run(unpacked, tmp_path, "-c", LOADED)
    assert done.returncode == 0, done.stderr
    where, *names = done.stdout.split()
    assert Path(where).is_relative_to(unpacked)
    assert names == [*list_worlds(), *list_sweeps()]


def test_its_commands_read_what_they_need(unpacked, tmp_path):
    for arguments in (["list", "worlds"], ["new", "mine.yaml"], ["schema"], ["--version"]):
        done = _run(unpacked, tmp_path, "-m", "hopfield_nav", *arguments)
        assert done.returncode == 0, done.stderr
        assert done.stdout
    assert (tmp_path / "mine.yaml").read_text() != ""


@pytest.mark.study
def test_it_checks_the_bundled_worlds_and_runs(unpacked, tmp_path):
    """Not compiled, which takes longer; so without maps of joint angles. scripts/wheel_worlds.py runs all."""
    worlds = [n for n in list_worlds() if load_world(n).map.space == "tool" and n != "shelf"]
    assert len(worlds) >= 16
    told = _run(unpacked, tmp_path, "-m", "hopfield_nav", "check", *worlds, NUMBA_DISABLE_JIT="1")
    assert told.returncode == 0, told.stderr
    assert told.stdout.splitlines() == [f"{name}: ok" for name in worlds]
    words = ["run", "empty", "--set", "time_limit=0.05", "--no-plots", "--out", "made"]
    done = _run(unpacked, tmp_path, "-m", "hopfield_nav", *words, NUMBA_DISABLE_JIT="1")
    assert done.returncode == 1, done.stderr  # the time was over
    assert "time_limit" in done.stdout
    assert {"log.nc", "summary.json", "world.yaml"} <= {
        p.name for p in (tmp_path / "made").iterdir()
    }


@pytest.mark.study
@pytest.mark.parametrize("suite", list_suites())
def test_one_world_of_every_suite_is_run(suite, unpacked, tmp_path):
    """Without ``--trust``, by the first method; where recordings or problems are missing, it says so."""
    data = os.environ.get("HOPFIELD_NAV_DATA") or str(ROOT.parent / "shared" / "data")
    done = _run(unpacked, tmp_path, "-c", ONE_WORLD, suite, HOPFIELD_NAV_DATA=data)
    assert done.returncode == 0, done.stderr
    file, outcome, told = done.stdout.splitlines()
    assert Path(file).is_relative_to(unpacked)
    if outcome == "not ready":
        pytest.skip(told)
    assert outcome not in FAILURES, told


@pytest.mark.study
def test_its_suites_are_known_by_name_and_their_rows_come_along(unpacked, tmp_path):
    listed = _run(unpacked, tmp_path, "-m", "hopfield_nav", "list", "suites", COLUMNS="500")
    assert [line.split()[0] for line in listed.stdout.splitlines()] == list_suites()
    made = _run(
        unpacked, tmp_path, "-m", "hopfield_nav", "new", "mine.yaml", "--from", "suites/touch"
    )
    assert made.returncode == 0, made.stderr
    told = _run(unpacked, tmp_path, "-m", "hopfield_nav", "check", "mine.yaml", *list_suites())
    assert told.returncode == 0, told.stderr
    assert [line.split(":")[0] for line in told.stdout.splitlines()] == [
        "mine.yaml",
        *list_suites(),
    ]
    (tmp_path / "same.yaml").write_text("explore: replan\n")
    words = [
        "bench",
        "space",
        "--method",
        "same=same.yaml",
        "--worlds",
        "1",
        "--workers",
        "0",
        "--out",
        "made",
    ]
    done = _run(unpacked, tmp_path, "-m", "hopfield_nav", *words)
    assert done.returncode == 0, done.stderr
    assert "rows that come along: replan, follow, slide, 1 worlds" in done.stderr


def test_every_file_of_both_packages_is_in_it(unpacked):
    for package in ("hopfield_nav", "dynamics"):
        for path in (ROOT / package).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                assert (unpacked / path.relative_to(ROOT)).is_file(), path
