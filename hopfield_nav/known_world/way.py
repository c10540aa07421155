"""A planned way of the joints, before it gets its timing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class JointWay(NamedTuple):
    """Joint angles from start to goal.

    Attributes:
        q: (k, n) joint angles from start to goal [rad]; k >= 2 (or 1 if start == goal).
        kind: "shortest", "direct" or "sampling".
        corners: (c,) int, rows of ``q`` at which the way may bend sharply (via points, milestones),
            first and last included. "shortest": the tool moves on a straight line between corners, rows
            are at most 1 mm of tool motion apart; "direct", "sampling": the joints move on straight
            lines between corners.
        length: sum of the absolute changes of all joints [rad].
    """

    q: np.ndarray
    kind: str
    corners: np.ndarray
    length: float
