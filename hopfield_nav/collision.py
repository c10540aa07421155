"""What is kept of a collision: where and when it was felt, and the plan that answered it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Collision(NamedTuple):
    """A detection that was answered by a new plan (or by finding that there is none).

    Attributes:
        time: of the detection [s].
        touch_time: first true contact since the last detection [s]; NaN for a false alarm.
        cell, start: marked cell, and the cell from which the next path starts.
        position: (3,) true tool position [m].
        false_alarm: no true contact in the 50 ms before.
        felt: bool grid, the marks as they stood afterwards.
        path: (k, rank) cells of the new path; k = 0 when there is none.
        replan_time: computing time of mark, plan, inverse kinematics and splines [s].
    """

    time: float
    touch_time: float
    cell: tuple[int, ...]
    start: tuple[int, ...]
    position: np.ndarray
    false_alarm: bool
    felt: np.ndarray
    path: np.ndarray
    replan_time: float
