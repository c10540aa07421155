"""Where Numba lacks a private part everything is computed as ever, only compiled more slowly."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dynamics.kernels import numba_parts

PROGRAM = """
import numpy as np
from dynamics import forward_dynamics, forward_kinematics, inverse_dynamics, jacobian, load_arm
from hopfield_nav.geometry import arm_distance, box, pack_primitives
arm, q = load_arm("ur5e"), np.linspace(-1.0, 1.5, 6)
print(*(np.asarray(v).tobytes().hex() for v in (
    forward_kinematics(arm, q), jacobian(arm, q), inverse_dynamics(arm, q, q, q),
    forward_dynamics(arm, q, q, q),
    arm_distance(arm, q, pack_primitives([box([0.5, 0.1, 0.3], [0.2, 0.3, 0.4])])),
)))
"""


def _printed(program, **flags):
    environment = {**os.environ, **flags}
    environment.pop("NUMBA_DISABLE_JIT", None)
    result = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env=environment,
        timeout=600,
        check=False,
    )
    return result.stdout, result.stderr


@pytest.mark.study
def test_without_them_the_results_are_the_same(tmp_path):
    plain = _printed(PROGRAM, HOPFIELD_NAV_PLAIN_NUMBA="1", NUMBA_CACHE_DIR=str(tmp_path))
    usual = _printed(PROGRAM)  # with the code that is there already
    assert usual == plain
    assert len(usual[0]) > 1000
    assert usual[1] == ""


PUBLIC = ("numba", "numba.extending")
KERNELS = Path(numba_parts.__file__).parent
# What takes a part away: whoever asks for it in a file of ours is told that it is not there.
WITHOUT = """
import builtins, sys
module, _, owner = {place!r}.partition(":")
name = {name!r}
import importlib
whole = importlib.import_module(module)


class Without:
    def __getattr__(self, asked):
        ours = sys._getframe(1).f_globals.get("__name__", "").startswith("dynamics")
        if ours and asked == owner.partition(".")[0]:
            raise AttributeError(asked)
        return getattr(whole, asked)


from dynamics.kernels import numba_parts

if name:
    numba_parts.hasattr = lambda part, asked: asked != name and builtins.hasattr(part, asked)
else:
    sys.modules[module] = Without()
    sys.modules[module].__spec__ = whole.__spec__
    parent, _, last = module.rpartition(".")
    setattr(sys.modules[parent], last, sys.modules[module])
"""
PARTS = [(place, name) for place, names in numba_parts._PARTS.items() for name in ("", *names)]
SMALL = """
import numpy as np
from dynamics import inverse_dynamics, load_arm
q = np.linspace(-1.0, 1.5, 6)
print(np.asarray(inverse_dynamics(load_arm("ur5e"), q, q, q)).tobytes().hex())
"""


def _imported():
    """The private parts that files of kernels import by name."""
    for path in KERNELS.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            module = getattr(node, "module", None) or ""
            if isinstance(node, ast.ImportFrom) and module.split(".")[0] == "numba":
                yield from ((path.name, module, each.name) for each in node.names)


def test_every_private_part_that_is_imported_is_listed():
    listed = {place.replace(":", ".").split(".target_context")[0] for place in numba_parts._PARTS}
    modules = {place.partition(":")[0] for place in numba_parts._PARTS}
    imported = [each for each in _imported() if each[1] not in PUBLIC]
    assert len(imported) > 10
    for path, module, name in imported:
        assert f"{module}.{name}" in listed | modules, f"{path}: {module}.{name}"


@pytest.fixture(scope="module")
def without(tmp_path_factory):
    """What a process without a part prints; all such processes keep their code in one folder."""
    folder = tmp_path_factory.mktemp("without")

    def run(place, name):
        return _printed(WITHOUT.format(place=place, name=name) + SMALL, NUMBA_CACHE_DIR=str(folder))

    return run


@pytest.mark.study
@pytest.mark.parametrize(("place", "name"), PARTS)
def test_without_each_part_the_answer_is_the_same(without, place, name):
    _compare(without(place, name), place, name)


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("numba.core.typing.templates:make_intrinsic_template", ""),
        ("numba.core.pythonapi:PythonAPI", "get_buffer"),
    ],
)
def test_without_a_part_the_answer_is_the_same(without, place, name):
    _compare(without(place, name), place, name)


def _compare(printed, place, name):
    answer, said = printed
    assert answer == _printed(SMALL)[0] != ""
    assert said.count("\n") == 1
    assert (f".{name};" if name else place.replace(":", ".")) in said


def test_this_version_has_them_all():
    assert numba_parts.missing_part() == ""


def test_a_missing_part_is_told_in_one_line_and_none_is_used(monkeypatch, capsys):
    monkeypatch.setitem(numba_parts._PARTS, "numba.core.compiler:Compiler", ("compile_by_magic",))
    monkeypatch.delenv(numba_parts.PLAIN, raising=False)
    numba_parts.all_parts_are_there.cache_clear()
    try:
        assert not numba_parts.all_parts_are_there()
        assert not numba_parts.all_parts_are_there()
    finally:
        numba_parts.all_parts_are_there.cache_clear()
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "numba.core.compiler.Compiler.compile_by_magic" in told


NEWER = """
import os
from dynamics.kernels import numba_parts
numba_parts.NEWEST_TESTED = "0.1.0"
{before}
"""
ALTERED = """
usual = numba_parts._tried
numba_parts._tried = lambda flags: usual(flags) if "HOPFIELD_NAV_TRIAL" in flags else b"other"
"""


@pytest.mark.parametrize(
    ("before", "words"),
    [
        ("", []),
        ("numba_parts._tried = lambda flags: b''", ["gives other results"]),
        (ALTERED, ["gives other results"]),
    ],
)
def test_a_newer_numba_is_tried_and_used_if_it_gives_the_same(tmp_path, before, words):
    program = NEWER.format(before=before) + SMALL + "print(numba_parts.all_parts_are_there())"
    for _ in range(2):
        printed, said = _printed(program, NUMBA_CACHE_DIR=str(tmp_path))
        answer, used = printed.split()
        assert answer == _printed(SMALL)[0].strip()
        assert used == str(not words)
        assert said.count("\n") == len(words)
        assert all(word in said for word in words)


def test_a_trial_asks_for_each_decorator_and_part():
    text = (KERNELS / "trial.py").read_text()
    for name in ("@inlined", "@shared", "@kernel", "@packed", "@record", "first_class(", "view("):
        assert name in text
    for name in ("room_here(", "CachedDispatch(", "compile_loop("):
        assert name in text
