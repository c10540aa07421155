"""Methods over a log whose contacts are known: found, how late, and false alarms, by thresholds chosen apart.

The untouched motion of one half of the log chooses a threshold, ``MARGIN`` above what it shows, and the other half
judges it; then the other way round.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from dynamics import BadInput
from hopfield_nav.extensions.recordings.replayed import Replay
from hopfield_nav.extensions.recordings.signals import Signals
from hopfield_nav.extensions.recordings.tuning import Watched, first_threshold, proportions, quiet_threshold
from hopfield_nav.record import ContactTruth, Score, score

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
    nothing = np.zeros((len(time), joints))
    return ContactTruth(time, np.zeros((len(time), 3)), (touched > 0).astype(float), nothing)


def judge(watched: Watched, signals: Signals, truth: ContactTruth) -> Judged:
    """Judge an estimator and a detector by a log, and the truth of it row by row.

    Raises ``BadInput``: a detector without a threshold; no contact or no free motion in one of the halves.
    """
    touched = truth.largest > 0.0
    middle = int(np.count_nonzero(signals.time <= 0.5 * (signals.time[0] + signals.time[-1])))
    if touched[middle - 1]:  # a contact is of the half in which it begins
        middle += int(np.argmin(np.append(touched[middle:], False)))
    first = np.arange(len(touched)) < middle
    free = ~_near(signals.time, touched)
    for half, name in ((first, "first"), (~first, "second")):
        if not (free & half).any() or not touched[half].any():
            message = "contacts and free motion are needed in both halves of a log that judges"
            raise BadInput(message, found=f"not both in the {name}")
    start = first_threshold(watched.detector, watched.values, len(watched.model.dh))
    torque, thresholds, scores = watched.watch(signals, start).tau_external, [], []
    for rows, judged in ((free & first, ~first), (free & ~first, first)):
        begin = proportions(start, torque[rows]) if start.ndim else start
        highest = partial(_highest, watched, signals, rows)
        threshold = watched.taken(quiet_threshold(highest, begin, watched.detector.name))
        thresholds.append(np.atleast_1d(threshold).tolist())
        scores.append(_score(watched.watch(signals, threshold), truth, judged))
    delays = np.concatenate([s.delays for s in scores])
    contacts, alarms = sum(len(s.contacts) for s in scores), sum(s.false_alarms for s in scores)
    free_time = sum(s.free_time for s in scores)
    return Judged((thresholds[0], thresholds[1]), len(delays), contacts, delays, alarms, free_time)


def _highest(watched: Watched, signals: Signals, rows: np.ndarray, threshold: np.ndarray) -> float:
    return float(watched.watch(signals, threshold).level[rows].max())


def _near(time: np.ndarray, touched: np.ndarray) -> np.ndarray:
    """Rows within ``AROUND`` of a touched one."""
    stamps = np.concatenate([[-np.inf], time[touched], [np.inf]])
    after = np.searchsorted(stamps, time)
    return np.minimum(time - stamps[after - 1], stamps[after] - time) <= AROUND


def _score(found: Replay, truth: ContactTruth, rows: np.ndarray) -> Score:
    part = type(truth)(*(column[rows] for column in truth))
    alarms = found.time[found.detected & rows]
    return score(part, alarms, found.wrench[rows, :3], found.tau_external[rows])
