"""Steps with code of their own: kernels call them with arrays and tuples, and get tuples back."""

import numpy as np
import pytest
from numba.core.errors import TypingError

from dynamics.kernels.decorators import kernel, shared


@shared
def _meet(a: float, pair: tuple[float, float], rows: np.ndarray) -> tuple[float, int]:
    return a + pair[0] * rows[1], int(pair[1])


@kernel
def _ask(a, rows):
    first, _ = _meet(a, (2.0, 7.9), rows)
    second, whole = _meet(first, (rows[0], 3.0), rows)
    return first, second, whole


@kernel
def _ask_of_whole_numbers(a):
    return _meet(1, (2, a), np.zeros(2))  # become floats, as the step wants them


def test_a_kernel_calls_it_as_python_does():
    rows = np.array([4.0, 0.25])
    assert _ask(1.0, rows) == (1.5, 2.5, 3)
    assert _meet(1.0, (2.0, 7.9), rows) == (1.5, 7)
    assert _ask_of_whole_numbers(5) == (1.0, 5)


def test_what_it_was_not_compiled_for_is_refused():
    with pytest.raises(TypingError, match="_meet"):
        _ask(1.0, np.zeros((2, 2)))
