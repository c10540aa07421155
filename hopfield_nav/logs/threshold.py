"""A detector's threshold from recordings in which nothing touched the arm."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from dynamics import Arm, BadInput
from hopfield_nav.logs.replayed import Replay, replay
from hopfield_nav.logs.signals import Signals
from hopfield_nav.plugin import Method, Parameter

MARGIN = 1.1  # of the threshold above the largest level of free motion
_TRIES = 4  # where the level is not in proportion to one over the threshold


class FreeThreshold(NamedTuple):
    """A threshold, and how it does on what did not choose it."""

    threshold: float | list[float]  # as the detector takes it, one value or one a joint
    alarms: int  # false ones, in the halves of the recordings that did not choose it
    seconds: float  # length of those halves [s]


def free_threshold(
    model: Arm, free: Sequence[Signals], estimator: Method, detector: Method, parameters: Mapping[str, Any]
) -> FreeThreshold:
    """The least threshold with which the first halves of free recordings raise no alarm, and a margin.

    Model and methods are as for ``replay``; a threshold among the parameters is where the search starts.

    Raises:
        BadInput: the detector has no threshold, or none that is allowed would do.
    """
    start = parameters.get("threshold", threshold_of(detector).default)

    def replays(threshold: np.ndarray) -> list[Replay]:
        values = {**parameters, "threshold": threshold.tolist()}
        return [replay(model, signals, estimator, detector, values) for signals in free]

    def highest(threshold: np.ndarray) -> float:
        halves = (run.level[_first_half(run.time)] for run in replays(threshold))
        return max(float(half.max(initial=0.0)) for half in halves)

    threshold = quiet_threshold(highest, np.asarray(start, dtype=float), detector.name)
    return _judged(threshold, replays(threshold))


def threshold_of(detector: Method) -> Parameter:
    """The parameter that a detector's threshold is; BadInput where it has none."""
    found = declared_threshold(detector)
    if found is None:
        raise BadInput("has no threshold", where=detector.name)
    return found


def declared_threshold(detector: Method) -> Parameter | None:
    """The parameter that a detector's threshold is; None where it has none."""
    return next((p for p in detector.parameters if p.name == "threshold"), None)


def threshold_above(largest: np.ndarray, parameter: Parameter) -> np.ndarray:
    """A margin above the largest that free motion shows, (n,) or (1,), within the parameter's range.

    Unlike that of ``quiet_threshold`` it grants a detector nothing for what it allows for besides.
    """
    return np.clip(MARGIN * largest, parameter.low, parameter.high)


def quiet_threshold(highest: Callable[[np.ndarray], float], start: np.ndarray, detector: str) -> np.ndarray:
    """A threshold in proportion to ``start`` that is a margin above the highest level of free motion.

    ``highest`` is the level of the motion with a threshold. Where the detector, named in messages, allows for
    more than the motion shows, however low the threshold, a very low one.

    Raises:
        BadInput: none keeps the motion quiet.
    """
    threshold = start
    for k in range(_TRIES):
        level = MARGIN * highest(threshold)
        if k > 0 and 0.5 < level <= 1.0 + 1e-9:  # not the start, which nobody has chosen
            return threshold
        threshold = threshold * max(level, 1e-3)
    if level > 1.0:
        raise BadInput("no threshold keeps free motion quiet", where=detector, found=threshold.tolist())
    return threshold


def _judged(threshold: np.ndarray, runs: Sequence[Replay]) -> FreeThreshold:
    later = [(run, ~_first_half(run.time)) for run in runs]
    alarms = sum(int(run.detected[half].sum()) for run, half in later)
    seconds = sum(float(np.ptp(run.time[half])) for run, half in later if half.any())
    return FreeThreshold(threshold.tolist(), alarms, seconds)


def _first_half(time: np.ndarray) -> np.ndarray:
    return time <= 0.5 * (time[0] + time[-1])
