"""Calling a compiled loop again and again with the same records.

It owns when Numba looks at the type of an argument: for nested records that costs as much as a
hundred steps of a loop. Whoever calls such a loop often may import it.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from dynamics.kernels.decorators import load_numba, unchecked_call
from dynamics.kernels.numba_parts import all_parts_are_there


class CachedDispatch:
    """A loop of ``compile_loop``, from ``make``, that looks at an argument's type only where it is a new object.

    Records and the types of their arrays cannot be changed, so what was looked at is still right.
    The objects of the last call are kept. A copy, also a pickled one, asks ``make`` again.
    """

    def __init__(self, make: Callable[[], Callable]) -> None:
        self._make, loop = make, make()
        self._loop, self._entry, self._fits = loop, unchecked_call(loop), _questions(loop)
        self._seen: list[Any] = [self] * len(self._fits)

    def __reduce__(self) -> tuple[Any, ...]:
        return CachedDispatch, (self._make,)

    def __call__(self, *arguments: Any) -> Any:
        """As the loop itself, and with its errors for arguments of other types."""
        if len(arguments) != len(self._seen):  # or Numba is switched off
            return self._loop(*arguments)
        for k, argument in enumerate(arguments):
            if argument is not self._seen[k]:
                if not self._fits[k](argument):
                    return self._loop(*arguments)
                self._seen[k] = argument
        return self._entry(*arguments)


@functools.cache
def _questions(loop: Callable) -> list[Callable[[Any], bool]]:
    """For each argument of a loop, whether a value is of its type.

    None where Numba is switched off, or lacks a private part.
    """
    if not all_parts_are_there():
        return []
    return [_question(kind) for kind in next(iter(getattr(loop, "overloads", {})), ())]


def _question(kind: Any) -> Callable[[Any], bool]:
    """Whether a value is of a Numba type: records and arrays without asking Numba."""
    numba = load_numba()
    if tuples := getattr(kind, "instance_class", None):
        fields = [_question(field) for field in kind.types]
        return lambda value: (
            type(value) is tuples
            and all(fits(field) for fits, field in zip(fields, value, strict=True))
        )
    if numbers := getattr(kind, "record", None):
        return lambda value: type(value) is numbers
    if kind in (numba.types.float64, numba.types.boolean):
        number = float if kind == numba.types.float64 else bool
        return lambda value: type(value) is number
    if isinstance(kind, numba.types.Array) and kind.layout == "C" and kind.mutable and kind.aligned:
        dtype, rank = numba.np.numpy_support.as_dtype(kind.dtype), kind.ndim
        return lambda value: (
            type(value) is np.ndarray
            and value.dtype == dtype
            and value.ndim == rank
            and value.flags.carray
        )
    return lambda value: numba.typeof(value) == kind
