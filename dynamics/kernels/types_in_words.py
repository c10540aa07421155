"""Numba's types in words, and whether another process can have the same ones."""

import sys
from typing import Any

from numba import types

_KNOW_TYPES = ("numba.", "dynamics.kernels.")
_SIGNATURE = type(types.void())
_TUPLES: Any = (tuple, types.BaseTuple)


def are_of_files(kind: Any) -> bool:
    """Whether types are known, and every record of arrays in them is of a class that another process finds by its name.

    One that is made at run time, as those of a method's parameters, would be read as a class of its
    own, and no call would have its type.
    """
    if isinstance(kind, _SIGNATURE):
        return are_of_files((kind.return_type, *kind.args))
    if isinstance(kind, types.FunctionType):
        return are_of_files(kind.signature)
    if type(kind) is not tuple and not type(kind).__module__.startswith(_KNOW_TYPES):
        return False  # a type that somebody else has told Numba of, and says how to compile
    made = getattr(kind, "instance_class", getattr(kind, "record", None))
    if isinstance(made, type) and not _is_found_by_name(made):
        return False
    return not isinstance(kind, _TUPLES) or all(map(are_of_files, kind))


def _is_found_by_name(kind: type) -> bool:
    """Whether another process has a class; what a script itself defines only it has."""
    module = sys.modules.get(kind.__module__)
    return kind.__module__ != "__main__" and getattr(module, kind.__qualname__, None) is kind


def in_words(kind: Any) -> str:
    """A type, or a signature, with the names of fields of records of arrays, which Numba leaves out."""
    if isinstance(kind, _SIGNATURE):
        return f"{in_words(kind.return_type)}{in_words(kind.args)}"
    if isinstance(kind, types.FunctionType):
        return f"function {in_words(kind.signature)}"
    if tuples := getattr(kind, "instance_class", None):
        fields = (f"{name}: {in_words(part)}" for name, part in zip(kind.fields, kind, strict=True))
        return f"{tuples.__module__}.{tuples.__qualname__}({', '.join(fields)})"
    if isinstance(kind, _TUPLES):
        return f"({', '.join(map(in_words, kind))})"
    return str(kind)
