"""Whether the runs so far decide which setting is the best, or equal to it.

A verdict is good enough: a setting that is better by no more than the zone of ``equal`` may stay
unnamed. By the rule the quantities count one after the other: the verdict is wrong if the setting
that is truly the best is better by more than the zone in one, and not worse in any before it. By an
aim it is wrong if the one named does not keep to a condition, or the best of those that do has less
by more than the zone.

The error probability, 5 % for all that is ever said of a sweep, is shared evenly between the claims
on which a verdict may rest. A wrong verdict names one setting in the place of the truly best, so
that there are as many pairs as settings.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from hopfield_nav.sweeps.choice import choose, or_inf
from hopfield_nav.sweeps.gaps import Gap
from hopfield_nav.sweeps.sections import REACHED, Aim, Condition, Equal
from hopfield_nav.sweeps.settings import ALARMS, MISSED, PEAK, TIME, Settings
from hopfield_nav.sweeps.shown import Shown

ERROR = 0.05  # probability that a verdict is ever wrong
NEIGHBOURS = "neighbours"  # the step of the rule that looks at them
_ROBUST, _FRAIL, _OPEN = "robust", "frail", "open"


@dataclass(frozen=True)
class Standing:
    """How a setting stands against the one that leads."""

    open: tuple[
        str, ...
    ]  # the quantities, conditions or steps that are not shown yet; none: it is settled
    needs: frozenset[int]  # the settings of which more runs are needed for it


@dataclass(frozen=True)
class Verdict:
    """What is shown so far."""

    leader: int  # the setting that is the best, or leads so far
    decided: bool
    none: bool  # whether it is decided that no setting keeps what it must
    standings: dict[int, Standing]  # of all that are not settled, by setting
    equal: tuple[int, ...]  # others that might be named as well

    @property
    def wanted(self) -> list[int]:
        """The settings that are to be run further."""
        needs = (standing.needs for standing in self.standings.values())
        return sorted(frozenset().union(*needs))


class _Contest(Protocol):
    """How settings are compared: by the rule, or by an aim."""

    @property
    def leader(self) -> int: ...

    @property
    def none(self) -> bool: ...

    def standing(self, k: int, leader: int) -> Standing: ...

    def seeds(self, k: int) -> float: ...


def verdict_of(settings: Settings, aim: Aim | None) -> Verdict:
    """What the runs so far decide."""
    contest = contest_of(settings, aim)
    everyone = range(len(settings.reached))
    leader = contest.leader
    if contest.none:
        return Verdict(leader, decided=True, none=True, standings={}, equal=())
    standings = {k: contest.standing(k, leader) for k in everyone}
    still_open = {k: standing for k, standing in standings.items() if standing.open}
    if still_open:
        return Verdict(leader, decided=False, none=False, standings=still_open, equal=())
    named = [leader, *(k for k in everyone if k != leader and _wins(contest, k, everyone))]
    times = or_inf(settings.means(TIME))
    best = min(named, key=lambda k: (times[k], k))
    others = tuple(k for k in named if k != best)
    return Verdict(best, decided=True, none=False, standings={}, equal=others)


def contest_of(settings: Settings, aim: Aim | None) -> "_ByRule | _ByAim":
    """How the settings are compared."""
    return _ByRule(settings) if aim is None else _ByAim(settings, aim)


def _wins(contest: _Contest, k: int, everyone: Iterable[int]) -> bool:
    return not any(contest.standing(other, k).open for other in everyone)


class _ByRule:
    """The steps of the rule, one after the other: arrives most often, and so on."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._equal = Equal()
        self._first = [REACHED, *(n for n in (ALARMS, MISSED) if n in settings.columns)]
        self._shown = Shown(settings, self._equal, ERROR / self.claims)
        self._states: dict[int, str] = {}

    @property
    def claims(self) -> int:
        """The number of claims that share the error probability."""
        count = len(self._settings.reached)
        beside = int((self._settings.neighbours >= 0).sum())
        counts = len(self._first) - 1
        return count + counts * (2 * count + beside) + count

    @cached_property
    def none(self) -> bool:
        """Whether no setting is shown to arrive more often than never, and the zone."""
        everyone = range(len(self._settings.reached))
        return all(self._shown.limits(k)[1] <= self._equal.share for k in everyone)

    @cached_property
    def leader(self) -> int:
        """The best by the means so far, where what is within half a zone is equal."""
        left = np.ones(len(self._settings.reached), bool)
        for name in self._first:
            means = or_inf(self._settings.means(name))
            lacking = -means if name == REACHED else means
            zone = 0.5 * Gap.of(name, self._equal).zone
            left &= lacking <= lacking[left].min() + zone
        robust = [k for k in np.flatnonzero(left) if self._looks_robust(int(k), left)]
        candidates = robust or np.flatnonzero(left)
        forces = or_inf(self._settings.means(PEAK))
        return int(min(candidates, key=lambda k: forces[k]))

    def standing(self, k: int, leader: int) -> Standing:
        """How a setting stands, by the first step in which it is worse."""
        if k == leader:
            return Standing((), frozenset())
        unknown: list[str] = []
        needs: set[int] = set()
        for name in (*self._first, NEIGHBOURS, PEAK):
            worse, within, asked = self._step(name, k, leader)
            if worse:
                break
            if not within:
                unknown.append(name)
                needs |= asked
        return Standing(tuple(unknown), frozenset(needs))

    def seeds(self, k: int) -> float:
        """How many seeds it takes at the most to settle a setting, if all goes on as so far."""
        steps = self.standing(k, self.leader).open
        return max((self._seeds_of(step, k, self.leader) for step in steps), default=0.0)

    def _step(self, name: str, k: int, leader: int) -> tuple[bool, bool, set[int]]:
        """Whether a setting is worse in a step, the leader not, and which to run if neither."""
        if name == NEIGHBOURS:
            return self._neighbours(k, leader)
        if self._shown.is_worse(name, k, leader):
            return True, False, set()
        if self._shown.is_within(name, leader, k):
            return False, True, set()
        return False, False, {leader} if self._alone(name, k, leader) else {k, leader}

    def _alone(self, name: str, k: int, leader: int) -> bool:
        """Whether runs of the leader alone will show that it is not worse."""
        gap = Gap.of(name, self._equal)
        if gap.relative:
            return False
        means = self._settings.means(name)
        if name == REACHED:
            means = 1.0 - means
        return bool(means[leader] <= 0.5 * gap.zone and means[k] <= means[leader] + gap.zone)

    def _neighbours(self, k: int, leader: int) -> tuple[bool, bool, set[int]]:
        own, other = self._state(leader), self._state(k)
        if own == _ROBUST:
            return other == _FRAIL, True, set()
        if other == _FRAIL:
            return False, True, set()
        if own == _OPEN:
            return False, False, self._unknown_beside(leader)
        return False, False, self._unknown_beside(k) or {k, leader}

    def _state(self, k: int) -> str:
        """Whether all neighbours of a setting are as good as it is."""
        if k not in self._states:
            beside = self._beside(k)
            if all(self._is_good(other, k) for other in beside):
                self._states[k] = _ROBUST
            else:
                poor = any(self._is_poor(other, k) for other in beside)
                self._states[k] = _FRAIL if poor else _OPEN
        return self._states[k]

    def _looks_robust(self, k: int, left: np.ndarray) -> bool:
        """Whether all neighbours of a setting are as good, as shown or by the means so far."""
        state = self._state(k)
        if state == _OPEN:
            return all(left[other] for other in self._beside(k))
        return state == _ROBUST

    def _unknown_beside(self, k: int) -> set[int]:
        """A setting and those of its neighbours that are not known to be as good."""
        if self._state(k) != _OPEN:
            return set()
        return {k, *(other for other in self._beside(k) if not self._is_good(other, k))}

    def _beside(self, k: int) -> list[int]:
        return [int(other) for other in self._settings.neighbours[k] if other >= 0]

    def _is_poor(self, other: int, k: int) -> bool:
        return any(self._shown.is_worse(name, other, k) for name in self._first)

    def _is_good(self, other: int, k: int) -> bool:
        return all(self._shown.is_within(name, other, k) for name in self._first)

    def _seeds_of(self, step: str, k: int, leader: int) -> float:
        if step != NEIGHBOURS:
            return self._shown.seeds_to_tell(step, k, leader)
        centre = leader if self._state(leader) == _OPEN else k
        seeds = [
            self._shown.seeds_to_tell(name, other, centre)
            for other in self._beside(centre)
            for name in self._first
            if not self._shown.is_within(name, other, centre)
        ]
        return max(seeds, default=0.0)


class _ByAim:
    """The least of a quantity while others keep to conditions."""

    def __init__(self, settings: Settings, aim: Aim) -> None:
        self._settings, self._aim = settings, aim
        self._numbers = [(n, c) for n, c in aim.conditions.items() if not c.of_least]
        self._factors = [(n, c) for n, c in aim.conditions.items() if c.of_least]
        self._shown = Shown(settings, aim.equal, ERROR / self.claims)

    @property
    def claims(self) -> int:
        """The number of claims that share the error probability."""
        count = len(self._settings.reached)
        own = sum(1 if name == REACHED else 2 for name, _ in self._numbers)
        return count * (own + 2 * len(self._factors) + 1)

    @cached_property
    def leader(self) -> int:
        """The best by the means so far of those that are not shown to fail."""
        left = np.array([k in self._left for k in range(len(self._settings.reached))])
        return choose(self._settings, self._aim, left if left.any() else None).nearest

    @cached_property
    def none(self) -> bool:
        """Whether every setting is shown to fail."""
        return not self._left

    def standing(self, k: int, leader: int) -> Standing:
        """How a setting stands: it fails a condition, or has no less than the leader."""
        if k == leader:
            unknown = [f"{n} {c}" for n, c in self._numbers if not self._shown.keeps(n, k, c)]
            needs = {k} if unknown else set[int]()
            for name, condition in self._factors:
                beaten = [i for i in self._left if i != k and self._is_open(name, condition, k, i)]
                if beaten:
                    unknown.append(f"{name} {condition}")
                    needs |= {k, *beaten}
            return Standing(tuple(unknown), frozenset(needs))
        if k not in self._left or self._shown.is_worse(self._aim.least, k, leader):
            return Standing((), frozenset())
        if self._shown.is_within(self._aim.least, leader, k):
            return Standing((), frozenset())
        return Standing((self._aim.least,), frozenset({k, leader}))

    def seeds(self, k: int) -> float:
        """How many seeds it takes at the most to settle a setting, if all goes on as so far."""
        if k != self.leader:
            return self._shown.seeds_to_tell(self._aim.least, k, self.leader)
        keep = (self._shown.seeds_to_keep(name, k, c) for name, c in self._numbers)
        return max(keep, default=0.0)

    @cached_property
    def _left(self) -> frozenset[int]:
        """The settings that are not shown to fail."""
        everyone = range(len(self._settings.reached))
        left = {
            k for k in everyone if not any(self._shown.fails(n, k, c) for n, c in self._numbers)
        }
        sure = [k for k in left if all(self._shown.keeps(n, k, c) for n, c in self._numbers)]
        return frozenset(k for k in left if not any(self._is_beyond(k, other) for other in sure))

    def _is_beyond(self, k: int, other: int) -> bool:
        """Whether a setting has more than a factor allows of what another has."""
        return k != other and any(
            self._shown.exceeds(name, k, other, condition.number)
            for name, condition in self._factors
        )

    def _is_open(self, name: str, condition: Condition, k: int, other: int) -> bool:
        return not self._shown.stays_below(name, k, other, condition.number)


class Undecided(NamedTuple):
    """A setting that is not settled."""

    setting: int
    open: tuple[str, ...]  # what is not shown of it
    seeds: float  # that it takes to show it, if all goes on as so far; infinity where none would
    leader_alone: bool  # whether only the leader must be run further for it


def undecided(settings: Settings, aim: Aim | None) -> Iterator[Undecided]:
    """Every setting that is not settled."""
    contest = contest_of(settings, aim)
    if contest.none:
        return
    for k in range(len(settings.reached)):
        standing = contest.standing(k, contest.leader)
        if standing.open:
            alone = standing.needs == {contest.leader}
            yield Undecided(k, standing.open, contest.seeds(k), alone)
