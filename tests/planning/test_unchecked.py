"""A kernel that is called without a check of its arguments' types is the kernel itself."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from dynamics.kernels.decorators import kernel
from hopfield_nav.planning import neighbourhood_of, plan_path, solve
from hopfield_nav.planning.limit import plan_in_field
from hopfield_nav.planning.unchecked import unchecked

pytestmark = pytest.mark.kernel


class Pair(NamedTuple):
    values: np.ndarray
    factor: int


@kernel
def _weighted(pair, out):
    for i in range(out.size):
        out[i] = pair.factor * pair.values[i]
    return out.size


def test_it_has_the_version_for_the_example_among_several():
    whole, parts = np.array([1, 2], np.int32), np.array([0.5, 1.5])
    for values in (whole, parts):
        _weighted(Pair(values, 2), np.zeros(2))
    of_whole = unchecked(_weighted, Pair(whole, 0), np.zeros(2))
    of_parts = unchecked(_weighted, Pair(parts, 0), np.zeros(2))
    out = np.zeros(2)
    assert of_whole(Pair(whole, 3), out) == 2
    np.testing.assert_array_equal(out, [3.0, 6.0])
    assert of_parts(Pair(parts, 4), out) == 2
    np.testing.assert_array_equal(out, [2.0, 6.0])


def test_without_numbas_parts_it_is_the_kernel(monkeypatch):
    monkeypatch.setattr("hopfield_nav.planning.unchecked.all_parts_are_there", lambda: False)
    assert unchecked(_weighted, Pair(np.zeros(1), 1), np.zeros(1)) is _weighted


@pytest.mark.parametrize("length", [100, 253, 254, 255, 256, 700])
def test_a_wave_longer_than_a_byte_counts_goes_on(length):
    """The first levels are bytes: hops up to 254 from the goal."""
    blocked = np.zeros((length, 2), bool)
    blocked[:, 1] = True
    near = neighbourhood_of(blocked.shape)
    plan = plan_path(blocked, (0, 0), (length - 1, 0))
    assert plan.length == length - 1
    expected = plan_in_field(solve(blocked, near, (length - 1, 0)), near, (0, 0))
    np.testing.assert_array_equal(plan.cells, expected.cells)
    np.testing.assert_array_equal(plan.distance, expected.distance)


def test_a_grid_that_may_not_be_written_is_read_only_and_left_alone():
    blocked = np.zeros((6, 7), bool)
    blocked[3, 1:] = True
    frozen = blocked.copy()
    frozen.setflags(write=False)
    np.testing.assert_array_equal(
        plan_path(frozen, (0, 0), (5, 6)).cells, plan_path(blocked, (0, 0), (5, 6)).cells
    )
    np.testing.assert_array_equal(frozen, blocked)
