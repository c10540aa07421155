"""A trial of the private parts of a Numba that nobody has tried: one of each decorator and of each part.

    python -m dynamics.kernels.trial

prints the bytes of what they give. With the private parts and without them they must be the same.
"""

import math
from typing import NamedTuple

import numpy as np

from dynamics.kernels.cached_dispatch import CachedDispatch
from dynamics.kernels.decorators import (
    MayMiss,
    Room,
    Table,
    compile_loop,
    first_class,
    inlined,
    kernel,
    load_numba,
    packed,
    shared,
)
from dynamics.kernels.records import record
from dynamics.kernels.views import room_here, view


@record
class Count:
    """A number that changes."""

    calls: int = 0


class Kept(NamedTuple):
    """What a loop is handed."""

    now: Count
    rows: np.ndarray


@inlined
def turned(a, b):
    """A rotation by a quarter, of sums of products."""
    return a * a - 0.1 * b, math.sin(a) + b * b


@shared
def length(rows: Table) -> float:
    """The length of all rows together."""
    total = 0.0
    for i in range(rows.shape[0]):
        x, y = turned(rows[i, 0], rows[i, 1])
        total += math.sqrt(x * x + y * y)
    return total


@kernel
def doubled(rows):
    """New rows, twice as long."""
    made = np.empty_like(rows)
    for i in range(rows.shape[0]):
        made[i, 0], made[i, 1] = turned(rows[i, 0], rows[i, 1])
    return made * length(rows)


@packed
def summed(numbers: np.ndarray, n: int, more: MayMiss, out: np.ndarray, room: Room) -> bool:
    """Sums of columns, by way of scratch numbers."""
    own = view(room_here(room), 0, (n, 2))
    given = view(numbers, 0, (n, 2))
    for i in range(n):
        own[i, 0], own[i, 1] = turned(given[i, 0], given[i, 1])
        out[0] += own[i, 0]
        out[1] += own[i, 1] + more.size
    return True


def weighed(x):
    """A method that the loop is handed."""
    return 0.3 * x + math.cos(x)


def _advance(kept, method):
    kept.now.calls += 1
    for i in range(kept.rows.shape[0]):
        kept.rows[i, 0] = method(kept.rows[i, 0])
    return kept.now.calls


def answers() -> str:
    """What all of them give, as bytes in letters."""
    numba = load_numba()
    rows = np.linspace(-1.0, 2.0, 8).reshape(4, 2)
    out = np.zeros(2)
    flat = rows.reshape(-1)
    for more in (None, np.ones(3)):
        if not summed.entry(flat, 4, more, out, np.empty(8)):
            raise ValueError("a call was refused")
    refused = 0
    for wrong in (rows, flat[::2], flat.astype(np.float32), 1.0):
        try:
            summed.entry(wrong, 4, None, np.zeros(2), np.empty(8))
        except TypeError:
            refused += 1
    method = first_class(numba.float64(numba.float64), weighed)
    kept = Kept(Count(), rows.copy())
    loop = CachedDispatch(_Loop(kept, method))
    calls = [loop(kept, method) for _ in range(3)]
    numbers = [doubled(rows), out, kept.rows, np.array([*calls, refused, length(rows)], float)]
    return np.concatenate([each.reshape(-1) for each in numbers]).tobytes().hex()


class _Loop:
    """Makes the loop, for the types of what it is called with."""

    def __init__(self, *arguments: object) -> None:
        self._arguments = arguments

    def __call__(self):
        numba = load_numba()
        kinds = (numba.typeof(argument) for argument in self._arguments)
        return compile_loop(numba.types.int64(*kinds), _advance)


if __name__ == "__main__":
    print(answers())
