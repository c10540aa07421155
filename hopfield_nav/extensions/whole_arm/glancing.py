"""A glancing contact of the whole arm: where it may go on along the straight line on which it was touched.

It owns that decision and the rest of the line; the navigator drives it, and the alarm guards it as the tool's
(``responses.pass_by``). On steps between centres the arm always goes back: they are driven to tell facts.
"""

import numpy as np

from dynamics import Arm
from hopfield_nav.extensions.whole_arm.lines import paths
from hopfield_nav.extensions.whole_arm.way import Way
from hopfield_nav.geometry import arm_distance, pack_primitives, sphere
from hopfield_nav.navigation.map import ContactHypotheses

SURELY = 0.9  # probability from which on a touch is taken for a glancing one
ONWARD = 0.1  # [m] that a point of the arm goes on at most before the way is planned anew
DEEPER = 0.01  # [m] that the arm, going on, may sink into a place where it was touched
_POINT = 1e-6  # [m] radius of what stands for a point


def rest_of_line(arm: Arm, way: Way, number: int, q: np.ndarray, places: ContactHypotheses) -> Way | None:
    """What comes next on segment ``number`` from joint angles (n,) [rad], past where the touch may have been.

    None where the touch was hardly a glancing one, the segment is no line, or the arm would sink into a place.
    """
    if places.glancing < SURELY or not way.line(number):
        return None
    rows = np.stack([q, way.rows[number + 1]])
    share = min(1.0, ONWARD / max(float(paths(arm, rows)[0]), 1e-9))
    rows[1] = q + share * (rows[1] - q)
    rest = Way(rows, [None, way.cells[number + 1] if share == 1.0 else None], way.goal, way.turn, (way.line(number),))
    balls = pack_primitives([sphere(place, _POINT) for place in places.points])
    sunk = arm_distance(arm, rest.swept(1), balls).min(axis=(0, 1)) < -DEEPER
    return None if places.weights[sunk].sum() > 1.0 - SURELY else rest
