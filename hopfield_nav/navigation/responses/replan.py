"""What a touch of the tool is, and teaches; and the response ``replan``: back from it, and on over a new path.

The arm goes on slowly past a *glancing* contact, whose force does not oppose the motion. The alarm guards the passage
(``control.pass_by``): a force that grows by a whole threshold ends it.
"""

import itertools
from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from dynamics import Arm, jacobian
from hopfield_nav.navigation.map import AHEAD, ASIDE, Cell, ToolMap
from hopfield_nav.navigation.motion import (
    LEAST_FORCE,
    MotionPhase,
    PlannedMotion,
    Reference,
    Segment,
    Situation,
    ToolMotions,
    ToolPath,
    cell_at,
)
from hopfield_nav.navigation.responses.paths import BelievedPaths
from hopfield_nav.plugin import Method

ALONG = 0.5**0.5  # cosine between force and motion below which the part along the surface is the larger one
SLOWER = 2.0  # times as long as usual takes the rest of a segment on which a touch is passed by
REACH = 0.5  # [cells] how far in front of the tool what is felt is looked for
ON_LINE = 1e-3  # [m] a touch so near to the line of a step is one on that step
MAX_TRIES = 2  # of a retreat that is touched, before another one is made
_TRIED = 0.05  # [s] a retreat touched sooner was not tried yet: between walls alarms come in bursts


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


def learn_of_touch(situation: Situation, segment: Segment, force: np.ndarray, passing: bool) -> Cell:
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


class Retreat:
    """Chooses the cell that the arm goes back to."""

    def __init__(self, situation: Situation) -> None:
        self._situation = situation
        # how often each cell was tried in vain since a retreat came to its end
        self.tries: Counter[Cell] = Counter()

    def cell(self, segment: Segment) -> Cell:
        """The cell from which the touched segment began, or one behind; else the nearest that was visited.

        A retreat that is touched itself closes no step, but is not tried again until another one has come to its end.
        """
        grid, motion, obstacles = self._situation.map.grid, self._situation.motion, self._situation.map.obstacles()
        if segment.number > 0 or motion.passes_by:
            self.tries.clear()
            begin = None if motion.places is None else cell_at(grid, motion.places[segment.number])
            behind = grid.cell_of(segment.place - grid.spacing * segment.direction)
            for candidate in (begin, behind):  # the second on a segment at any angle
                if candidate is not None and grid.inside(candidate) and not obstacles[candidate]:
                    return candidate
        else:
            first: Cell = tuple(int(c) for c in motion.cells[0])
            self.tries.update([first] * (segment.driven >= _TRIED))
            if self.tries[first] < MAX_TRIES:
                return first
        return self._nearest(segment.place, obstacles)

    def _nearest(self, place: np.ndarray, obstacles: np.ndarray) -> Cell:
        """The nearest cell to a place (3,) that was visited, or else is free, and was not tried."""
        grid = self._situation.map.grid
        free = sorted(self._situation.map.beliefs.visited - self.tries.keys())
        if not free:
            around = itertools.product(*(range(c - 1, c + 2) for c in grid.cell_of(place)))
            free = [c for c in around if grid.inside(c) and not obstacles[c] and c not in self.tries]
        if not free:
            self.tries.clear()
            return self._situation.motion.start
        return free[int(np.argmin([float(np.linalg.norm(grid.centre(c) - place)) for c in free]))]


class Replan:
    """Goes back and plans again; every other response does so where its own way is not possible.

    A response gives the next motion from what is known of a touch of the tool, which the map has learnt before. That is
    ``plugin.Response`` with motions for waypoints: a user's own becomes an ``OwnResponse``.
    """

    def __init__(self, situation: Situation, motions: ToolMotions, paths: BelievedPaths, retreat: Retreat) -> None:
        self._situation, self._motions, self._paths, self._retreat = situation, motions, paths, retreat

    def on_passage(self, until: int) -> None:
        """The segments of the present motion before number ``until`` were driven without a touch: nothing is kept."""

    def on_touch(self, touch: ToolTouch) -> PlannedMotion:
        """The next motion after a touch: back, and on from there."""
        return self.go_on(self._retreat.cell(touch.touched), touch.begin)

    def on_rest(self, touch: ToolTouch) -> PlannedMotion:
        """The next one after a motion that ``needs_decision``: on from the cell chosen when the touch was felt."""
        return self.go_on(self._situation.motion.start, touch.begin)

    def onward(self, cell: Cell, begin: Reference, slower: float) -> PlannedMotion:
        """Over a cell at the end of a segment on which a touch is passed by, so many times slower, and on."""
        return self._motions.over(self._paths, cell, begin, slower)

    def slide_phase(self, *_: object) -> Any:
        """How the arm slides where a motion has a ``slide``, an ``experiment.Phase``; None: it never does."""

    def go_on(self, start: Cell, begin: Reference) -> PlannedMotion:
        """A new path; before giving up, go back and see whether the last touch was a true stop."""
        confirmed = self._situation.motion.needs_decision and not self._situation.map.beliefs.unconfirmed
        motion = self._motions.over(self._paths, start, begin)
        if motion.trajectory is not None or confirmed:
            return motion
        poses = self._motions.poses(np.array([start]))
        path = self._motions.follow(poses, begin.q)
        if path.reason:
            return motion
        cells, places = np.array([start]), np.vstack([self._situation.tool(begin.q), poses[:, :3, 3]])
        times = self._motions.times(ToolPath(cells, poses, False), places)
        trajectory = self._motions.trajectory(path.q, times, begin)
        return PlannedMotion(start, cells, trajectory, places=places, phase=MotionPhase.RETREAT)


METHOD = Method(
    "response", "replan", Replan,
    description="back to the centre of the last cell, and from there a new path of the planner",
)  # fmt: skip
