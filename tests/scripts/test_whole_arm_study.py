"""The study of the whole arm: its worlds need to be felt, its rows say what their runs were."""

import json

import numpy as np
from whole_arm import runs
from whole_arm.runs import NONE, Ran, kept_runs, run_kept
from whole_arm.tables import felt_row, missed_rows, reached_row
from whole_arm.worlds import Drawn, draw_text

from hopfield_nav.world import parse_world

NEAR, FAR, LOST = (
    [0.01, 0.01, 0.01, 1.0, 0.95],
    [0.06, 0.06, 0.02, 0.0, 0.5],
    [NONE, NONE, NONE, 0.0, 0.0],
)


def ran(**change) -> Ran:
    values = {
        "family": "box", "seed": 7, "setting": "felt_points", "outcome": "reached", "reason": "", "alarms": 4,
        "false_alarms": 0, "contacts": 4, "motions": 9, "time": 30.0, "path": 6.0, "bound": 3.0,
        "peak_force": 50.0, "spent": 2.0, "replan": [0.1, 0.3], "places": [],
    }  # fmt: skip
    return Ran(**{**values, **change})


def cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip("|").split("|")]


def test_goals_that_were_not_reached_count_in_the_share_and_not_in_the_cost():
    lost = ran(outcome="touches", alarms=200, time=900.0, path=99.0, spent=28.0)
    name, count, share, median, most, path, time, force, *_, speed = cells(reached_row("a", [ran(), lost]))
    assert (name, count, median, most, path, time, force) == ("a", "2", "4", "4", "2.00", "30 s", "50 N")
    assert share.startswith("1 of 2 (")
    assert speed == "31"  # of both: 930 s in 30 s
    assert len(missed_rows("a", [ran(), lost])) == 1


def test_a_row_without_a_goal_reached_has_no_cost():
    row = cells(reached_row("a", [ran(outcome="no_path", replan=[])]))
    assert row[3:10] == ["-"] * 7


def test_a_touch_that_was_felt_nowhere_is_one_that_was_not_near():
    row = cells(felt_row("a", [ran(places=[NEAR, FAR]), ran(places=[LOST, NEAR])]))
    assert row == ["a", "4", "50 %", "75 %", "50 %", "75 %", "50 %", "25 %", "50 %", "100 %", "0 / 18"]


def test_a_motion_of_a_seed_is_always_the_same_and_leads_into_the_shelf():
    assert draw_text("shelf", 3) == draw_text("shelf", 3)
    assert parse_world(draw_text("shelf", 3)).start != parse_world(draw_text("shelf", 4)).start
    for seed in range(5):
        x, y, z = parse_world(draw_text("shelf", seed)).goal_point
        assert 0.35 <= np.hypot(x, y) <= 0.8
        assert 0.05 <= z <= 0.7


def test_a_run_that_was_kept_is_not_made_again(tmp_path, monkeypatch):
    drawn = Drawn("box", 7, "", 3.0)
    monkeypatch.setattr(runs, "run_one", lambda *_: ran(alarms=5))
    assert run_kept(drawn, "felt_points", 200, tmp_path).alarms == 5
    (file,) = tmp_path.iterdir()
    file.write_text(json.dumps(ran(alarms=6)._asdict()))
    assert run_kept(drawn, "felt_points", 200, tmp_path).alarms == 6


def test_kept_runs_are_those_of_a_family_and_setting(tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "run_one", lambda drawn, setting, _: ran(seed=drawn.seed, setting=setting))
    for family, seed, setting in (
        ("box", 7, "optimist"),
        ("box", 8, "felt_points"),
        ("pipes", 7, "optimist"),
    ):
        run_kept(Drawn(family, seed, "", 3.0), setting, 200, tmp_path)
    run_kept(Drawn("box", 9, "", 3.0), "felt_points, probes", 200, tmp_path)
    assert [found.seed for found in kept_runs("box", "felt_points", tmp_path)] == [8]
    assert [found.seed for found in kept_runs("box", "felt_points, probes", tmp_path)] == [9]
    assert not kept_runs("shelf", "optimist", tmp_path)
