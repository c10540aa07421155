"""Facts and beliefs about the steps between cells."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from hopfield_nav.navigation.map.beliefs import (
    ENOUGH,
    ENOUGH_AFTER_PASSAGE,
    Beliefs,
    Step,
    longer_moves,
    pairs,
    step_between,
)
from hopfield_nav.planning import plan_path

ASIDE = Step((2, 1), 0)


def touched(beliefs, step, true_stop=True, held=True):
    beliefs.touch(step, true_stop)
    beliefs.confirm(held)


def test_a_step_has_no_direction():
    assert step_between((1, 2), (1, 3)) == step_between((1, 3), (1, 2)) == Step((1, 2), 1)
    assert Step((1, 2), 1).ends == ((1, 2), (1, 3))
    assert (
        step_between((1, 2), (2, 3))
        is step_between((1, 2), (1, 4))
        is step_between((1, 2), (1, 2))
        is None
    )


@pytest.mark.parametrize(("true_stop", "held"), list(itertools.product((True, False), repeat=2)))
def test_only_a_true_stop_that_is_held_is_a_fact_at_once(true_stop, held):
    beliefs = Beliefs((5, 5))
    touched(beliefs, ASIDE, true_stop, held)
    assert (ASIDE in beliefs.facts) == (true_stop and held)
    assert 0.0 < beliefs.certainty(ASIDE) <= 1.0
    assert (beliefs.certainty(ASIDE) == 1.0) == (true_stop and held)


@pytest.mark.parametrize(("held", "needed"), [(True, ENOUGH), (False, 2 * ENOUGH)])
def test_doubtful_stops_become_a_fact_when_there_are_enough(held, needed):
    beliefs = Beliefs((5, 5))
    for count in range(1, int(needed) + 1):
        touched(beliefs, ASIDE, False, held)
        assert (ASIDE in beliefs.facts) == (count == needed)


def test_a_passage_frees_the_step_and_not_the_whole_cell():
    beliefs = Beliefs((5, 5))
    beliefs.believe_occupied((2, 2), 0.5)
    through = [Step((1, 2), 0), Step((2, 2), 0)]
    assert all(beliefs.certainty(step) == 0.5 for step in through)
    touched(beliefs, Step((2, 1), 1))
    beliefs.passed([(2, 2), (3, 2)], through)
    assert not any(beliefs.certainty(step) for step in through)
    assert beliefs.certainty(Step((2, 1), 1)) == 1.0


def test_a_step_that_was_driven_is_not_closed_by_one_stop():
    """Or an arm would be locked into a place that it came into."""
    beliefs = Beliefs((5, 5))
    beliefs.passed([(3, 1)], [ASIDE])
    for count in range(1, int(ENOUGH_AFTER_PASSAGE) + 1):
        touched(beliefs, ASIDE)
        assert (ASIDE in beliefs.facts) == (count == ENOUGH_AFTER_PASSAGE)
    beliefs.passed([(3, 1)], [ASIDE])
    assert beliefs.certainty(ASIDE) == 0.0


def test_touches_where_the_arm_drove_freely_are_counted():
    beliefs = Beliefs((5, 5))
    touched(beliefs, ASIDE)
    assert beliefs.in_free_air == 0
    beliefs.passed([(3, 1)], [ASIDE])  # touched, then free
    touched(beliefs, ASIDE)  # driven, then touched
    beliefs.touch_behind()
    assert beliefs.in_free_air == 3


def test_facts_that_cannot_all_be_true_are_doubtful():
    free = np.zeros((5, 5), dtype=bool)
    driven = Beliefs((5, 5))
    driven.passed([], [ASIDE])
    for _ in range(int(ENOUGH_AFTER_PASSAGE)):
        assert driven.why_doubtful(free) == ""
        touched(driven, ASIDE)
    assert driven.why_doubtful(free) == "1 of the closed steps were driven freely before"
    shut_in = Beliefs((5, 5))
    shut_in.passed([(2, 2)], [])
    first, *others = shut_in.steps_of((2, 2))
    for step in others:
        touched(shut_in, step)
    assert shut_in.why_doubtful(free) == ""
    blocked = free.copy()
    blocked[next(cell for cell in first.ends if cell != (2, 2))] = True
    assert shut_in.why_doubtful(blocked).startswith("every way out")
    touched(shut_in, first)
    assert shut_in.why_doubtful(free).startswith("every way out")


def test_what_speaks_for_an_occupied_cell_adds_up():
    beliefs = Beliefs((5, 5))
    assert beliefs.believe_occupied((2, 2), 0.5)
    assert not beliefs.believe_occupied((2, 2), 0.5)
    assert beliefs.cells[2, 2] == 0.75


def random_beliefs(generator, shape=(7, 7)):
    """Facts and beliefs at random."""
    beliefs = Beliefs(shape)
    for cell in itertools.product(*map(range, shape)):
        for step in beliefs.steps_of(cell)[:1]:
            draw = generator.uniform()
            if draw < 0.7:
                touched(beliefs, step, draw < 0.5)
    return beliefs


def test_the_likeliest_path_exists_just_where_facts_leave_one():
    generator = np.random.default_rng(0)
    blocked = np.zeros((7, 7), dtype=bool)
    found = []
    for _ in range(60):
        beliefs = random_beliefs(generator)
        start, goal = (tuple(int(c) for c in cell) for cell in generator.integers(0, 7, (2, 2)))
        path = beliefs.likeliest_path(blocked, start, goal)
        network = plan_path(blocked, start, goal, closed=pairs(beliefs.facts, (7, 7)))
        assert (path is None) == (network.cells is None)
        found.append(path is not None)
        if path is not None:
            steps = [step_between(a, b) for a, b in itertools.pairwise(path)]
            assert not beliefs.facts.intersection(steps)
    assert 10 < sum(found) < 60


def test_the_least_certain_belief_is_withdrawn_first():
    beliefs = Beliefs((3, 5))  # a wall of beliefs along the second row of steps, one of them weaker
    for i, certainty in enumerate((0.9, 0.4, 0.9)):
        beliefs.believe_occupied((i, 2), certainty)
    path = beliefs.likeliest_path(np.zeros((3, 5), dtype=bool), (0, 0), (0, 4))
    assert [1, 2] in path.tolist()


def test_longer_moves_keep_away_from_what_is_believed():
    generator = np.random.default_rng(1)
    offsets = np.array([c for c in itertools.product(range(-3, 4), repeat=2) if any(c)])
    uneven = generator.uniform(size=(6, 7)) < 0.08
    found = {tuple(map(tuple, pair)) for pair in longer_moves(uneven, offsets).tolist()}
    for first in itertools.product(range(6), range(7)):
        for offset in offsets:
            last = tuple(int(c) for c in first + offset)
            inside = 0 <= last[0] < 6 and 0 <= last[1] < 7
            box = uneven[
                tuple(slice(min(a, b), max(a, b) + 1) for a, b in zip(first, last, strict=True))
            ]
            expected = inside and np.abs(offset).sum() > 1 and bool(box.any())
            assert ((first, last) in found) == expected
