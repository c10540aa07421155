"""A compiled loop called with the same records again: the same results, and the same errors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from dynamics.kernels.cached_dispatch import CachedDispatch
from dynamics.kernels.decorators import compile_loop, load_numba


class Pair(NamedTuple):
    values: np.ndarray
    factor: float


def _add(pair, out, count):
    for i in range(out.size):
        out[i] += count * pair.factor * pair.values[i]
    return count


def _read_only(size):
    values = np.zeros(size)
    values.flags.writeable = False
    return values


@pytest.fixture(scope="module")
def loop():
    numba = load_numba()
    types = numba.types
    return compile_loop(
        types.int64(numba.typeof(Pair(np.zeros(1), 0.0)), types.float64[::1], types.int64), _add
    )


def test_the_same_objects_are_looked_at_once_and_others_again(loop):
    calls, out, looks = CachedDispatch(lambda: loop), np.zeros(2), []
    calls._fits = [
        lambda value, fits=fits: looks.append(value) or fits(value) for fits in calls._fits
    ]
    first, second = Pair(np.array([1.0, 2.0]), 3.0), Pair(np.array([10.0, 20.0]), 1.0)
    for pair in (first, first, first, second, first):
        assert calls(pair, out, 2) == 2
    np.testing.assert_array_equal(out, 4 * 6.0 * first.values + 2.0 * second.values)
    assert sum(value is first for value in looks) == 2
    assert sum(value is out for value in looks) == 1


def test_what_changes_inside_an_array_is_seen(loop):
    calls, pair, out = CachedDispatch(lambda: loop), Pair(np.ones(1), 1.0), np.zeros(1)
    calls(pair, out, 1)
    pair.values[0] = 5.0
    calls(pair, out, 1)
    assert out[0] == 6.0


@pytest.mark.parametrize(
    ("pair", "out"),
    [
        (Pair(np.zeros(2, dtype=np.float32), 1.0), np.zeros(2)),
        (Pair(np.zeros(2), 1.0), np.zeros(4)[::2]),
        (Pair(np.zeros((2, 1)), 1.0), np.zeros(2)),
        (Pair(_read_only(2), 1.0), np.zeros(2)),
        (Pair(np.zeros(2), 1), np.zeros(2)),
        ((np.zeros(2), 1.0), None),
    ],
    ids=[
        "numbers of four bytes",
        "not contiguous",
        "two axes",
        "read-only",
        "a whole number",
        "no record",
    ],
)
def test_other_types_are_refused_as_by_the_loop_after_a_good_call_too(loop, pair, out):
    calls = CachedDispatch(lambda: loop)
    calls(Pair(np.zeros(2), 1.0), np.zeros(2), 1)
    for tried in (calls, loop):
        with pytest.raises(TypeError, match="No matching definition"):
            tried(pair, out, 1)


def test_a_number_of_arguments_that_is_wrong_is_refused_as_by_the_loop(loop):
    for tried in (CachedDispatch(lambda: loop), loop):
        with pytest.raises(TypeError):
            tried(Pair(np.zeros(2), 1.0), np.zeros(2))


def test_without_numba_the_function_itself_is_called():
    calls = CachedDispatch(lambda: lambda a, b: a + b)
    assert calls(1, 2) == 3
