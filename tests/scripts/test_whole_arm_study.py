"""The study of the whole arm: its worlds need to be felt, its rows say what their runs were."""

import json

from whole_arm import runs
from whole_arm.runs import NONE, Ran, run_kept
from whole_arm.tables import felt_row
from whole_arm.worlds import Drawn

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


def test_a_touch_that_was_felt_nowhere_is_one_that_was_not_near():
    row = cells(felt_row("a", [ran(places=[NEAR, FAR]), ran(places=[LOST, NEAR])]))
    assert row == ["a", "4", "50 %", "75 %", "50 %", "75 %", "50 %", "25 %", "50 %", "100 %", "0 / 18"]


def test_a_run_that_was_kept_is_not_made_again(tmp_path, monkeypatch):
    drawn = Drawn("box", 7, "", 3.0)
    monkeypatch.setattr(runs, "run_one", lambda *_: ran(alarms=5))
    assert run_kept(drawn, "felt_points", 200, tmp_path).alarms == 5
    (file,) = tmp_path.iterdir()
    file.write_text(json.dumps(ran(alarms=6)._asdict()))
    assert run_kept(drawn, "felt_points", 200, tmp_path).alarms == 6
