"""A recorded UR5 (Kufieta 2014), and where a person pushed it: currents beside those of its paired free run.

Nothing records when the pushes were. Both runs follow one reference of strokes to and fro, so every
row of the pushed run has rows of the free run at the same place of the same stroke. Where a
current, averaged over ``WINDOW`` seconds, is further from the mean of those than ``MARGIN`` times
the largest such difference of the free run's own strokes, somebody pushed. Neither model nor
friction nor any detector takes part. The rows before the first motion are left out: there the
currents are what stiction kept of an earlier motion. When the pushes were is written down in the
suite ``recordings``.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from benches import suite_module
from scipy.ndimage import uniform_filter1d

r = suite_module("recordings")
FREE, PUSHED, recording = r.FREE, r.PUSHED, r.recording
WINDOW = 0.1  # [s] of the moving average
MARGIN = 2.0  # times the largest difference between free periods
SLOWEST = 0.005  # [rad/s] a faster reference moves
SHORTEST = 0.1  # [rad] of joint 1: the end of the motion before the log is no stroke
GAP = 0.1  # [s] pushes closer than this are one
BRIEFEST = 0.05  # [s] what is shorter is a stroke that broke away a few rows sooner


class Push(NamedTuple):
    """First and last moment [s] of ``no5_pushed``, the joint (from 1) that shows it most, its current [A]."""

    start: float
    end: float
    joint: int
    current: float


@cache
def strokes(run: str) -> tuple[tuple[int, int], ...]:
    """First row of every stroke of the reference and of the next: a motion and the rest after it."""
    data = recording(run)
    moves = np.abs(data.qd_ref.values).max(axis=1) > SLOWEST
    starts = [int(k) for k in np.flatnonzero(moves[1:] & ~moves[:-1]) + 1]
    rows = zip(starts, [*starts[1:], len(moves)], strict=True)
    return tuple((a, b) for a, b in rows if np.ptp(data.q_ref.values[a:b, 0]) > SHORTEST)


def _is_forward(run: str, rows: tuple[int, int]) -> bool:
    """Whether joint 1 turns forward in a stroke."""
    q = recording(run).q_ref.values[rows[0] : rows[1], 0]
    return bool(q[-1] > q[0])


def _averaged(run: str) -> np.ndarray:
    current, count = recording(run).current.values, round(WINDOW / 0.008)
    return uniform_filter1d(current, count, axis=0, mode="nearest")


@cache
def differences() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Currents of the pushed run less those of the free run, stroke by stroke of the same direction.

    Returns:
        Rows (k,) of the pushed run that have a free peer; their difference (k, 6) from the mean of
        the peers; and the largest difference (6,) of a free stroke from the mean of its own peers
        [A].
    """
    free, pushed = _averaged(FREE), _averaged(PUSHED)
    rows, found, largest = [], [], np.zeros(6)
    for forward in (True, False):
        peers = [free[slice(*rows)] for rows in strokes(FREE) if _is_forward(FREE, rows) is forward]
        for k, own in enumerate(peers):
            others = [p for i, p in enumerate(peers) if i != k]
            _, left = _beside(own, others)
            largest = np.maximum(largest, np.abs(left).max(axis=0))
        for first, last in (
            rows for rows in strokes(PUSHED) if _is_forward(PUSHED, rows) is forward
        ):
            count, left = _beside(pushed[first:last], peers)
            rows.append(first + np.arange(count))
            found.append(left)
    order = np.argsort(np.concatenate(rows))
    return np.concatenate(rows)[order], np.concatenate(found)[order], largest


def _beside(own: np.ndarray, peers: list[np.ndarray]) -> tuple[int, np.ndarray]:
    """Rows that at least one peer has too, and ``own`` less the mean of those peers there."""
    count = min(len(own), max(len(p) for p in peers))
    mean = np.array([np.mean([p[k] for p in peers if k < len(p)], axis=0) for k in range(count)])
    return count, own[:count] - mean


@cache
def pushes() -> tuple[Push, ...]:
    """Every push that the currents show, in order."""
    places, difference, largest = differences()
    share = np.abs(difference) / (MARGIN * largest)
    rows = np.flatnonzero(share.max(axis=1) > 1.0)
    time = recording(PUSHED).time.values[places]
    groups = np.split(rows, np.flatnonzero(np.diff(time[rows]) > GAP) + 1)
    found = [_push(group, time, share, difference) for group in groups if len(group)]
    return tuple(push for push in found if push.end - push.start > BRIEFEST)


def _push(rows: np.ndarray, time: np.ndarray, share: np.ndarray, difference: np.ndarray) -> Push:
    row, joint = np.unravel_index(np.argmax(share[rows]), (len(rows), share.shape[1]))
    peak = float(difference[rows[row], joint])
    return Push(float(time[rows[0]]), float(time[rows[-1]]), int(joint) + 1, peak)
