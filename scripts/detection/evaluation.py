"""Calibrated methods on motions and contacts that they were not calibrated on, and their ROC curves."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from detection.methods import REARM, Candidate
from detection.trials import KINDS, Recorded
from hopfield_nav.record import ContactScore, score

SCALES = np.geomspace(0.05, 20.0, 53)  # of the calibrated threshold, for the ROC curves
IN_TIME = 0.03  # [s] within which a contact counts as felt in time
WORTH_FORCE = 30.0  # [N] of a tool contact that must not be missed
WORTH_TORQUE = np.array([3.0, 3.0, 3.0, 0.6, 0.6, 0.6])  # [N·m] of any contact


class Result(NamedTuple):
    """One method under one condition.

    Attributes:
        name: of the method.
        keys: as it stands in a world's section ``detection``.
        free_hours: of free motion watched; false_alarms: raised in it.
        free_level: largest level in free motion.
        contacts: every contact, by its kind.
        force_error, torque_error: rms during tool contacts up to 0.2 s after the touch [N], [N·m].
        roc: (s, 2) false alarms an hour, and share of all contacts felt within 30 ms, by scale.
    """

    name: str
    keys: dict
    free_hours: float
    false_alarms: int
    free_level: float
    contacts: dict[str, list[ContactScore]]
    force_error: float
    torque_error: float
    roc: np.ndarray


class Tally:
    """Collects one method's results trial by trial."""

    def __init__(self, candidate: Candidate) -> None:
        self.candidate = candidate
        self.seconds, self.alarms, self.largest = 0.0, 0, 0.0
        self.counts = np.zeros(len(SCALES))
        self.in_time, self.felt_in_time = 0, np.zeros(len(SCALES))
        self.contacts: dict[str, list[ContactScore]] = {kind: [] for kind in KINDS}
        self.errors: list[tuple[float, float]] = []

    def free(self, trial: Recorded) -> None:
        """A piece of free motion."""
        answer = self.candidate.run(trial)
        self.seconds += float(answer.time[-1] - answer.time[0])
        self.alarms += int(answer.detected.sum())
        self.largest = max(self.largest, float(answer.level.max()))
        self.counts += [count_alarms(answer.level, scale, REARM) for scale in SCALES]

    def contact(self, trial: Recorded, kind: str) -> None:
        """A trial with contact."""
        answer = self.candidate.run(trial)
        alarms = answer.time[answer.detected]
        result = score(trial.truth, alarms, answer.wrench[:, :3], answer.tau_external)
        if not result.contacts:
            return
        first = result.contacts[0]
        self.contacts[kind].append(first)
        self._note_in_time(answer.time, answer.level, first)
        if kind == "tool":
            rows = (answer.time >= first.start) & (answer.time <= first.start + 0.2)
            force = answer.wrench[rows, :3] - trial.truth.force[rows]
            torque = answer.tau_external[rows] - trial.truth.torque[rows]
            self.errors.append((float((force**2).sum(1).mean()), float((torque**2).sum(1).mean())))

    def _note_in_time(self, time: np.ndarray, level: np.ndarray, contact: ContactScore) -> None:
        rows = (time >= contact.start) & (time <= contact.start + IN_TIME)
        before = (time < contact.start) & (time >= contact.start - 0.05)
        standing = level[before].max() if before.any() else 0.0
        self.in_time += 1
        self.felt_in_time += (level[rows].max() > SCALES) & (standing <= SCALES)

    def result(self) -> Result:
        """What has been collected."""
        hours = self.seconds / 3600
        errors = np.sqrt(np.mean(self.errors, axis=0)) if self.errors else (np.nan, np.nan)
        shares = self.felt_in_time / max(self.in_time, 1)
        roc = np.column_stack([self.counts / max(hours, 1e-9), shares])
        return Result(
            self.candidate.name, self.candidate.world_keys(), hours, self.alarms, self.largest,
            self.contacts, float(errors[0]), float(errors[1]), roc,
        )  # fmt: skip


@numba.njit(cache=True)
def count_alarms(level, scale, rearm):
    """Alarms that a threshold of ``scale`` would have raised, armed again below ``rearm`` of it."""
    count, armed = 0, True
    for value in level:
        if armed and value > scale:
            count += 1
            armed = False
        elif value < rearm * scale:
            armed = True
    return count


def delays(contacts: list[ContactScore]) -> np.ndarray:
    """Of the contacts that were felt [s]."""
    return np.array([c.delay for c in contacts if np.isfinite(c.delay)])


def missed(contacts: list[ContactScore], kind: str) -> int:
    """Contacts worth feeling that were not felt, by the two bounds above."""
    force = WORTH_FORCE if kind == "tool" else np.inf
    return sum(
        np.isnan(c.delay) and bool(c.peak_force >= force or np.any(c.peak_torque >= WORTH_TORQUE))
        for c in contacts
    )
