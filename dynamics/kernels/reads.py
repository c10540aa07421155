"""What a kernel reads: its text, and the values of all globals, closure cells and defaults that it reaches.

A function that it calls is read as it is itself, in whosever package. Two kernels that read the
same are compiled to the same code, and where something of it is another one, its name tells why
code is compiled anew. No place and no line is read, nor anything that depends on the version of
Python.
"""

import builtins
import enum
import functools
import sys
import sysconfig
from collections.abc import Callable, Iterable
from pathlib import Path
from types import CellType, FunctionType, ModuleType
from typing import Any, NamedTuple, get_type_hints

import numpy as np

from dynamics.kernels.cache import cache_folder
from dynamics.kernels.source_text import Text, digest, is_of_its_file, text_of_code, text_of_string

_WRITTEN = "written_text"  # an attribute of a function that was written at run time
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...))
_LIBRARIES = {"numpy", "numba", "llvmlite"}  # what Numba knows, if anything, beside Python's own
_OF_PYTHON = tuple(
    Path(folder).resolve()
    for folder in (
        sysconfig.get_path("stdlib"),
        sysconfig.get_path("platstdlib"),
        Path(sys.base_prefix, "DLLs"),
    )
)
_INSTALLED = {"site-packages", "dist-packages"}  # folders of others, some in one of Python's own
_LOWERED = "dynamics.kernels."  # whose functions are compiled as the files of the decorators say
_MISSING = object()


class Unreadable(Exception):
    """A value that is not known by its content; says which."""


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


def python_function(function: Any) -> FunctionType:
    """The function of Python that a kernel, or what Numba has made of one, is compiled from."""
    if not isinstance(function, FunctionType):
        function = getattr(function, "py_func", getattr(function, "__wrapped__", function))
    if not isinstance(function, FunctionType):
        raise Unreadable(f"an object of {_name(type(function))}")
    return function


def _leads_to_the_same(function: FunctionType, seen: _Seen) -> bool:
    return all(_follow(function, name)[0] is value for name, value in seen.found)


def _look(function: FunctionType) -> _Seen:
    """What one function reads, without what those read that it calls."""
    name = f"{function.__module__}.{function.__qualname__}"
    text = _text(function, name)
    content = _Content()
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
        if not _is_of_library(value):
            value = getattr(value, rest.pop(0), _MISSING)
            continue
        inner = vars(value).get(rest[0], _MISSING)
        if not _may_be_a_users_own(inner):
            break
        value = inner
        rest = rest[1:]
    if rest and isinstance(value, enum.EnumType):
        value = getattr(value, rest.pop(0), _MISSING)
    return value, ".".join(rest)


def _may_be_a_users_own(value: Any) -> bool:
    """Whether something in a library's module has to be read, since anybody may have set it there."""
    is_number = isinstance(value, (tuple, np.ndarray, np.generic)) or type(value) in _PLAIN
    return is_number or isinstance(value, ModuleType) or _is_dispatcher(value)


def _root(function: FunctionType, name: str) -> Any:
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    for enclosed, cell in cells:
        if enclosed == name:
            return _inside(cell)
    if name in function.__globals__:
        return function.__globals__[name]
    return getattr(builtins, name, _MISSING)


def _inside(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # nothing was ever in it
        return _MISSING


def _is_of_library(value: Any) -> bool:
    """Whether a module, a class or a function is one that is known by its name.

    A module of a user's own may be named as one of Python's is: its file says whose it is.
    """
    is_module = isinstance(value, ModuleType)
    module = value.__name__ if is_module else getattr(value, "__module__", None)
    if not isinstance(module, str):
        return False
    first = module.partition(".")[0]
    if first in _LIBRARIES:
        return True
    if first not in sys.stdlib_module_names:
        return False
    if isinstance(value, FunctionType):
        return _is_python_s(value.__code__.co_filename)
    if not is_module:
        value = sys.modules.get(module)
    return isinstance(value, ModuleType) and _is_python_s(getattr(value, "__file__", None))


@functools.cache
def _is_python_s(file: str | None) -> bool:
    """Whether a file came with Python; what is built in has none."""
    if file is None or file.startswith("<frozen "):
        return True
    path = Path(file).resolve()
    return any(
        path.is_relative_to(folder) and not _INSTALLED & {*path.relative_to(folder).parts}
        for folder in _OF_PYTHON
    )


class _Content:
    """Values in words; ``calls`` are the functions among them."""

    def __init__(self) -> None:
        self.calls: list[FunctionType] = []
        self.lasts = True

    def named(self, value: Any, rest: str) -> str:
        """A value that a name leads to, and an attribute of it."""
        if isinstance(value, ModuleType) and _is_of_library(value):
            return f"{value.__name__}.{rest}"
        return self.of(value)

    def of(self, value: Any) -> str:
        """The content of a value."""
        if value is _MISSING:
            return "nothing"
        if isinstance(value, enum.Enum):
            return f"{_name(type(value))} {value.name} {self.of(value.value)}"
        if type(value) in _PLAIN:
            return f"{type(value).__name__} {value!r}"
        if isinstance(value, np.ndarray):
            return self._array(value)
        if isinstance(value, np.dtype):
            return f"dtype {value.descr}"
        if isinstance(value, np.generic):
            return f"{value.dtype.descr} {value.tobytes().hex()}"
        if isinstance(value, tuple):
            return f"{self._kind_of_tuple(type(value))}({', '.join(map(self.of, value))})"
        if isinstance(value, ModuleType):
            return f"module {value.__name__}"
        if isinstance(value, type):
            return self._kind(value)
        return self._callable(value)

    def _array(self, value: np.ndarray) -> str:
        if value.dtype.hasobject:
            raise Unreadable("an array of objects")
        self.lasts = False
        layout = value.dtype.descr, value.shape, value.flags.c_contiguous, value.flags.writeable
        return f"{layout} {digest(value.tobytes())}"

    def _kind_of_tuple(self, kind: type) -> str:
        return "tuple" if kind is tuple else self._kind(kind)

    def _kind(self, kind: type) -> str:
        """A class: one of the libraries by its name, a tuple of names, an enumeration, a record by what it holds."""
        words = _name(kind)
        if _is_of_library(kind) or issubclass(kind, BaseException):
            return words
        if issubclass(kind, enum.Enum):
            return f"{words} {[(each.name, self.of(each.value)) for each in kind]}"
        if issubclass(kind, tuple) and hasattr(kind, "_fields"):
            defaults = sorted(getattr(kind, "_field_defaults", {}).items())
            return f"{words} {kind._fields} {self.of(tuple(defaults))}"
        if hasattr(kind, "_start") and hasattr(kind, "_fields_"):
            fields = [(name, number.__name__) for name, number in kind._fields_]
            return f"{words} {fields} {self.of(tuple(kind._start.items()))}"
        raise Unreadable(f"the class {words}")

    def _callable(self, value: Any) -> str:
        """A kernel by its name and options, and noted; what the libraries have by its name.

        Any other function of Python stands for code that is compiled in its place, and that nobody
        knows.
        """
        if _is_dispatcher(value):
            function = python_function(value)
            if not _is_of_library(function):
                self.calls.append(function)
            called = f"{function.__module__}.{function.__qualname__}"
            types = get_type_hints(function) if getattr(value, "has_types", False) else ""
            return f"{_name(type(value))} {called} {self._options(value)}{types}"
        if any(_name(each) == "numba.core.types.abstract.Type" for each in type(value).__mro__):
            return f"type {value}"
        name = getattr(value, "__name__", None)
        if isinstance(value, np.ufunc) and name and getattr(np, name, None) is value:
            return f"numpy.{name}"
        module = getattr(value, "__module__", None)
        if not isinstance(getattr(value, "__self__", None), (ModuleType, type(None))):
            module = None  # a method of an object
        if isinstance(value, FunctionType) and module and module.startswith(_LOWERED):
            return f"{module}.{value.__qualname__}"
        if name and module and _is_of_library(value) and not _is_made_by_numba(value):
            return f"{module}.{name}"
        raise Unreadable("a function that is no kernel" if callable(value) else _name(type(value)))

    def _options(self, value: Any) -> str:
        """What a kernel of somebody else is compiled with; ours are in the files of the decorators."""
        options = getattr(value, "targetoptions", None)
        if options is None:
            return ""
        words = []
        for name in sorted(options):
            given = options[name]
            if isinstance(given, (set, frozenset, list)):
                given = tuple(sorted(given))
            elif isinstance(given, dict):
                given = tuple(sorted(given.items()))
            words.append(f"{name}={self.of(given)}")
        return " ".join(words)


def _is_dispatcher(value: Any) -> bool:
    """Whether a value is a kernel of ours, or what Numba makes of a function."""
    return type(value).__module__.startswith(_LOWERED) or (
        hasattr(value, "py_func") and hasattr(value, "targetoptions")
    )


def _is_made_by_numba(value: Any) -> bool:
    """Whether it is no function, but what a decorator of Numba's has made of one."""
    return type(value).__module__.startswith("numba")


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def change_of(now: list[Read], before: list[Read]) -> str:
    """The first name of what is read now and was not before, or in another content."""
    was = set(before)
    names = (read.name for read in now if read not in was)
    return next(names, "something that is not read any more")
