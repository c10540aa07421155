"""Damaged compiled code: noticed, compiled anew, and the answer is the right one."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from dynamics.kernels.checksums import opened
from torturing.records import damage
from torturing.trials import Trials

_STEPS = """\
import numpy as np
from dynamics.kernels.decorators import inlined, kernel


@inlined
def halved(x, k):
    return 0.5 * x[k]


@kernel
def total(x):
    return halved(x, 0) + halved(x, 1)


@kernel
def other(x):
    return halved(x, 0) - halved(x, 1)


x = np.array([8.0, 4.0])
print(total(x), other(x))
"""


def damaged_caches(place: Path, count: int, first: int, limit: float) -> Trials:
    """One file of what two kernels and a step left there is damaged; a new process calls both kernels."""
    place.mkdir(parents=True)
    (place / "steps.py").write_text(_STEPS, encoding="utf-8")
    _ask(place)
    for number in range(first, first + count):
        dice = np.random.default_rng(number)
        path = dice.choice(sorted(place.rglob("__main__.*.nbc")))
        how = damage(path, dice)
        if "halved" in path.name:  # a step is not looked for while what contains it is there
            for kernel in (*place.rglob("*.total*"), *place.rglob("*.other*")):
                kernel.unlink()
        yield f"cache {number}: {path.name}, {how}", lambda path=path: _try(place, path)


def _try(place: Path, path: Path) -> None:
    told = _ask(place)
    assert told.count("\n") <= 1, f"more than one line: {told[-300:]}"
    assert path.exists(), "the entry is missing"
    assert opened(path.read_bytes()) is not None, "the entry is still damaged"


def _ask(place: Path) -> str:
    """What a process says that calls the kernels, besides the right answers."""
    program = str(Path(__file__).resolve().parents[2])
    done = subprocess.run(
        [sys.executable, "steps.py"], cwd=place, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": program, "NUMBA_CACHE_DIR": str(place / "cache")},
    )  # fmt: skip
    assert done.returncode == 0, f"status {done.returncode}: {done.stderr[-300:]}"
    assert done.stdout.split() == ["6.0", "2.0"], f"another answer: {done.stdout}"
    return done.stderr
