"""Plans as CSV: columns, values, what comes back, and what is refused."""

from __future__ import annotations

import csv
import os
from functools import cache

import numpy as np
import pinocchio as pin
import pytest
from oracles import pinocchio_model
from planned_paths import direct_path, line_path, planned_path
from poses import HOME
from refusals import refused

from dynamics import load_arm
from hopfield_nav.extensions.known_world import (
    load_plan_csv,
    quintic_pieces,
    time_path,
    write_plan_csv,
)
from hopfield_nav.extensions.known_world.robot_program import plan_table
from hopfield_nav.loop import evaluate

ARM = load_arm("ur5_ragazzon2012")


@cache
def trajectory():
    return time_path(ARM, direct_path([HOME, HOME + [0.5, -0.3, 0.2, 0.1, -0.1, 0.4]]))  # noqa: RUF005


def test_every_row_is_the_trajectory_and_what_pinocchio_makes_of_it(tmp_path):
    path = write_plan_csv(ARM, trajectory(), tmp_path / "plan.csv")
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0])[:3] == ["time_s", "q1_rad", "q2_rad"]
    assert list(rows[0])[-5:] == ["tau5_Nm", "tau6_Nm", "x_m", "y_m", "z_m"]
    model, data = pinocchio_model(ARM)
    for i, row in enumerate(rows):
        time = float(row["time_s"])
        assert time == pytest.approx(min(0.008 * i, trajectory().knots[-1]), abs=1e-12)
        q, qd, qdd = evaluate(trajectory(), time)
        for name, unit, value in (("q", "rad", q), ("qd", "rad_s", qd), ("qdd", "rad_s2", qdd)):
            found = [float(row[f"{name}{j}_{unit}"]) for j in range(1, 7)]
            np.testing.assert_allclose(found, value, atol=1e-12)
        torque = [float(row[f"tau{j}_Nm"]) for j in range(1, 7)]
        np.testing.assert_allclose(torque, pin.rnea(model, data, q, qd, qdd), atol=1e-9)
        pin.framesForwardKinematics(model, data, q)
        tool = data.oMf[model.getFrameId("tool")].translation
        np.testing.assert_allclose([float(row[k]) for k in ("x_m", "y_m", "z_m")], tool, atol=1e-12)
    assert float(rows[-1]["time_s"]) == trajectory().knots[-1]


@pytest.mark.parametrize("period", [0.002, 0.008, 0.1])
def test_round_trip_keeps_every_bit(tmp_path, period):
    table = plan_table(ARM, trajectory(), period)
    back = load_plan_csv(write_plan_csv(ARM, trajectory(), tmp_path / "plan.csv", period))
    for found, wanted in zip(back, table, strict=True):
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("path", ["direct", "line"])
def test_the_table_is_a_trajectory_again(tmp_path, path):
    """It meets the original at the rows, and between them nearly, the better the finer."""
    original = (
        trajectory() if path == "direct" else time_path(ARM, line_path(ARM, HOME, [0, -0.2, 0.1]))
    )
    worst = []
    for period in (0.008, 0.001):
        again = quintic_pieces(
            *load_plan_csv(write_plan_csv(ARM, original, tmp_path / "p.csv", period))[:4]
        )
        assert again.knots[-1] == original.knots[-1]
        for time in again.knots[:-1:20]:
            np.testing.assert_allclose(evaluate(again, time), evaluate(original, time), atol=1e-8)
        times = np.random.default_rng(0).uniform(0, original.knots[-1], 500)
        worst.append(
            max(np.abs(evaluate(again, t)[0] - evaluate(original, t)[0]).max() for t in times)
        )
    assert worst[0] < 1e-6
    assert worst[1] < 0.1 * worst[0]


def test_a_plan_without_motion_is_one_row(tmp_path):
    still = time_path(ARM, planned_path([HOME], "direct", [0]))
    table = load_plan_csv(write_plan_csv(ARM, still, tmp_path / "plan.csv"))
    assert table.q.shape == (1, 6)
    np.testing.assert_array_equal(table.q[0], HOME)


def test_nothing_half_written_is_left(tmp_path, monkeypatch):
    target = tmp_path / "plan.csv"
    target.write_text("old")

    def full(*args, **named):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", full)
    with refused("No space left"):
        write_plan_csv(ARM, trajectory(), target)
    assert target.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["plan.csv"]


def _spoil(lines, row, column, text):
    cells = lines[row].split(",")
    cells[column] = text
    return [*lines[:row], ",".join(cells), *lines[row + 1 :]]


SPOILT = {
    "empty": (lambda lines: [], "not the columns"),
    "unknown column": (lambda lines: _spoil(lines, 0, 1, "q1_deg"), "not the columns"),
    "word": (lambda lines: _spoil(lines, 2, 3, "fast"), "line 3, column q3_rad"),
    "NaN": (lambda lines: _spoil(lines, 1, 0, "nan"), "line 2, column time_s"),
    "short row": (lambda lines: [*lines[:-1], "1,2"], "wrong number of values"),
    "time": (lambda lines: [lines[0], *lines[:0:-1]], "time begins at 0"),
    "no rows": (lambda lines: lines[:1], "time begins at 0"),
}


@pytest.mark.parametrize(("spoil", "words"), SPOILT.values(), ids=SPOILT)
def test_a_spoilt_file_is_refused_in_one_line(tmp_path, spoil, words):
    path = write_plan_csv(ARM, trajectory(), tmp_path / "plan.csv", 0.2)
    path.write_text("\n".join(spoil(path.read_text().splitlines())))
    with refused(words):
        load_plan_csv(path)


def _pipe(folder):
    os.mkfifo(folder / "pipe")
    return folder / "pipe"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda folder: plan_table(ARM, trajectory(), 0.0), "period must be positive"),
        (lambda folder: load_plan_csv(folder / "none.csv"), "cannot read"),
        (lambda folder: load_plan_csv(_pipe(folder)), "no regular file"),
        (
            lambda folder: write_plan_csv(ARM, trajectory(), folder / "no" / "plan.csv"),
            "cannot write",
        ),
    ],
    ids=["no period", "missing file", "a pipe", "missing folder"],
)
def test_what_cannot_be_written_or_read_is_refused(tmp_path, call, words):
    with refused(words):
        call(tmp_path)
