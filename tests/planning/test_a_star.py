"""A*: exactly shortest."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopfield_nav.planning import neighbourhood_of, plan_a_star, replan
from hopfield_nav.planning.a_star import _least


@settings(max_examples=80, deadline=None, derandomize=True)
@given(st.integers(1, 3), st.sampled_from([1.0, 1.5, 2.0]), st.integers(0, 2**32))
def test_a_star_is_as_short_as_the_limit_network(rank, radius, seed):
    rng = np.random.default_rng(seed)
    blocked = rng.random(tuple(rng.integers(2, 8, rank))) < 0.35
    start, goal = (tuple(int(rng.integers(n)) for n in blocked.shape) for _ in range(2))
    near = neighbourhood_of(blocked.shape, radius)
    plan, exact = plan_a_star(blocked, start, goal, radius), replan(blocked, start, goal, near=near)
    assert (plan.cells is None) == (exact.cells is None)
    assert plan.length == pytest.approx(exact.length, rel=1e-12)
    if plan.cells is None:
        assert plan.reason == exact.reason
        return
    steps = np.linalg.norm(np.diff(plan.cells, axis=0), axis=1)
    assert steps.sum() == pytest.approx(plan.length, rel=1e-12)
    assert (steps <= radius).all()
    assert (plan.cells[0].tolist(), plan.cells[-1].tolist()) == (list(start), list(goal))
    assert not blocked[tuple(plan.cells[1:-1].T)].any()


def test_what_a_star_expects_is_the_length_on_open_ground():
    """Any other expectation that changes as slowly finds the same paths, but looks at more cells."""
    shape = np.array([4, 5, 3])
    cells = np.stack(np.unravel_index(np.arange(60), shape), axis=1)
    for last in (0, 33, 59):
        gap = np.abs(cells - cells[last])
        for city, length in ((True, gap.sum(axis=1)), (False, np.linalg.norm(gap, axis=1))):
            found = [_least(i, last, shape, city) for i in range(60)]
            np.testing.assert_allclose(found, length, atol=1e-12)
