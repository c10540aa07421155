"""The text of a function: what it says and what it reads, whatever its layout."""

from __future__ import annotations

import os
import sys
import time

import pytest

from dynamics.kernels import source_text
from dynamics.kernels.source_text import text_of_code, text_of_string

FUNCTION = """
def f(a, b=K):
    x = a * math.sqrt(b) + table[0]
    return step(x, Stage.BACK, (1.0, 2))
"""


OTHER_LAYOUT = """
# before
@kernel
def f(a: float, b: "float" = K) -> int:
  'Says it.'
  x = (a*math.sqrt(b,)) + table[(0)]  # why


  return step(
    x,
    Stage.BACK,
    ((1.0), 2,),
  )
"""


def test_comments_docstrings_annotations_and_layout_say_nothing():
    assert text_of_string(OTHER_LAYOUT) == text_of_string(FUNCTION)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1.0", "1"), ("1.0", "2.0"), ("(1.0, 2)", "(1.0, 2, 3)"), ("a *", "a /"), ("x =", "y = x ="),
        ("b=K", "b=L"), ("a, b", "b, a"), ("table[0]", "table[0,]"), ("1.0", "'1.0'"),
    ],
)  # fmt: skip
def test_everything_else_does(old, new):
    assert old in FUNCTION
    assert text_of_string(FUNCTION.replace(old, new)).digest != text_of_string(FUNCTION).digest


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("def f(a): return a + K + a.b", "K"),
        ("def f(a): return m.n.k(a).s + m.t[0].u", "m.n.k m.t"),
        ("def f(a, K=L): K = 2; return K", ""),
        ("def f(a):\n    for K in a: x = K\n    return x", ""),
        ("def f(a): return [K for K in K]", "K"),
        ("def f(a): return [x * K for x in a]", "K"),
        ("def f(a): return sum([x for x in a]) + x", "sum x"),
        ("def f(a):\n    def g(b, c=L): return a + b + K + c\n    return g(a)", "K L"),
        ("def f(a): return (lambda a, b=a: a + b + K)(M)", "K M"),
        ("def f(a: T) -> T:\n    x: U = a + K\n    return x", "K"),
        ("@d(e)\ndef f(a): return a", ""),
        (
            "def f(a, n=(lambda K: K)(1.0), *b, c=(lambda L: L)(1.0), **d): return a, b, c, d, n, K, L",
            "K L",
        ),
        ("def f(a):\n    if (n := a) > K: return n\n    return g(*a, **L)", "K L g"),
    ],
)
def test_the_names_that_it_reads_and_does_not_bind(text, names):
    assert set(text_of_string(text).names) == set(names.split())


@pytest.mark.parametrize(
    ("owner", "name", "looked_up"),
    [("A", "__K", "_A__K"), ("_A", "__K.b", "_A__K.b"), ("A", "m.__K", "m._A__K"), ("A", "__K__", "__K__"),
     ("__", "__K", "__K")],
)  # fmt: skip
def test_private_names_of_a_class_are_those_that_python_looks_up(owner, name, looked_up):
    text = f"class {owner}:\n    f = lambda a: {name}\n"
    scope = {}
    exec(text, scope)
    assert text_of_string(text).names == [looked_up]
    first = looked_up.split(".")[0]
    assert first in scope[owner].f.__code__.co_names


def _module(tmp_path, text, name):
    path = tmp_path / f"{name}.py"
    path.write_text(text)
    scope = {}
    exec(compile(text, str(path), "exec"), scope)
    return path, scope


def test_lambdas_of_one_line_are_told_apart(tmp_path):
    text = "a, b = lambda x: x + 1.0, lambda x: x + 2.0\nc = lambda x: lambda y: lambda x: x + y\n"
    _, scope = _module(tmp_path, text, "lambdas")
    a, b, c = (text_of_code(scope[k].__code__, tmp_path / "kept") for k in "abc")
    alone = [text_of_string(f"f = {text}") for text in ("lambda x: x + 1.0", "lambda x: x + 2.0")]
    assert [a, b] == alone
    inner = text_of_code(scope["c"](0.0).__code__, tmp_path / "kept")
    innermost = text_of_code(scope["c"](0.0)(0.0).__code__, tmp_path / "kept")
    assert len({each.digest for each in (a, b, c, inner, innermost)}) == 5
    assert innermost == text_of_string("lambda x: x + y")


def test_what_a_file_says_is_found_again_after_it_was_moved(tmp_path):
    _, before = _module(tmp_path, FUNCTION.replace("b=K", "b=1"), "before")
    _, after = _module(tmp_path, "\n\n# more\n" + FUNCTION.replace("b=K", "b=1"), "after")
    kept = tmp_path / "kept"
    assert text_of_code(before["f"].__code__, kept) == text_of_code(after["f"].__code__, kept)
    assert len(list(kept.iterdir())) == 2


def test_of_a_file_that_was_edited_after_it_was_loaded_nothing_is_known(tmp_path):
    path, scope = _module(tmp_path, "def f(x): return x + 1.0\ndef g(x): return x\n", "edited")
    path.write_text("def f(x): return x + 2.0\ndef g(x): return x\n")
    assert text_of_code(scope["f"].__code__, tmp_path / "kept") is None
    assert text_of_code(scope["g"].__code__, tmp_path / "kept") is not None
    path.unlink()
    scope = {}
    exec(compile("def f(x): return x\n", str(path), "exec"), scope)
    assert text_of_code(scope["f"].__code__, tmp_path / "kept") is None


def test_a_file_of_before_is_not_compiled_to_be_compared(tmp_path, monkeypatch):
    path, scope = _module(tmp_path, "def f(x): return x + 1.0\n", "old")
    monkeypatch.setattr(source_text, "_LOADED", time.time() + 10.0)
    monkeypatch.setattr(source_text, "is_of_its_file", lambda *_: pytest.fail("compiled"))
    os.utime(path, (1.0, 1.0))
    assert text_of_code(scope["f"].__code__, tmp_path / "kept") is not None


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the first with this syntax")
def test_type_parameters_are_text():
    assert text_of_string("def f[T](x): return x") != text_of_string("def f(x): return x")
