"""What a touch on a segment teaches the map of the tool, whatever the arm does next."""

import numpy as np

from hopfield_nav.navigation.map import AHEAD, ASIDE, Cell
from hopfield_nav.navigation.motion import LEAST_FORCE, Segment, Situation, cell_at, passed

ON_LINE = 1e-3  # [m] a touch so near to the line of a step is one on that step
_REACH = 0.5  # [cells] how far in front of the tool the felt obstacle is looked for


class TouchLearning:
    """Notes facts and beliefs.

    Args:
        situation: of the run; its map is what learns.
    """

    def __init__(self, situation: Situation) -> None:
        self._now, self._map = situation, situation.map

    def confirm(self, level: float) -> None:
        """Whether what was touched before was still felt when the arm went back: the alarm level then."""
        self._map.beliefs.confirm(level >= self._now.world.detection.armed_below)

    def passage(self, until: int) -> None:
        """The segments before number ``until`` were driven without a touch."""
        self._map.beliefs.passed(*passed(self._map.grid, self._now.motion, until))

    def touch(self, segment: Segment, force: np.ndarray, passing: bool) -> Cell:
        """A touch with a force (3,) [N]; returns the cell that is believed to be occupied.

        One that is passed by says nothing yet of the segment: that is being driven.
        """
        grid, beliefs = self._map.grid, self._map.beliefs
        true_stop = segment.step is not None and segment.is_barred(force) and segment.off <= ON_LINE
        if segment.step is not None and not passing:
            beliefs.touch(segment.step, true_stop)
        elif not passing:
            self._leave_to_steps(segment)
        cell = self._cell_ahead(segment, force)
        if grid.inside(cell) and cell != self._map.goal_cell and cell not in beliefs.visited:
            beliefs.believe_occupied(cell, AHEAD if true_stop else ASIDE)
        return tuple(int(np.clip(c, 0, n - 1)) for c, n in zip(cell, grid.shape, strict=True))

    def _cell_ahead(self, segment: Segment, force: np.ndarray) -> Cell:
        """The cell half a cell from the touch, against the force or, where none is felt, along the motion."""
        grid, rank = self._map.grid, self._map.rank
        felt = float(np.linalg.norm(force)) > LEAST_FORCE
        heading = -force[:rank] if felt else segment.direction[:rank]
        length, ahead = float(np.linalg.norm(heading)), segment.place.copy()
        if length > 0.0:
            ahead[:rank] += _REACH * grid.spacing * heading / length
        return grid.cell_of(ahead)

    def _leave_to_steps(self, segment: Segment) -> None:
        """A touch on no step: that segment is closed alone, and longer moves are no longer made there."""
        grid, motion = self._map.grid, self._now.motion
        if (segment.number == 0 and not motion.passes_by) or motion.places is None:
            return
        begin = cell_at(grid, motion.places[segment.number])
        if begin is not None and segment.number == len(motion.places) - 2:
            self._map.closed_to_goal.add(begin)
        ends = [grid.cell_of(place) for place in motion.places[segment.number : segment.number + 2]]
        for cell in (grid.cell_of(segment.place), *ends):
            if grid.inside(cell) and cell != self._map.goal_cell:
                self._map.beliefs.rough.add(cell)
