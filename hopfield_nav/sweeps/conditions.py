"""Whether a setting keeps to a condition of the aim: by its mean so far, or by its interval.

A condition is *met* where the printed interval lies on its side, and else *met so far*. Where no
interval can lie beyond the number, a share of 1 or a count of 0, it may reach by the zone of
``equal`` to the other side. A count that was 0 in all runs has Wilson's interval of the share of
runs that may have one, as few runs say little of what is rare.
"""

import math
from dataclasses import dataclass

import numpy as np

from hopfield_nav.sweeps.any_time import first_number
from hopfield_nav.sweeps.gaps import MOST_ZONES, Gap
from hopfield_nav.sweeps.sections import REACHED, Aim, Condition
from hopfield_nav.sweeps.settings import Settings
from hopfield_nav.sweeps.statistics import Value, limits_of, mean, share

_MANY = 10**6  # runs, of which is not said that they would suffice


@dataclass(frozen=True)
class Kept:
    """How a setting stands with a condition."""

    condition: str  # as it is written
    holds: bool  # by the mean so far
    shown: bool  # by the interval
    value: Value  # the mean, or the share of runs, with its interval
    is_share: bool
    runs: (
        int | None
    )  # that would show it, if they go on as so far; None: it is shown, or no number would

    @property
    def words(self) -> str:
        """Whether it is met."""
        met = "met" if self.holds else "not met"
        return met if self.shown else f"{met} so far"


def conditions_of(settings: Settings, k: int, aim: Aim) -> list[Kept]:
    """How a setting stands with every condition of an aim."""
    return [_kept(settings, k, name, c, aim) for name, c in aim.conditions.items()]


def _kept(settings: Settings, k: int, name: str, condition: Condition, aim: Aim) -> Kept:
    means = settings.means(name)
    finite = means[np.isfinite(means)]
    least = float(finite.min()) if finite.size else math.nan
    number = condition.bound(least)
    values = settings.values(name)[k]
    runs = values[np.isfinite(values)]
    holds = bool(condition.keeps(means[k], least))
    written = f"{name} {condition}"
    gap = Gap.of(name, aim.equal)
    if name == REACHED:
        count = int(runs.sum())
        own = _Share(count, runs.size)
        end = 0.0 if condition.at_most else 1.0
        bound = number + _sign(condition) * (gap.zone if number == end else 0.0)
    elif not gap.relative and condition.at_most and not runs.any():
        own = _Share(0, runs.size)
        slack = gap.zone if number == 0.0 else number
        bound = slack / (MOST_ZONES * gap.zone)
    else:
        value = mean(runs, limits_of(name))
        shown = not condition.of_least and _lies_beyond(value, condition, number, holds)
        more = None if shown or condition.of_least else _runs_of_means(runs, number)
        return Kept(written, holds, shown, value, is_share=False, runs=more)
    value = own.interval(own.n)
    shown = _lies_beyond(value, condition, bound, holds)
    more = None if shown or not holds else _runs_of_shares(own, condition, bound)
    return Kept(written, holds, shown, value, is_share=True, runs=more)


@dataclass(frozen=True)
class _Share:
    """So many of so many runs."""

    count: int
    n: int

    def interval(self, n: int) -> Value:
        """Wilson's, if the share stays the same in ``n`` runs."""
        return share(round(self.count * n / self.n), n) if self.n else share(0, 0)


def _sign(condition: Condition) -> float:
    return 1.0 if condition.at_most else -1.0


def _lies_beyond(value: Value, condition: Condition, bound: float, holds: bool) -> bool:
    """Whether the interval says the same as the mean: all of it is on one side of the bound."""
    if condition.at_most:
        return value.high <= bound if holds else value.low > bound
    return value.low >= bound if holds else value.high < bound


def _runs_of_shares(own: _Share, condition: Condition, bound: float) -> int | None:
    """How many runs with the same share have an interval on the right side."""
    if own.n == 0:
        return None
    found = first_number(lambda n: _lies_beyond(own.interval(n), condition, bound, holds=True))
    return found if found < _MANY else None


def _runs_of_means(runs: np.ndarray, number: float) -> int | None:
    """How many runs like these have Student's interval on one side of a number."""
    if runs.size < 2 or runs.mean() == number:
        return None
    from scipy.special import stdtrit

    times = abs(float(runs.mean()) - number) / max(float(runs.std(ddof=1)), 1e-300)
    found = first_number(lambda n: n > 2 and float(stdtrit(n - 1, 0.975)) <= times * math.sqrt(n))
    return found if found < _MANY else None
