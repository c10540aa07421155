"""What was measured in the last periods, and when a contact began that was felt only later.

An alarm comes after the first contact: the observer lags, the force has to grow to the threshold.
The level tells when it began to rise, and the angles of that moment are still known.
"""

from typing import NamedTuple

import numpy as np

from dynamics.kernels.decorators import inlined
from dynamics.kernels.records import record

PERIODS = 1024  # that are remembered
RISE_SHARES = (0.25, 0.5)  # of the rise to the alarm, from which its beginning is extrapolated
_BASELINE_TIME = 0.05  # [s] of free motion that is looked at
_GUARD_TIME = 0.006  # [s] between its end and an onset


@record
class TraceNow:
    """The number of ``Trace``."""

    next_row: int = 0  # the one that is written next


class Trace(NamedTuple):
    """A ring of rows."""

    now: TraceNow  # where it is
    # (PERIODS, 2 + 2 n): time [s], alarm level [1], measured joint angles [rad], estimated torque
    # of contact [N·m]; time NaN where there is none yet
    rows: np.ndarray


class Onset(NamedTuple):
    """When a contact began, as far as the control computer can tell."""

    time: float  # [s]
    q: np.ndarray  # (n,) measured joint angles at that time [rad]


def make_trace(n: int) -> Trace:
    """An empty trace of an arm with ``n`` joints."""
    return Trace(TraceNow(), np.full((PERIODS, 2 + 2 * n), np.nan))


@inlined
def remember(trace, sensed, belief):
    """Write this period's row over the oldest one; its columns are told in `Trace`."""
    rows = trace.rows
    k = trace.now.next_row
    n = sensed.q.size
    rows[k, 0] = sensed.time[0]
    rows[k, 1] = belief.now.level
    for i in range(n):
        rows[k, 2 + i] = sensed.q[i]
        rows[k, 2 + n + i] = belief.tau_external[i]
    trace.now.next_row = k + 1 if k + 1 < rows.shape[0] else 0


def in_order(trace: Trace) -> np.ndarray:
    """The rows (PERIODS, 2 + 2 n) of a trace, the latest last."""
    return np.roll(trace.rows, -trace.now.next_row, axis=0)


def angles_in(rows: np.ndarray) -> np.ndarray:
    """Measured joint angles (…, n) [rad] of rows (…, 2 + 2 n) of a trace."""
    return rows[..., 2 : rows.shape[-1] // 2 + 1]


def torques_in(rows: np.ndarray) -> np.ndarray:
    """Estimated torques of contact (…, n) [N·m] of rows (…, 2 + 2 n) of a trace."""
    return rows[..., rows.shape[-1] // 2 + 1 :]


def find_onset(trace: Trace, since: float = -np.inf) -> Onset:
    """When, not before ``since`` [s], the level began to rise to what it is in the last row.

    That row is of the alarm. It is the moment at which a straight line through ``RISE_SHARES`` of
    the rise meets the lowest level. An alarm without a rise began when it was raised.
    """
    rows = in_order(trace)
    recent = rows[:, 0] >= since
    rows = rows[recent] if recent.any() else rows[-1:]
    level = rows[:, 1]
    least = level.min()
    rise = level[-1] - least
    k = len(rows) - 1
    if rise > 0.0:
        below = [np.flatnonzero(level <= least + share * rise) for share in RISE_SHARES]
        first, second = int(below[0][-1]), int(below[1][-1])
        k = max(2 * first - second, 0)
    return Onset(float(rows[k, 0]), angles_in(rows[k]).copy())


def free_rows(rows: np.ndarray, onset: float, seconds: float = _BASELINE_TIME) -> np.ndarray:
    """The rows (k, 2 + 2 n) of a trace, see ``in_order``, of the motion just before a contact.

    What they say of a contact is what the model leaves, and noise. They are of so many ``seconds``
    before the ``onset`` [s].
    """
    end = onset - _GUARD_TIME
    time = rows[:, 0]
    return np.asarray(rows[(time >= end - seconds) & (time < end)])
