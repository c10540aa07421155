"""Fewer points that look the same: recorded signals have tens of thousands of rows."""

from __future__ import annotations

import numpy as np

_BINS = 1000  # a column of a paper at 300 dpi has as many pixels


def envelope(time: np.ndarray, values: np.ndarray, bins: int = _BINS) -> tuple[np.ndarray, np.ndarray]:
    """The smallest and the largest value of each of ``bins`` stretches, in order of time.

    Every point returned is one of the signal's own; no peak is lost.

    Args:
        time: (k,) [s].
        values: (k,) any unit; values that are not finite are left out where others are near.
        bins: number of stretches.

    Returns:
        (m,) times and (m,) values, m ≤ 2 bins + 2; the signal itself when it is short.
    """
    count = values.size
    if count <= 2 * bins:
        return time, values
    width = -(-count // bins)
    padded = np.concatenate([values, np.full(-count % width, np.nan)]).reshape(-1, width)
    finite = np.isfinite(padded)
    first = np.arange(len(padded)) * width
    low = first + np.argmin(np.where(finite, padded, np.inf), axis=1)
    high = first + np.argmax(np.where(finite, padded, -np.inf), axis=1)
    rows = np.unique(np.concatenate([[0], low, high, [count - 1]]))
    return time[rows], values[rows]


def way_rows(position: np.ndarray, distance: float = 3e-4) -> np.ndarray:
    """Rows of a path at which another ``distance`` has been travelled, and both ends.

    Args:
        position: (k, d) [m].
        distance: [m].

    Returns:
        (m,) rows, ascending.
    """
    if len(position) < 3:
        return np.arange(len(position))
    with np.errstate(over="ignore", invalid="ignore"):
        steps = np.sqrt(np.sum(np.diff(position, axis=0) ** 2, axis=1))
    travelled = np.cumsum(np.where(np.isfinite(steps), np.minimum(steps, 1.0), 0.0))
    marks = np.flatnonzero(np.diff(np.floor(travelled / distance), prepend=0.0)) + 1
    return np.unique(np.concatenate([[0], marks, [len(position) - 1]]))
