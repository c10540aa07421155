"""The response to a glancing contact: its force does not oppose the motion, and the arm passes by.

It owns which touches are glancing, and where the segment ends on which the arm goes on. The alarm guards the passage
(``control.pass_by``): a force that grows by a whole threshold ends it.
"""

from collections.abc import Callable

import numpy as np

from dynamics import Arm, jacobian
from hopfield_nav.navigation.map import Cell
from hopfield_nav.navigation.motion import (
    LEAST_FORCE,
    FirstSegment,
    PlannedMotion,
    Reference,
    Segment,
    Situation,
    cell_at,
)

ALONG = 0.5**0.5  # cosine between force and motion below which the part along the surface is the larger one
SLOWER = 2.0  # times as long as usual takes the rest of a segment on which a touch is passed by


class PassBy:
    """Goes on slowly past a glancing contact; ``onward`` makes the motion over a cell and on."""

    def __init__(self, situation: Situation, onward: Callable[[Cell, Reference, float], PlannedMotion]) -> None:
        self._situation, self._onward = situation, onward

    def applies(self, segment: Segment, force: np.ndarray, begin: Reference) -> bool:
        """Whether the world wants glancing contacts passed by, and this is one."""
        now = self._situation
        passes = now.world.detection.graze == "pass"
        return passes and is_glancing(now.arm, now.motion, segment, force, begin.q, begin.qd)

    def on_touch(self, begin: Reference) -> PlannedMotion | None:
        """On to the end of the present segment, and from there as is now believed to be best.

        None where that end is no centre of a free cell, or nothing leads on from it.
        """
        first, end = segment_under_way(self._situation.motion, begin.time)
        cell = cell_at(self._situation.map.grid, end)
        if cell is None or self._situation.map.obstacles()[cell]:
            return None
        motion = self._onward(cell, begin, SLOWER)
        if motion.trajectory is None or motion.places is None:
            return None
        places = np.vstack([first, motion.places[1:]])
        return motion._replace(places=places, first_segment=FirstSegment.REST)


def is_glancing(
    arm: Arm, motion: PlannedMotion, segment: Segment, force: np.ndarray, q_ref: np.ndarray, qd_ref: np.ndarray
) -> bool:
    """Whether a touch may be passed by: its force [N] opposes neither the segment nor the motion.

    The first segment of a motion is a retreat, or one on which a touch has been passed by already: there none is.
    """
    velocity = (jacobian(arm, q_ref) @ qd_ref)[:3]
    size, speed = float(np.linalg.norm(force)), float(np.linalg.norm(velocity))
    if motion.reacts or segment.number == 0 or size <= LEAST_FORCE or speed == 0.0:
        return False
    return max(-float(force @ segment.direction), -float(force @ velocity) / speed) < ALONG * size


def segment_under_way(motion: PlannedMotion, time: float) -> tuple[np.ndarray, np.ndarray]:
    """Where the segment begins and ends, (3,) each [m], on which the reference is at a time [s]."""
    if motion.trajectory is None or motion.places is None:
        raise RuntimeError("an arm that follows no segments passes by nothing")
    number = int(np.searchsorted(motion.trajectory.knots, time, side="right")) - 1
    number = min(max(number, 0), len(motion.places) - 2)
    return motion.places[number], motion.places[number + 1]
