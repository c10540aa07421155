"""Edited code never runs as it was before, wherever the edit was; what nobody reads compiles nothing."""

from __future__ import annotations

import os
import py_compile
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COUNTED = """
import sys
from numba.core import event


class Compiled(event.Listener):
    count = 0

    def on_start(self, event):
        Compiled.count += 1

    def on_end(self, event):
        pass


event.register("numba:compile", Compiled())
"""
KERNEL = "from dynamics.kernels.decorators import kernel\n"


@pytest.fixture
def place(tmp_path):
    """A folder of a user's own, and how a process there answers a question, with what it compiles and says."""

    def ask(question, *folders):
        first = [str(folder) for folder in (*folders, tmp_path, ROOT)]
        code = f"{COUNTED}\nsys.path[:0] = {first}\n{question}\nprint(Compiled.count)"
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env={**environment, "PYTHONDONTWRITEBYTECODE": "1"},
            check=False,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        *answers, count = done.stdout.split()
        return [*map(float, answers), int(count)], done.stderr

    return tmp_path, ask


def _edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def _told_once(said, what):
    assert said.count("\n") == 1
    assert "compiled anew" in said
    assert what in said


def test_a_number_in_a_file_of_ours_that_holds_no_kernel(place):
    folder, ask = place
    ours = folder / "ours"
    leave = shutil.ignore_patterns("__pycache__", "compiled")
    shutil.copytree(ROOT / "dynamics", ours / "dynamics", ignore=leave)
    (ours / "dynamics" / "my_numbers.py").write_text("FACTOR = 2.0\n")
    (ours / "dynamics" / "my_kernel.py").write_text(
        f"{KERNEL}from dynamics.my_numbers import FACTOR\n\n\n@kernel\ndef f(x):\n    return FACTOR * x\n"
    )
    question = "from dynamics.my_kernel import f; print(f(1.0))"
    assert ask(question, ours)[0][0] == 2.0
    assert ask(question, ours) == ([2.0, 0], "")
    _edit(ours / "dynamics" / "my_numbers.py", "2.0", "3.0")
    answer, said = ask(question, ours)
    assert answer[0] == 3.0
    _told_once(said, "FACTOR of dynamics.my_kernel.f")
    assert ask(question, ours) == ([3.0, 0], "")
    _edit(ours / "dynamics" / "my_numbers.py", "3.0", "2.0")
    assert ask(question, ours) == ([2.0, 0], "")  # the code of before is still there


def test_numbers_and_helpers_beside_a_file_of_a_users_own(place):
    folder, ask = place
    (folder / "beside.py").write_text(
        f"{KERNEL}K = 2.0\n\n\n@kernel\ndef g(x):\n    return x + 1.0\n"
    )
    (folder / "mine.py").write_text(
        f"{KERNEL}import beside\n\n\n@kernel\ndef f(x):\n    return beside.K * beside.g(x)\n"
    )
    question = "from mine import f; print(f(1.0))"
    assert ask(question)[0][0] == 4.0
    _edit(folder / "beside.py", "K = 2.0", "K = 3.0")
    answer, said = ask(question)
    assert answer[0] == 6.0
    _told_once(said, "beside.K of mine.f")
    _edit(folder / "beside.py", "x + 1.0", "x + 2.0")
    answer, said = ask(question)
    assert answer[0] == 9.0
    _told_once(said, "beside.g")
    assert ask(question) == ([9.0, 0], "")


def test_a_number_and_a_function_of_another_distribution(place):
    folder, ask = place
    site = folder / "site"
    (site / "theirs").mkdir(parents=True)
    (site / "theirs" / "__init__.py").write_text("")
    (site / "theirs" / "numbers.py").write_text("K = 2.0\n")
    (site / "theirs" / "steps.py").write_text(
        "from numba import njit\nfrom theirs import numbers\n\n\n@njit\ndef g(x):\n    return numbers.K * x\n"
    )
    (folder / "detector.py").write_text(
        "from theirs.steps import g\n\n\ndef f(x):\n    return g(x) + 1.0\n"
    )
    question = (
        "import numba\nfrom dynamics.kernels.decorators import first_class\nfrom detector import f\n"
        "f = first_class(numba.float64(numba.float64), f).ctypes\nprint(f(1.0))"
    )
    assert ask(question, site)[0][0] == 3.0
    assert ask(question, site) == ([3.0, 0], "")
    _edit(site / "theirs" / "numbers.py", "2.0", "5.0")
    answer, said = ask(question, site)
    assert answer[0] == 6.0
    _told_once(said, "numbers.K of theirs.steps.g")


def test_two_lambdas_of_one_line(place):
    """Their machine code has names of its own in every process, so that both can be loaded."""
    folder, ask = place
    (folder / "two.py").write_text(
        f"{KERNEL}a, b = kernel(lambda x: x + 1.0), kernel(lambda x: x + 2.0)\n"
    )
    assert ask("from two import a; print(a(1.0))") == ([2.0, 1], "")
    assert ask("from two import b; print(b(1.0))") == ([3.0, 1], "")
    assert ask("from two import a, b; print(a(1.0), b(1.0), a(1.0))") == ([2.0, 3.0, 2.0, 0], "")


def test_a_function_that_is_made_twice_with_other_values(place):
    folder, ask = place
    (folder / "made.py").write_text(
        f"{KERNEL}def make(k):\n    @kernel\n    def f(x):\n        return k * x\n    return f\n"
    )
    for _ in range(2):
        answer, said = ask("from made import make; print(make(2.0)(1.0), make(3.0)(1.0))")
        assert (answer[:2], said) == ([2.0, 3.0], "")
    assert answer[2] == 0


def test_another_layout_compiles_nothing(place):
    folder, ask = place
    (folder / "plain.py").write_text(
        f"{KERNEL}K = 2.0\n\n\n@kernel\ndef f(x):\n    y = x + (K)\n    return max(y, 1.0)\n"
    )
    question = "from plain import f; print(f(1.0))"
    assert ask(question)[0][0] == 3.0
    (folder / "plain.py").write_text(
        f'"""Words."""\n\n{KERNEL}\nMORE = 1\nK = 2.0  # why\n\n\n@kernel\ndef f(x):\n    """Say."""\n'
        "    y = (\n        x\n        + K\n    )\n    return max(\n        y,\n        1.0,\n    )\n"
    )
    assert ask(question) == ([3.0, 0], "")


def test_an_annotation_compiles_only_what_is_compiled_for_the_types_that_it_names(place):
    folder, ask = place
    (folder / "typed.py").write_text(
        "from dynamics.kernels.decorators import kernel, shared\n\n\n"
        "@shared\ndef half(x: float) -> float:\n    return 0.5 * x\n\n\n"
        "@kernel\ndef f(a: float) -> float:\n    b: float = a\n    return half(b)\n"
    )
    question = "from typed import f; print(f(3.5))"
    assert ask(question)[0][0] == 1.75
    _edit(folder / "typed.py", "f(a: float) -> float", "f(a)")
    _edit(folder / "typed.py", "b: float", "b: object")
    assert ask(question) == ([1.75, 0], "")
    _edit(folder / "typed.py", "half(x: float)", "half(x: int)")
    answer, said = ask(question)
    assert answer[0] == 1.5
    _told_once(said, "half of typed.f")
    assert ask(question) == ([1.5, 0], "")


def test_what_has_no_content_is_compiled_in_every_process_and_one_line_says_so(place):
    folder, ask = place
    (folder / "theirs.py").write_text(
        "from numba.extending import overload\n\n\ndef twice(x):\n    return 2.0 * x\n\n\n"
        "@overload(twice)\ndef _twice(x):\n    return lambda x: 2.0 * x\n"
    )
    (folder / "mine.py").write_text(
        f"{KERNEL}from theirs import twice\n\n\n@kernel\ndef f(x):\n    return twice(x)\n"
    )
    for factor in (2.0, 3.0):
        answer, said = ask("from mine import f; print(f(1.0), f(1))")
        assert answer[:2] == [factor, factor]
        assert said.count("\n") == 1
        assert "mine.f" in said
        assert "twice" in said
        if factor == 2.0:
            _edit(folder / "theirs.py", "lambda x: 2.0", "lambda x: 3.0")


def test_a_file_that_is_edited_while_it_runs_leaves_no_old_code_behind(place):
    folder, ask = place
    (folder / "late.py").write_text(f"{KERNEL}@kernel\ndef f(x):\n    return x + 1.0\n")
    edit = "p = pathlib.Path('late.py'); p.write_text(p.read_text().replace('1.0', '2.0'))"
    answer, said = ask(f"import pathlib\nfrom late import f\n{edit}\nprint(f(1.0))")
    assert answer[0] == 2.0
    assert said.count("\n") == 1
    assert "late.f" in said
    assert ask("from late import f; print(f(1.0))") == ([3.0, 1], "")


def test_a_value_that_is_set_between_two_calls_is_not_kept_under_the_one_before(place):
    folder, ask = place
    (folder / "set.py").write_text(f"{KERNEL}K = 1.0\n\n\n@kernel\ndef f(x):\n    return x + K\n")
    assert ask("import set\nprint(set.f(1.0))\nset.K = 2.0\nprint(set.f(1))")[0][:2] == [2.0, 3.0]
    assert ask("import set\nprint(set.f(1.0), set.f(1))")[0][:2] == [2.0, 2.0]


def test_a_caller_that_holds_a_callees_code_of_before_is_not_kept(place):
    folder, ask = place
    (folder / "values.py").write_text("G = 2.0\n")
    (folder / "helping.py").write_text(
        f"{KERNEL}import values\n\n\n@kernel\ndef helper(x):\n    return x * values.G\n"
    )
    (folder / "calling.py").write_text(
        f"{KERNEL}from helping import helper\n\n\n@kernel\ndef f(x):\n    return helper(x)\n"
    )
    modules = "import values\nfrom helping import helper\nfrom calling import f\n"
    ask(f"{modules}helper(1.0)\nvalues.G = 3.0\nf(1.0)")
    assert ask(f"{modules}values.G = 3.0\nprint(f(1.0))")[0][0] == 3.0
    assert ask(f"{modules}values.G = 3.0\nprint(f(1.0))") == ([3.0, 0], "")


def test_a_caller_of_numbas_own_dispatcher_is_kept_unless_that_holds_code_of_before(place):
    folder, ask = place
    (folder / "values.py").write_text("G = 2.0\n")
    (folder / "helping.py").write_text(
        "from numba import njit\nimport values\n\n\n@njit\ndef helper(x):\n    return x * values.G\n"
    )
    (folder / "calling.py").write_text(
        f"{KERNEL}from helping import helper\n\n\n@kernel\ndef f(x):\n    return helper(x)\n"
    )
    modules = "import values\nfrom helping import helper\nfrom calling import f\n"
    load = "from dynamics.kernels.decorators import load_numba\nload_numba()\n"
    ask(f"{load}{modules}helper(1.0)\nvalues.G = 3.0\nf(1.0)")
    assert ask(f"{modules}values.G = 3.0\nprint(f(1.0))")[0][0] == 3.0
    assert ask(f"{modules}values.G = 3.0\nprint(f(1.0))") == ([3.0, 0], "")


@pytest.mark.parametrize("name", ["wave", "trace", "profile", "signal", "code", "statistics"])
def test_a_module_of_a_users_own_named_as_one_of_pythons(place, name):
    folder, ask = place
    (folder / f"{name}.py").write_text(
        f"{KERNEL}K = 2.0\n\n\n@kernel\ndef g(x):\n    return x + 1.0\n"
    )
    (folder / "mine.py").write_text(
        f"{KERNEL}import {name}\n\n\n@kernel\ndef f(x):\n    return {name}.K * {name}.g(x)\n"
    )
    question = "from mine import f; print(f(1.0))"
    assert ask(question)[0][0] == 4.0
    _edit(folder / f"{name}.py", "K = 2.0", "K = 3.0")
    assert ask(question)[0][0] == 6.0
    _edit(folder / f"{name}.py", "x + 1.0", "x + 2.0")
    assert ask(question)[0][0] == 9.0
    assert ask(question) == ([9.0, 0], "")


def test_a_number_named_as_a_parameter_of_a_lambda_in_a_default(place):
    folder, ask = place
    (folder / "mine.py").write_text(
        f"{KERNEL}K = 2.0\n\n\n@kernel\ndef f(x, n=(lambda K: K * 1.0)(1.0)):\n    return x * n * K\n"
    )
    question = "from mine import f; print(f(1.0))"
    assert ask(question)[0][0] == 2.0
    _edit(folder / "mine.py", "K = 2.0", "K = 3.0")
    assert ask(question)[0][0] == 3.0


@pytest.mark.parametrize("edited", ["mine", "beside"])
def test_what_python_itself_kept_of_a_file_of_before_is_not_kept(place, edited):
    """An edit of the same size and date: Python does not see it either, until it reads the file again."""
    folder, ask = place
    (folder / "beside.py").write_text(f"{KERNEL}@kernel\ndef g(x):\n    return x + 2.0\n")
    (folder / "mine.py").write_text(
        f"{KERNEL}from beside import g\n\n\n@kernel\ndef f(x):\n    return g(x) * 2.0\n"
    )
    for each in folder.glob("*.py"):
        os.utime(each, (1e9, 1e9))
        py_compile.compile(str(each), doraise=True)
    file = folder / f"{edited}.py"
    _edit(file, "2.0", "3.0")
    os.utime(file, (1e9, 1e9))
    answer, said = ask(
        "import dynamics.kernels.source_text as t, time\nt._LOADED = time.time() + 10.0\n"
        "from mine import f; print(f(1.0))"
    )
    assert answer[0] == 6.0
    assert f"{edited}." in said
    shutil.rmtree(folder / "__pycache__")
    now = 9.0 if edited == "mine" else 8.0
    assert ask("from mine import f; print(f(1.0))")[0][0] == now


def test_of_many_edits_three_are_told_by_name(place):
    folder, ask = place
    lines = [f"@kernel\ndef f{i}(x):\n    return x + 1.0\n" for i in range(6)]
    (folder / "many.py").write_text(KERNEL + "\n\n".join(lines))
    question = "import many\nfor i in range(6): print(getattr(many, f'f{i}')(1.0))"
    ask(question)
    _edit(folder / "many.py", "1.0", "2.0")
    answer, said = ask(question)
    assert answer[:6] == [3.0] * 6
    lines = said.splitlines()
    assert len(lines) == 4
    assert all(f"many.f{i}" in lines[i] for i in range(3))
    assert lines[3].endswith("… and others")


def test_what_cannot_be_compiled_is_not_said_to_be_compiled_in_every_start(place):
    folder, ask = place
    (folder / "mine.py").write_text(
        f"{KERNEL}class A:\n    k = 2.0\n\n\n@kernel\ndef f(x):\n    return x * A.k\n"
    )
    _, said = ask(
        "from mine import f\ntry:\n    f(1.0)\nexcept Exception as error:\n"
        "    assert 'Typing' in type(error).__name__, error\nelse:\n    raise SystemExit(1)"
    )
    assert "every start" not in said


def test_of_many_versions_the_oldest_go(place):
    folder, ask = place
    (folder / "many.py").write_text(
        f"{KERNEL}from dynamics.kernels import kept_code\n\nkept_code._KEEP = 3\n"
        "def make(k):\n    @kernel\n    def f(x):\n        return k * x\n    return f\n"
    )
    ask("from many import make\nfor k in range(5): make(float(k))(1.0)")
    assert len(list((folder / "cache").rglob("many.*.nbc"))) == 3
