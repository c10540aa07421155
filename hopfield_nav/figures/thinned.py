"""Fewer points that look the same: recorded signals have tens of thousands of rows."""

import numpy as np

_BINS = 1000  # a column of a paper at 300 dpi has as many pixels


def evenly(count: int, most: int) -> list[int]:
    """Which of ``count`` things are drawn: all, or ``most`` of them evenly, both ends included."""
    return [int(k) for k in np.linspace(0, count - 1, min(count, most)).round()]


def envelope(time: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The smallest and the largest value of each of so many stretches, in order of time; or all.

    Every point is one of the signal's own; no peak is lost. Values (k,) that are not finite are
    left out where others are near.
    """
    count = values.size
    if count <= 2 * _BINS:
        return time, values
    width = -(-count // _BINS)
    padded = np.concatenate([values, np.full(-count % width, np.nan)]).reshape(-1, width)
    finite = np.isfinite(padded)
    first = np.arange(len(padded)) * width
    low = first + np.argmin(np.where(finite, padded, np.inf), axis=1)
    high = first + np.argmax(np.where(finite, padded, -np.inf), axis=1)
    rows = np.unique(np.concatenate([[0], low, high, [count - 1]]))
    return time[rows], values[rows]


def path_rows(position: np.ndarray, distance: float = 3e-4) -> np.ndarray:
    """Rows (m,) of a path (k, d) at which another ``distance`` is travelled [m], and both ends."""
    count = len(position)
    if count < 3:
        return np.arange(count)
    with np.errstate(over="ignore", invalid="ignore"):
        steps = np.sqrt(np.sum(np.diff(position, axis=0) ** 2, axis=1))
    steps = np.where(np.isfinite(steps), np.minimum(steps, 1.0), 0.0)
    distances = np.floor(np.cumsum(steps) / distance)  # whole ones up to each row
    is_another = np.diff(distances, prepend=0.0) != 0.0
    rows = np.flatnonzero(is_another) + 1
    return np.unique(np.concatenate([[0], rows, [count - 1]]))
