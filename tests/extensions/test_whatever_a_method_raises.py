"""Whatever a user's method raises fails the method alone; and where it goes, the program's own paths stay."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from refusals import refused

from hopfield_nav import load_run, load_world, simulate
from hopfield_nav.cli.app import main
from hopfield_nav.sweeps import execute, make_sweep, read_rows

RAISED = ("Own('so it is')", "GeneratorExit('so it is')", "SystemExit('so it is')")
HEAD = "import os\nfrom hopfield_nav.plugin import Method, Parameter\nclass Own(BaseException):\n    pass\n"
PLANNER = """
class Mine:
    def __init__(self, way):
        self.way = way
    def plan(self, believed):
        {body}
WAY = Parameter("way", 1.0, 0.0, 1.0, "1", "")
PLANNER = Method("planner", "mine", Mine, (WAY,))
"""
KIND = "planner.kind=mine.py:PLANNER"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(body: str) -> None:
    Path("mine.py").write_text(HEAD + PLANNER.format(body=body), encoding="utf-8")


@pytest.mark.parametrize("raised", RAISED)
def test_it_is_a_failed_method_and_the_record_is_kept(raised, here, capsys):
    write(f"raise {raised}")
    assert main(["run", "u_trap", "--set", KIND, "--no-plots", "--out", "kept"]) == 2
    name = raised.partition("(")[0]
    assert f"planner 'mine': {name}: so it is (mine.py, line 10)" in capsys.readouterr().err
    assert load_run("kept").outcome == "method_failed"


@pytest.mark.parametrize("raised", RAISED)
def test_a_sweep_goes_on(raised, here):
    """In this process too."""
    write(f"if self.way: raise {raised}")
    made = make_sweep(
        "u_trap",
        {"planner.way": [1, 0, 0.5]},
        set={"planner.kind": "mine.py:PLANNER", "time_limit": 1},
    )
    rows = read_rows(execute(made, here / "out", workers=0), made)
    failed = [row["outcome"] == "method_failed" for row in rows]
    assert failed == [True, False, True]
    assert all("so it is" in row["error"] for row in (rows[0], rows[2]))


@pytest.mark.parametrize("raised", RAISED)
def test_measures_and_files_raise_what_they_like(raised, here):
    Path("mine.py").write_text(
        HEAD
        + "from hopfield_nav.plugin import Measures\n"
        + f"def of(run):\n    raise {raised}\nMEASURES = Measures(of, {{'mine': '1'}})\n"
    )
    made = make_sweep(
        "u_trap", {"map.rim": ["free"]}, set={"time_limit": 1}, measures="mine.py:MEASURES"
    )
    (row,) = read_rows(execute(made, here / "out", workers=0), made)
    assert (row["outcome"], "so it is" in row["error"]) == ("failed", True)
    Path("theirs.py").write_text(HEAD + f"raise {raised}\n", encoding="utf-8")
    with refused("theirs.py cannot be loaded: .*so it is"):
        load_world("u_trap", ["planner.kind=theirs.py:PLANNER"])


def test_ctrl_c_goes_on(here):
    write("raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        simulate(load_world("u_trap", [KIND]))


GOES_AWAY = "os.mkdir('away')\n{indent}os.chdir('away')\n"


@pytest.mark.parametrize("place", ["file", "method"])
def test_where_a_method_goes_no_results_go(place, here):
    write(GOES_AWAY.format(indent=" " * 8) + "        return None")
    if place == "file":
        Path("mine.py").write_text(
            HEAD + GOES_AWAY.format(indent="") + PLANNER.format(body="return None"),
            encoding="utf-8",
        )
    words = ["--set", KIND, "--set", "time_limit=1", "--no-plots", "--out", "kept"]
    assert main(["run", "u_trap", *words]) in (0, 1)
    assert json.loads((here / "kept" / "summary.json").read_text(encoding="utf-8"))
    assert (here / "away").is_dir()
    assert not list((here / "away").iterdir())
    assert Path(os.getcwd()) == here
