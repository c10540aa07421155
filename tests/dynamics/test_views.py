"""A part of a flat array in another shape, in Python and compiled."""

from __future__ import annotations

import numpy as np
import pytest

from dynamics.kernels.decorators import packed
from dynamics.kernels.views import view


@packed
def _mark(numbers: np.ndarray, n: int) -> None:
    view(numbers, 1, (n,))[0] = 1.0
    view(numbers, 2, (n, 3))[1, 2] = 2.0
    view(numbers, 3, (2, n, 2))[1, n - 1, 1] = 3.0
    numbers[0] = view(numbers, 0, (2, n, 2)).size + 10 * view(numbers, 3, (0, n)).size


@pytest.mark.parametrize("call", [_mark, _mark.__wrapped__], ids=["compiled", "python"])
def test_a_view_is_of_the_same_memory(call):
    numbers, n = np.zeros(20), 4
    call(numbers, n)
    expected = np.zeros(20)
    expected[[0, 1, 2 + 5, 3 + 15]] = 16, 1, 2, 3
    assert np.array_equal(numbers, expected)


def test_too_few_numbers_are_refused_in_python():
    with pytest.raises(ValueError, match="reshape"):
        view(np.zeros(5), 0, (2, 3))
