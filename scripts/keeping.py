"""What takes minutes, and what depends on the machine, is kept: ``scripts/kept/DOCUMENT.json``.

A function with ``@kept(…)`` gives the value that is kept for its arguments. Only ``measured_anew``,
which ``reproduce.py`` uses, measures it again and keeps that. Where nothing is kept it is measured,
and not kept.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).with_name("kept")
# by document, chapter and function the test that measures a part of it again
HELD: dict[str, str] = {}
_anew: dict[str, dict[str, Any]] = {}  # by document what has been measured in this process
_known: dict[str, dict[str, Any]] = {}  # by document what need not be measured
# by document what forgets the values that were asked for so far
_forget: dict[str, list[Callable[[], None]]] = {}


def kept(
    held_by: str, make: Callable[[Any], Any] = lambda value: value
) -> Callable[[Callable], Callable]:
    """Keep what a function of a document measures; it is ``__wrapped__``, its arguments numbers, text, or tuples.

    ``held_by`` is the test, ``test_x.py::test_y`` of ``tests/scripts``, that measures a part again;
    ``make`` makes of the value as JSON has it (numbers, text, lists) what the function returns, by
    default that.
    """

    def decorate(function: Callable) -> Callable:
        document, _, chapter = function.__module__.partition(".")
        HELD[f"{document}.{chapter}.{function.__name__}"] = held_by

        @wraps(function)
        def asked(*arguments: Any, **named: Any) -> Any:
            bound = signature(function).bind(*arguments, **named)
            bound.apply_defaults()
            values = ", ".join(f"{name}={value!r}" for name, value in bound.arguments.items())
            return once(f"{chapter}.{function.__name__}({values})", *bound.args)

        @cache
        def once(name: str, *arguments: Any) -> Any:
            values = _anew[document] if document in _anew else read(document)
            if name not in values:
                known = _known.get(document, {})
                measured = known[name] if name in known else function(*arguments)
                value = json.loads(json.dumps(measured, default=_plain))
                if document not in _anew:
                    return make(value)
                values[name] = value
            return make(values[name])

        _forget.setdefault(document, []).append(once.cache_clear)
        return asked

    return decorate


@contextmanager
def measured_anew(document: str, missing: bool = False) -> Iterator[None]:
    """Keep what is asked for of a document, once all of it is there, and nothing else.

    ``missing``: measure only what is not kept yet; otherwise everything again.
    """
    _anew[document], _known[document] = {}, read(document) if missing else {}
    for forget in _forget.get(document, []):
        forget()
    try:
        yield
        write(document, _anew[document])
    finally:
        del _anew[document], _known[document]


def read(document: str, folder: Path | None = None) -> dict[str, Any]:
    """What is kept of a document: values by function and arguments; empty where there is no file."""
    path = (folder or FOLDER) / f"{document}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def write(document: str, values: dict[str, Any], folder: Path | None = None) -> None:
    """Keep the values of a document, one a line; without any there is no file."""
    path = (folder or FOLDER) / f"{document}.json"
    path.unlink(missing_ok=True)
    if values:
        path.parent.mkdir(exist_ok=True)
        lines = [
            f"{json.dumps(name, ensure_ascii=False)}: {_text(values[name])}"
            for name in sorted(values)
        ]
        path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _plain(value: Any) -> Any:
    """Arrays and numbers of numpy as JSON has them."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} cannot be kept")
