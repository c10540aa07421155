"""Intervals of means, shares and differences of pairs: known values, what is possible, and how often they cover."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import multinomial, ttest_rel

from hopfield_nav.sweeps import limits_of, mean, paired_means, paired_shares, share


def pairs(both, first, second, neither):
    """Pairs of 0 and 1, so many of each kind."""
    a = [1] * both + [1] * first + [0] * second + [0] * neither
    return a, [1] * both + [0] * first + [1] * second + [0] * neither


def tables(n):
    """Every way in which n pairs can end: (k, 4)."""
    cells = itertools.product(range(n + 1), repeat=3)
    return np.array([(a, b, c, n - a - b - c) for a, b, c in cells if a + b + c <= n])


def test_intervals_of_one_sample():
    """Wilson's for 8 of 10 and Student's for 1, 2, 3, from published tables."""
    value = share(8, 10)
    assert (value.low, value.high) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    value = mean([1.0, 2.0, 3.0, math.nan])
    assert (value.n, value.estimate) == (3, 2.0)
    assert value.high - 2.0 == pytest.approx(4.3027 / 3**0.5, rel=1e-4)
    assert mean([]).n == share(0, 0).n == 0


def test_a_mean_stays_where_it_is_possible_unless_a_value_is_beyond():
    assert (
        mean([0.0, 0.0, 1.0], limits_of("simulated_time_s")).low == 0.0 > mean([0.0, 0.0, 1.0]).low
    )
    assert mean([1.0, 1.0, 0.9], limits_of("saturated_share")).high == 1.0
    below = mean([-3.0, -1.0, 0.5], (0.0, math.inf))
    assert below.low < below.estimate < 0.0 < below.high


def test_paired_shares_by_hand():
    """1, 7, 1 and 12 pairs (Bentur et al. 2009): two added to 7 and to 1 of 21, and half a pair at each end."""
    gap = paired_shares(*pairs(1, 7, 1, 12))
    half = 1.96 * math.sqrt((12 / 25 - (6 / 25) ** 2) / 25) + 0.5 / 21
    assert (gap.n, gap.estimate) == (21, pytest.approx(-6 / 21))
    assert (gap.low, gap.high) == pytest.approx((-6 / 25 - half, -6 / 25 + half), abs=1e-4)


def test_paired_means_are_those_of_another_library():
    a, b = np.random.default_rng(0).normal(5.0, 1.0, (2, 9))
    found = paired_means([*a, math.nan], [*b, 1.0])
    known = ttest_rel(b, a).confidence_interval(0.95)
    assert (found.n, found.low, found.high) == pytest.approx((9, *known))
    assert found.estimate == pytest.approx(b.mean() - a.mean())


@pytest.mark.parametrize("paired", [paired_means, paired_shares])
def test_fewer_than_three_pairs_have_no_interval(paired):
    gap = paired([0.0, 1.0], [1.0, 1.0])
    assert (gap.n, gap.estimate) == (2, 0.5)
    assert math.isnan(gap.low)
    assert math.isnan(gap.high)
    assert paired([], []).n == 0


@pytest.mark.parametrize("n", range(3, 9))
def test_no_interval_of_shares_leaves_what_is_possible(n):
    for table in tables(n):
        gap = paired_shares(*pairs(*table))
        assert -1.0 <= gap.low <= gap.estimate <= gap.high <= 1.0
        assert gap.low < gap.high


def test_no_interval_of_means_leaves_what_is_possible():
    random = np.random.default_rng(1)
    for _ in range(1000):
        a, b = random.integers(0, 2, (2, 5))
        gap = paired_means(a, b, (0.0, 1.0))
        assert -1.0 <= gap.low <= gap.high <= 1.0


def coverage(n, intervals, cells):
    """How often the intervals of all tables hold the true difference, where so the pairs end."""
    there = multinomial(n, cells).pmf(tables(n))
    low, high = intervals.T
    true = cells[2] - cells[1]
    return there[(low <= true + 1e-9) & (true - 1e-9 <= high)].sum()


def cells_of(first, second, tie):
    """Shares of pairs that end so: independent at tie 0, 1 as alike as can be, -1 as different as can be."""
    ends = {1: min(first, second), -1: max(0.0, first + second - 1.0), 0: first * second}
    both = ends[0] + abs(tie) * (ends[int(np.sign(tie))] - ends[0])
    return np.clip([both, first - both, second - both, 1.0 - first - second + both], 0.0, 1.0)


TIES = (-1, -0.5, 0, 0.5, 1)


@pytest.mark.parametrize(("n", "step"), [(3, 0.05), (5, 0.05), (6, 0.05), (8, 0.05), (20, 0.1)])
def test_paired_intervals_cover_the_truth(n, step):
    """By all tables, not by chance, over a grid of shares and of how alike the pairs are.

    Also where the second share is the rest of the first and the pairs are as different as can be,
    which is the worst.
    """
    intervals = np.array([paired_shares(*pairs(*table))[2:] for table in tables(n)])
    grid = np.arange(0.0, 1.0 + step / 2, step)
    cases = [
        *itertools.product(grid, grid, TIES),
        *((a, 1.0 - a, -1) for a in np.arange(0.02, 1.0, 0.04)),
    ]
    found = [coverage(n, intervals, cells_of(*case)) for case in cases]
    assert min(found) >= 0.94
    assert np.diff(intervals).mean() <= 3.0 / math.sqrt(n)  # and not by saying nothing


def test_paired_intervals_of_a_hundred_pairs_cover_everywhere():
    random = np.random.default_rng(2)
    for first, second, tie in itertools.product((0.05, 0.5), (0.1, 0.5), (-1, 0, 1)):
        cells = cells_of(first, second, tie)
        drawn = random.multinomial(100, cells / cells.sum(), 600)
        kinds, counts = np.unique(drawn, axis=0, return_counts=True)
        gaps = [paired_shares(*pairs(*table)) for table in kinds]
        inside = [gap.low - 1e-9 <= second - first <= gap.high + 1e-9 for gap in gaps]
        assert np.average(inside, weights=counts) >= 0.94 - 3 * math.sqrt(0.06 * 0.94 / 600)
