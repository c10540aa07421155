"""What the runs of a sweep show of its settings, however often one looks.

Every claim is wrong with probability ``level`` at the most over all the numbers of runs at which it
may be made.
"""

import math

import numpy as np

from hopfield_nav.sweeps.any_time import first_number, runs_to_show, share_limits
from hopfield_nav.sweeps.bets import log_wealth, runs_until_shown
from hopfield_nav.sweeps.gaps import MOST_ZONES, Gap
from hopfield_nav.sweeps.sections import REACHED, Condition, Equal
from hopfield_nav.sweeps.settings import Settings


class Shown:
    """Claims on the settings of a sweep. Less is better, but of the share that arrives."""

    def __init__(self, settings: Settings, equal: Equal, level: float) -> None:
        self.settings, self.equal, self.level = settings, equal, level
        self._values = {REACHED: settings.reached}
        self._needed = -math.log(level)  # logarithm of the wealth that shows something
        there = np.isfinite(settings.reached)
        self._runs = there.sum(axis=1)
        self._arrived = np.where(there, settings.reached, 0.0).sum(axis=1)

    def limits(self, k: int) -> tuple[float, float]:
        """The limits of the share of a setting that arrives."""
        return share_limits(int(self._arrived[k]), int(self._runs[k]), self.level)

    def is_worse(self, name: str, k: int, other: int) -> bool:
        """Whether a setting is worse than another in a quantity."""
        if name == REACHED:
            return self.limits(k)[1] < self.limits(other)[0]
        return self._is_above(name, self._of(name, k), self._of(name, other), 0.0)

    def is_within(self, name: str, k: int, other: int) -> bool:
        """Whether a setting is not worse than another by more than the zone."""
        if name == REACHED:
            return self.limits(k)[0] >= self.limits(other)[1] - self.equal.share
        if self.is_small(name, k):
            return True
        return self._is_above(name, self._of(name, other), self._of(name, k), -self._zone(name))

    def is_small(self, name: str, k: int) -> bool:
        """Whether a setting counts so little that it is within the zone of any other."""
        if self._gap(name).relative:
            return False
        return self._is_above(name, 0.0, self._of(name, k), -self._zone(name))

    def keeps(self, name: str, k: int, condition: Condition) -> bool:
        """Whether a setting keeps to a condition with a number.

        Where no mean can lie beyond the number, a share of 1 or a count of 0, it may miss it by the
        zone.
        """
        slack = self._slack(name, condition)
        number = condition.number
        if name == REACHED:
            low, high = self.limits(k)
            return high <= number + slack if condition.at_most else low >= number - slack
        values = self._of(name, k)
        if condition.at_most:
            return self._is_above(name, number, values, -slack)
        return self._is_above(name, values, number, -slack)

    def fails(self, name: str, k: int, condition: Condition) -> bool:
        """Whether a setting does not keep to a condition with a number."""
        number = condition.number
        values = self._of(name, k)
        if self._slack(name, condition):  # one run is enough
            beyond = values > number if condition.at_most else values < number
            return bool(np.any(beyond))
        if name == REACHED:
            low, high = self.limits(k)
            return low > number if condition.at_most else high < number
        if condition.at_most:
            return self._is_above(name, values, number, 0.0)
        return self._is_above(name, number, values, 0.0)

    def exceeds(self, name: str, k: int, other: int, factor: float) -> bool:
        """Whether the mean of a setting is larger than so many times that of another."""
        return self._is_above(name, self._of(name, k), factor * self._of(name, other), 0.0)

    def stays_below(self, name: str, k: int, other: int, factor: float) -> bool:
        """Whether the mean of a setting is at most so many times that of another, and the zone."""
        others = factor * self._of(name, other)
        return self._is_above(name, others, self._of(name, k), -self._zone(name))

    def seeds_to_tell(self, name: str, k: int, leader: int) -> float:
        """How many seeds it takes to say that ``k`` is worse, or the leader not."""
        if name == REACHED:
            shares = self._arrived / np.maximum(self._runs, 1)
            return seeds_for_shares(shares[k], shares[leader], self._zone(name), self.level)
        gap = self._gap(name)
        numbers = gap(self._of(name, k), self._of(name, leader))
        own = gap(0.0, self._of(name, leader))
        ways = [
            runs_until_shown(numbers, 0.0, gap.bound, self.level),
            runs_until_shown(numbers, -gap.zone, gap.bound, self.level),
        ]
        if not gap.relative:
            ways.append(runs_until_shown(own, -gap.zone, gap.bound, self.level))
        return min(ways)

    def seeds_to_keep(self, name: str, k: int, condition: Condition) -> float:
        """How many seeds it takes to say whether a setting keeps to a condition."""
        slack = self._slack(name, condition)
        if name == REACHED:
            share = float(self._arrived[k] / max(self._runs[k], 1))
            return seeds_for_number(share, condition.number - slack, self.level)
        gap = self._gap(name)
        numbers = gap(condition.number, self._of(name, k))
        sign = 1.0 if condition.at_most else -1.0
        keeps = runs_until_shown(sign * numbers, -slack, gap.bound, self.level)
        fails = runs_until_shown(-sign * numbers, 0.0, gap.bound, self.level)
        return min(keeps, fails)

    def _is_above(
        self, name: str, first: np.ndarray | float, second: np.ndarray | float, least: float
    ) -> bool:
        """Whether the mean gap of the first, (blocks,) or a number, over the second is above."""
        gap = self._gap(name)
        return bool(log_wealth(gap(first, second), least, gap.bound) >= self._needed)

    def _of(self, name: str, k: int) -> np.ndarray:
        """(blocks,) the values of a setting."""
        if name not in self._values:
            self._values[name] = self.settings.values(name)
        return self._values[name][k]

    def _gap(self, name: str) -> Gap:
        return Gap.of(name, self.equal)

    def _zone(self, name: str) -> float:
        return self._gap(name).zone

    def _slack(self, name: str, condition: Condition) -> float:
        """By how much a condition may be missed: the zone if no mean lies beyond its number."""
        if self._gap(name).relative or (name != REACHED and not condition.at_most):
            return 0.0
        end = 0.0 if condition.at_most else 1.0
        return self._zone(name) if condition.number == end else 0.0


def seeds_for_shares(worse: float, better: float, zone: float, level: float) -> float:
    """How many runs of both tell their shares apart, or show that they are within the zone."""

    def is_told(n: int) -> bool:
        low, _ = share_limits(round(better * n), n, level)
        _, other_high = share_limits(round(worse * n), n, level)
        return low > other_high - zone

    return first_number(is_told)


def seeds_for_number(share: float, number: float, level: float) -> float:
    """How many runs of a setting show on which side of a number its share lies."""
    if share == number:
        return math.inf

    def is_told(n: int) -> bool:
        low, high = share_limits(round(share * n), n, level)
        return low >= number or high < number

    return first_number(is_told)


def least_seeds(equal: Equal, level: float) -> dict[str, int]:
    """The fewest seeds that show two settings to be equal, by kind of quantity."""
    zones = {"count": equal.count, "force": equal.force}
    found = {"share": runs_to_show(1.0 - equal.share, level)}
    return found | {kind: _seeds_of_equals(zone, level) for kind, zone in zones.items()}


def _seeds_of_equals(zone: float, level: float) -> int:
    """How many seeds show two settings to be within a zone that do not differ at all."""

    def is_shown(n: int) -> bool:
        return bool(log_wealth(np.zeros(n), -zone, MOST_ZONES * zone) >= -math.log(level))

    return first_number(is_shown)
