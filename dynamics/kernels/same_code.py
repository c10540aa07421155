"""Whether the file of a function still has the code that Python runs."""

import functools
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any


def is_of_its_file(code: CodeType) -> bool:
    """Whether the file of a function has the very code that Python runs.

    Python itself runs what it kept of a file of before, if that has the same size and date.
    """
    known = _COMPARED.get(id(code))
    if known is None:
        known = _COMPARED[id(code)] = code, _compare(code)
    return known[1]


_COMPARED: dict[int, tuple[CodeType, bool]] = {}  # by identity: like codes are of other places


def _compare(code: CodeType) -> bool:
    path = Path(code.co_filename)
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
