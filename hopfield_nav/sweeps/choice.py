"""Which setting of a sweep is the best: that of its aim, or of a rule where it has none.

The rule: of all settings those of which the largest share arrives; of these those with the fewest false alarms; of
these those whose neighbours, one step along every axis of numbers, are among them too (none is left: without this);
of these the least mean peak force; of those that five or more pairs of seeds cannot tell from it the fastest, then
the first of the file. With fewer pairs what is within 2 % cannot be told.
"""

from dataclasses import dataclass

import numpy as np

from hopfield_nav.sweeps.aim import Aim
from hopfield_nav.sweeps.settings import REACHED, TIME, Settings
from hopfield_nav.sweeps.statistics import mean

ALARMS, PEAK, ERROR = "false_alarm_count", "peak_contact_force_N", "final_tool_error_m"
PAIRS = 5  # of seeds, from which two settings are told apart by their interval
ALIKE = 0.02  # share by which means of fewer may differ
LESS, MORE_ALARMS, BESIDE = "arrives less often", "more false alarms", "a neighbour fails"
NEVER = "never arrives"


@dataclass(frozen=True)
class Choice:
    """What was chosen, and why nothing else."""

    best: int | None  # the setting; None where none keeps all that it must
    nearest: int  # the best, or what comes nearest to it
    fails: np.ndarray  # (settings,) in words what each does not keep first; "" for what was left to choose from
    ranks: np.ndarray  # (settings,) all from the best to the worst
    beside: bool = True  # whether the neighbours of the best are as good
    alike: int = 1  # how many the last step could not tell from each other
    few: bool = False  # whether fewer pairs than it takes told them apart


def choose(settings: Settings, aim: Aim | None = None, among: np.ndarray | None = None) -> Choice:
    """The best setting ``among`` some (settings,), by default all."""
    among = np.ones(len(settings.reached), bool) if among is None else among
    return _by_rule(settings, among) if aim is None else _by_aim(settings, aim, among)


def _by_rule(settings: Settings, among: np.ndarray) -> Choice:
    arriving = np.where(among, np.nan_to_num(settings.means(REACHED), nan=-1.0), -2.0)
    alarms, force = (_or_inf(settings.means(name)) for name in (ALARMS, PEAK))
    most = arriving == arriving.max()
    calm = most & (alarms == alarms[most].min())
    robust = calm & np.all((settings.neighbours < 0) | calm[settings.neighbours], axis=1)
    left = robust if robust.any() else calm
    fails = np.select([arriving <= 0.0, ~most, ~calm, ~left], [NEVER, LESS, MORE_ALARMS, BESIDE], "")
    if arriving.max() <= 0.0:
        ranks = np.lexsort((_or_inf(settings.means(ERROR)), ~among))
        return Choice(None, int(ranks[0]), fails, ranks)
    best, alike, few = _least(settings, PEAK, left)
    first = np.arange(len(force)) != best
    ranks = np.lexsort((force, alarms, ~left, ~calm, -arriving, first))
    return Choice(best, best, fails, ranks, bool(robust.any()), alike, few)


def _least(settings: Settings, name: str, left: np.ndarray) -> tuple[int, int, bool]:
    """Of the settings left the least in a quantity, or the fastest of those that cannot be told from it.

    Also how many these are, and whether a comparison had too few pairs.
    """
    means, values, times = _or_inf(settings.means(name)), settings.values(name), _or_inf(settings.means(TIME))
    candidates = np.flatnonzero(left)
    least = candidates[np.argmin(means[candidates])]
    alike, few = [], False
    for k in candidates:
        gap = mean(values[k] - values[least])
        few |= k != least and gap.n < PAIRS and bool(np.isfinite(means[least]))
        close = means[k] <= (1.0 + ALIKE) * means[least] if gap.n < PAIRS else gap.low <= 0.0
        if k == least or close:
            alike.append(int(k))
    return min(alike, key=lambda k: (times[k], k)), len(alike), few


def _by_aim(settings: Settings, aim: Aim, among: np.ndarray) -> Choice:
    """Conditions with a number come first, then in their order those with the least of what keeps all before."""
    means = {name: settings.means(name) for name in aim.names}
    keeps: dict[str, np.ndarray] = {}
    for condition in sorted(aim.conditions, key=lambda c: c.of_least):
        mean = means[condition.quantity]
        rest = np.all([among, *keeps.values()], axis=0) & np.isfinite(mean)
        least = mean[rest].min() if rest.any() else np.nan
        keeps[str(condition)] = condition.keeps(mean, least)
    left = np.all([among, *keeps.values()], axis=0)
    fails = np.select([~kept for kept in keeps.values()], list(keeps), "") if keeps else np.full(len(left), "")
    missed = np.sum([~kept for kept in keeps.values()], axis=0) if keeps else np.zeros(len(left))
    least = _or_inf(means[aim.least])
    ranks = np.lexsort((least, missed, ~among))
    best = int(ranks[0]) if left.any() and np.isfinite(least[ranks[0]]) else None
    return Choice(best, int(ranks[0]), fails, ranks)


def _or_inf(means: np.ndarray) -> np.ndarray:
    """What is not known is worst."""
    return np.where(np.isfinite(means), means, np.inf)
