"""Laws of the bound on the probability that a goal is free although places were touched in it."""

import itertools
from typing import NamedTuple

import numpy as np
import pytest

from hopfield_nav.extensions.whole_arm.separation import union_bound


class Evidence(NamedTuple):
    right: np.ndarray
    touch: np.ndarray
    group: np.ndarray


def drawn(generator):
    """Touches with two places each, and goals at which the arm would contain some of them."""
    touch = np.repeat(np.arange(generator.integers(2, 6)), 2)
    right = generator.uniform(0.05, 0.49, len(touch))
    sets = generator.random((generator.integers(1, 6), len(touch))) < 0.5
    return Evidence(right, touch, touch), sets


def exact(evidence, sets):
    """The probability that some goal is free, over all that the touches may have been."""
    total, numbers = 0.0, np.unique(evidence.touch)
    for chosen in itertools.product(
        *([*np.flatnonzero(evidence.touch == t), None] for t in numbers)
    ):
        none = [1.0 - evidence.right[evidence.touch == t].sum() for t in numbers]
        share = np.prod([none[t] if p is None else evidence.right[p] for t, p in enumerate(chosen)])
        true = [p for p in chosen if p is not None]
        total += share * bool((~sets[:, true].any(axis=1)).any())
    return total


def test_the_bound_is_not_below_what_enumeration_gives():
    generator, near = np.random.default_rng(0), 0
    for _ in range(200):
        evidence, sets = drawn(generator)
        bound, true = union_bound(*evidence, sets), exact(evidence, sets)
        assert bound >= true - 1e-9
        near += bound < 1.0 and true > 0.5 * bound
    assert near > 50


def test_one_goal_is_exact():
    generator = np.random.default_rng(1)
    for _ in range(50):
        evidence, sets = drawn(generator)
        assert union_bound(*evidence, sets[:1]) == pytest.approx(exact(evidence, sets[:1]))


def touches(count, right=0.9):
    return Evidence(np.full(count, right), np.arange(count), np.arange(count))


@pytest.mark.parametrize("count", [1, 2, 5])
def test_touches_of_one_goal_multiply(count):
    assert union_bound(*touches(count), np.ones((1, count), bool)) == pytest.approx(0.1**count)


def test_touches_of_one_group_count_once():
    same = touches(5)._replace(group=np.zeros(5, int))
    assert union_bound(*same, np.ones((1, 5), bool)) == pytest.approx(0.1)


def test_a_goal_in_which_nothing_was_felt_may_be_free():
    assert union_bound(*touches(3), np.array([[True] * 3, [False] * 3])) == 1.0


def test_goals_add_up():
    evidence, sets = touches(2), np.eye(2, dtype=bool)
    assert union_bound(*evidence, sets) == pytest.approx(0.2)
    assert exact(evidence, sets) == pytest.approx(1.0 - 0.9**2)


def test_a_goal_with_more_places_does_not_count():
    sets = np.array([[True, False, False], [True, True, False], [True, True, True]])
    assert union_bound(*touches(3), sets) == pytest.approx(0.1)
