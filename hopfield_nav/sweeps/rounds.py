"""The rounds in which seeds are added until the best setting is decided, or the budget is spent.

The first round is the same number of seeds for every setting; each further one brings those that
are not settled, and have the fewest seeds, an eighth further. A round is judged when all of its
runs are there, whoever made them and in which order, so that a sweep that was interrupted goes on
as if it had not been.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from hopfield_nav.sweeps.choice import Choice, choose
from hopfield_nav.sweeps.sections import Aim
from hopfield_nav.sweeps.settings import Settings
from hopfield_nav.sweeps.sweep_file import Budget
from hopfield_nav.sweeps.verdict import Verdict, verdict_of

_PART = 8  # of the seeds that a setting has, as many more are added at a time


@dataclass(frozen=True)
class Stage:
    """How far a sweep has come."""

    seeds: np.ndarray  # (settings,) that it has when the round is complete
    verdict: Verdict | None  # after the last complete round; None where there is none
    judged: np.ndarray  # (settings,) seeds that the verdict rests on
    ended: bool  # whether no further round follows


def first_stage(settings: int, budget: Budget) -> Stage:
    """Before any run."""
    seeds = max(1, min(budget.first, budget.at_most // settings))
    every = np.full(settings, seeds)
    return Stage(every, None, every, ended=False)


def go_on(stage: Stage, settings: Settings, aim: Aim | None, budget: Budget) -> Stage:
    """The first round from a stage on that lacks runs, or the last one."""
    while not stage.ended and _is_complete(stage.seeds, settings):
        verdict = verdict_of(_up_to(stage.seeds, settings), aim)
        more = None if verdict.decided else _more(stage.seeds, verdict.wanted, budget.at_most)
        seeds = stage.seeds if more is None else more
        stage = Stage(seeds, verdict, stage.seeds, ended=more is None)
    return stage


def decided_choice(settings: Settings, aim: Aim | None, budget: Budget) -> tuple[Choice, Stage]:
    """The best setting by the last verdict, and how far the sweep has come."""
    choice = choose(settings, aim)
    stage = go_on(first_stage(len(settings.reached), budget), settings, aim, budget)
    verdict = stage.verdict
    if verdict is None:
        return choice, stage
    leader = verdict.leader
    ranks = np.array([leader, *(k for k in choice.ranks if k != leader)])
    best = None if verdict.none or _never_arrives(settings, leader, aim) else leader
    fails = choice.fails.copy()
    if best is not None:
        fails[leader] = ""
    alike = 1 + len(verdict.equal)
    return replace(
        choice, best=best, nearest=leader, ranks=ranks, fails=fails, alike=alike, few=False
    ), stage


def used(settings: Settings, stage: Stage) -> Settings:
    """The runs that the last verdict rests on."""
    return _up_to(stage.judged, settings)


def _never_arrives(settings: Settings, leader: int, aim: Aim | None) -> bool:
    return aim is None and not np.any(settings.reached[leader] > 0.0)


def _is_complete(seeds: np.ndarray, settings: Settings) -> bool:
    wanted = np.arange(settings.reached.shape[1]) < seeds[:, None]
    enough = settings.reached.shape[1] >= seeds.max()
    return bool(enough and np.all(np.isfinite(settings.reached[wanted])))


def _up_to(seeds: np.ndarray, settings: Settings) -> Settings:
    """The same with so many seeds of every setting."""
    kept = np.arange(settings.reached.shape[1]) < seeds[:, None]

    def cut(values: np.ndarray) -> np.ndarray:
        return np.where(kept, values, np.nan)

    columns = {name: cut(values) for name, values in settings.columns.items()}
    return Settings(cut(settings.reached), columns, settings.neighbours)


def _more(seeds: np.ndarray, wanted: list[int], at_most: int) -> np.ndarray | None:
    """The seeds of the next round, in as large a step as the budget allows.

    None: it allows none.
    """
    fewest = int(seeds[wanted].min())
    for step in range(math.ceil(fewest / _PART), 0, -1):
        more = seeds.copy()
        more[wanted] = np.maximum(seeds[wanted], fewest + step)
        if more.sum() <= at_most:
            return more
    return None
