"""Twelve bad files of each format of a log: a line each, and status 2."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest
import seven_joints as seven
from refusals import refused_by_command

ROWS = slice(0, 60)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The arm's URDF and a short motion of it."""
    urdf = seven.write_urdf(tmp_path_factory.mktemp("arm") / "seven.urdf")
    return urdf, tuple(column[ROWS] for column in seven.motion(urdf, seconds=1.0))


def _edited(old: str, new: str):
    def spoil(folder: Path, name: str) -> None:
        path = folder / name
        text = path.read_text()
        assert re.search(old, text), old
        path.write_text(re.sub(old, new, text, count=1))

    return spoil


def _table(old: str, new: str):
    return lambda folder: _edited(old, new)(folder, "log.csv")


def _description(old: str, new: str):
    return lambda folder: _edited(old, new)(folder, "log.yaml")


def _reversed_rows(folder: Path) -> None:
    head, *rows = (folder / "log.csv").read_text().splitlines(keepends=True)
    (folder / "log.csv").write_text("".join([head, *rows[::-1]]))


TABLES = {
    "a joint is missing": (_table(r"pos\[6\]", "other"), "wrong number of joints"),
    "a column is missing": (
        _description("t_ms", "t_us"),
        "log.csv, line 1: no column 't_us' in the header",
    ),
    "degrees as radians": (_description(", unit: deg}", "}"), "q looks like degrees"),
    "milliseconds as seconds": (_description(", unit: ms", ""), "time looks like milliseconds"),
    "an unknown unit": (
        _description("deg/s", "rpm"),
        "log.yaml: qd.unit: unknown unit; found 'rpm'",
    ),
    "time goes back": (_reversed_rows, "log.csv, line 3: time does not increase"),
    "a word among numbers": (
        _table(r"\n[^,]+,[^,]+", "\n0,fast"),
        "line 2: not a finite number; found 'fast'",
    ),
    "a row too short": (
        _table(r",[^,]+\n1700000000012", "\n1700000000012"),
        "wrong number of columns",
    ),
    "an unknown key": (_description("effort", "torque"), "log.yaml, line 6: torque: unknown key"),
    "no such file": (
        _description("log.csv", "gone.csv"),
        "gone.csv: cannot read the log: No such file",
    ),
    "a contact without rows": (
        _description("contact: label", "contacts: [[1, 2]]"),
        "no rows in a contact",
    ),
    "no angles": (_description("q: .*\n", ""), "q: no joint angles"),
    "two joints of one number": (_table(r"pos\[1\]", "pos[2]"), "wrong number of joints"),
    "no rows": (_table("\n(.*\n)+", "\n"), "no numbers in the log"),
}


@pytest.mark.parametrize(("spoil", "words"), TABLES.values(), ids=TABLES)
def test_a_bad_table_is_told_in_one_line(made, tmp_path, capsys, spoil, words):
    urdf, motion = made
    seven.write_csv(tmp_path / "log.csv", motion)
    (tmp_path / "log.yaml").write_text(seven.DESCRIPTION.format(file="log.csv"))
    spoil(tmp_path)
    refused_by_command(capsys, ["replay", str(tmp_path / "log.yaml"), "--arm", str(urdf)], words)


def _cut(share: float):
    def spoil(path: Path) -> None:
        path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])

    return spoil


def _changed(**change):
    """The motion with a column changed by a function, written as a bag."""

    def spoil(motion):
        names = ("time", "q", "qd", "torque", "own", "contact")
        return tuple(
            change.get(name, lambda v: v)(value) for name, value in zip(names, motion, strict=True)
        )

    return spoil


def _with(row: object, value: float):
    def spoil(values):
        values = values.copy()
        values[row] = value
        return values

    return spoil


BAGS = {
    "truncated": (None, _cut(0.5), "", "not a bag that can be read"),
    "cut in its head": (None, _cut(0.001), "", "not a bag that can be read"),
    "no bag": (None, lambda path: path.write_text("hello"), "", "not a bag that can be read"),
    "time goes back": (
        _changed(time=lambda t: t[::-1]),
        None,
        "",
        "message 1: time does not increase",
    ),
    "not a number": (
        _changed(torque=_with((7, 2), np.nan)),
        None,
        "",
        "message 8, effort: not a finite number",
    ),
    "degrees": (_changed(q=np.degrees), None, "", "q looks like degrees"),
    "no such joint": (
        None,
        None,
        "joints: [a, b, c, d, e, f, g]\n",
        "no such joint in any message; found 'a'",
    ),
    "no such topic": (None, None, "topic: /joint_state\n", "Did you mean '/joint_states'"),
    "a joint is missing": (
        None,
        None,
        f"joints: [{', '.join(seven.JOINTS[:6])}]\n",
        "no joint elbow_g; found",
    ),
    "no such field": (None, None, "q: angle\n", "q: not in the messages; found 'angle'"),
    "six velocities": (
        _changed(qd=lambda v: v[:, :6]),
        None,
        "",
        "message 1, velocity: not one number a joint",
    ),
    "no messages": (lambda motion: tuple(c[:0] for c in motion), None, "", "no messages"),
    "no torques": (_changed(torque=lambda v: v[:, :0]), None, "", "no motor currents or torques"),
}


@pytest.mark.parametrize(("change", "spoil", "text", "words"), BAGS.values(), ids=BAGS)
def test_a_bad_bag_of_ros_1_is_told_in_one_line(made, tmp_path, capsys, change, spoil, text, words):
    urdf, motion = made
    bag = seven.write_bag(tmp_path / "log.bag", change(motion) if change else motion, 1)
    if spoil is not None:
        spoil(bag)
    log = bag
    if text:
        log = tmp_path / "log.yaml"
        log.write_text(f"format: 1\nfile: log.bag\n{text}")
    refused_by_command(capsys, ["replay", str(log), "--arm", str(urdf)], words)


def _in_folder(pattern: str, spoil):
    return lambda folder: [spoil(path) for path in folder.glob(pattern)]


FOLDERS = {
    "truncated": ("*.db3", _cut(0.5), "not a bag that can be read"),
    "empty": ("*.db3", _cut(0.0), "not a bag that can be read"),
    "no database": ("*.db3", Path.unlink, "not a bag that can be read"),
    "no metadata": ("metadata.yaml", Path.unlink, "a bag without metadata.yaml"),
    "metadata of something else": (
        "metadata.yaml",
        lambda p: p.write_text("a: 1\n"),
        "not a bag that can be read",
    ),
    "metadata that is no YAML": (
        "metadata.yaml",
        lambda p: p.write_text("{"),
        "not a bag that can be read",
    ),
}


@pytest.mark.parametrize(("pattern", "spoil", "words"), FOLDERS.values(), ids=FOLDERS)
def test_a_bad_bag_of_ros_2_is_told_in_one_line(made, tmp_path, capsys, pattern, spoil, words):
    urdf, motion = made
    bag = seven.write_bag(tmp_path / "log", motion, 2)
    _in_folder(pattern, spoil)(bag)
    refused_by_command(capsys, ["replay", str(bag), "--arm", str(urdf)], words)


CHANGED = [
    "time goes back",
    "not a number",
    "degrees",
    "six velocities",
    "no messages",
    "no torques",
]


@pytest.mark.parametrize("name", CHANGED)
def test_bad_messages_of_ros_2_are_told_in_one_line(made, tmp_path, capsys, name):
    urdf, motion = made
    change, _, _, words = BAGS[name]
    bag = seven.write_bag(tmp_path / "log", change(motion), 2)
    refused_by_command(capsys, ["replay", str(bag), "--arm", str(urdf)], words)


MODEL = "effort: effort\ntau: effort\nresidual: true\n"
WORDS = {
    "another arm": ("", "", "another number of joints than the arm; found '7: elbow_a"),
    "two sources of torque": (
        "",
        "--arm {urdf} --motor-constants 1",
        "which need no motor constants",
    ),
    "an estimator of masses": (MODEL, "--estimator joint_error", "feels nothing without masses"),
    "a detector of forces": (MODEL, "--detector force_norm", "--detector: needs an arm"),
    "an estimator of the reference": (
        "",
        "--arm {urdf} --estimator joint_error --set omega=10",
        "needs the reference of the joints",
    ),
    "no labels": ("", "--arm {urdf} --judge", "nothing says when the arm was touched"),
    "no effort": ("residual: true\nq: position\n", "", "residual: no effort"),
    "a scale of two joints": (
        "q: {columns: position, scale: [1, 2]}\n",
        "",
        "q.scale: wrong number; found 2",
    ),
}


@pytest.mark.parametrize(("text", "words", "said"), WORDS.values(), ids=WORDS)
def test_what_a_log_does_not_allow_is_told_in_one_line(made, tmp_path, capsys, text, words, said):
    urdf, motion = made
    seven.write_bag(tmp_path / "log.bag", motion, 1)
    log = tmp_path / "log.yaml"
    log.write_text(f"format: 1\nfile: log.bag\n{text}")
    refused_by_command(capsys, ["replay", str(log), *words.format(urdf=urdf).split()], said)


def test_without_rosbags_a_bag_says_what_to_install(made, tmp_path, capsys, monkeypatch):
    urdf, motion = made
    log = seven.write_bag(tmp_path / "log.bag", motion, 1)
    monkeypatch.setitem(sys.modules, "rosbags.highlevel", None)
    words = "pip install 'hopfield-nav[bags]'"
    refused_by_command(capsys, ["replay", str(log), "--arm", str(urdf)], words)
