"""A detector's threshold for a wanted rate of false alarms, from motion in which nothing touched the arm.

What chooses the threshold does not judge it: the rate that is told is that of other motion. Over a
log whose contacts are known, the untouched motion of one half chooses and the other half judges;
then the other way round.
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from dynamics import Arm, BadInput
from hopfield_nav.extensions.recordings.replayed import Replay, replay
from hopfield_nav.extensions.recordings.signals import Signals, watched_seconds
from hopfield_nav.plugin import Method, Parameter
from hopfield_nav.record import ContactTruth, alarm_rate, score

MARGIN = 1.1  # of the threshold above the largest level of free motion
_TRIES = 4  # where the level is not in proportion to one over the threshold; then it rises by
_WIDER = 1.25  # until it is quiet


def quiet_time(per_hour: float) -> float:
    """Time [s] without an alarm after which the interval of ``alarm_rate`` ends at ``per_hour``.

    Raises ``BadInput``: no rate above 0.
    """
    if not 0.0 < per_hour < math.inf:
        raise BadInput("no rate", found=per_hour, allowed="alarms per hour above 0")
    return 3600.0 * alarm_rate(0, 3600.0)[2] / per_hour


def threshold_of(detector: Method) -> Parameter:
    """The parameter that a detector's threshold is; BadInput where it has none."""
    found = declared_threshold(detector)
    if found is None:
        others = ", ".join(parameter.name for parameter in detector.parameters)
        raise BadInput(
            "has no parameter called threshold, which is the one that is chosen",
            where=f"detector {detector.name!r}",
            found=others or "no parameters",
            allowed='a detector that has one; in a file of your own Parameter("threshold", ...)',
        )
    return found


def declared_threshold(detector: Method) -> Parameter | None:
    """The parameter that a detector's threshold is; None where it has none."""
    return next((p for p in detector.parameters if p.name == "threshold"), None)


def first_threshold(detector: Method, values: Mapping[str, Any], n: int) -> np.ndarray:
    """Where a search begins: what is given, or the default.

    Its largest for an arm that it does not fit.
    """
    parameter = threshold_of(detector)
    start = np.asarray(values.get("threshold", parameter.default), dtype=np.float64)
    if not parameter.per_joint:
        return start
    return np.zeros(n) + (start if "threshold" in values or start.size in (1, n) else start.max())


def quiet_threshold(
    highest: Callable[[np.ndarray], float], start: np.ndarray, detector: str
) -> np.ndarray:
    """A threshold in proportion to ``start`` that is a margin above the highest level of free motion.

    ``highest`` is the level of the motion with a threshold. Where the detector, named in messages,
    allows for more than the motion shows, however low the threshold, a very low one.
    """
    threshold = start
    for k in range(4 * _TRIES):
        level = MARGIN * highest(threshold)
        # not the start, which nobody chose
        if k > 0 and (0.5 if k < _TRIES else 0.0) < level <= 1.0 + 1e-9:
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
    # of the methods' parameters, by name; a threshold among them is where a search begins
    values: Mapping[str, Any]
    rearm: float = 1.0  # level below which a detector that has fired is armed again
    episodes: bool = False  # whether one touch is one alarm

    def watch(self, free: Signals, threshold: np.ndarray) -> Replay:
        """What the methods believe of free motion. Each alarm is a false one.

        A threshold that the detector does not take counts as the nearest that it takes.
        """
        return replace(
            self, values={**self.values, "threshold": self.taken(threshold).tolist()}
        ).replay(free)

    def replay(self, signals: Signals) -> Replay:
        """What the methods believe, with their own values."""
        return replay(
            self.model,
            signals,
            self.estimator,
            self.detector,
            self.values,
            self.rearm,
            self.episodes,
        )

    def taken(self, threshold: np.ndarray) -> np.ndarray:
        """The nearest threshold that the detector takes."""
        parameter = threshold_of(self.detector)
        return np.clip(threshold, parameter.low, parameter.high)

    def alarms(self, free: Signals, threshold: np.ndarray) -> int:
        """How many of them are false alarms."""
        return int(self.watch(free, threshold).detected.sum())

    def judged(self, free: Iterable[Signals], threshold: np.ndarray) -> tuple[int, float]:
        """False alarms of motions together, and how long these are [s]."""
        each = [
            (self.alarms(signals, threshold), watched_seconds(signals.time)) for signals in free
        ]
        return sum(alarms for alarms, _ in each), sum(seconds for _, seconds in each)


class ChosenThreshold(NamedTuple):
    """A threshold and what chose it."""

    threshold: np.ndarray  # one value, or one a joint
    # alarms that the choosing motion might have, for the wanted rate to be shown by it
    allowed: int
    seconds: float  # of that motion


def choose_threshold(watched: Watched, free: Sequence[Signals], per_hour: float) -> ChosenThreshold:
    """The least threshold with which free motion shows no more than a rate of alarms, and a tenth more.

    A rate (false alarms an hour) is shown where the exact 95 % interval of the alarms that were
    counted ends at it or below. Motion too short for that gets a threshold with which it raises no
    alarm at all. The thresholds of the joints are in proportion to the largest torques that the
    estimator takes for contact in this motion.

    Raises ``BadInput``: the detector has no threshold, or none that is allowed would do; no motion,
    or no rate.
    """
    seconds = sum(watched_seconds(signals.time) for signals in free if len(signals.time))
    if not seconds > 0:
        raise BadInput("no free motion", found=f"{seconds:g} s", allowed="some seconds of it")
    if not 0.0 < per_hour < math.inf:
        raise BadInput("no rate", found=per_hour, allowed="alarms per hour above 0")
    # the most alarms in that time whose interval ends at the rate or below; -1 where not even none
    # does
    allowed = (
        bisect_right(range(_MOST_ALARMS), per_hour, key=lambda count: alarm_rate(count, seconds)[2])
        - 1
    )
    start = first_threshold(watched.detector, watched.values, len(watched.model.dh))
    if threshold_of(watched.detector).per_joint:
        start = proportions(
            start, np.concatenate([watched.watch(s, start).tau_external for s in free])
        )

    def highest(threshold: np.ndarray) -> float:
        return max(
            float(watched.watch(signals, threshold).level.max(initial=0.0)) for signals in free
        )

    threshold = quiet_threshold(highest, start, watched.detector.name)
    if allowed > 0:
        threshold = MARGIN * _least(watched, free, threshold / MARGIN, allowed)
    return ChosenThreshold(watched.taken(threshold), max(allowed, 0), seconds)


def choose_report(
    watched: Watched, free: Sequence[Signals], threshold: np.ndarray
) -> np.ndarray | None:
    """A level to report, in proportion to a threshold.

    A tenth above what 99.9 % of the rows of free motion stay below. None where that is no lower
    than the threshold, or than the detector takes.
    """

    def high(tried: np.ndarray) -> float:
        return float(
            np.quantile(
                np.concatenate([watched.watch(signals, tried).level for signals in free]), _QUANTILE
            )
        )

    report = quiet_threshold(high, threshold, watched.detector.name)
    return (
        report if np.all(report < threshold) and np.all(watched.taken(report) == report) else None
    )


def halves(signals: Signals) -> tuple[Signals, Signals]:
    """The first and the second half of a stretch."""
    middle = len(signals.time) // 2
    return Signals(*(a[:middle] for a in signals)), Signals(*(a[middle:] for a in signals))


def proportions(start: np.ndarray, torque: np.ndarray) -> np.ndarray:
    """The largest torques (n,) that free motion (k, n) takes for contact.

    ``start`` where there are none.
    """
    largest = np.abs(torque).max(axis=0)
    return np.maximum(largest, _LEAST_SHARE * largest.max()) if largest.max() > 0 else start


def _least(
    watched: Watched, free: Sequence[Signals], quiet: np.ndarray, allowed: int
) -> np.ndarray:
    """The least share of a quiet threshold with so many alarms or fewer, to a hundred-thousandth of it.

    The whole of it where alarms never become more, however low it is: this motion then bounds it
    from nowhere.
    """

    def few(share: float) -> bool:
        return sum(watched.alarms(signals, share * quiet) for signals in free) <= allowed

    low, high = 0.0, 1.0
    for _ in range(0 if few(0.0) else _HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if few(middle) else (middle, high)
    return high * quiet


AROUND = 0.25  # [s] about a contact that choose no threshold


class Judged(NamedTuple):
    """How a method did in both halves, each with the threshold of the other."""

    thresholds: tuple[list[float], list[float]]  # that the first and the second half chose
    found: int  # of the contacts
    contacts: int  # in both halves
    delays: np.ndarray  # (found,) from the begin of a contact to its first alarm [s]
    false_alarms: int  # with nothing touching
    free_time: float  # in which nothing touched [s]


def labelled_truth(time: np.ndarray, touched: np.ndarray, joints: int) -> ContactTruth:
    """What labels (k,) say of contact: when something touched, and neither force nor torque."""
    return ContactTruth(
        time, np.zeros((len(time), 3)), (touched > 0).astype(float), np.zeros((len(time), joints))
    )


def judge(watched: Watched, signals: Signals, truth: ContactTruth) -> Judged:
    """Judge an estimator and a detector by a log, and the truth of it row by row.

    Raises ``BadInput``: a detector without a threshold; no contact or no free motion in one of the
    halves.
    """
    touched = truth.largest > 0.0
    free = ~_near(signals.time, touched)
    first = _first_half(signals.time, touched)
    for half, name in ((first, "first"), (~first, "second")):
        if not (free & half).any() or not touched[half].any():
            message = "contacts and free motion are needed in both halves of a log that judges"
            raise BadInput(message, found=f"not both in the {name}")
    start = first_threshold(watched.detector, watched.values, len(watched.model.dh))
    torque = watched.watch(signals, start).tau_external
    thresholds = []
    scores = []
    for chosen_by, judged in ((first, ~first), (~first, first)):
        threshold = _quiet_in(watched, signals, free & chosen_by, start, torque)
        thresholds.append(np.atleast_1d(threshold).tolist())
        found = watched.watch(signals, threshold)
        part = ContactTruth(*(column[judged] for column in truth))
        alarms = found.time[found.detected & judged]
        scores.append(score(part, alarms, found.wrench[judged, :3], found.tau_external[judged]))
    delays = np.concatenate([s.delays for s in scores])
    return Judged(
        thresholds=(thresholds[0], thresholds[1]),
        found=len(delays),
        contacts=sum(len(s.contacts) for s in scores),
        delays=delays,
        false_alarms=sum(s.false_alarms for s in scores),
        free_time=sum(s.free_time for s in scores),
    )


def _first_half(time: np.ndarray, touched: np.ndarray) -> np.ndarray:
    """Rows of the first half of a log (k,); a contact is of the half in which it begins."""
    middle = int(np.count_nonzero(time <= 0.5 * (time[0] + time[-1])))
    if touched[middle - 1]:
        middle += int(np.argmin(np.append(touched[middle:], False)))
    return np.arange(len(touched)) < middle


def _quiet_in(
    watched: Watched, signals: Signals, rows: np.ndarray, start: np.ndarray, torque: np.ndarray
) -> np.ndarray:
    """The threshold at which a detector is just quiet in some rows (k,) of a log.

    ``start``: the threshold that is begun with; ``torque`` (k, n): what was estimated [N·m].
    """
    begin = proportions(start, torque[rows]) if start.ndim else start

    def highest(threshold: np.ndarray) -> float:
        return float(watched.watch(signals, threshold).level[rows].max())

    return watched.taken(quiet_threshold(highest, begin, watched.detector.name))


def _near(time: np.ndarray, touched: np.ndarray) -> np.ndarray:
    """Rows within ``AROUND`` of a touched one."""
    stamps = np.concatenate([[-np.inf], time[touched], [np.inf]])
    after = np.searchsorted(stamps, time)
    return np.minimum(time - stamps[after - 1], stamps[after] - time) <= AROUND
