"""Which setting of a sweep is the best: that of an aim, or of a rule where there is none.

The rule: of all settings those of which the largest share arrives; of these those with the fewest
false alarms; of these those with the fewest missed contacts, where half a one a run more counts as
as few; of these those whose neighbours, one step along every axis of numbers, are among them too
(none is left: without this); of these the least mean peak force; of those within 2 % of it, that
pairs of seeds, if there are five, do not tell from it, the fastest, then the first of the file.
"""

from dataclasses import dataclass

import numpy as np

from hopfield_nav.sweeps.gaps import MOST_ZONES, Gap
from hopfield_nav.sweeps.sections import Aim, Condition, Equal
from hopfield_nav.sweeps.settings import ALARMS, ERROR, MISSED, PEAK, REACHED, TIME, Settings
from hopfield_nav.sweeps.statistics import mean

PAIRS = 5  # of seeds, from which two settings are told apart by their interval
ALIKE = 0.02  # share by which means of fewer may differ
NEVER, LESS = "never arrives", "arrives less often"
MORE_ALARMS, MORE_MISSED = "more false alarms", "more missed contacts"
BESIDE = "a neighbour fails"


@dataclass(frozen=True)
class Choice:
    """What was chosen, and why nothing else."""

    best: int | None  # the setting; None where none keeps all that it must
    nearest: int  # the best, or what comes nearest to it
    fails: np.ndarray
    """(settings,) in words what each does not keep first; "" for what was left to choose from"""
    ranks: np.ndarray  # (settings,) all from the best to the worst
    beside: bool = True  # whether the neighbours of the best are as good
    alike: int = 1  # how many the last step could not tell from each other
    few: bool = False  # whether fewer pairs than it takes told them apart


def choose(settings: Settings, aim: Aim | None = None, among: np.ndarray | None = None) -> Choice:
    """The best setting ``among`` some (settings,), by default all."""
    if among is None:
        among = np.ones(len(settings.reached), bool)
    return _by_rule(settings, among) if aim is None else _by_aim(settings, aim, among)


def _by_rule(settings: Settings, among: np.ndarray) -> Choice:
    arriving = np.where(among, np.nan_to_num(settings.means(REACHED), nan=-1.0), -2.0)
    alarms = or_inf(settings.means(ALARMS))
    missed = or_inf(settings.means(MISSED))
    force = or_inf(settings.means(PEAK))
    most = arriving == arriving.max()
    calm = most & (alarms == alarms[most].min())
    feeling = calm & (missed <= missed[calm].min() + Equal().count)
    robust = feeling & np.all((settings.neighbours < 0) | feeling[settings.neighbours], axis=1)
    left = robust if robust.any() else feeling
    lacks = [arriving <= 0.0, ~most, ~calm, ~feeling, ~left]
    fails = np.select(lacks, [NEVER, LESS, MORE_ALARMS, MORE_MISSED, BESIDE], "")
    if arriving.max() <= 0.0:
        ranks = np.lexsort((or_inf(settings.means(ERROR)), ~among))
        return Choice(None, int(ranks[0]), fails, ranks)
    best, alike, few = _least(settings, PEAK, left)
    others = np.arange(len(force)) != best
    ranks = np.lexsort((force, missed, alarms, ~left, ~feeling, ~calm, -arriving, others))
    return Choice(best, best, fails, ranks, bool(robust.any()), alike, few)


def _least(settings: Settings, name: str, left: np.ndarray) -> tuple[int, int, bool]:
    """Of the settings left the least in a quantity, or the fastest that cannot be told from it.

    Also how many these are, and whether a comparison had too few pairs.
    """
    means = or_inf(settings.means(name))
    times = or_inf(settings.means(TIME))
    values = settings.values(name)
    candidates = np.flatnonzero(left)
    least = candidates[np.argmin(means[candidates])]
    alike = []
    few = False
    for k in candidates:
        gap = mean(values[k] - values[least])
        few |= k != least and gap.n < PAIRS and bool(np.isfinite(means[least]))
        within = means[k] <= (1.0 + ALIKE) * means[least]
        told_apart = gap.n >= PAIRS and gap.low > 0.0
        if k == least or (within and not told_apart):
            alike.append(int(k))
    return min(alike, key=lambda k: (times[k], k)), len(alike), few


def _by_aim(settings: Settings, aim: Aim, among: np.ndarray) -> Choice:
    """Conditions with a number come first, then those with the least of what keeps all before."""
    keeps: dict[str, np.ndarray] = {}
    missed = np.zeros(len(among))
    for name, condition in aim.numbers_first:
        means = settings.means(name)
        rest = np.all([among, *keeps.values()], axis=0) & np.isfinite(means)
        least = means[rest].min() if rest.any() else np.nan
        keeps[f"{name} {condition}"] = condition.keeps(means, least)
        missed += how_far(condition, Gap.of(name, aim.equal), means, least)
    left = np.all([among, *keeps.values()], axis=0)
    fails = np.full(len(left), "", dtype=object)
    for words, kept in reversed(keeps.items()):
        fails[~kept] = words  # the first that is not kept stands in the end
    fails = fails.astype(str)
    least = or_inf(settings.means(aim.least))
    ranks = np.lexsort((least, missed, ~left, ~among))
    best = int(ranks[0]) if left.any() and np.isfinite(least[ranks[0]]) else None
    return Choice(best, int(ranks[0]), fails, ranks)


def how_far(condition: Condition, gap: Gap, means: np.ndarray, least: float) -> np.ndarray:
    """(settings,) by how many zones of ``gap`` means miss a condition: from 0, where kept, to 10."""
    kept = condition.keeps(means, least)
    zones = np.abs(gap(means, condition.bound(least))) / gap.zone
    return np.where(kept, 0.0, np.where(np.isfinite(zones), zones, MOST_ZONES))


def or_inf(means: np.ndarray) -> np.ndarray:
    """What is not known is worst."""
    return np.where(np.isfinite(means), means, np.inf)
