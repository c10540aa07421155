"""What the source of a function says: without comments, docstrings, annotations and layout, and which names it reads.

Two texts of one syntax tree say the same, on every Python; a formatter changes none. What a file
says is kept under the checksum of the file, since to take it apart needs more time than to read it.
"""

import ast
import functools
import json
import time
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

from dynamics.kernels.checksums import digest, remembered
from dynamics.kernels.names_read import SCOPES, names_read
from dynamics.kernels.same_code import is_of_its_file

_LOADED = time.time() - 1.0  # [s] what was written to after this may not be what was imported
_SAYS_NOTHING = ("annotation", "ctx", "kind", "returns", "type_comment", "type_ignores")
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)

_Place = tuple[int, int]  # a line, from 1, and a column
_NOWHERE: _Place = 0, 0


class Text(NamedTuple):
    """What a function says."""

    digest: str
    names: list[str]  # that it reads and does not bind, with their attributes: ``math.sqrt``


class _Found(NamedTuple):
    """A function in a file; of a lambda the places of its body, of another one nowhere."""

    first_line: int
    begin: _Place
    end: _Place
    text: Text


def text_of_file(source: bytes) -> str:
    """What a file says as a whole, as a digest."""
    return digest(_says(ast.parse(source)))


def text_of_string(source: str) -> Text:
    """What the one function says that a string defines, which was written at run time."""
    return next(_functions(source.encode())).text


def text_of_code(code: CodeType, kept: Path) -> Text | None:
    """What the function says whose code this is; ``kept``: a folder for what files say.

    None where its file is not there, or says something else by now.
    """
    known = _KNOWN.get(id(code))
    if known is None:
        known = _KNOWN[id(code)] = code, _look_up(code, kept)
    return known[1]


_KNOWN: dict[int, tuple[CodeType, Text | None]] = {}  # by identity: like codes are of other places


def _look_up(code: CodeType, kept: Path) -> Text | None:
    path = Path(code.co_filename)
    try:
        stamp = path.stat()
        found = _read(path, stamp.st_mtime_ns, stamp.st_ctime_ns, kept)
    except (OSError, SyntaxError, ValueError):
        return None
    if stamp.st_ctime > _LOADED and not is_of_its_file(code):
        return None
    is_lambda = code.co_name == "<lambda>"
    here = [
        each
        for each in found
        if each.first_line == code.co_firstlineno and is_lambda == (each.begin != _NOWHERE)
    ]
    if len(here) > 1:
        here = _innermost(here, code)
    return here[0].text if len(here) == 1 else None


def _innermost(lambdas: list[_Found], code: CodeType) -> list[_Found]:
    """The lambda whose body holds all places of a code, and that no other one of these holds."""
    begins: list[_Place] = []
    ends: list[_Place] = []
    for line, end_line, column, end_column in code.co_positions():
        if line is None or end_line is None or not end_column or column is None:
            continue  # of no place in the text
        begins.append((line, column))
        ends.append((end_line, end_column))
    if not begins:
        return []  # Python was told to forget columns
    holding = [each for each in lambdas if each.begin <= min(begins) and max(ends) <= each.end]
    return sorted(holding, key=lambda each: each.begin)[-1:]


@functools.cache
def _read(path: Path, changed: int, written: int, kept: Path) -> list[_Found]:
    """The functions of a file at a time, from what is kept, where they are."""
    source = path.read_bytes()

    def take_apart() -> bytes:
        return json.dumps(list(_functions(source)), separators=(",", ":")).encode()

    words = json.loads(remembered(kept / digest(_DECIDE + source), take_apart))
    return [_Found(line, tuple(begin), tuple(end), Text(*text)) for line, begin, end, text in words]


# what is kept of a file is decided by these
_DECIDE = b"".join(
    Path(__file__).with_name(name).read_bytes() for name in ("source_text.py", "names_read.py")
)


def _functions(source: bytes) -> Iterator[_Found]:
    for node, owner in _with_classes(ast.parse(source), owner=""):
        if not isinstance(node, SCOPES):
            continue
        text = Text(digest(_says(node, without=("decorator_list",))), names_read(node, owner))
        if isinstance(node, ast.Lambda):
            body = node.body
            begin = (body.lineno, body.col_offset)
            yield _Found(node.lineno, begin, (body.end_lineno or 0, body.end_col_offset or 0), text)
        else:
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            yield _Found(first, _NOWHERE, _NOWHERE, text)


def _with_classes(node: ast.AST, owner: str) -> Iterator[tuple[ast.AST, str]]:
    """All parts of a syntax tree, each with the name of the class that it lies in."""
    yield node, owner
    inside = node.name if isinstance(node, ast.ClassDef) else owner
    for child in ast.iter_child_nodes(node):
        yield from _with_classes(child, inside)


def _says(node: Any, without: tuple[str, ...] = ()) -> str:
    """A syntax tree in words that are the same on every Python; what is empty is left out."""
    if isinstance(node, list):
        return f"[{','.join(map(_says, node))}]"
    if not isinstance(node, ast.AST):
        return ascii(node)
    parts = [type(node).__name__]
    for name in node._fields:
        value: Any = getattr(node, name, None)
        if name == "body" and isinstance(node, _DOCUMENTED) and ast.get_docstring(node, False):
            value = value[1:]
        if value in (None, []) or name in _SAYS_NOTHING or name in without:
            continue
        parts.append(f"{name}={_says(value)}")
    return f"({' '.join(parts)})"
