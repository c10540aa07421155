"""Calling a small kernel without Numba's check of its arguments' types.

For records of arrays that check takes some microseconds, more than a wave over a small map. Whoever
calls a kernel unchecked has made sure of the types himself: a wrong one is not found out, and its
memory is read as if it were right.
"""

from collections.abc import Callable
from typing import Any

from dynamics.kernels.decorators import Kernel, load_numba
from dynamics.kernels.numba_parts import all_parts_are_there


def unchecked(kernel: Kernel, *example: Any) -> Callable:
    """The version of a kernel for the types of an example's arguments, called without a check.

    ``example`` are the arguments of a call, which is made once so that this version is compiled.
    Where Numba is switched off or lacks a part, the kernel itself is returned: it checks.
    """
    kernel(*example)
    versions = getattr(kernel.dispatcher, "overloads", None)
    if not versions or not all_parts_are_there():
        return kernel
    types = tuple(load_numba().typeof(argument) for argument in example)
    return versions[types].entry_point
