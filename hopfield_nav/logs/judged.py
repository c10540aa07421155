"""Methods over a log whose contacts are known: found, how late, and false alarms, by thresholds chosen apart.

The untouched motion of one half of the log chooses a threshold, ``MARGIN`` above what it shows, and the other
half judges it; then the other way round.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from dynamics import Arm, BadInput
from hopfield_nav.logs.replayed import Replay, replay
from hopfield_nav.logs.signals import Signals
from hopfield_nav.logs.tuning import first_threshold, proportions, quiet_threshold, threshold_of
from hopfield_nav.plugin import Method
from hopfield_nav.record import ContactTruth, Score, alarm_rate, score, share_interval

AROUND = 0.25  # [s] about a contact that choose no threshold


class Judged(NamedTuple):
    """How a method did in both halves, each with the threshold of the other."""

    thresholds: tuple[list[float], list[float]]  # that the first and the second half chose
    found: int  # of the contacts
    contacts: int  # in both halves
    delays: np.ndarray  # (found,) from the begin of a contact to its first alarm [s]
    false_alarms: int  # with nothing touching
    free_time: float  # in which nothing touched [s]

    @property
    def found_interval(self) -> tuple[float, float]:
        """The 95 % interval of the share that was found."""
        return share_interval(self.found, self.contacts)

    @property
    def per_hour(self) -> tuple[float, float, float]:
        """False alarms an hour, and both ends of the 95 % interval."""
        return alarm_rate(self.false_alarms, self.free_time)


def labelled_truth(time: np.ndarray, touched: np.ndarray, joints: int) -> ContactTruth:
    """What labels (k,) say of contact: when something touched, and neither force nor torque."""
    nothing = np.zeros((len(time), joints))
    return ContactTruth(time, np.zeros((len(time), 3)), (touched > 0).astype(float), nothing)


def judge(
    model: Arm, signals: Signals, truth: ContactTruth, estimator: Method, detector: Method,
    parameters: Mapping[str, Any], rearm: float = 1.0, episodes: bool = False,
) -> Judged:  # fmt: skip
    """Judge an estimator and a detector; arguments as of ``replay``, the truth row by row as the signals.

    Raises ``BadInput``: a detector without a threshold; no contact or no free motion in one of the halves.
    """
    parameter = threshold_of(detector)
    first = signals.time <= 0.5 * (signals.time[0] + signals.time[-1])
    free = ~_near(signals.time, truth.largest > 0.0)
    for half, name in ((first, "first"), (~first, "second")):
        if not (free & half).any() or not (truth.largest[half] > 0.0).any():
            told = "contacts and free motion are needed in both halves of a log that judges"
            raise BadInput(told, found=f"not both in the {name}")

    def watched(threshold: np.ndarray) -> Replay:
        values = {**parameters, "threshold": np.clip(threshold, parameter.low, parameter.high).tolist()}
        return replay(model, signals, estimator, detector, values, rearm, episodes)

    start = first_threshold(detector, parameters, len(model.dh))
    torque = watched(start).tau_external
    thresholds, scores = [], []
    for chooses in (first, ~first):
        rows = free & chooses
        begin = proportions(start, torque[rows]) if parameter.per_joint else start
        highest = partial(_highest, watched, rows)
        chosen = np.clip(quiet_threshold(highest, begin, detector.name), parameter.low, parameter.high)
        thresholds.append(np.atleast_1d(chosen).tolist())
        scores.append(_score(watched(chosen), truth, ~chooses))
    return Judged(
        (thresholds[0], thresholds[1]),
        sum(len(s.delays) for s in scores),
        sum(len(s.contacts) for s in scores),
        np.concatenate([s.delays for s in scores]),
        sum(s.false_alarms for s in scores),
        sum(s.free_time for s in scores),
    )


def _highest(watched: Callable[[np.ndarray], Replay], rows: np.ndarray, threshold: np.ndarray) -> float:
    return float(watched(threshold).level[rows].max())


def _near(time: np.ndarray, touched: np.ndarray) -> np.ndarray:
    """Rows within ``AROUND`` of a touched one."""
    stamps = np.concatenate([[-np.inf], time[touched], [np.inf]])
    after = np.searchsorted(stamps, time)
    return np.minimum(time - stamps[after - 1], stamps[after] - time) <= AROUND


def _score(found: Replay, truth: ContactTruth, rows: np.ndarray) -> Score:
    part = type(truth)(*(column[rows] for column in truth))
    alarms = found.time[found.detected & rows]
    return score(part, alarms, found.wrench[rows, :3], found.tau_external[rows])
