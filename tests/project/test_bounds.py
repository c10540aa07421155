"""Kernels stay inside their arrays: the tests of kernels once more, with checks of every index. Run by ``-m study``."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.study

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
KERNEL_TESTS = sorted(
    str(p.relative_to(TESTS)) for p in TESTS.rglob("test_*.py") if "mark.kernel" in p.read_text()
)
TOO_SLOW_AS_PYTHON = (
    "dynamics/test_inverse_kinematics.py", "dynamics/test_packed.py", "dynamics/test_regressor.py",
    "extensions/clearance/", "extensions/isolation/", "extensions/known_world/", "planning/", "scripts/",
)  # fmt: skip
COMPILED = [name for name in KERNEL_TESTS if name.startswith(TOO_SLOW_AS_PYTHON)]
AS_PYTHON = [name for name in KERNEL_TESTS if name not in COMPILED]


def _run(arguments: list[str], tmp_path: Path, **flags: str) -> subprocess.CompletedProcess:
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
        **flags,
    }
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=3000,
        check=False,
    )


def test_bounds_checking_sees_an_index_outside(tmp_path):
    """The flags reach kernels and inlined kernels: without this the next test would show nothing."""
    script = tmp_path / "outside.py"
    script.write_text(
        "import numpy as np\nfrom dynamics.kernels.decorators import inlined, kernel\n"
        "@inlined\ndef read(x, i):\n    return x[i]\n"
        "@kernel\ndef call(x, i):\n    return read(x, i)\n"
        "call(np.zeros(3), 3)\n"
    )
    for flag in ("NUMBA_BOUNDSCHECK", "NUMBA_DISABLE_JIT"):
        assert "IndexError" in _run([str(script)], tmp_path, **{flag: "1"}).stderr
    assert _run([str(script)], tmp_path, NUMBA_BOUNDSCHECK="0").returncode == 0


@pytest.mark.parametrize(
    ("flag", "names"), [("NUMBA_BOUNDSCHECK", COMPILED), ("NUMBA_DISABLE_JIT", AS_PYTHON)]
)
def test_kernels_stay_inside_their_arrays(tmp_path, flag, names):
    """Tests marked ``kernel``: as Python, which checks every index of an array, or compiled with such checks.

    Python warns of what compiled code says nothing of, an infinite number. The flags name a folder
    in the usual place of compiled code, where the next run finds it. What only looks for an index
    outside need not be fast, and is optimised less.
    """
    kept = {"NUMBA_CACHE_DIR": os.environ.get("NUMBA_CACHE_DIR", ""), "NUMBA_OPT": "1"}
    run = _run(_kernel_tests(names), tmp_path, **{flag: "1"}, **kept)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "passed" in run.stdout


def _kernel_tests(names):
    files = [str(TESTS / name) for name in names]
    how = ["-m", "kernel", "-W", "ignore::RuntimeWarning", "-p", "no:cacheprovider"]
    return ["-m", "pytest", *how, *files]
