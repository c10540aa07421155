"""Damaged compiled code: it is noticed, compiled anew, and never executed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STEPS = """\
from dynamics.kernels.decorators import kernel


@kernel
def total(x):
    return x[0] + x[1]


@kernel
def other(x):
    return x[0] - x[1]
"""
# What a process finds: both answers, how many of the two were in the cache, whether all files are
# whole.
ASKED = """\
import json, sys
import numpy as np
from steps import other, total
from dynamics.kernels.cache import cache_folder

x = np.array([8.0, 4.0])
answers = [total(x), other(x)]
hits = sum(sum(f.dispatcher.stats.cache_hits.values()) for f in (total, other))
from dynamics.kernels.checksums import opened
kept = [opened(path.read_bytes()) for path in cache_folder().rglob("*.nbc")]
print(json.dumps([answers, hits, None not in kept]))
"""
TOLD = "hopfield-nav: damaged compiled code in "


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A file with two kernels, both compiled."""
    folder = tmp_path_factory.mktemp("damaged")
    (folder / "steps.py").write_text(STEPS)
    assert _asked(folder) == ([[12.0, 4.0], 0, True], "")
    return folder


def _asked(folder, code=ASKED):
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(ROOT), str(folder))),
        "NUMBA_CACHE_DIR": str(folder / "cache"),
    }
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def _flip(content):
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


DAMAGE = {
    "whole": lambda content: content,
    "cut": lambda content: content[: len(content) // 2],
    "empty": lambda content: b"",
    "random": lambda content: bytes(range(256)),
    "flipped": _flip,
}


@pytest.mark.parametrize("how", DAMAGE)
def test_a_damaged_entry_is_compiled_anew(place, how):
    (path,) = place.rglob("steps.total*.nbc")
    path.write_bytes(DAMAGE[how](path.read_bytes()))
    found, told = _asked(place)
    assert found == [[12.0, 4.0], 2 if how == "whole" else 1, True]
    assert told.startswith(TOLD) == (how != "whole")
    assert told.count("\n") == (how != "whole")


def test_the_code_of_another_call_is_not_taken(place):
    """A file that has taken the place of another one, whole."""
    (mine,), (others,) = place.rglob("steps.total*.nbc"), place.rglob("steps.other*.nbc")
    kept = mine.read_bytes()
    mine.write_bytes(others.read_bytes())
    found, told = _asked(place)
    assert found == [[12.0, 4.0], 1, True]
    assert told.count("\n") == 1
    assert "it is of another function" in told
    assert len(mine.read_bytes()) == len(kept)


def test_a_cache_that_cannot_be_written_stops_nothing(tmp_path):
    """As where the disk is full."""
    (tmp_path / "steps.py").write_text(STEPS)
    full = (
        "import pathlib\n"
        "def full(*arguments): raise OSError(28, 'No space left on device')\n"
        "pathlib.Path.write_bytes = full\n"
    )
    found, told = _asked(tmp_path, full + ASKED)
    assert found == [[12.0, 4.0], 0, True]
    assert told.endswith(": No space left on device\n")
    lines = told.splitlines()  # one of what comes along, if that fits, and one of what is compiled
    assert len(lines) <= 2
    assert all("No space left on device" in line for line in lines)
