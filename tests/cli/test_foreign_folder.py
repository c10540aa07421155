"""Commands in a folder that holds a file for every module they use: none of these files is executed."""

from __future__ import annotations

import subprocess
import sys

import pytest
from torturing.folders import COMMANDS, executed, make_folder, put_settings, start_program

from hopfield_nav.experiment import compiling

SLOW = ("sweep", "warm", "tune", "animate")  # the first two start processes, which are tried below
ALL_AT_ONCE = """\
import sys
from hopfield_nav.cli import main
print([main(words.split()) for words in sys.argv[1:]], file=sys.stderr)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_folder(tmp_path_factory.mktemp("foreign"))


@pytest.fixture
def here(folder):
    """A folder with such files, of which none has been executed when the test is over."""
    yield folder
    assert executed(folder) == []


@pytest.mark.study
def test_commands_use_nothing_that_lies_there(here):
    """One command after the other in one process: what each of them imports first is imported here."""
    words = [command for command in COMMANDS if not command.startswith(SLOW)]
    put_settings(here, "malformed")
    given = [command.replace("OUT", f"out{k}") for k, command in enumerate(words)]
    done = start_program(here, given, ["-P", "-c", ALL_AT_ONCE])
    statuses = [int(status) for status in done.stderr.splitlines()[-1].strip("[]").split(",")]
    wrong = {w: s for w, s in zip(words, statuses, strict=True) if s not in COMMANDS[w]}
    assert not wrong, done.stderr
    assert "rror" not in done.stderr.replace("error:", ""), done.stderr


@pytest.mark.study
def test_the_processes_of_a_sweep_use_nothing_that_lies_there(here):
    done = start_program(
        here, ["sweep", "sweep.yaml", "--workers", "1", "--out", "s", "--no-plots"]
    )
    assert done.returncode == 0, done.stderr


def test_python_m_uses_nothing_that_lies_there(here):
    """But for the few modules that Python itself imports before it looks for the program."""
    looks = [sys.executable, "-P", "-c", "import runpy, sys; print(*sys.modules)"]
    for name in subprocess.run(looks, capture_output=True, text=True, check=True).stdout.split():
        (here / f"{name}.py").unlink(missing_ok=True)
    done = start_program(here, ["check", "u_trap"], ["-m", "hopfield_nav"])
    assert done.returncode == 0, done.stderr


def test_the_processes_that_compile_use_nothing_that_lies_there(here, monkeypatch):
    monkeypatch.chdir(here)
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    monkeypatch.setattr(
        compiling, "_HERE", "import hopfield_nav, numpy, json\ndef part(name): pass"
    )
    assert compiling._in_process("a part") == ""
    monkeypatch.setattr(compiling, "_compile_for", lambda world: None)
    compiling.compile_in_parallel(None)
