"""Functions that users compile with Numba are compiled and kept as without us, before our import and after it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dynamics.kernels import digests

ROOT = Path(__file__).resolve().parents[2]
THEIRS = """\
import numba

@numba.njit(cache=True)
def {0}(x):
    total = 0.0
    for k in range(x.size):
        total += x[k] * x[k]
    return total
"""
# of each of theirs: processor, folder, hits; then the settings, and of ours processor and hits
PROGRAM = """\
import json, os
import numpy as np
from earlier import earlier
x, ours = np.arange(5.0), None
earlier(x)
if {with_us}:
    from ours import calling, outer
    assert outer(x) == 30.0
    assert calling(x) == 31.0
    made = next(iter(outer.dispatcher.overloads.values()))
    ours = [made.library.codegen.magic_tuple()[1], sum(outer.dispatcher.stats.cache_hits.values())]
from later import later
later(x)
def about(f):
    return [
        list(next(iter(f.overloads.values())).library.codegen.magic_tuple()), f.stats.cache_path,
        sum(f.stats.cache_hits.values()),
    ]
from numba import config
settings = [config.CACHE_DIR, config.CPU_NAME, config.reload_config.__module__, config.BOUNDSCHECK]
print(json.dumps([about(earlier), about(later), settings, dict(os.environ), ours]))
"""
OURS = """\
import numba
from dynamics.kernels.decorators import kernel
from earlier import earlier

@kernel
def step(x):
    return earlier(x)

@kernel
def outer(x):
    return step(x)

@numba.njit
def calling(x):
    return outer(x) + 1.0
"""


@pytest.fixture
def asked(tmp_path):
    for name in ("earlier", "later"):
        (tmp_path / f"{name}.py").write_text(THEIRS.format(name))
    (tmp_path / "ours.py").write_text(OURS)

    def ask(with_us, **settings):
        own = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA_")}
        own |= {"PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(tmp_path / "home"), **settings}
        code = PROGRAM.format(with_us=with_us)
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=own,
            cwd=tmp_path,
            text=True,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return ask


@pytest.mark.parametrize("folder", ["", "kept"])
def test_they_are_compiled_and_kept_as_without_us(asked, tmp_path, folder):
    settings = {"NUMBA_CACHE_DIR": str(tmp_path / folder)} if folder else {}
    (tmp_path / "kept").mkdir(mode=0o700)
    *first, _ = asked(False, **settings)
    *without, _ = asked(False, **settings)
    assert (first[0][2], without[0][2]) == (0, 1)
    *cold, (_, hits) = asked(True, **settings)
    *warm, (processor, more) = asked(True, **settings)
    assert cold == warm == without
    assert (hits, more) == (0, 1)
    assert digests.target() != digests.FIXED or processor == digests.FIXED != without[0][0][1]
