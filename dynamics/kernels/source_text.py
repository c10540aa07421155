"""What the source of a function says: without comments, docstrings, annotations and layout, and which names it reads.

Two texts of one syntax tree say the same, on every Python; a formatter changes none. What a file
says is kept under the checksum of the file, since to take it apart needs more time than to read it.
"""

import ast
import functools
import hashlib
import json
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

from dynamics.files.writing import whole_file
from dynamics.kernels.archive import opened, sealed

_LOADED = time.time() - 1.0  # [s] what was written to after this may not be what was imported
_SAYS_NOTHING = ("annotation", "ctx", "kind", "returns", "type_comment", "type_ignores")
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
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


def digest(words: str | bytes) -> str:
    """Twenty letters that nothing else has."""
    return hashlib.sha256(words.encode() if isinstance(words, str) else words).hexdigest()[:20]


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
    if stamp.st_ctime > _LOADED and not _is_of(code, path):
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

    words = json.loads(remembered(kept / digest(_OURSELVES + source), take_apart))
    return [_Found(line, tuple(begin), tuple(end), Text(*text)) for line, begin, end, text in words]


def remembered(place: Path, make: Callable[[], bytes]) -> bytes:
    """What a file with a checksum holds; where it is missing or damaged it is made, and written."""
    with suppress(OSError):
        content = opened(place.read_bytes())
        if content is not None:
            return content
    made = make()
    with suppress(OSError):
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with whole_file(place) as partial:
            partial.write_bytes(sealed(made))
    return made


_OURSELVES = Path(__file__).read_bytes()  # which decide what is kept


def _functions(source: bytes) -> Iterator[_Found]:
    for node, owner in _with_classes(ast.parse(source), owner=""):
        if not isinstance(node, _SCOPES):
            continue
        names = sorted(_in_class(name, owner) for name in _reads(node))
        text = Text(digest(_says(node, without=("decorator_list",))), names)
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


def _in_class(dotted: str, owner: str) -> str:
    """A name as Python looks it up from inside a class, where ``__a`` is a private one: ``_Class__a``."""
    prefix = owner.lstrip("_")
    if not prefix:
        return dotted
    parts = dotted.split(".")
    for i, part in enumerate(parts):
        if part.startswith("__") and not part.endswith("__"):
            parts[i] = f"_{prefix}{part}"
    return ".".join(parts)


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


def _reads(node: ast.AST) -> set[str]:
    """The names that a function reads and does not bind itself, with their attributes."""
    read: set[str] = set()
    bound: set[str] = set()
    inside = [node.body] if isinstance(node, ast.Lambda) else node.body  # type: ignore[attr-defined]
    for each in inside:
        _look(each, read, bound)
    bound |= _parameters(node.args)  # type: ignore[attr-defined]
    return {name for name in read if name.partition(".")[0] not in bound}


def _parameters(arguments: ast.arguments) -> set[str]:
    """The names of parameters, without those of a lambda inside a default."""
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    rest = filter(None, [arguments.vararg, arguments.kwarg])
    return {each.arg for each in [*named, *rest]}


def _look(node: ast.AST, read: set[str], bound: set[str]) -> None:
    """Find what a part of a function reads, and what it binds."""
    if isinstance(node, ast.Attribute) and (name := _dotted(node)):
        read.add(name)
    elif isinstance(node, ast.Name):
        (read if isinstance(node.ctx, ast.Load) else bound).add(node.id)
    elif isinstance(node, _SCOPES):
        if not isinstance(node, ast.Lambda):
            bound.add(node.name)
        read |= _reads(node)
        for default in [*node.args.defaults, *filter(None, node.args.kw_defaults)]:
            _look(default, read, bound)
    elif isinstance(node, _COMPREHENSIONS):
        names: set[str] = set()
        own: set[str] = set()
        for child in ast.iter_child_nodes(node):
            _look(child, names, own)
        read |= {name for name in names if name.partition(".")[0] not in own}
        # what its first iterable reads is of the outer scope, even under a name of its own
        _look(node.generators[0].iter, read, bound)
    elif isinstance(node, ast.AnnAssign):
        for part in (node.target, node.value):
            if part is not None:
                _look(part, read, bound)
    else:
        for child in ast.iter_child_nodes(node):
            _look(child, read, bound)


def _dotted(node: ast.AST) -> str:
    """``a.b.c``, read; empty for an attribute of anything else than a name."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        return node.id
    if not (isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)):
        return ""
    before = _dotted(node.value)
    return before and f"{before}.{node.attr}"


def is_of_its_file(code: CodeType) -> bool:
    """Whether the file of a function has the very code that Python runs.

    Python itself runs what it kept of a file of before, if that has the same size and date.
    """
    known = _COMPARED.get(id(code))
    if known is None:
        known = _COMPARED[id(code)] = code, _is_of(code, Path(code.co_filename))
    return known[1]


_COMPARED: dict[int, tuple[CodeType, bool]] = {}  # by identity: like codes are of other places


def _is_of(code: CodeType, path: Path) -> bool:
    """Whether a file, which was written to meanwhile, still has the very code of a function."""
    try:
        stamp = path.stat()
        codes = _codes_of_file(path, stamp.st_mtime_ns, stamp.st_ctime_ns)
    except (OSError, SyntaxError, ValueError):
        return False
    return any(_same(code, each) for each in codes)


@functools.lru_cache(maxsize=16)  # kernels of one file are mostly compiled one after the other
def _codes_of_file(path: Path, changed: int, written: int) -> list[CodeType]:
    """The codes of all functions of a file at a time, as Python makes them now."""
    return list(_codes(compile(path.read_bytes(), str(path), "exec", dont_inherit=True)))


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _codes(each)


def _same(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, frozenset):
        return sorted(map(repr, a)) == sorted(map(repr, b))
    if not isinstance(a, CodeType):
        return repr(a) == repr(b)
    facts = ("co_code", "co_firstlineno", "co_qualname", "co_names", "co_varnames", "co_freevars")
    if any(getattr(a, fact) != getattr(b, fact) for fact in facts):
        return False
    if len(a.co_consts) != len(b.co_consts):
        return False
    return all(_same(*pair) for pair in zip(a.co_consts, b.co_consts, strict=True))
