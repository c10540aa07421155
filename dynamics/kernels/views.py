"""A part of a flat array as an array of any shape: what ``reshape`` gives, without its search for strides.

Numba's ``reshape`` asks a function that knows every layout, 20 ns for each array, where a call
takes thirty of them; a row of numbers without gaps has but one answer. ``lent`` lets Numba know of
it.
"""

import math

import numpy as np

ROOM = 1146  # numbers that a kernel has room for in its own frame, 9 kB


def view(numbers: np.ndarray, start: int, shape: tuple[int, ...]) -> np.ndarray:
    """The numbers from ``start`` on, as an array of that shape; compiled, no look whether they suffice.

    Compiled it does not keep them alive: it is for kernels alone, and none may return it to Python.
    """
    return numbers[start : start + math.prod(shape)].reshape(shape)


def room_here(room: np.ndarray) -> np.ndarray:
    """``room``, or where it has no numbers ``ROOM`` others, until the kernel ends that calls this itself."""
    return room if room.size else np.empty(ROOM)
