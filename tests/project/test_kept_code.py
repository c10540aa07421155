"""Kept code that cannot be used, whatever is wrong with it: one line, and it is compiled."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dynamics.kernels.checksums import opened, sealed
from dynamics.kernels.object_code import undefined_names

ROOT = Path(__file__).resolve().parents[2]
STEPS = """\
import numpy as np
from dynamics.kernels.decorators import kernel


def make(k):
    @kernel
    def grown(x):
        return k * x.sum()

    return grown


grown = make(2.0)
"""
ASK = """
import sys
from numba.core import event


class Compiled(event.Listener):
    def on_start(self, event):
        print("compiled")

    def on_end(self, event):
        pass


event.register("numba:compile", Compiled())
sys.path[:0] = {paths}
import numpy as np
from steps import grown
print(grown(np.array([1.0, 2.0])))
"""


@pytest.fixture
def kept(tmp_path):
    """A file of kept code, what a process then says, and how often it compiles something."""
    (tmp_path / "steps.py").write_text(STEPS)

    def ask(place=tmp_path):
        done = subprocess.run(
            [sys.executable, "-c", ASK.format(paths=[str(place), str(ROOT)])],
            cwd=place,
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")},
            check=False,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        *compiled, answer = done.stdout.split()
        assert answer == "6.0"
        return len(compiled), done.stderr

    assert ask()[0] > 0
    (path,) = tmp_path.rglob("steps.make*.nbc")
    return path, ask


def _written(path, change):
    about, _, parts = opened(path.read_bytes()).partition(b"\n")
    path.write_bytes(sealed(change(json.loads(about), parts)))


def _joined(about, parts):
    return json.dumps(about).encode() + b"\n" + parts


CHANGES = {
    "no class": lambda about, parts: _joined(about, parts.replace(b"Array", b"Arrow")),
    "no module": lambda about, parts: _joined(about, parts.replace(b"numba.core", b"numba.cora")),
    "no symbol": lambda about, parts: _joined([*about[:3], ["PyNothing_Of"]], parts),
    "of another function": lambda about, parts: _joined(["", *about[1:]], parts),
    "nothing in it": lambda about, parts: b"",
    "no words": lambda about, parts: b"[]\n" + parts,
    "cut": lambda about, parts: _joined(about, parts[: len(parts) // 2]),
}


@pytest.mark.parametrize("how", CHANGES)
def test_what_cannot_be_used_is_compiled_and_told_in_one_line(kept, how):
    path, ask = kept
    _written(path, CHANGES[how])
    compiled, said = ask()
    assert compiled > 0
    assert said.count("\n") == 1
    assert "steps.make" in said
    assert "Traceback" not in said
    assert ask() == (0, "")  # it has taken its place


def test_a_kernel_with_a_closure_serves_another_checkout(kept, tmp_path):
    path, ask = kept
    other = tmp_path / "elsewhere"
    other.mkdir()
    shutil.move(tmp_path / "steps.py", other / "steps.py")
    assert ask(other) == (0, "")
    assert str(tmp_path).encode() not in path.read_bytes()


def test_the_names_that_code_asks_for_are_those_that_it_does_not_have():
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    text = "declare double @sin(double)\n@K = external global double\ndefine double @f() {\n"
    text += (
        "  %x = load double, double* @K\n  %y = call double @sin(double %x)\n  ret double %y\n}\n"
    )
    machine = llvm.Target.from_default_triple().create_target_machine()
    code = machine.emit_object(llvm.parse_assembly(text))
    assert set(undefined_names(code)) == {"sin", "K"}
    assert list(undefined_names(b"MZ")) == []
