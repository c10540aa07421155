"""The response ``replan``: back from a touch, to which cell, and on from there over a new path."""

import itertools
from collections import Counter
from typing import Any

import numpy as np

from hopfield_nav.navigation.map import Cell
from hopfield_nav.navigation.motion import (
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
from hopfield_nav.navigation.responses.touch import ToolTouch
from hopfield_nav.plugin import Method

MAX_TRIES = 2  # of a retreat that is touched, before another one is made
_TRIED = 0.05  # [s] a retreat touched sooner was not tried yet: between walls alarms come in bursts


class Retreat:
    """Chooses the cell that the arm goes back to."""

    def __init__(self, situation: Situation) -> None:
        self._situation = situation
        # how often each cell was tried in vain since a retreat came to its end
        self.tries: Counter[Cell] = Counter()

    def cell(self, segment: Segment) -> Cell:
        """The cell from which the touched segment began, or one behind; else the nearest that was visited.

        A retreat that is touched itself closes no step, but is not tried again until another one
        has come to its end.
        """
        grid, motion, obstacles = (
            self._situation.map.grid,
            self._situation.motion,
            self._situation.map.obstacles(),
        )
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
            free = [
                c for c in around if grid.inside(c) and not obstacles[c] and c not in self.tries
            ]
        if not free:
            self.tries.clear()
            return self._situation.motion.start
        return free[int(np.argmin([float(np.linalg.norm(grid.centre(c) - place)) for c in free]))]


class Replan:
    """Goes back and plans again; every other response does so where its own way is not possible.

    A response gives the next motion from what is known of a touch of the tool, which the map has
    learnt before. That is ``plugin.Response`` with motions for waypoints: a user's own becomes an
    ``OwnResponse``.
    """

    def __init__(
        self, situation: Situation, motions: ToolMotions, paths: BelievedPaths, retreat: Retreat
    ) -> None:
        self._situation, self._motions, self._paths, self._retreat = (
            situation,
            motions,
            paths,
            retreat,
        )

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
        confirmed = (
            self._situation.motion.needs_decision and not self._situation.map.beliefs.unconfirmed
        )
        motion = self._motions.over(self._paths, start, begin)
        if motion.trajectory is not None or confirmed:
            return motion
        poses = self._motions.poses(np.array([start]))
        path = self._motions.follow(poses, begin.q)
        if path.reason:
            return motion
        cells, places = (
            np.array([start]),
            np.vstack([self._situation.tool(begin.q), poses[:, :3, 3]]),
        )
        times = self._motions.times(ToolPath(cells, poses, False), places)
        trajectory = self._motions.trajectory(path.q, times, begin)
        return PlannedMotion(start, cells, trajectory, places=places, phase=MotionPhase.RETREAT)


METHOD = Method(
    "response", "replan", Replan,
    description="back to the centre of the last cell, and from there a new path of the planner",
)  # fmt: skip
