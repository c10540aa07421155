"""The same pose of the joints on other whole turns, within the limits (nowoczyn2023 (3.6))."""

from __future__ import annotations

import itertools
import math

import numpy as np

from dynamics.arm import Arm
from dynamics.batches import as_rows

_ROUNDING = 1e-12  # of a turn; an angle that rounding puts beyond a limit is put on it


def turn_alternatives(arm: Arm, q: np.ndarray) -> np.ndarray:
    """Every q + 2π k within the limits.

    Args:
        arm: the arm; a joint without limits stays on its turn.
        q: (n,) joint angles [rad].

    Returns:
        (c, n), the first joint changing slowest. With limits of ±360° every joint has two of them, an
        angle of exactly 0 three: 2⁶ = 64 in general. c = 0 where a joint's limits hold no turn.

    Raises:
        BadInput: wrong shape.

    Source: nowoczyn2023 (3.6).
    """
    (rows,), _ = as_rows(len(arm.dh), q=np.ravel(q))
    choices = [_turns(angle, *limits) for angle, limits in zip(rows[0], arm.position_limits, strict=True)]
    return np.array(list(itertools.product(*choices))).reshape(-1, len(arm.dh))


def _turns(angle: float, low: float, high: float) -> list[float]:
    if not (math.isfinite(low) and math.isfinite(high)):
        return [angle] if low <= angle <= high else []
    turn = 2.0 * math.pi
    least, most = math.ceil((low - angle) / turn - _ROUNDING), math.floor((high - angle) / turn + _ROUNDING)
    return [min(max(angle + turn * k, low), high) for k in range(least, most + 1)]
