"""What comes from outside is printed harmlessly, and every encoding of the terminal can be printed to."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from dynamics import BadInput
from hopfield_nav.cli.app import main
from hopfield_nav.cli.crash import noticed_interrupts, write_report
from hopfield_nav.cli.report import print_columns, print_table, say
from hopfield_nav.world import name_of

HOSTILE = "a\x1b[31mb\u202ec\nhopfield-nav: forged\r"


def hopfield_nav(encoding, *words):
    """A process of the command line whose output has another encoding."""
    surroundings = {**os.environ, "PYTHONIOENCODING": encoding}
    command = [sys.executable, "-m", "hopfield_nav", *words]
    return subprocess.run(command, env=surroundings, capture_output=True, check=False)


def test_another_thread_leaves_interrupts_to_whoever_has_them():
    """Only the main thread may listen for Ctrl-C: in another the program runs all the same."""

    def runs():
        with noticed_interrupts() as seen:
            return list(seen)

    before = signal.getsignal(signal.SIGINT)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(runs).result() == []
    assert signal.getsignal(signal.SIGINT) is before


def test_an_interrupt_that_meets_the_end_of_an_object_is_not_lost(capfd):
    """Python prints what is raised there, and goes on."""

    class Interrupted:
        def __del__(self):
            signal.raise_signal(signal.SIGINT)

    def wait():
        Interrupted()
        end = time.monotonic() + 10.0
        while time.monotonic() < end:
            time.sleep(0.001)

    with noticed_interrupts(), pytest.raises(KeyboardInterrupt):
        wait()
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("encoding", ["latin-1", "ascii"])
def test_an_encoding_without_the_letters_is_no_fault(encoding, tmp_path):
    told = hopfield_nav(encoding, "new", str(tmp_path / "α→ω.yaml"))
    assert told.returncode == 0
    assert "\\u2192" in told.stdout.decode(encoding)


def test_the_schema_is_json_in_every_encoding():
    told = [
        json.loads(hopfield_nav(name, "schema").stdout.decode(name))
        for name in ("utf-8", "latin-1", "ascii")
    ]
    assert told[0] == told[1] == told[2]


def printed_by(capsys, *words):
    """Status of a command, and its lines on both streams."""
    status = main(list(words))
    output = capsys.readouterr()
    return status, (output.out + output.err).splitlines()


def assert_harmless(lines):
    """No control characters; and none looks like a line of ours that the hostile text made up."""
    assert lines
    assert all(line.isprintable() for line in lines)
    assert "hopfield-nav: forged" not in [line.strip() for line in lines]


@pytest.mark.parametrize(
    "text",
    [
        '"KEY": 1',
        'goal: {"KEY": 1}',
        'goal: "KEY"',
        'start: {joints: ["KEY"]}',
        'arm: "KEY"',
        "KEY: [",
        "\x1b",
    ],
)
def test_hostile_words_in_a_file(tmp_path, capsys, text):
    """Keys, values, and what is no YAML at all."""
    quoted = HOSTILE.encode("unicode_escape").decode("ascii")
    path = tmp_path / "world.yaml"
    path.write_text(f"format: 1\n{text.replace('KEY', quoted)}\n", encoding="utf-8")
    status, lines = printed_by(capsys, "check", str(path))
    assert status == 2
    assert_harmless(lines)


@pytest.mark.skipif(os.name == "nt", reason="no such file names")
@pytest.mark.parametrize(
    "name", [b"w\x1b[31m.yaml", b"w\xff.yaml", b"w\nhopfield-nav: forged\n.yaml"]
)
def test_hostile_names_of_files(tmp_path, capsys, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    path = os.fsdecode(name)
    (tmp_path / path).write_text("format: 1\nobstacle: []\n", encoding="utf-8")
    for words in (
        ["check", path],
        ["run", path],
        ["view", path],
        ["replay", path, "--detector", "joint_torque"],
    ):
        status, lines = printed_by(capsys, *words)
        assert status == 2
        assert_harmless(lines)
    status, lines = printed_by(capsys, "new", path.replace("w", "v"))
    assert status == 0
    assert_harmless(lines)


@pytest.mark.parametrize("words", [[HOSTILE], ["run", HOSTILE], ["run", "empty", "--seed", HOSTILE],
                                   ["run", "empty", "--set", f"{HOSTILE}=1"], ["list", HOSTILE]])  # fmt: skip
def test_hostile_words_of_a_command(capsys, words):
    status, lines = printed_by(capsys, *words)
    assert status == 2
    assert_harmless(lines)


def test_tables_and_lines(capsys):
    say(HOSTILE)
    print_table([(HOSTILE, HOSTILE)], title=HOSTILE)
    print_columns([HOSTILE, "n"], [[HOSTILE, HOSTILE]])
    output = capsys.readouterr()
    assert_harmless([line for line in (output.out + output.err).splitlines() if line.strip()])


@pytest.mark.skipif(os.name == "nt", reason="no such file names")
def test_a_world_is_called_by_what_can_be_printed(tmp_path):
    names = [
        name_of(tmp_path / os.fsdecode(name))
        for name in (b"w\xff.yaml", b"w\x1b[2J\n.yaml", b"w w.yaml")
    ]
    assert names == ["w_", "w_[2J_", "w w"]


def test_a_report_is_written_whatever_was_called(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "w\\udcff" in write_report(["run", "w\udcff"], BadInput("x")).read_text(encoding="utf-8")
