"""Calling a small kernel without Numba's look at the types of its arguments.

For records of arrays that look takes some microseconds, more than a wave over a small map. What
calls a kernel so has made sure of the types: a wrong one is not found out, and its memory is read
as if it were right.
"""

from collections.abc import Callable
from typing import Any

from dynamics.kernels.decorators import Kernel, load_numba
from dynamics.kernels.numba_parts import all_parts_are_there


def unlooked(kernel: Kernel, *example: Any) -> Callable:
    """The kernel, compiled for the types of an example's arguments; the example is a call of it.

    The kernel itself, which looks, where Numba is switched off or lacks a part.
    """
    kernel(*example)
    versions = getattr(kernel.dispatcher, "overloads", None)
    if not versions or not all_parts_are_there():
        return kernel
    types = tuple(load_numba().typeof(argument) for argument in example)
    return versions[types].entry_point
