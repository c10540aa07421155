"""Values that a kernel reads, in words: equal words, equal code.

No word depends on the version of Python, on an identity or on a place.
"""

import enum
import functools
import sys
import sysconfig
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, get_type_hints

import numpy as np

from dynamics.kernels.checksums import digest

MISSING = object()  # what no name leads to
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


class Unreadable(Exception):
    """A value that is not known by its content; says which."""


class Contents:
    """Values in words, and what was found among them."""

    def __init__(self) -> None:
        self.calls: list[FunctionType] = []  # the kernels
        self.lasts = True  # whether none can be changed inside, as an array can

    def named(self, value: Any, rest: str) -> str:
        """A value that a name leads to, and an attribute of it."""
        if isinstance(value, ModuleType) and is_of_library(value):
            return f"{value.__name__}.{rest}"
        return self.of(value)

    def of(self, value: Any) -> str:
        """The content of a value."""
        if value is MISSING:
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
        if is_of_library(kind) or issubclass(kind, BaseException):
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
            if not is_of_library(function):
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
        if name and module and is_of_library(value) and not _is_made_by_numba(value):
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


def python_function(function: Any) -> FunctionType:
    """The function of Python that a kernel, or what Numba has made of one, is compiled from."""
    if not isinstance(function, FunctionType):
        function = getattr(function, "py_func", getattr(function, "__wrapped__", function))
    if not isinstance(function, FunctionType):
        raise Unreadable(f"an object of {_name(type(function))}")
    return function


def may_be_a_users_own(value: Any) -> bool:
    """Whether something in a library's module has to be read, since anybody may have set it there."""
    is_number = isinstance(value, (tuple, np.ndarray, np.generic)) or type(value) in _PLAIN
    return is_number or isinstance(value, ModuleType) or _is_dispatcher(value)


def is_of_library(value: Any) -> bool:
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
