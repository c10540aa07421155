"""Numbers as a page carries them, 16 bits each, in text; rows of a record, and curves of them."""

import base64
from typing import Any

import numpy as np
from matplotlib.colors import to_hex

from hopfield_nav.figures.run import joint_colours

_STEPS = 65535  # of 16 bits


def packed(values: np.ndarray) -> dict[str, Any]:
    """An array in steps of a 65,535th of its span: ``{"shape", "low", "step", "data"}``.

    Its values are low + step × number, the numbers in base64, unsigned, 16 bits, little-endian,
    last index fastest; what is not finite is taken for 0.
    """
    values = np.nan_to_num(np.asarray(values, dtype=float), nan=0.0, posinf=0.0, neginf=0.0)
    low = float(values.min(initial=np.inf)) if values.size else 0.0
    step = (float(values.max(initial=-np.inf)) - low) / _STEPS if values.size else 0.0
    numbers = np.rint((values - low) / step) if step > 0 else np.zeros(values.shape)
    return {
        "shape": list(values.shape),
        "low": low,
        "step": step,
        "data": _text(numbers.astype("<u2")),
    }


def whole(values: np.ndarray) -> dict[str, Any]:
    """Whole numbers as they are: ``{"shape", "data"}`` with 32 bits, little-endian, in base64."""
    values = np.asarray(values, dtype="<i4")
    return {"shape": list(values.shape), "data": _text(values)}


def _text(values: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(values).tobytes()).decode("ascii")


RATE = 25.0  # [1/s] frames, where there are not too many
_MAX_FRAMES = 20_000


def frame_rows(time: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """Rows (f,) of a page's frames: at even times, at those ``kept`` (m,) [s], and both ends."""
    period = max(1.0 / RATE, float(time[-1] - time[0]) / _MAX_FRAMES)
    even = np.arange(time[0], time[-1], period)
    wanted = np.concatenate([even, kept[np.isfinite(kept)]])
    rows = np.searchsorted(time, wanted - 1e-9)
    within = rows[rows < time.size]
    return np.unique(np.append(within, [0, time.size - 1]))


def curve(name: str, colour: str, values: np.ndarray, rows: np.ndarray) -> dict[str, Any]:
    """A signal (k,) from frame to frame: its least and largest value up to the next, for peaks."""
    values = np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0)
    low = np.minimum.reduceat(values, rows)
    high = np.maximum.reduceat(values, rows)
    return {"name": name, "colour": colour, "low": packed(low), "high": packed(high)}


def panel(
    title: str, unit: str, curves: list[dict[str, Any]], limits: dict[str, float]
) -> dict[str, Any]:
    """Curves that share axes, and lines across them, value by name."""
    lines = [{"name": name, "value": value} for name, value in limits.items()]
    return {"title": title, "unit": unit, "curves": curves, "limits": lines}


def joint_panel(title: str, unit: str, values: np.ndarray, rows: np.ndarray) -> dict[str, Any]:
    """A curve for each joint, of signals (k, n)."""
    colours = enumerate(joint_colours(values.shape[1]))
    return panel(
        title,
        unit,
        [curve(f"joint {i + 1}", to_hex(c), values[:, i], rows) for i, c in colours],
        {},
    )
