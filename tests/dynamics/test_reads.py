"""What a kernel reads: every value that decides its code, and nothing else."""

from __future__ import annotations

import enum
import importlib
import json
import math
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import types
from contextlib import suppress
from heapq import heappop, heappush
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
import pytest
from numba.extending import overload

import dynamics
import hopfield_nav
from dynamics.kernels.contents import Unreadable
from dynamics.kernels.decorators import Kernel, inlined, kernel
from dynamics.kernels.reads import change_of, key_of, reads_of
from dynamics.kernels.records import record
from dynamics.kernels.views import view

ROOT = Path(__file__).resolve().parents[2]


class Stage(enum.IntEnum):
    OUT = 0
    BACK = 1


class Pair(NamedTuple):
    first: float
    second: float = 2.0


@record
class Clock:
    step: int = 0


other = types.ModuleType("other")
other.inner = types.ModuleType("other.inner")
VALUE: object = None


def reader(x):
    return x + VALUE


def of_module(x):
    return x + other.inner.FACTOR


def of_stage(x):
    return x + Stage.BACK


def _key(function=reader):
    return key_of(reads_of(function))


def _stage(value):
    return enum.IntEnum("Stage", {"OUT": 0, "BACK": value}, module=__name__)


@pytest.mark.parametrize(
    ("one", "another"),
    [
        (2.0, 3.0), (2, 2.0), (1, True), (0.0, -0.0), ("a", "b"), (b"a", "a"), (None, 0),
        ((1, 2), (1, 3)), ((1, (2.0,)), (1, (2,))), (np.float64(1), 1.0), (np.float32(1), np.float64(1)),
        (np.ones(3), np.ones((3, 1))), (np.ones(2), np.array([1.0, 2.0])), (np.ones(2), np.ones(2, np.float32)),
        (np.ones((2, 2)), np.ones((2, 2), order="F")), (Stage.OUT, Stage.BACK), (_stage(1), _stage(2)),
        (Pair(1.0), Pair(1.5)), (Pair, NamedTuple("Pair", [("second", float), ("first", float)])),
        (Clock, record(type("Clock", (), {"__annotations__": {"step": int}, "step": 1}))),
        (math.sqrt, math.cos), (heappop, heappush), (np.sqrt, np.cbrt),
        (np.linalg.norm, np.linalg.det), (numba.int64, numba.int32),
        (kernel(lambda x: x + 1), kernel(lambda x: x + 2)), (kernel(of_stage), inlined(of_stage)),
        (numba.njit(of_stage), numba.njit(of_stage, fastmath=True)), (float, int), (np, math),
    ],
)  # fmt: skip
def test_another_value_is_another_key(monkeypatch, one, another):
    keys = []
    for value in (one, another, one):
        monkeypatch.setitem(globals(), "VALUE", value)
        keys.append(_key())
    assert keys[0] == keys[2] != keys[1]


def test_an_array_that_is_changed_in_place_is_seen(monkeypatch):
    monkeypatch.setitem(globals(), "VALUE", (np.ones(3),))
    before = _key()
    VALUE[0][1] = 2.0
    assert _key() != before


def test_a_value_of_a_module_is_read_and_its_others_are_not(monkeypatch):
    monkeypatch.setattr(other.inner, "FACTOR", 2.0, raising=False)
    before = _key(of_module)
    other.inner.OTHER = 1.0
    assert _key(of_module) == before
    monkeypatch.setattr(other.inner, "FACTOR", 3.0)
    assert _key(of_module) != before


def of_library(x):
    return x + math.GAIN + np.linalg.norm(x)


@pytest.mark.parametrize(
    ("one", "two"),
    [(2.0, 3.0), ((1, 2), (1, 3)), ("a", "b"), (np.ones(2), np.zeros(2)),
     (kernel(lambda x: x + 1), kernel(lambda x: x + 2))],
)  # fmt: skip
def test_what_a_user_set_in_a_module_of_pythons_is_read(monkeypatch, one, two):
    keys = []
    for value in (one, two, one):
        monkeypatch.setattr(math, "GAIN", value, raising=False)
        keys.append(_key(of_library))
    assert keys[0] == keys[2] != keys[1]


def test_of_an_enumeration_the_member_is_read(monkeypatch):
    before = _key(of_stage)
    added = enum.IntEnum("Stage", {"OUT": 0, "BACK": 1, "MORE": 2}, module=__name__)
    monkeypatch.setitem(globals(), "Stage", added)
    assert _key(of_stage) == before


def test_what_a_called_function_reads_is_read_whatever_lies_between(monkeypatch):
    inner, middle = kernel(reader), numba.njit(lambda x: x)
    outer = kernel(lambda x: middle(x) + inner(x))
    monkeypatch.setitem(globals(), "VALUE", 2.0)
    before = _key(outer)
    monkeypatch.setitem(globals(), "VALUE", 3.0)
    assert _key(outer) != before
    assert change_of(reads_of(outer), []).endswith("<lambda>")


def test_functions_that_call_each_other_have_a_key():
    scope = {"__name__": "both", "__builtins__": {"__import__": __import__}}
    text = (
        "from dynamics.kernels.decorators import kernel\n"
        "even = kernel(lambda n: n == 0 or odd(n - 1))\n"
        "odd = kernel(lambda n: n > 0 and even(n - 1))\n"
    )
    exec(compile(text, __file__, "exec"), scope)
    for name in ("even", "odd"):
        scope[name].__wrapped__.written_text = f"f = {name}"
    scope["even"].__wrapped__.written_text = "f = lambda n: n == 0 or odd(n - 1)"
    scope["odd"].__wrapped__.written_text = "f = lambda n: n > 0 and even(n - 1)"
    assert key_of(reads_of(scope["even"])) != key_of(reads_of(scope["odd"]))


def test_cells_and_defaults_are_read():
    def make(factor, default):
        def made(x, y=default):
            return factor * x + y

        return made

    keys = [key_of(reads_of(make(*each))) for each in ((1.0, 2.0), (1.0, 3.0), (2.0, 2.0))]
    assert len(set(keys)) == 3
    assert keys[0] == key_of(reads_of(make(1.0, 2.0)))


def test_steps_that_the_decorators_know_are_read_by_their_name(monkeypatch):
    monkeypatch.setitem(globals(), "VALUE", view)
    assert _key()


class Somebody:
    pass


def of_somebody(x):
    return x


@overload(of_somebody)
def _compiled(x):
    return lambda x: 2.0 * x


@pytest.mark.parametrize(
    "value",
    [object(), {"a": 1}, [1.0], of_somebody, np.array([object()]), Somebody, numba.vectorize(lambda x: x),
     np.random.default_rng(0).random, np.frompyfunc(abs, 1, 1)],
)  # fmt: skip
def test_what_has_no_content_is_not_read(monkeypatch, value):
    monkeypatch.setitem(globals(), "VALUE", value)
    with pytest.raises(Unreadable, match="VALUE"):
        reads_of(reader)


def test_every_kernel_of_ours_is_known_by_its_content():
    found = set()
    for package in (dynamics, hopfield_nav):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not re.search(r"__main__|\\.suites\\.|\\.extensions\\.(mesh|gym|live)", module.name):
                with suppress(ImportError):  # of a library that is an extra
                    found |= _kernels(importlib.import_module(module.name))
    assert len(found) > 250
    for each in found:
        assert reads_of(each)


def _kernels(module):
    return {value.__wrapped__ for value in vars(module).values() if isinstance(value, Kernel)}


_KEYS = """
import json, sys
from dynamics.kernels.cache import cache_folder
from dynamics.kernels.decorators import Kernel
from dynamics.kernels.reads import key_of, reads_of
import hopfield_nav.loop.closed_loop, hopfield_nav.planning.sum_rows, hopfield_nav.geometry.union
import hopfield_nav.record.quantities
kernels = {}
for module in list(sys.modules.values()):
    if module.__name__.split(".")[0] in ("dynamics", "hopfield_nav"):
        for value in list(vars(module).values()):
            if isinstance(value, Kernel):
                name = f"{value.__wrapped__.__module__}.{value.__wrapped__.__qualname__}"
                kernels[name] = key_of(reads_of(value.__wrapped__))
print(json.dumps([cache_folder().name, kernels]))
"""


@pytest.mark.study
def test_an_edited_constant_changes_the_kernels_that_read_it_and_a_row_of_a_table_none(tmp_path):
    for name in ("dynamics", "hopfield_nav"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))

    def keys():
        environment = {**os.environ, "PYTHONPATH": "", "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        done = subprocess.run(
            [sys.executable, "-c", _KEYS],
            cwd=tmp_path,
            env=environment,
            check=False,
            capture_output=True,
        )
        assert done.returncode == 0, done.stderr.decode()
        return json.loads(done.stdout)

    folder, before = keys()
    assert len(before) > 150

    def changed(file, old, new):
        path = tmp_path / file
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))
        now = keys()
        path.write_text(text)
        assert now[0] == folder
        return {name for name in before if now[1].get(name) != before[name]}

    table = "hopfield_nav/record/quantities.py"
    assert changed(table, "import math\n", "import math\n\nMORE = 1\n") == set()
    constant = changed(
        "hopfield_nav/geometry/round_distance.py", "_MOST_STEPS = 60", "_MOST_STEPS = 61"
    )
    assert 0 < len(constant) < 20
