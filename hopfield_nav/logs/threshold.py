"""A detector's threshold from recordings in which nothing touched the arm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from dynamics import Arm, BadInput
from hopfield_nav.logs.replayed import Replay, replay
from hopfield_nav.logs.signals import Signals
from hopfield_nav.plugin import Method

MARGIN = 1.1  # of the threshold above the largest level of free motion
_TRIES = 4  # where the level is not in proportion to one over the threshold


class FreeThreshold(NamedTuple):
    """A threshold, and how it does on what did not choose it.

    Attributes:
        threshold: as the detector takes it, one value or one a joint.
        alarms: false ones, in the halves of the recordings that did not choose it.
        seconds: length of those halves [s].
    """

    threshold: float | list[float]
    alarms: int
    seconds: float


def free_threshold(
    model: Arm, free: Sequence[Signals], estimator: Method, detector: Method, parameters: Mapping[str, Any]
) -> FreeThreshold:
    """The least threshold with which the first halves of free recordings raise no alarm, and a margin.

    Args:
        model: as for ``replay``.
        free: signals of recordings with nothing touching the arm.
        estimator: as for ``replay``.
        detector: the same.
        parameters: of the methods by name; a threshold among them is where the search starts.

    Raises:
        BadInput: the detector has no threshold, or none that is allowed would do.
    """
    wanted = next((p for p in detector.parameters if p.name == "threshold"), None)
    if wanted is None:
        raise BadInput("has no threshold", where=detector.name)
    threshold = np.asarray(parameters.get("threshold", wanted.default), dtype=float)
    for _ in range(_TRIES):
        values = {**parameters, "threshold": threshold.tolist()}
        runs = [replay(model, signals, estimator, detector, values) for signals in free]
        level = MARGIN * max(float(run.level[_first_half(run.time)].max(initial=0.0)) for run in runs)
        if 0.5 < level <= 1.0 + 1e-9:
            return _judged(threshold, runs)
        threshold = threshold * max(level, 1e-3)
    raise BadInput("no threshold keeps free motion quiet", where=detector.name, found=threshold.tolist())


def _judged(threshold: np.ndarray, runs: Sequence[Replay]) -> FreeThreshold:
    later = [(run, ~_first_half(run.time)) for run in runs]
    alarms = sum(int(run.detected[half].sum()) for run, half in later)
    seconds = sum(float(np.ptp(run.time[half])) for run, half in later if half.any())
    return FreeThreshold(threshold.tolist(), alarms, seconds)


def _first_half(time: np.ndarray) -> np.ndarray:
    return time <= 0.5 * (time[0] + time[-1])
