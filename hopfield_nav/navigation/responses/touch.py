"""What a response to a touch of the tool is asked with, what the touch teaches, and whether it may be passed by.

The arm goes on slowly past a *glancing* contact, whose force does not oppose the motion. The alarm
guards the passage (``control.pass_by``): a force that grows by a whole threshold ends it.
"""

from typing import NamedTuple

import numpy as np

from dynamics import Arm, jacobian
from hopfield_nav.navigation.map import AHEAD, ASIDE, Cell, ToolMap
from hopfield_nav.navigation.motion import (
    LEAST_FORCE,
    PlannedMotion,
    Reference,
    Segment,
    Situation,
    cell_at,
)

ALONG = (
    0.5**0.5
)  # cosine between force and motion below which the part along the surface is the larger one
SLOWER = 2.0  # times as long as usual takes the rest of a segment on which a touch is passed by
REACH = 0.5  # [cells] how far in front of the tool what is felt is looked for
ON_LINE = 1e-3  # [m] a touch so near to the line of a step is one on that step


class ToolTouch(NamedTuple):
    """A touch of the tool, or a rest without one."""

    begin: Reference  # from which the next motion begins
    segment: Segment | None = None  # of the present motion, that was touched; None at rest
    felt: np.ndarray = np.zeros(3)  # (3,) force on the tool [N]

    @property
    def touched(self) -> Segment:
        """The segment that was touched."""
        assert self.segment is not None
        return self.segment


def learn_of_touch(
    situation: Situation, segment: Segment, force: np.ndarray, passing: bool
) -> Cell:
    """Note a touch with a force (3,) [N] on the map; returns the cell that is believed to be occupied.

    One that is passed by says nothing yet of the segment: that is being driven.
    """
    map_, beliefs, shape = situation.map, situation.map.beliefs, situation.map.grid.shape
    true_stop = segment.step is not None and segment.is_barred(force) and segment.off <= ON_LINE
    if segment.step is not None and not passing:
        beliefs.touch(segment.step, true_stop)
    elif not passing:
        _leave_to_steps(map_, situation.motion, segment)
    cell = _cell_ahead(map_, segment, force)
    if map_.grid.inside(cell) and cell != map_.goal_cell and cell not in beliefs.visited:
        beliefs.believe_occupied(cell, AHEAD if true_stop else ASIDE)
    return tuple(int(np.clip(c, 0, n - 1)) for c, n in zip(cell, shape, strict=True))


def _cell_ahead(map_: ToolMap, segment: Segment, force: np.ndarray) -> Cell:
    """The cell half a cell from the touch, against the force or, where none is felt, along the motion."""
    felt = float(np.linalg.norm(force)) > LEAST_FORCE
    heading = -force[: map_.rank] if felt else segment.direction[: map_.rank]
    length, ahead = float(np.linalg.norm(heading)), segment.place.copy()
    if length > 0.0:
        ahead[: map_.rank] += REACH * map_.grid.spacing * heading / length
    return map_.grid.cell_of(ahead)


def _leave_to_steps(map_: ToolMap, motion: PlannedMotion, segment: Segment) -> None:
    """A touch on no step: that segment is closed alone, and longer moves are no longer made there."""
    if (segment.number == 0 and not motion.passes_by) or motion.places is None:
        return
    begin = cell_at(map_.grid, motion.places[segment.number])
    if begin is not None and segment.number == len(motion.places) - 2:
        map_.beliefs.touch_to_goal(begin)
    for place in (segment.place, *motion.places[segment.number : segment.number + 2]):
        cell = map_.grid.cell_of(place)
        if map_.grid.inside(cell) and cell != map_.goal_cell:
            map_.beliefs.rough.add(cell)


def is_glancing(
    arm: Arm,
    motion: PlannedMotion,
    segment: Segment,
    force: np.ndarray,
    q_ref: np.ndarray,
    qd_ref: np.ndarray,
) -> bool:
    """Whether a touch may be passed by: its force [N] opposes neither the segment nor the motion.

    The first segment of a motion is a retreat, or one on which a touch has been passed by already:
    there none is.
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
