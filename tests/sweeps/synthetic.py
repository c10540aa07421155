"""Sweeps that nobody ran: settings whose true means are known, and what their runs would show.

Forces have an effect of the seed that all settings share; shares, alarms and missed contacts are
independent.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hopfield_nav.sweeps import Aim, Settings
from hopfield_nav.sweeps.gaps import Gap
from hopfield_nav.sweeps.sections import REACHED, Equal
from hopfield_nav.sweeps.settings import ALARMS, MISSED, PEAK, TIME, neighbours

AIM = Aim.model_validate({"least": PEAK, "while": {REACHED: ">= 0.9", ALARMS: "<= 0"}})
SHARES = (1.0, 0.98, 0.75)
RATES = (0.0, 0.0, 0.2, 1.0)  # of false alarms in a run, of missed contacts too
FORCES = (
    1.0,
    1.0,
    1.01,
    1.04,
    1.25,
)  # times the least: equal, within the zone, twice the zone, far
FIRST = (REACHED, ALARMS, MISSED)


@dataclass(frozen=True)
class Truth:
    """The true means of the settings of a sweep."""

    means: dict[str, np.ndarray]  # (settings,) by quantity
    neighbours: np.ndarray  # (settings, 2 m)

    def runs(self, seeds: int, random: np.random.Generator) -> Settings:
        """What so many runs of every setting show."""
        count = len(self.neighbours)
        shape = (count, seeds)
        shared = 0.03 * random.standard_normal(seeds)
        own = 0.02 * random.standard_normal(shape)
        reached = (random.random(shape) < self.means[REACHED][:, None]).astype(float)
        columns = {
            ALARMS: random.poisson(self.means[ALARMS][:, None], shape).astype(float),
            MISSED: random.poisson(self.means[MISSED][:, None], shape).astype(float),
            PEAK: 100.0 * self.means[PEAK][:, None] * np.exp(shared + own),
            TIME: 50.0 + random.standard_normal(shape),
        }
        return Settings(reached, columns, self.neighbours)

    def lack(self, name: str, k: int, other: int) -> float:
        """By how much a setting is truly worse than another, in zones."""
        gap = Gap.of(name, Equal())
        sign = -1.0 if name == REACHED else 1.0
        return sign * float(gap(self.means[name][k], self.means[name][other])) / gap.zone

    def is_wrong(self, named: int, aim: Aim | None) -> bool:
        """Whether another setting is truly better than the one named, by more than the zone."""
        others = [k for k in range(len(self.neighbours)) if k != named]
        if aim is None:
            return any(self._beats(k, named) for k in others)
        if self.means[REACHED][named] < 0.9 or self.means[ALARMS][named] > Equal().count:
            return True
        keeping = [k for k in others if self.keeps(k)]
        return any(self.lack(PEAK, named, k) > 1.0 for k in keeping)

    def keeps(self, k: int) -> bool:
        """Whether a setting truly keeps to the aim."""
        return bool(self.means[REACHED][k] >= 0.9 and self.means[ALARMS][k] == 0.0)

    def _beats(self, k: int, named: int) -> bool:
        for name in FIRST:
            if self.lack(name, named, k) > 1.0:
                return True
            if self.lack(name, named, k) < 0.0:
                return False
        if self._worst_beside(k) <= 0.0 and self._worst_beside(named) > 1.0:
            return True
        if self._worst_beside(named) <= 1.0 and self._worst_beside(k) > 0.0:
            return False
        return self.lack(PEAK, named, k) > 1.0

    def _worst_beside(self, k: int) -> float:
        """By how many zones the worst neighbour is worse."""
        beside = [int(other) for other in self.neighbours[k] if other >= 0]
        lacks = [self.lack(name, other, k) for other in beside for name in FIRST]
        return max(lacks, default=0.0)


def draw_truth(random: np.random.Generator, shape: tuple[int, ...], alike: bool = False) -> Truth:
    """A sweep of that shape; ``alike``: all of its settings are equal."""
    count = math.prod(shape)

    def drawn(values: tuple[float, ...]) -> np.ndarray:
        if alike:
            return np.full(count, values[0])
        return random.choice(values, count)

    means = {
        REACHED: drawn(SHARES),
        ALARMS: drawn(RATES),
        MISSED: drawn(RATES),
        PEAK: drawn(FORCES),
    }
    orders = [np.arange(length) if length > 1 else None for length in shape]
    return Truth(means, neighbours(shape, orders))
