"""Beliefs that grow old."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from hopfield_nav.navigation.map.beliefs import TRUE_STOP, Step
from hopfield_nav.navigation.map.fading import FadingBeliefs

T = 20.0
FREE = np.zeros((5, 5), dtype=bool)
STEP = Step((2, 1), 0)


def touched(beliefs, step, time, held=True):
    beliefs.age(time)
    beliefs.touch(step, True)
    beliefs.confirm(held)


def wall(beliefs, begin, apart):
    """Every step between the columns 2 and 3 is felt, one after the other; when that ends [s]."""
    for k in range(5):
        touched(beliefs, Step((2, k), 0), begin + apart * k)
    return begin + 4 * apart


@pytest.mark.parametrize("age", [0.0, 5.0, T, 3 * T])
def test_certainty_halves_in_t_and_is_at_most_095(age):
    beliefs = FadingBeliefs((5, 5), T)
    touched(beliefs, STEP, 0.0)
    touched(beliefs, STEP, 0.0)  # so often that it would be a fact
    beliefs.believe_occupied((4, 4), 0.5)
    for time in np.linspace(0.0, age, 7):  # however often it is asked for
        beliefs.age(time)
    assert beliefs.certainty(STEP) == pytest.approx(TRUE_STOP * 2 ** (-age / T))
    assert beliefs.certainty(Step((3, 4), 0)) == pytest.approx(0.5 * 2 ** (-age / T))


def test_a_passage_grows_old_too():
    """A step that was driven is free, until that is so long ago that what was felt beside it counts again."""
    beliefs = FadingBeliefs((5, 5), T)
    beliefs.passed([(2, 1), (3, 1)], [STEP])
    assert beliefs.certainty(STEP) == 0.0
    assert STEP in beliefs.free
    assert (3, 1) in beliefs.visited
    beliefs.age(T + 1.0)
    assert STEP not in beliefs.free
    assert (3, 1) not in beliefs.visited
    beliefs.believe_occupied((3, 1), 0.5)
    assert 0.2 < beliefs.certainty(STEP) < 0.5
    touched(beliefs, STEP, T + 2.0)
    assert beliefs.certainty(STEP) == pytest.approx(TRUE_STOP), "a touch ends a passage at once"
    assert beliefs.in_free_air == 0, "a door that closed is no false alarm"


def test_the_likeliest_path_tries_again_what_is_oldest():
    beliefs = FadingBeliefs((5, 5), T)
    wall(beliefs, 0.0, 10.0)
    path = [tuple(cell) for cell in beliefs.likeliest_path(FREE, (0, 4), (4, 4))]
    assert Step((2, 0), 0) in [Step(a, 0) for a, b in pairwise(path) if a[0] == 2 and b[0] == 3]


def test_only_what_was_felt_twice_within_t_leaves_no_path():
    beliefs = FadingBeliefs((5, 5), T)
    wall(beliefs, 0.0, 1.0)
    assert beliefs.likeliest_path(FREE, (0, 0), (4, 4)) is not None, "each was felt once"
    end = wall(beliefs, 5.0, 1.0)
    assert beliefs.likeliest_path(FREE, (0, 0), (4, 4)) is None
    assert max(beliefs.touched().values()) < 1.0
    beliefs.age(end + T - 8.0)
    assert beliefs.likeliest_path(FREE, (0, 0), (4, 4)) is not None, (
        "the first was last felt twice too long ago"
    )


def test_what_was_felt_for_a_moment_counts_half():
    beliefs = FadingBeliefs((5, 5), T)
    for time in range(3):
        touched(beliefs, STEP, float(time), held=False)
        assert STEP not in beliefs.facts
    touched(beliefs, STEP, 3.0, held=False)
    assert STEP in beliefs.facts


def test_a_passage_ends_what_was_felt():
    beliefs = FadingBeliefs((5, 5), T)
    touched(beliefs, STEP, 0.0)
    touched(beliefs, STEP, 1.0)
    beliefs.passed([(2, 1), (3, 1)], [STEP])
    beliefs.age(2.0)
    assert STEP not in beliefs.facts
    touched(beliefs, STEP, 3.0)
    assert STEP not in beliefs.facts


def test_a_goal_beside_is_left_for_t_after_the_second_touch():
    beliefs = FadingBeliefs((5, 5), T)
    beliefs.touch_to_goal((3, 3))
    assert not beliefs.closed_to_goal
    beliefs.age(1.0)
    beliefs.touch_to_goal((3, 3))
    assert beliefs.closed_to_goal == {(3, 3)}
    beliefs.age(T + 0.5)
    assert not beliefs.closed_to_goal


def test_what_an_earlier_run_proved_is_no_fact():
    beliefs = FadingBeliefs((5, 5), T)
    beliefs.load_prior({STEP: 1.0}, {})
    assert not beliefs.facts
    assert beliefs.certainty(STEP) == TRUE_STOP
