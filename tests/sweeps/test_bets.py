"""Bets against a mean: what they win by right, and how seldom by chance, whenever one stops."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hopfield_nav.sweeps.bets import log_wealth, runs_until_shown

NEEDED = math.log(20.0)


def numbers(kind, random, shape):
    """Numbers from -1 to 1 whose mean is 0."""
    if kind == "two":
        return np.where(random.random(shape) < 0.5, 1.0, -1.0)
    if kind == "rare losses":
        return np.where(random.random(shape) < 0.05, -0.95, 0.05)
    if kind == "rare gains":
        return np.where(random.random(shape) < 0.05, 0.95, -0.05)
    return random.uniform(-1.0, 1.0, shape)


@pytest.mark.parametrize("kind", ["two", "rare losses", "rare gains", "even"])
def test_who_is_right_is_ever_ruined_in_one_of_twenty_at_the_most(kind):
    own = numbers(kind, np.random.default_rng(5), (1500, 200))
    shown = np.zeros(1500, bool)
    for n in range(1, 201):
        shown |= log_wealth(own[:, :n], 0.0, 1.0) >= NEEDED
    assert shown.mean() <= 0.05


def test_wealth_is_a_fair_game():
    """Over all ways in which eight fair coins fall its mean is 1."""
    coins = np.array(np.meshgrid(*[[-1.0, 1.0]] * 8)).reshape(8, -1).T
    assert np.exp(log_wealth(coins, 0.0, 1.0)).mean() == pytest.approx(1.0)


def test_a_mean_above_is_shown_the_sooner_the_further_it_lies():
    random = np.random.default_rng(6)
    spread = 0.2 * random.standard_normal(2000)
    needed = []
    for mean in (0.1, 0.2, 0.4):
        own = np.clip(spread + mean, -1.0, 1.0)
        found = next(n for n in range(1, 2000) if log_wealth(own[:n], 0.0, 1.0) >= NEEDED)
        needed.append(found)
        assert found == pytest.approx(runs_until_shown(own, 0.0, 1.0, 0.05), rel=0.6)
    assert needed == sorted(needed, reverse=True)
    assert needed[0] < 200


def test_the_order_does_not_matter_and_what_is_missing_is_no_bet():
    own = np.random.default_rng(7).uniform(-1.0, 1.0, 30)
    with_holes = np.insert(own[::-1], [3, 9], np.nan)
    assert log_wealth(own, 0.2, 1.0) == pytest.approx(float(log_wealth(with_holes, 0.2, 1.0)))
    assert log_wealth(np.full(4, np.nan), 0.0, 1.0) == 0.0


def test_what_never_shows_itself_takes_for_ever():
    assert runs_until_shown(np.zeros(5), 0.0, 1.0, 0.05) == math.inf
    assert runs_until_shown(np.array([]), 0.0, 1.0, 0.05) == math.inf
