"""Numbers as a page carries them: 16 bits each, in text."""

import base64
from typing import Any

import numpy as np

_STEPS = 65535  # of 16 bits


def packed(values: np.ndarray) -> dict[str, Any]:
    """An array in steps of a 65,535th of its span: ``{"shape", "low", "step", "data"}``.

    Its values are low + step × number, the numbers in base64, unsigned, 16 bits, little-endian, last index
    fastest; what is not finite is taken for 0.
    """
    values = np.nan_to_num(np.asarray(values, dtype=float), nan=0.0, posinf=0.0, neginf=0.0)
    low = float(values.min(initial=np.inf)) if values.size else 0.0
    step = (float(values.max(initial=-np.inf)) - low) / _STEPS if values.size else 0.0
    numbers = np.rint((values - low) / step) if step > 0 else np.zeros(values.shape)
    return {"shape": list(values.shape), "low": low, "step": step, "data": _text(numbers.astype("<u2"))}


def whole(values: np.ndarray) -> dict[str, Any]:
    """Whole numbers as they are: ``{"shape", "data"}`` with 32 bits, little-endian, in base64."""
    values = np.asarray(values, dtype="<i4")
    return {"shape": list(values.shape), "data": _text(values)}


def _text(values: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(values).tobytes()).decode("ascii")
