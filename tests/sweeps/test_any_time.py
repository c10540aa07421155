"""Limits of a share that hold after every number of runs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import betaln

from hopfield_nav.sweeps.any_time import first_number, runs_to_show, share_limits


def test_158_runs_that_all_arrive_show_a_share_of_95_percent():
    assert runs_to_show(0.95, 0.05) == 158
    assert share_limits(158, 158, 0.05)[0] >= 0.95 > share_limits(157, 157, 0.05)[0]


@pytest.mark.parametrize(("count", "n"), [(0, 5), (3, 3), (8, 10), (1, 40), (190, 200)])
def test_the_limits_are_where_the_mixture_has_twenty_times_the_likelihood(count, n):
    """The martingale of the source, written with SciPy's beta function."""
    for share in share_limits(count, n, 0.05):
        if share not in (0.0, 1.0):
            mixture = betaln(count + 1, n - count + 1)
            ratio = mixture - count * math.log(share) - (n - count) * math.log1p(-share)
            assert ratio == pytest.approx(math.log(20.0), abs=1e-9)
    low, high = share_limits(count, n, 0.05)
    assert low <= count / n <= high
    assert share_limits(n - count, n, 0.05) == pytest.approx((1.0 - high, 1.0 - low))


def test_no_run_says_nothing():
    assert share_limits(0, 0, 0.05) == (0.0, 1.0)


@pytest.mark.parametrize("share", [0.5, 0.9, 0.99])
def test_the_limits_hold_at_every_number_of_runs_at_once(share):
    random = np.random.default_rng(3)
    counts = np.cumsum(random.random((600, 200)) < share, axis=1)
    wrong = 0
    for own in counts:
        limits = [share_limits(int(count), n, 0.05) for n, count in enumerate(own, 1)]
        wrong += any(not low <= share <= high for low, high in limits)
    assert wrong / 600 <= 0.05


def test_the_first_number_that_is_enough():
    assert [first_number(lambda n, k=k: n >= k) for k in (1, 2, 3, 17, 158)] == [1, 2, 3, 17, 158]
