"""Sweeps with what is somebody's own: measures as columns, an end after some touches, methods that hang."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import xarray as xr
from refusals import refused

from hopfield_nav import load_run
from hopfield_nav.sweeps import execute, load_sweep, make_sweep, read_rows

MEASURES = """
from hopfield_nav.plugin import Measures


def measure(run):
    return {"longest_N": float(abs(run.data.force).max()), "first": run.world.name, "nothing": None}


MEASURES = Measures(measure, {"longest_N": "N", "first": "", "nothing": "1"})
WRONG = Measures(measure, {"longest_N": "N"})
CLASH = Measures(measure, {"collision_count": "1"})
"""
HANGS = """
import time
from hopfield_nav.plugin import Method, Parameter


class Hangs:
    def __init__(self, way):
        self.way = way
    def on_touch(self, touch):
        while self.way == 1:
            pass
        if self.way == 2:
            time.sleep(1e6)  # not to be ended by an exception alone
        return None
    on_rest = on_touch


RESPONSE = Method("response", "hangs", Hangs, (Parameter("way", 0.0, 0.0, 2.0, "1", "how it hangs"),))
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(MEASURES, encoding="utf-8")
    Path("hangs.py").write_text(HANGS, encoding="utf-8")
    return tmp_path


def small(**others):
    return make_sweep("u_trap", {"detection.threshold": [6, 12]}, set={"time_limit": 8}, **others)


def test_measures_are_columns_of_both_tables(here):
    made = small(measures="mine.py:MEASURES")
    folder = execute(made, here / "out", workers=0)
    for row in read_rows(folder, made):
        assert row["longest_N"] > 0.0
        assert (row["first"], row["nothing"]) == ("u_trap", None)
    with xr.open_dataset(folder / "sweep.nc", engine="h5netcdf") as table:
        assert table.longest_N.attrs["units"] == "N"
        assert table.first.values.tolist() == [["u_trap"], ["u_trap"]]
        assert table.nothing.isnull().all()
    again = load_sweep(folder / "sweep.yaml", allow_code=True)
    assert again.digest == made.digest


def test_measures_that_give_other_columns_fail_the_row_alone(here):
    made = small(measures="mine.py:WRONG")
    for row in read_rows(execute(made, here / "out", workers=0), made):
        assert row["outcome"] == "failed"
        assert "mine.py:WRONG gives other columns" in row["error"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mine.py:NONE", "mine.py has no measures of that name; found 'NONE'"),
        ("none.py:MEASURES", "no such file for the measures"),
        ("mine.py:CLASH", "a measure has the name of another column; found 'collision_count'"),
    ],
)
def test_measures_that_cannot_be_had(name, words, here):
    with refused(words):
        small(measures=name)


def test_a_run_is_given_up_after_so_many_touches(here):
    made = make_sweep("u_trap", {"detection.threshold": [2.0]}, until={"touches": 3})
    (row,) = read_rows(execute(made, here / "out", workers=0), made)
    assert row["outcome"] == "given_up"
    assert 3 <= row["collision_count"] + row["graze_count"] <= 5
    assert make_sweep("u_trap", {"detection.threshold": [2.0]}).digest != made.digest
    with refused("until.touches.*1 to"):
        make_sweep("u_trap", {"detection.threshold": [2.0]}, until={"touches": 0})


def test_what_hangs_or_sleeps_is_ended_in_this_process(here):
    made = make_sweep(
        "u_trap",
        {"explore.way": [0, 1, 2]},
        set={"explore.method": "hangs.py:RESPONSE"},
        patience=0.5,
    )
    rows = read_rows(execute(made, here / "out", workers=0), made)
    assert [row["outcome"] for row in rows] == ["reached", "method_failed", "method_failed"]
    assert all(
        "response 'hangs': one call took longer than 0.5 s" in row["error"] for row in rows[1:]
    )


def test_a_worker_is_ended_and_the_row_marked(here):
    made = make_sweep(
        "u_trap",
        {"explore.way": [0, 1, 2]},
        set={"explore.method": "hangs.py:RESPONSE"},
        patience=0.5,
    )
    rows = read_rows(execute(made, here / "out", workers=1), made)
    assert [row["outcome"] for row in rows] == ["reached", "method_failed", "method_failed"]
    for row in rows[1:]:
        assert (
            row["error"]
            == "response 'hangs': one call took longer than 0.5 s; its worker was ended"
        )
        assert row["simulated_time_s"] is None


@pytest.mark.parametrize("key", ["set", "vary"])
def test_a_method_of_ones_own_is_not_run_before_its_own_row(here, key):
    """It may hang: wherever the sweep names it."""
    given = {"set": {"explore.method": "hangs.py:RESPONSE"}, "vary": {"explore.way": [1]}}
    if key == "vary":
        given = {"vary": {"explore.method": ["replan", "hangs.py:RESPONSE"]}}
    assert make_sweep("u_trap", **given).calls_own
    assert not small().calls_own


def test_a_method_that_raises_is_a_row_like_others(here):
    Path("raises.py").write_text(
        HANGS.replace("while self.way", "if self.way").replace("pass", "1 / 0")
    )
    made = make_sweep(
        "u_trap", {"explore.way": [0, 1]}, set={"explore.method": "raises.py:RESPONSE"}
    )
    rows = read_rows(execute(made, here / "out", workers=0), made)
    assert [row["outcome"] for row in rows] == ["reached", "method_failed"]
    assert "ZeroDivisionError" in rows[1]["error"]
    assert math.isfinite(rows[1]["simulated_time_s"])  # up to there


def test_an_error_of_the_program_is_a_row_that_is_marked(here, monkeypatch):
    """Up to there it is a row like others, and its record is kept where records are."""

    def fail(*_):
        raise IndexError("not meant to happen")

    monkeypatch.setattr("hopfield_nav.experiment.after_event.after_alarm", fail)
    made = make_sweep(
        "u_trap",
        {"obstacles": [[], [{"sphere": {"center": [0.4, 0, 0], "radius": 0.05}}]]},
        keep="runs",
    )
    rows = read_rows(execute(made, here / "out", workers=0), made)
    assert [row["outcome"] for row in rows] == ["reached", "internal_error"]
    assert rows[1]["error"] == "IndexError: not meant to happen"
    assert rows[1]["simulated_time_s"] > 0.0
    assert load_run(here / "out" / "runs" / "000001").outcome == "internal_error"
