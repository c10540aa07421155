"""What a kernel reads: its text, and the values of all globals, closure cells and defaults that it reaches.

A function that it calls is read as it is itself, in whosever package. Two kernels that read the
same are compiled to the same code, and where something of it is another one, its name tells why
code is compiled anew. No place and no line is read, nor anything that depends on the version of
Python.
"""

import builtins
import enum
from collections.abc import Callable, Iterable
from types import CellType, FunctionType, ModuleType
from typing import Any, NamedTuple

from dynamics.kernels.cache import cache_folder
from dynamics.kernels.checksums import digest
from dynamics.kernels.contents import (
    MISSING,
    Contents,
    Unreadable,
    is_of_library,
    may_be_a_users_own,
    python_function,
)
from dynamics.kernels.same_code import is_of_its_file
from dynamics.kernels.source_text import Text, text_of_code, text_of_string

_WRITTEN = "written_text"  # an attribute of a function that was written at run time


class Read(NamedTuple):
    """Something that a kernel reads, as a digest."""

    name: str
    content: str


class _Seen(NamedTuple):
    """What one function itself reads, as long as its names lead to the same objects."""

    function: FunctionType  # so that nothing else gets its identity
    found: list[tuple[str, Any]]  # names, and what they led to
    reads: list[Read]
    calls: list[FunctionType]
    lasts: bool  # whether nothing of it can change inside


_SEEN: dict[int, _Seen] = {}


def reads_of(function: Callable) -> list[Read]:
    """All that the code compiled from a function depends on, beside the files of the decorators.

    Raises ``Unreadable``: something of it has no content that could be read.
    """
    return [read for seen in _all_seen(function) for read in seen.reads]


def called_by(function: Callable) -> list[FunctionType]:
    """All functions that a function calls, and those that they call; itself only where one calls it.

    Raises ``Unreadable`` as ``reads_of`` does.
    """
    called = {id(each): each for seen in _all_seen(function) for each in seen.calls}
    return list(called.values())


def runs_older_text(function: Callable) -> str:
    """The name of a function, among all that this one reaches, whose file has other code than Python runs.

    Empty where there is none. Raises ``Unreadable`` as ``reads_of`` does.
    """
    for seen in _all_seen(function):
        if not hasattr(seen.function, _WRITTEN) and not is_of_its_file(seen.function.__code__):
            return f"{seen.function.__module__}.{seen.function.__qualname__}"
    return ""


def _all_seen(function: Callable) -> list[_Seen]:
    """What a function itself reads, and what every function reads that it reaches."""
    found: list[_Seen] = []
    reached = [python_function(function)]
    known = {id(reached[0])}
    for each in reached:
        seen = _SEEN.get(id(each))
        if seen is None or not seen.lasts or not _leads_to_the_same(each, seen):
            seen = _SEEN[id(each)] = _look(each)
        found.append(seen)
        for called in seen.calls:
            if id(called) not in known:
                known.add(id(called))
                reached.append(called)
    return found


def key_of(reads: Iterable[Read]) -> str:
    """A digest of what is read."""
    return digest("\n".join(f"{read.name} {read.content}" for read in reads))


def _leads_to_the_same(function: FunctionType, seen: _Seen) -> bool:
    return all(_follow(function, name)[0] is value for name, value in seen.found)


def _look(function: FunctionType) -> _Seen:
    """What one function reads, without what those read that it calls."""
    name = f"{function.__module__}.{function.__qualname__}"
    text = _text(function, name)
    content = Contents()
    found: list[tuple[str, Any]] = []
    reads = [Read(name, digest(f"{text.digest} {content.of(_defaults(function))}"))]
    for dotted in text.names:
        value, rest = _follow(function, dotted)
        found.append((dotted, value))
        try:
            reads.append(Read(f"{dotted} of {name}", digest(content.named(value, rest))))
        except Unreadable as error:
            raise Unreadable(f"{dotted} ({error})") from None
    return _Seen(function, found, reads, content.calls, content.lasts)


def _text(function: FunctionType, name: str) -> Text:
    written = getattr(function, _WRITTEN, None)
    if written is not None:
        return text_of_string(written)
    text = text_of_code(function.__code__, cache_folder() / "texts")
    if text is None:
        raise Unreadable(f"the source of {name}")
    return text


def _defaults(function: FunctionType) -> tuple:
    by_name = sorted((function.__kwdefaults__ or {}).items())
    return (*(function.__defaults__ or ()), *by_name)


def _follow(function: FunctionType, dotted: str) -> tuple[Any, str]:
    """What a dotted name leads to in a function, and what of the name is left, as an attribute of a value.

    Of what a library has and is known by its name the value is the module, and the name is left.
    """
    first, *rest = dotted.split(".")
    value = _root(function, first)
    while rest and isinstance(value, ModuleType):
        if not is_of_library(value):
            value = getattr(value, rest.pop(0), MISSING)
            continue
        inner = vars(value).get(rest[0], MISSING)
        if not may_be_a_users_own(inner):
            break
        value = inner
        rest = rest[1:]
    if rest and isinstance(value, enum.EnumType):
        value = getattr(value, rest.pop(0), MISSING)
    return value, ".".join(rest)


def _root(function: FunctionType, name: str) -> Any:
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    for enclosed, cell in cells:
        if enclosed == name:
            return _inside(cell)
    if name in function.__globals__:
        return function.__globals__[name]
    return getattr(builtins, name, MISSING)


def _inside(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # nothing was ever in it
        return MISSING


def change_of(now: list[Read], before: list[Read]) -> str:
    """The first name of what is read now and was not before, or in another content."""
    was = set(before)
    names = (read.name for read in now if read not in was)
    return next(names, "something that is not read any more")
