"""A detector's threshold for a wanted rate of false alarms, from motion in which nothing touched the arm.

What chooses the threshold does not judge it: the rate that is told is that of other motion.
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from dynamics import Arm, BadInput
from hopfield_nav.extensions.recordings.replayed import Replay, replay
from hopfield_nav.extensions.recordings.signals import Signals, watched_seconds
from hopfield_nav.plugin import Method, Parameter
from hopfield_nav.record import alarm_rate

MARGIN = 1.1  # of the threshold above the largest level of free motion
_TRIES = 4  # where the level is not in proportion to one over the threshold; then it rises by
_WIDER = 1.25  # until it is quiet


def threshold_of(detector: Method) -> Parameter:
    """The parameter that a detector's threshold is; BadInput where it has none."""
    found = declared_threshold(detector)
    if found is None:
        raise BadInput("has no threshold", where=detector.name)
    return found


def declared_threshold(detector: Method) -> Parameter | None:
    """The parameter that a detector's threshold is; None where it has none."""
    return next((p for p in detector.parameters if p.name == "threshold"), None)


def first_threshold(detector: Method, values: Mapping[str, Any], n: int) -> np.ndarray:
    """Where a search begins: what is given, or the default; its largest for an arm that it does not fit."""
    parameter = threshold_of(detector)
    start = np.asarray(values.get("threshold", parameter.default), dtype=np.float64)
    if not parameter.per_joint:
        return start
    fits = "threshold" in values or start.size in (1, n)
    return np.zeros(n) + (start if fits else start.max())


def quiet_threshold(highest: Callable[[np.ndarray], float], start: np.ndarray, detector: str) -> np.ndarray:
    """A threshold in proportion to ``start`` that is a margin above the highest level of free motion.

    ``highest`` is the level of the motion with a threshold. Where the detector, named in messages, allows for more
    than the motion shows, however low the threshold, a very low one.
    """
    threshold = start
    for k in range(4 * _TRIES):
        level = MARGIN * highest(threshold)
        if k > 0 and (0.5 if k < _TRIES else 0.0) < level <= 1.0 + 1e-9:  # not the start, which nobody chose
            return threshold
        threshold = threshold * (max(level, 1e-3) if k < _TRIES else _WIDER)
        if k == _TRIES - 1 and level <= 1.0:
            return threshold
    raise BadInput("no threshold keeps free motion quiet", where=detector, found=threshold.tolist())


_LEAST_SHARE = 1e-3  # of the largest threshold of a joint: no joint has less
_MOST_ALARMS = 10**9  # that free motion may be allowed
_QUANTILE = 0.999  # of the rows of free motion, whose level is below one that is reported
_HALVINGS = 20  # of the span in which the least threshold is searched


@dataclass(frozen=True)
class Watched:
    """Methods that watch signals; where they watch free motion their threshold is left open."""

    # model, estimator, detector: as for ``replay``
    model: Arm
    estimator: Method
    detector: Method
    values: Mapping[str, Any]  # of the methods' parameters, by name; a threshold among them is where a search begins
    rearm: float = 1.0  # level below which a detector that has fired is armed again
    episodes: bool = False  # whether one touch is one alarm

    def watch(self, free: Signals, threshold: np.ndarray) -> Replay:
        """What the methods believe of free motion. Each alarm is a false one.

        A threshold that the detector does not take counts as the nearest that it takes.
        """
        values = {**self.values, "threshold": self.taken(threshold).tolist()}
        return replace(self, values=values).replay(free)

    def replay(self, signals: Signals) -> Replay:
        """What the methods believe, with their own values."""
        return replay(self.model, signals, self.estimator, self.detector, self.values, self.rearm, self.episodes)

    def taken(self, threshold: np.ndarray) -> np.ndarray:
        """The nearest threshold that the detector takes."""
        parameter = threshold_of(self.detector)
        return np.clip(threshold, parameter.low, parameter.high)

    def alarms(self, free: Signals, threshold: np.ndarray) -> int:
        """How many of them are false alarms."""
        return int(self.watch(free, threshold).detected.sum())


class ChosenThreshold(NamedTuple):
    """A threshold and what chose it."""

    threshold: np.ndarray  # one value, or one a joint
    allowed: int  # alarms that the choosing motion might have, for the wanted rate to be shown by it
    seconds: float  # of that motion


def choose_threshold(watched: Watched, free: Sequence[Signals], per_hour: float) -> ChosenThreshold:
    """The least threshold with which free motion shows no more than a rate of alarms, and a tenth more.

    A rate (false alarms an hour) is shown where the exact 95 % interval of the alarms that were counted ends at it or
    below. Motion too short for that gets a threshold with which it raises no alarm at all. The thresholds of the
    joints are in proportion to the largest torques that the estimator takes for contact in this motion.

    Raises ``BadInput``: the detector has no threshold, or none that is allowed would do; no motion, or no rate.
    """
    seconds = sum(watched_seconds(signals.time) for signals in free if len(signals.time))
    if not seconds > 0:
        raise BadInput("no free motion", found=f"{seconds:g} s", allowed="some seconds of it")
    allowed = _allowed_alarms(per_hour, seconds)
    start = _proportions(watched, free)

    def highest(threshold: np.ndarray) -> float:
        return max(float(watched.watch(signals, threshold).level.max(initial=0.0)) for signals in free)

    threshold = quiet_threshold(highest, start, watched.detector.name)
    if allowed > 0:
        threshold = MARGIN * _least(watched, free, threshold / MARGIN, allowed)
    return ChosenThreshold(watched.taken(threshold), max(allowed, 0), seconds)


def choose_report(watched: Watched, free: Sequence[Signals], threshold: np.ndarray) -> np.ndarray | None:
    """A level to report, in proportion to a threshold: a tenth above what 99.9 % of the rows of free motion stay below.

    None where that is no lower than the threshold, or than the detector takes.
    """

    def high(tried: np.ndarray) -> float:
        return float(np.quantile(np.concatenate([watched.watch(signals, tried).level for signals in free]), _QUANTILE))

    report = quiet_threshold(high, threshold, watched.detector.name)
    return report if np.all(report < threshold) and np.all(watched.taken(report) == report) else None


def halves(signals: Signals) -> tuple[Signals, Signals]:
    """The first and the second half of a stretch."""
    middle = len(signals.time) // 2
    return Signals(*(a[:middle] for a in signals)), Signals(*(a[middle:] for a in signals))


def _allowed_alarms(per_hour: float, seconds: float) -> int:
    """Most alarms in a time whose interval ends at a rate or below; -1 where not even none does."""
    if not 0.0 < per_hour < math.inf:
        raise BadInput("no rate", found=per_hour, allowed="alarms per hour above 0")
    return bisect_right(range(_MOST_ALARMS), per_hour, key=lambda count: alarm_rate(count, seconds)[2]) - 1


def _proportions(watched: Watched, free: Sequence[Signals]) -> np.ndarray:
    """A threshold to begin with, whose entries have the right proportions."""
    start = first_threshold(watched.detector, watched.values, len(watched.model.dh))
    if not threshold_of(watched.detector).per_joint:
        return start
    return proportions(start, np.concatenate([watched.watch(s, start).tau_external for s in free]))


def proportions(start: np.ndarray, torque: np.ndarray) -> np.ndarray:
    """The largest torques (n,) that free motion (k, n) takes for contact; ``start`` where there are none."""
    largest = np.abs(torque).max(axis=0)
    return np.maximum(largest, _LEAST_SHARE * largest.max()) if largest.max() > 0 else start


def _least(watched: Watched, free: Sequence[Signals], quiet: np.ndarray, allowed: int) -> np.ndarray:
    """The least share of a quiet threshold with so many alarms or fewer, to a hundred-thousandth of it.

    The whole of it where alarms never become more, however low it is: this motion then bounds it from nowhere.
    """

    def few(share: float) -> bool:
        return sum(watched.alarms(signals, share * quiet) for signals in free) <= allowed

    low, high = 0.0, 1.0
    for _ in range(0 if few(0.0) else _HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if few(middle) else (middle, high)
    return high * quiet
