"""What a run keeps of a detection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from hopfield_nav.navigation import Places, Step


class Detection(NamedTuple):
    """A detection that was answered by a new plan (or by finding that there is none).

    Attributes:
        time: of the detection [s].
        touch_time: start of the true contact, the same for every detection on it [s]; NaN for a false alarm.
        cell, start: marked cell, and the cell from which the next path starts.
        position: (3,) true tool position [m].
        false_alarm: no true contact in the 50 ms before.
        passed_by: the arm did not go back, but passed by what it grazed.
        felt: bool grid, the marks as they stood afterwards.
        closed: certainty of every touched step as it stood afterwards, 1 for facts.
        path: (k, rank) cells of the new path; k = 0 when there is none.
        places: where on the arm it may have been, on a map of joint angles.
        replan_time: computing time of mark, plan, inverse kinematics and splines [s].
    """

    time: float
    touch_time: float
    cell: tuple[int, ...]
    start: tuple[int, ...]
    position: np.ndarray
    false_alarm: bool
    passed_by: bool
    felt: np.ndarray
    closed: Mapping[Step, float]
    path: np.ndarray
    places: Places
    replan_time: float
