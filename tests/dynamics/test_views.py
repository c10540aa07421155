"""A part of a flat array in another shape, in Python and compiled."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

from dynamics.kernels.decorators import packed
from dynamics.kernels.views import view


@packed
def _mark(numbers: np.ndarray, n: int) -> None:
    view(numbers, 1, (n,))[0] = 1.0
    view(numbers, 2, (n, 3))[1, 2] = 2.0
    view(numbers, 3, (2, n, 2))[1, n - 1, 1] = 3.0
    numbers[0] = view(numbers, 0, (2, n, 2)).size + 10 * view(numbers, 3, (0, n)).size


@pytest.mark.parametrize("call", [_mark, _mark.__wrapped__], ids=["compiled", "python"])
def test_a_view_is_of_the_same_memory(call):
    numbers, n = np.zeros(20), 4
    call(numbers, n)
    expected = np.zeros(20)
    expected[[0, 1, 2 + 5, 3 + 15]] = 16, 1, 2, 3
    assert np.array_equal(numbers, expected)


def test_too_few_numbers_are_refused_in_python():
    with pytest.raises(ValueError, match="reshape"):
        view(np.zeros(5), 0, (2, 3))


DECORATORS = {"kernel", "inlined", "shared", "packed"}
ROOT = Path(__file__).resolve().parents[2]


def parts_returned(function):
    """Returned expressions that are slices or other shapes of what the function was given."""
    given = {argument.arg for argument in function.args.args}

    def is_part(node):
        if isinstance(node, ast.Tuple):
            return any(map(is_part, node.elts))
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute):
                return node.func.attr == "reshape" and (
                    is_part(node.func.value) or _root(node.func.value) in given
                )
            return (
                isinstance(node.func, ast.Name)
                and node.func.id[0].isupper()
                and any(map(is_part, node.args))
            )
        if isinstance(node, ast.Subscript):
            return _root(node) in given and any(
                isinstance(part, ast.Slice) for part in ast.walk(node.slice)
            )
        return isinstance(node, ast.Name) and node.id in parts

    parts = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and is_part(node.value):
            parts |= {
                name.id
                for target in node.targets
                for name in ast.walk(target)
                if isinstance(name, ast.Name)
            }
    return [
        r.value
        for r in ast.walk(function)
        if isinstance(r, ast.Return) and r.value is not None and is_part(r.value)
    ]


def _root(node):
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def test_no_compiled_step_returns_a_part_that_it_does_not_own():
    """Numba compiles a step that counts references or not, as whoever asks for it first; a part is then freed twice.

    With ``view`` the part is nobody's.
    """
    wrong = []
    for path in [*(ROOT / "dynamics").rglob("*.py"), *(ROOT / "hopfield_nav").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                names = {d.id for d in node.decorator_list if isinstance(d, ast.Name)}
                if names & DECORATORS and parts_returned(node):
                    wrong.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name}")
    assert not wrong


def test_a_part_that_is_returned_is_noticed():
    wrong_text = "def f(a, n):\n b = a[1:n]\n return b.reshape(2, n), 3"
    right_text = "def g(a):\n return view(a, 1, (2,)), a[0], a[1:].copy()"
    wrong, right = ast.parse(f"{wrong_text}\n{right_text}").body
    assert parts_returned(wrong)
    assert not parts_returned(right)
