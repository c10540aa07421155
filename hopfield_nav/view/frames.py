"""Which rows of a record a page shows, and the span of a signal between two of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from hopfield_nav.view.arrays import packed

RATE = 25.0  # [1/s] frames, where there are not too many
_MAX_FRAMES = 20_000


def frame_rows(time: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """Rows at even times, the first and the last one, and those of what must not be missed.

    Args:
        time: (k,) of the record, not empty [s].
        kept: (m,) times of events [s]; NaN: none.

    Returns:
        (f,) rows, increasing.
    """
    period = max(1.0 / RATE, float(time[-1] - time[0]) / _MAX_FRAMES)
    even = np.arange(time[0], time[-1], period)
    wanted = np.concatenate([even, kept[np.isfinite(kept)]])
    rows = np.searchsorted(time, wanted - 1e-9)
    return np.unique(np.append(rows[rows < time.size], [0, time.size - 1]))


def curve(name: str, colour: str, values: np.ndarray, rows: np.ndarray) -> dict[str, Any]:
    """A signal from frame to frame: its least and largest value up to the next, so no peak is lost.

    Args:
        name: in words.
        colour: as CSS has it.
        values: (k,) in the record's rows.
        rows: from ``frame_rows``.
    """
    values = np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0)
    low, high = np.minimum.reduceat(values, rows), np.maximum.reduceat(values, rows)
    return {"name": name, "colour": colour, "low": packed(low), "high": packed(high)}


def panel(title: str, unit: str, curves: list[dict[str, Any]], limits: dict[str, float]) -> dict[str, Any]:
    """Curves that share axes.

    Args:
        title: what they are.
        unit: of them all.
        curves: from ``curve``.
        limits: lines across, value by name.
    """
    lines = [{"name": name, "value": value} for name, value in limits.items()]
    return {"title": title, "unit": unit, "curves": curves, "limits": lines}
