"""``hopfield-nav serve`` and ``watch``: what they print and keep, warnings, and refusals."""

from __future__ import annotations

import json
import re
import threading

import pytest
from refusals import refused_by_command
from served import (
    CONSTANT,
    bytes_served,
    data_package,
    handshake,
    in_a_process,
    in_a_thread,
    moving,
    telling,
)

from hopfield_nav.cli.app import main
from hopfield_nav.extensions.live import is_loopback, packages
from hopfield_nav.extensions.live.commands import watch as watching
from hopfield_nav.extensions.live.commands.watch import MAX_LINES, WINDOW, WatchedLines
from hopfield_nav.extensions.live.packages import package
from hopfield_nav.extensions.recordings import load_recording

METHODS = ["--detector", "joint_torque", "--threshold", "6", "--set", "pole=15"]
KNOWN = ["--motor-constants", ",".join([str(CONSTANT)] * 6)]


def watch(server, *words):
    return main(
        ["watch", server.address[0], "--port", str(server.address[1]), "--retry", "0", *words]
    )


def alarms_of(printed):
    (line,) = [line for line in printed.splitlines() if line.strip().startswith("alarms")]
    return line.split("alarms")[1].strip()


def test_watch_and_replay_of_its_record_tell_the_same(tmp_path, capsys):
    out = tmp_path / "kept"
    with in_a_thread(telling(moving(5.0, push=60.0))) as server:
        assert watch(server, *METHODS, *KNOWN, "--record", str(out)) == 0
    watched = capsys.readouterr().out
    assert "connected: controller 3.15.0.0, 125 Hz, 15 fields" in watched
    assert re.search(r"link [1-6] \(|cannot be told", watched)
    assert alarms_of(watched)[0] in "123456789"
    estimator = ["--estimator", "momentum_observer"]
    assert main(["replay", str(out), *METHODS, *KNOWN, *estimator]) == 0
    assert alarms_of(capsys.readouterr().out) == alarms_of(watched)
    assert len((out / "alarms.csv").read_text().splitlines()) == 1 + int(
        alarms_of(watched).split()[0]
    )
    settings = json.loads((out / "watch.json").read_text())
    assert settings["parameters"] == {"threshold": 6, "pole": 15}
    assert settings["counts"]["rows"] == 625


def test_keep_free_motion_then_watch(tmp_path, capsys):
    """Without methods and motors rows are kept; they give motors, friction and noise for what follows."""
    out = tmp_path / "kept"
    with in_a_thread(telling(moving(45.0)), speed=10.0) as server:
        assert watch(server, "--record", str(out), "--for", "40") == 0
    output = capsys.readouterr()
    assert "nothing is judged" in output.err
    assert "alarms" not in output.out
    assert load_recording(out).time.values[-1] == pytest.approx(40.0)
    assert "estimator" not in json.loads((out / "watch.json").read_text())
    with in_a_thread(telling(moving(3.0))) as server:
        assert watch(server, *METHODS, "--free-run", str(out)) == 0
    output = capsys.readouterr()
    assert alarms_of(output.out) == "0"
    assert re.search(r"log kept: .*clock", output.err)  # what the file is used for


def test_serve_tells_a_whole_log_and_reports_its_lateness(tmp_path, capsys):
    with in_a_thread(telling(moving(2.0, push=0.0))) as server:
        assert watch(server, *METHODS, *KNOWN, "--record", str(tmp_path / "log")) == 0
    capsys.readouterr()
    with in_a_process("127.0.78.1", str(tmp_path / "log"), "--speed", "4") as process:
        assert main(["watch", "127.0.78.1", "--retry", "0", *METHODS, *KNOWN]) == 0
        told = process.stdout.read()
        assert process.wait() == 0
    assert "250, 1.99 s" in capsys.readouterr().out
    assert "250 of 250" in told
    assert "rows were late by" in told
    assert "drifted" in told


def test_a_world_gives_model_and_methods(capsys):
    with in_a_thread(telling(moving(1.0))) as server:
        assert watch(server, "--world", "ragazzon2012_momentum", *KNOWN) == 0
    assert "momentum_observer, " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("host", "alone"),
    [
        ("127.0.0.1", True),
        ("localhost", True),
        ("::1", True),
        ("0.0.0.0", False),
        ("robot.local", False),
    ],
)
def test_who_can_reach_an_address(host, alone):
    assert is_loopback(host) is alone


def test_an_address_for_everybody_is_warned_of(tmp_path, capsys, monkeypatch):
    with in_a_thread(telling(moving(1.0))) as server:
        watch(server, *METHODS, *KNOWN, "--record", str(tmp_path / "log"))
    capsys.readouterr()
    monkeypatch.setattr(
        "hopfield_nav.extensions.live.server.Server.serve", lambda self: self._socket.close()
    )
    for host, warned in (("0.0.0.0", True), ("127.0.0.1", False)):
        assert main(["serve", str(tmp_path / "log"), "--host", host, "--port", "0"]) == 0
        assert ("the protocol knows no password" in capsys.readouterr().err) is warned


def test_a_flood_of_words_is_a_few_harmless_lines(capsys):
    """They are counted, and cannot look like an alarm; every other line is still printed."""
    words = "\x1b[2J\u202e\nalarm at 1.000 s, level 9.99, likely link 3 (99%)"
    text = package(packages.TEXT, packages.write_text(words, "error"))
    told = telling(moving(1.0))
    rows = b"".join(data_package(told, k) for k in range(20))
    with bytes_served(handshake() + text * 5000 + rows) as address:
        host, port = address
        assert main(["watch", host, "--port", str(port), "--retry", "0", *METHODS, *KNOWN]) == 0
    lines = capsys.readouterr().out.splitlines()
    messages = [line for line in lines if line.startswith("message: ")]
    assert len(messages) == MAX_LINES + 1
    assert all(line.isprintable() for line in lines)
    assert not [line for line in lines if line.startswith("alarm at")]
    assert (
        messages[-1]
        == f"message: {MAX_LINES} lines within {WINDOW:g} s; more of them are only counted"
    )
    assert any(line.split() == ["message", "5000"] for line in lines)
    assert any(line.startswith("broken: ") for line in lines)


def test_after_a_while_lines_are_printed_again(capsys, monkeypatch):
    lines, now = WatchedLines(), [0.0]
    monkeypatch.setattr(watching.clock, "monotonic", lambda: now[0])
    for _ in range(2):
        for _ in range(MAX_LINES + 5):
            lines.print("lost", "lost: 1")
        now[0] += WINDOW
    assert capsys.readouterr().out.count("lost: 1\n") == 2 * MAX_LINES


JOINTS = "watch 127.0.0.1 --detector joint_torque"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("watch 127.0.0.1", "the motor constants are not known"),  # the detector is the default
        ("watch 127.0.0.1 --detector joint_torq", "unknown detector"),
        (JOINTS, "the motor constants are not known"),
        (f"{JOINTS} --motor-constants 1,2", "no motor constants"),
        (f"{JOINTS} --motor-constants a", "--motor-constants: not understood"),
        (f"{JOINTS} --calibrate 5", "tune --free-run FOLDER"),
        (f"{JOINTS} --motor-constants 8,8,8,8,8,8 --set pol=3", "unknown parameter"),
        ("serve nowhere.yaml", "nowhere.yaml"),
        ("serve no_such_world", "no_such_world"),
        ("serve empty --host 192.0.2.1", "192.0.2.1:30004: cannot listen"),
    ],
)
def test_refusals_are_one_line_and_status_2(capsys, words, said):
    if words.startswith("serve empty"):
        words += " --set time_limit=0.2"
    refused_by_command(capsys, words.split(), said)


@pytest.mark.parametrize("judged", [[*METHODS, *KNOWN], []])
def test_nobody_there(tmp_path, capsys, judged):
    own = tmp_path / "own"
    own.mkdir()
    for folder in (tmp_path / "log", own) * 2:  # the first leaves nothing in the way of the second
        words = [
            "watch",
            "127.0.0.1",
            "--port",
            "9",
            "--retry",
            "0",
            *judged,
            "--record",
            str(folder),
        ]
        assert main(words) == 2
        assert "no arm answers: Connection refused" in capsys.readouterr().err
    assert own.is_dir()
    assert not list(tmp_path.rglob("*.csv"))


def test_a_record_overwrites_nothing(tmp_path, capsys):
    (tmp_path / "old.csv").touch()
    words = ["watch", "127.0.0.1", *METHODS, *KNOWN, "--record", str(tmp_path)]
    assert "--record" in refused_by_command(capsys, words, "holds something already")


def test_threads_end(capsys):
    """Nothing of a watch goes on after it."""
    before = threading.active_count()
    with in_a_thread(telling(moving(1.0))) as server:
        watch(server, *METHODS, *KNOWN)
    assert threading.active_count() == before
