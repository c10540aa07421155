"""What lies in the folder of compiled code: every version of a function in a file of its own, with its checksum.

Compiled code is executed as it lies there. A file that a power cut, a full disk or a bad sector has
left otherwise than it was written is not read; what it held is compiled anew, and takes its place.
The name of a file says which function it is of and, as digests, for which types it was compiled and
what it reads (``reads``), so that no index is needed, no process waits for another one that writes,
and to look for code loads no class that it was compiled for.
"""

import functools
import glob
import json
import pickle
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from dynamics.files.writing import whole_file
from dynamics.kernels.cache import cache_folder
from dynamics.kernels.checksums import digest, opened, sealed
from dynamics.kernels.contents import Unreadable, python_function
from dynamics.kernels.object_code import undefined_names
from dynamics.kernels.older_code import calls_older_code, note
from dynamics.kernels.reads import Read, change_of, key_of, reads_of, runs_older_text
from dynamics.kernels.types_in_words import are_of_files, in_words

ENDING = ".nbc"
_FORMAT = 3  # of the files
_KEEP = 64  # versions of functions of one name for the same types, the oldest of which go
_TELL = 3  # names of what was edited, in a process; of more it says that there are some
_BY_VALUE = b"_make_function"  # how a pickle begins that holds a function instead of its name


def kept_code(function: Callable, options: str) -> NullCache:
    """The compiled versions of a function with these options; none where it was typed into no file."""
    known = python_function(function)
    is_of_file = Path(known.__code__.co_filename).is_file()
    return KeptCode(known, options) if is_of_file else NullCache()


class KeptCode(NullCache):
    """The compiled versions of one function, as Numba's dispatchers ask for them."""

    def __init__(self, function: Callable, options: str) -> None:
        self._function = function
        self._options = options
        *folders, module = _for_files(function.__module__).split(".")
        self._folder = cache_folder().joinpath(*folders)
        self._name = _for_files(f"{module}.{function.__qualname__}")
        self._looked_for: dict[str, str] = {}  # what was read when a version was looked for

    @property
    def cache_path(self) -> str:  # noqa: D102  (of Numba's)
        return str(self._folder)

    def load_overload(self, sig: Any, target_context: Any) -> CompileResult | None:
        """The version for some types of arguments, ready to be called; None where there is none."""
        target_context.refresh()
        try:
            reads = reads_of(self._function)
        except Unreadable:
            return None  # told when it is compiled, if it can be
        kind = self._kind(sig, target_context.codegen())
        key = self._looked_for[kind] = key_of(reads)
        note(self._function, key)
        content = _read(self._path(kind, key))
        if content is None:
            self._say_why(kind, reads)
            return None
        try:
            return self._loaded(content, [kind, key], target_context)
        except Exception as error:  # whatever is wrong with it, it can be compiled
            reason = f"{type(error).__name__}: {error}".splitlines()[0]
            _say_once(
                f"compiled anew, since what is kept of it cannot be used ({reason}): {self._name}"
            )
            return None

    def _loaded(self, content: bytes, asked: list[str], context: Any) -> CompileResult:
        """What a file holds, made part of this process.

        Raises ``ValueError``: it is of something else, or asks for what this process has not; and
        whatever reading it raises.
        """
        about, _, parts = content.partition(b"\n")
        kind, key, _, symbols = json.loads(about)
        if [kind, key] != asked:
            raise ValueError("it is of another function")
        missing = next((name for name in symbols if not _is_linked(name)), None)
        if missing is not None:
            raise ValueError(f"this process has no {missing}")
        return CompileResult._rebuild(context, *pickle.loads(parts))

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write a version, unless it holds what is true in this process alone, or reads what it did not before."""
        reads = self._reads()
        if (
            reads is None
            or data.lifted
            or data.library.has_dynamic_globals
            or " at 0x" in str(sig)
            or not are_of_files(sig)
        ):
            return
        kind, key = self._kind(sig, data.codegen), key_of(reads)
        if self._looked_for.get(kind) != key or calls_older_code(self._function):
            return
        if older := runs_older_text(self._function):
            return self._say_not_kept(
                f"Python runs {older} as its file was before, of the same size and date; "
                "without the folder __pycache__ it would not"
            )
        parts = data._replace(type_annotation="")._reduce()  # an annotation tells the path
        try:
            body = dumps(parts)
        except Exception as error:  # whatever a pickle has against it
            return self._say_not_kept(f"{type(error).__name__}: {error}")
        if _BY_VALUE in body:
            return self._say_not_kept("its code holds a function")
        about = json.dumps([kind, key, reads, _asked_for(parts)])
        content = about.encode() + b"\n" + body
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with whole_file(self._path(kind, key)) as path:
                path.write_bytes(sealed(content))
            for old in self._versions(kind)[:-_KEEP]:
                old.unlink(missing_ok=True)
        except OSError as error:
            _say_once(f"compiled code cannot be kept in {cache_folder()}: {error.strerror}")

    def _say_not_kept(self, why: str) -> None:
        _say_once(f"{self._name} is compiled in every start ({why})")

    def _reads(self) -> list[Read] | None:
        """What the function reads; None where that is not known by its content, which is told once."""
        try:
            return reads_of(self._function)
        except Unreadable as error:
            name = f"{self._function.__module__}.{self._function.__qualname__}"
            _say_once(f"{name} is compiled in every start: it reads {error}, not known by content")
            return None

    def _kind(self, signature: Any, codegen: Any) -> str:
        """Types, options and processor."""
        return f"{_FORMAT} {in_words(signature)} {codegen.magic_tuple()} {self._options}"

    def _path(self, kind: str, key: str) -> Path:
        return self._folder / f"{self._name}-{digest(kind)[:16]}-{key}{ENDING}"

    def _versions(self, kind: str) -> list[Path]:
        """The files of functions of this name for the same types, the oldest first."""
        found = self._folder.glob(f"{glob.escape(self._name)}-{digest(kind)[:16]}-*{ENDING}")
        return sorted(found, key=lambda path: path.stat().st_mtime)

    def _say_why(self, kind: str, reads: list[Read]) -> None:
        """Tell what of all that is read is another one than when it was last compiled."""
        name = self._function.__qualname__
        for path in reversed(self._versions(kind)):
            content = _read(path)
            if content is None:
                continue
            before = [Read(*each) for each in json.loads(content.partition(b"\n")[0])[2]]
            change = change_of(reads, before)
            if "<" in name and change.endswith(name):
                continue  # another function of the same name, or made with another value
            return _say_edited(change)
        return None


def _asked_for(parts: tuple) -> list[str]:
    """The names that machine code asks the process for; those that begin with ``_Z`` are Numba's own."""
    code = parts[0][2][0]
    return sorted(name for name in undefined_names(code) if not name.startswith("_Z"))


@functools.cache
def _is_linked(name: str) -> bool:
    return llvm.address_of_symbol(name) is not None


def words_of(options: Mapping[str, Any]) -> str:
    """Options of a compiler in words."""
    return " ".join(f"{name}={_option(options[name])}" for name in sorted(options))


def _option(value: Any) -> str:
    if isinstance(value, (set, frozenset)):
        return str(sorted(value))
    return f"{value.__module__}.{value.__qualname__}" if isinstance(value, type) else repr(value)


def _for_files(name: str) -> str:
    """A name of modules and functions in letters that every file may have."""
    return re.sub(r"[^\w.]", "", name)


def _read(path: Path) -> bytes | None:
    """What a file holds; None where it is missing, or damaged, which is told once."""
    try:
        content = opened(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError:
        content = None  # it cannot be read at all
    if content is None:
        _say_once(f"damaged compiled code in {cache_folder()} is compiled anew")
    return content


_EDITED: set[str] = set()  # names that were told


def _say_edited(name: str) -> None:
    """Tell of something edited, of the first few by their names."""
    if name in _EDITED or len(_EDITED) > _TELL:
        return
    _EDITED.add(name)
    told = name if len(_EDITED) <= _TELL else "… and others"
    _say_once(f"compiled anew, since it was edited: {told}")


@functools.cache
def _say_once(message: str) -> None:
    print(f"hopfield-nav: {message}", file=sys.stderr, flush=True)
