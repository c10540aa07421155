"""A planned way of the joints, whichever method found it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

SHORTEST, DIRECT, SAMPLING = "shortest", "direct", "sampling"


class JointWay(NamedTuple):
    """Joint angles from start to goal, proven free between one row and the next.

    Attributes:
        q: (k, n) [rad].
        kind: ``shortest`` (the tool goes straight between corners; rows are at most 1 mm of tool motion
            apart), ``direct`` or ``sampling`` (the joints go straight between corners).
        corners: (c,) rows of ``q`` at which the way may bend sharply: start, via points, goal.
        length: sum of all joints' changes [rad].
    """

    q: np.ndarray
    kind: str
    corners: np.ndarray
    length: float


def way_length(q: np.ndarray) -> float:
    """Sum of all joints' changes along rows of angles (k, n) [rad]; nowoczyn2023 3.2."""
    return float(np.abs(np.diff(q, axis=0)).sum())
