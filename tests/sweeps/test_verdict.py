"""Verdicts on sweeps whose truth is known, and what they rest on."""

from __future__ import annotations

import numpy as np
import pytest
from synthetic import AIM, Truth, draw_truth

from hopfield_nav.sweeps import Aim, Settings
from hopfield_nav.sweeps.rounds import first_stage, go_on
from hopfield_nav.sweeps.sections import REACHED
from hopfield_nav.sweeps.settings import ALARMS, MISSED, PEAK
from hopfield_nav.sweeps.sweep_file import Budget
from hopfield_nav.sweeps.verdict import undecided, verdict_of

BEST = {REACHED: 1.0, ALARMS: 0.0, MISSED: 0.0, PEAK: 1.0}


def two(**worse):
    """Two settings without neighbours, the second of which has other means."""
    means = {name: np.array([best, worse.get(name, best)]) for name, best in BEST.items()}
    return Truth(means, np.empty((2, 0), int))


def decide(truth, random, aim=None, seeds=200):
    count = len(truth.neighbours)
    budget = Budget(4, count * seeds)
    return go_on(first_stage(count, budget), truth.runs(6 * seeds, random), aim, budget)


@pytest.mark.parametrize("aim", [None, AIM], ids=["rule", "aim"])
@pytest.mark.parametrize("alike", [False, True])
def test_verdicts_are_seldom_wrong_and_mostly_come(aim, alike):
    """A short form of scripts/decided_sweeps.py: at most 5 % of 40, and chance."""
    random = np.random.default_rng(11)
    decided = wrong = 0
    for _ in range(40):
        truth = draw_truth(random, (2, 3), alike)
        verdict = decide(truth, random, aim).verdict
        decided += verdict.decided
        wrong += verdict.decided and not verdict.none and truth.is_wrong(verdict.leader, aim)
    assert wrong <= 3
    assert decided >= 32


def test_no_verdict_on_the_way_is_wrong_more_often_than_it_may():
    """All settings get the same seeds, and every look counts, also after the first verdict."""
    random = np.random.default_rng(12)
    wrong = 0
    for _ in range(40):
        truth = draw_truth(random, (4,))
        settings = truth.runs(160, random)
        for seeds in (4, 8, 16, 32, 64, 110, 160):
            columns = {name: values[:, :seeds] for name, values in settings.columns.items()}
            so_far = Settings(settings.reached[:, :seeds], columns, settings.neighbours)
            verdict = verdict_of(so_far, None)
            if verdict.decided and not verdict.none and truth.is_wrong(verdict.leader, None):
                wrong += 1
                break
    assert wrong <= 3


PAIRS = [{REACHED: 0.8}, {ALARMS: 1.0}, {MISSED: 1.0}, {PEAK: 1.04}]


@pytest.mark.parametrize("worse", PAIRS, ids=lambda worse: next(iter(worse)))
def test_half_of_the_pairs_that_differ_by_twice_the_zone_are_decided(worse):
    random = np.random.default_rng(13)
    truth = two(**worse)
    verdicts = [decide(truth, random).verdict for _ in range(12)]
    assert sum(verdict.decided for verdict in verdicts) >= 6
    assert not any(v.decided and truth.is_wrong(v.leader, None) for v in verdicts)


def test_equal_settings_are_decided_since_there_is_a_zone():
    random = np.random.default_rng(14)
    verdicts = [decide(two(), random).verdict for _ in range(4)]
    assert all(verdict.decided for verdict in verdicts)
    assert any(verdict.equal for verdict in verdicts)
    tight = Aim.model_validate({"least": PEAK, "equal": {"force": 1e-6}})
    assert not decide(two(), random, tight, seeds=100).verdict.decided


def test_a_setting_that_is_far_behind_is_left_early():
    random = np.random.default_rng(15)
    means = {name: np.full(4, best) for name, best in BEST.items()}
    means[PEAK] = np.array([1.0, 1.0, 1.5, 2.0])
    stage = decide(Truth(means, np.empty((4, 0), int)), random)
    assert stage.verdict.decided
    assert stage.judged[2:].max() < 0.5 * stage.judged[:2].min()


def test_an_aim_that_no_setting_keeps_is_decided_to_be_so():
    random = np.random.default_rng(16)
    means = {name: np.full(3, best) for name, best in BEST.items()}
    means[REACHED] = np.array([0.5, 0.4, 0.6])
    verdict = decide(Truth(means, np.empty((3, 0), int)), random, AIM).verdict
    assert verdict.decided
    assert verdict.none


def test_a_condition_with_a_factor_of_the_least():
    random = np.random.default_rng(17)
    means = {name: np.full(3, best) for name, best in BEST.items()}
    means[PEAK] = np.array([1.0, 1.05, 1.5])
    means[MISSED] = np.array([2.0, 1.0, 0.0])
    aim = Aim.model_validate({"least": MISSED, "while": {PEAK: "<= 1.1 least"}})
    verdict = decide(Truth(means, np.empty((3, 0), int)), random, aim).verdict
    assert verdict.decided
    assert verdict.leader == 1


def test_what_stays_open_says_how_many_seeds_it_takes():
    random = np.random.default_rng(18)
    truth = two(**{PEAK: 1.04})
    settings = truth.runs(12, random)
    assert not verdict_of(settings, None).decided
    (found,) = undecided(settings, None)
    assert found.setting == 1
    assert found.open == (REACHED, ALARMS, MISSED, PEAK)
    assert 60 < found.seeds < 400
    assert not found.leader_alone
