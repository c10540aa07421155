"""What a touch of the tool teaches of steps and cells, and whether it may be passed by.

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
    cell_at,
)

# cosine between force and motion below which the part along the surface is the larger one
ALONG = 0.5**0.5
SLOWER = 2.0  # times as long as usual takes the rest of a segment on which a touch is passed by
REACH = 0.5  # [cells] how far in front of the tool what is felt is looked for
ON_LINE = 1e-3  # [m] a touch so near to the line of a step is one on that step


class ToolTouch(NamedTuple):
    """A touch of the tool on its way."""

    begin: Reference  # from which the next motion begins
    segment: Segment  # of the motion until now, that was touched
    force: np.ndarray  # (3,) on the tool [N]


def learn_of_touch(touch: ToolTouch, glancing: bool, motion: PlannedMotion, map: ToolMap) -> Cell:
    """Note a touch on the map; returns the cell that is believed to be occupied.

    A ``glancing`` one may be passed by and says nothing yet of the segment: that is being driven.
    """
    _, segment, force = touch
    beliefs = map.beliefs
    true_stop = segment.step is not None and segment.is_barred(force) and segment.off <= ON_LINE
    if not glancing:
        if segment.step is not None:
            beliefs.touch(segment.step, true_stop)
        else:
            _leave_to_steps(segment, motion, map)
    cell = _cell_ahead(map, segment, force)
    if map.grid.inside(cell) and cell != map.goal_cell and cell not in beliefs.visited:
        beliefs.believe_occupied(cell, AHEAD if true_stop else ASIDE)
    shape = map.grid.shape
    return tuple(int(np.clip(c, 0, n - 1)) for c, n in zip(cell, shape, strict=True))


def _cell_ahead(map: ToolMap, segment: Segment, force: np.ndarray) -> Cell:
    """The cell half a cell from the touch.

    Against the force or, where none is felt, along the motion.
    """
    is_felt = float(np.linalg.norm(force)) > LEAST_FORCE
    heading = -force[: map.rank] if is_felt else segment.direction[: map.rank]
    length = float(np.linalg.norm(heading))
    ahead = segment.place.copy()
    if length > 0.0:
        ahead[: map.rank] += REACH * map.grid.spacing * heading / length
    return map.grid.cell_of(ahead)


def _leave_to_steps(segment: Segment, motion: PlannedMotion, map: ToolMap) -> None:
    """A touch on no step: that segment is closed alone.

    Longer moves are no longer made there.
    """
    is_retreat = segment.number == 0 and not motion.passes_by
    if is_retreat or motion.places is None:
        return
    begin = cell_at(map.grid, motion.places[segment.number])
    if begin is not None and segment.number == len(motion.places) - 2:
        map.beliefs.touch_to_goal(begin)
    ends = motion.places[segment.number : segment.number + 2]
    for place in (segment.place, *ends):
        cell = map.grid.cell_of(place)
        if map.grid.inside(cell) and cell != map.goal_cell:
            map.beliefs.rough.add(cell)


def is_glancing(touch: ToolTouch, motion: PlannedMotion, arm: Arm) -> bool:
    """Whether a touch may be passed by: its force opposes neither the segment nor the motion.

    The first segment of a motion is a retreat, or one on which a touch has been passed by already:
    there none is.
    """
    begin, segment, force = touch
    velocity = (jacobian(arm, begin.q) @ begin.qd)[:3]
    size = float(np.linalg.norm(force))
    speed = float(np.linalg.norm(velocity))
    if motion.reacts or segment.number == 0 or size <= LEAST_FORCE or speed == 0.0:
        return False
    against_segment = -float(force @ segment.direction)
    against_motion = -float(force @ velocity) / speed
    return max(against_segment, against_motion) < ALONG * size


def segment_under_way(motion: PlannedMotion, time: float) -> tuple[np.ndarray, np.ndarray]:
    """Where the segment begins and ends, (3,) each [m], on which the reference is at a time [s]."""
    if motion.trajectory is None or motion.places is None:
        raise RuntimeError("an arm that follows no segments passes by nothing")
    number = int(np.searchsorted(motion.trajectory.knots, time, side="right")) - 1
    number = min(max(number, 0), len(motion.places) - 2)
    return motion.places[number], motion.places[number + 1]
