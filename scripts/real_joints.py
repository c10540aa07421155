"""Which detector finds what on real joints: estimators × detectors on the labelled contacts of a Doosan M0609.

    python scripts/real_joints.py CONTACTS ARM [--minutes 10]... [--estimator NAME]... [--detector NAME]... [--out PAGE]

CONTACTS and ARM are clones (``doosan``), which have no licence: nothing of them is written but this
table. Motors, their signs and friction, and the threshold are those of the free motion of one half
of the record, its first ``minutes``; the contacts and the free motion of the other half judge; then
the other way round. Alarms are counted as by ``hopfield-nav replay``: every rise is one. The second
table scales both thresholds by one factor, and says what is found with so many false alarms.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import doosan
import numpy as np
import typer
from measured_part import table, tell

from dynamics import Arm
from hopfield_nav.extensions.recordings import (
    Signals,
    Watched,
    fit_motors,
    labelled_truth,
    signals_of_recording,
)
from hopfield_nav.extensions.recordings.motors import MotorFit
from hopfield_nav.extensions.recordings.signals import with_reference
from hopfield_nav.extensions.recordings.tuning import (
    AROUND,
    first_threshold,
    proportions,
    quiet_threshold,
)
from hopfield_nav.plugin import find_method
from hopfield_nav.record import ContactTruth, alarm_rate, score, share_interval

ESTIMATORS = ("momentum_observer", "kalman_filter", "sliding_mode_observer")
DETECTORS = ("adaptive_joint_torque", "joint_torque")
SCALES = np.geomspace(0.4, 2.5, 25)  # of the thresholds, for what is found with so many alarms
ALLOWED = (0, 2, 4, 8)  # false alarms
RESULTS = (
    "free motion",
    "estimator",
    "detector",
    "found (95 %)",
    "delay, median",
    "false alarms",
    "an hour (95 %)",
)


class Half(NamedTuple):
    """What the free motion of one half gives, and which rows the other half's judgement counts."""

    motors: MotorFit
    model: Arm
    signals: Signals  # of the whole record
    choosing: np.ndarray  # (k,) rows of free motion that choose
    judged: np.ndarray  # (k,) rows


class Result(NamedTuple):
    """Of both halves together."""

    found: int
    contacts: int
    delays: np.ndarray  # [s]
    false_alarms: int
    free_time: float  # [s]

    def cells(self) -> list[str]:
        """Found, delay, false alarms and their rate with 95 % intervals."""
        low, high = share_interval(self.found, self.contacts)
        rate, least, most = alarm_rate(self.false_alarms, self.free_time)
        return [
            f"{self.found} of {self.contacts}, {self.found / self.contacts:.0%} ({low:.0%}–{high:.0%})",
            f"{1e3 * np.median(self.delays):.0f} ms" if len(self.delays) else "–",
            f"{self.false_alarms} in {self.free_time / 60:.1f} min",
            f"{rate:.0f} ({least:.1f}–{most:.0f})",
        ]


def main(
    contacts: Path,
    arm: Path,
    minutes: Annotated[list[float] | None, typer.Option()] = None,
    estimator: Annotated[list[str] | None, typer.Option()] = None,
    detector: Annotated[list[str] | None, typer.Option()] = None,
    out: Path | None = None,
) -> None:
    """Tell the tables, and which way the motors of each half run."""
    record = doosan.read_recording(contacts)
    model = doosan.read_arm(arm)
    methods = [(e, d) for e in estimator or ESTIMATORS for d in detector or DETECTORS]
    onlookers: list[Onlooker] = []
    rows = []
    for chosen in minutes or [10.0]:
        both = halves(record, model, 60.0 * chosen)
        onlookers = [Onlooker(both, record.touched, *each) for each in methods]
        for each, onlooker in zip(methods, onlookers, strict=True):
            rows.append([f"{chosen:g} min", *each, *onlooker.judged().cells()])
    tell(table(RESULTS, rows), out, "found")
    head = ["estimator", "detector", *(f"at most {count}" for count in ALLOWED)]
    curves = [
        [*each, *onlooker.found_with(ALLOWED)]
        for each, onlooker in zip(methods, onlookers, strict=True)
    ]
    tell(table(head, curves), out, "alarms")


def halves(record: doosan.Contacts, arm: Arm, seconds: float) -> list[Half]:
    """Each half as the one that chooses, by its first free ``seconds``."""
    data = with_reference(record.data)
    time = data.time.values
    touched = record.touched
    middle = len(time) // 2
    if touched[middle]:  # a contact is of the half in which it begins
        middle += int(np.argmin(touched[middle:]))
    is_first = np.arange(len(time)) < middle
    free = ~near(time, touched)
    found = []
    for own in (is_first, ~is_first):
        choosing = free & own
        choosing &= np.cumsum(choosing) * doosan.PERIOD <= seconds
        motors = fit_motors([data.isel(time=np.flatnonzero(choosing))], arm)
        print(motors.words(), file=sys.stderr, flush=True)
        model = motors.on(arm)
        found.append(Half(motors, model, signals_of_recording(data, motors, model), choosing, ~own))
    return found


def near(time: np.ndarray, touched: np.ndarray) -> np.ndarray:
    """Rows within ``AROUND`` of a touched one."""
    rows = round(AROUND / doosan.PERIOD)
    return np.convolve(touched, np.ones(2 * rows + 1), mode="same") > 0.5


class Onlooker:
    """An estimator and a detector that watch the record, each half with what the other one chose."""

    def __init__(
        self, both: list[Half], touched: np.ndarray, estimator: str, detector: str
    ) -> None:
        methods = find_method("estimator", estimator), find_method("detector", detector)
        self._both = both
        self._touched = touched
        self._watched = [Watched(half.model, *methods, {}) for half in both]
        self._thresholds = [
            chosen_threshold(watched, half)
            for watched, half in zip(self._watched, both, strict=True)
        ]

    def judged(self, scale: float = 1.0) -> Result:
        """What is found with the thresholds times a factor."""
        scores = []
        for half, watched, threshold in zip(
            self._both, self._watched, self._thresholds, strict=True
        ):
            replayed = watched.watch(half.signals, scale * threshold)
            truth = labelled_truth(half.signals.time, self._touched, len(half.model.dh))
            part = ContactTruth(*(column[half.judged] for column in truth))
            alarms = replayed.time[replayed.detected & half.judged]
            wrench, torque = replayed.wrench[half.judged, :3], replayed.tau_external[half.judged]
            scores.append(score(part, alarms, wrench, torque))
        delays = np.concatenate([each.delays for each in scores])
        return Result(
            len(delays),
            sum(len(each.contacts) for each in scores),
            delays,
            sum(each.false_alarms for each in scores),
            sum(each.free_time for each in scores),
        )

    def found_with(self, allowed: Sequence[int]) -> list[str]:
        """Most contacts that are found with so many false alarms or fewer, and their median delay."""
        every = [self.judged(scale) for scale in SCALES]
        cells = []
        for count in allowed:
            few = [each for each in every if each.false_alarms <= count]
            best = max(few, key=lambda each: each.found, default=None)
            if best is None:
                cells.append("–")
                continue
            delay = f", {1e3 * np.median(best.delays):.0f} ms" if best.found else ""
            cells.append(f"{best.found / best.contacts:.0%}{delay}")
        return cells


def chosen_threshold(watched: Watched, half: Half) -> np.ndarray:
    """The threshold that is a margin above all levels of the free motion that chooses."""
    start = first_threshold(watched.detector, watched.values, len(half.model.dh))
    if start.ndim:
        torque = watched.watch(half.signals, start).tau_external[half.choosing]
        start = proportions(start, torque)

    def highest(threshold: np.ndarray) -> float:
        return float(watched.watch(half.signals, threshold).level[half.choosing].max())

    return watched.taken(quiet_threshold(highest, start, watched.detector.name))


if __name__ == "__main__":
    typer.run(main)
