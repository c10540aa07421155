"""Kernels that only others contain, and a cache that several processes share."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STEPS = """\
import numpy as np
from dynamics.kernels.decorators import inlined, kernel


@inlined
def halved(x, k):
    return 0.5 * x[k]


@inlined
def quartered(x, k):
    return 0.5 * halved(x, k)


@kernel
def total(x):
    return quartered(x, 0) + halved(x, 1)


@kernel
def other(x):
    return -quartered(x, 0)
"""
X = "np.array([8.0, 4.0])"


@pytest.fixture
def started(tmp_path):
    """Starts a Python script beside the file with the kernels; one cache for all."""
    (tmp_path / "steps.py").write_text(STEPS)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(ROOT), str(tmp_path))),
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
    }

    def start(code):
        return subprocess.Popen(
            [sys.executable, "-c", f"from steps import *\n{code}"],
            env=environment, cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    return start


def _told(process):
    out, errors = process.communicate()
    assert process.returncode == 0, errors
    return out.split()


def test_steps_are_contained_in_their_callers_and_can_be_called_from_python(started):
    assert _told(started(f"x = {X}\nprint(total(x), quartered(x, 0), halved(x, 1))")) == [
        "4.0",
        "2.0",
        "2.0",
    ]


def test_a_kept_step_serves_a_caller_that_is_compiled_later(started):
    """The second process has the step from the cache, and compiles only what contains them."""
    assert _told(started(f"print(total({X}))")) == ["4.0"]
    hits = "print(sum(quartered.dispatcher.stats.cache_hits.values()))"
    assert _told(started(f"print(other({X}))\n{hits}\nprint(total({X}))")) == ["-2.0", "1", "4.0"]


def test_a_step_has_no_code_of_its_own(started):
    """It can be linked and not called; a kernel can."""
    code = (
        f"total({X})\n"
        "for function in (halved, total):\n"
        "    library = next(iter(function.dispatcher.overloads.values())).library\n"
        "    name = next(f.name for f in library.get_defined_functions() if function.__name__ in f.name)\n"
        "    print(library.get_pointer_to_function(name) > 0)"
    )
    assert _told(started(code)) == ["False", "True"]
