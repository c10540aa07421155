"""Where a person pushed the recorded UR5: currents of the pushed run beside its paired free run.

Nothing records when the pushes were. Both runs follow one periodic reference, so every row of the pushed
run has rows of the free run at the same phase. Where a current, averaged over ``WINDOW`` seconds, is further
from the mean of those than ``MARGIN`` times what they ever differ from each other, somebody pushed. Neither
model nor friction nor any detector takes part. The rows before the first motion are left out: there the
currents are what stiction kept of the motion before the log.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from recorded_runs import recording

FREE, PUSHED = "no5_free", "no5_pushed"
WINDOW = 0.1  # [s] of the moving average
MARGIN = 1.5  # times the largest difference between free periods
GAP = 0.3  # [s] pushes closer than this are one


class Push(NamedTuple):
    """First and last moment [s] of ``no5_pushed``, the joint (from 1) that shows it most, its current [A]."""

    start: float
    end: float
    joint: int
    current: float


@cache
def moving() -> tuple[np.ndarray, np.ndarray]:
    """Rows (bool) of the free and of the pushed run from the first motion of the reference on."""
    return tuple(_from_first_motion(recording(run).qd_ref.values) for run in (FREE, PUSHED))  # type: ignore[return-value]


def _from_first_motion(qd_ref: np.ndarray) -> np.ndarray:
    first = int(np.argmax(np.abs(qd_ref).max(axis=1) > 0))
    return np.arange(len(qd_ref)) >= first


@cache
def period_rows() -> int:
    """Period of the reference in rows: the shift at which the free run's repeats itself best."""
    q = recording(FREE).q_ref.values[moving()[0]]
    shifts = np.arange(200, len(q) // 2)
    errors = [np.abs(q[s:] - q[:-s]).mean() for s in shifts]
    return int(shifts[np.argmin(errors)])


def _averaged(run: str) -> np.ndarray:
    current, count = recording(run).current.values, round(WINDOW / 0.008)
    return np.column_stack([np.convolve(c, np.ones(count) / count, mode="same") for c in current.T])


def _phase_rows(row: int, count: int) -> np.ndarray:
    """Rows of the free run, counted from its first motion, at the phase of ``row``."""
    return np.arange(row % period_rows(), count, period_rows())


@cache
def differences() -> tuple[np.ndarray, np.ndarray]:
    """Pushed less free current (k, 6) from the first motion on, and the largest (6,) between free periods [A]."""
    free, pushed = (_averaged(run)[rows] for run, rows in zip((FREE, PUSHED), moving(), strict=True))
    peers = [free[_phase_rows(k, len(free))] for k in range(len(pushed))]
    largest = np.max([np.ptp(p, axis=0) for p in peers[: period_rows()]], axis=0)
    return pushed - np.array([p.mean(axis=0) for p in peers]), largest


@cache
def pushes() -> tuple[Push, ...]:
    """Every push that the currents show, in order."""
    difference, largest = differences()
    share = np.abs(difference) / (MARGIN * largest)
    rows = np.flatnonzero(share.max(axis=1) > 1.0)
    time = recording(PUSHED).time.values[moving()[1]]
    groups = np.split(rows, np.flatnonzero(np.diff(time[rows]) > GAP) + 1)
    return tuple(_push(group, time, share, difference) for group in groups if len(group))


def _push(rows: np.ndarray, time: np.ndarray, share: np.ndarray, difference: np.ndarray) -> Push:
    row, joint = np.unravel_index(np.argmax(share[rows]), (len(rows), share.shape[1]))
    peak = float(difference[rows[row], joint])
    return Push(float(time[rows[0]]), float(time[rows[-1]]), int(joint) + 1, peak)
