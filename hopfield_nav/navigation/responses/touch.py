"""What a response to a touch of the tool is asked with, and what the touch teaches, whatever is done next."""

from functools import cached_property

import numpy as np

from hopfield_nav.navigation.map import AHEAD, ASIDE, Cell
from hopfield_nav.navigation.motion import LEAST_FORCE, Reference, Segment, Situation, cell_at, passed
from hopfield_nav.navigation.responses.mark import REACH
from hopfield_nav.navigation.responses.paths import BelievedPaths
from hopfield_nav.plugin import BelievedMap

ON_LINE = 1e-3  # [m] a touch so near to the line of a step is one on that step


class ToolTouch:
    """A touch of the tool, or a rest without one; what nobody asks for is not computed."""

    def __init__(
        self, situation: Situation, paths: BelievedPaths, begin: Reference,
        segment: Segment | None = None, felt: np.ndarray | None = None,
    ) -> None:  # fmt: skip
        self._situation, self._paths, self._start = situation, paths, situation.motion.start
        # segment: of the present motion, that was touched; None at rest
        # begin: the reference, from which the next motion begins
        self.segment, self.begin = segment, begin
        self.felt = np.zeros(3) if felt is None else felt  # (3,) force on the tool [N]

    def going_on_from(self, start: Cell) -> "ToolTouch":
        """The same, of an arm that goes on from a cell."""
        touch = ToolTouch(self._situation, self._paths, self.begin, self.segment, self.felt)
        touch._start = start
        return touch

    @property
    def touched(self) -> Segment:
        """The segment that was touched."""
        assert self.segment is not None
        return self.segment

    @property
    def time(self) -> float:
        """[s]."""
        return self.begin.time

    @cached_property
    def believed(self) -> BelievedMap:
        """The map, with all goals."""
        return self._paths.believed(self._start).read_only()

    @property
    def place(self) -> np.ndarray:
        """(rank,) in cells."""
        tool = self._situation.tool(self.begin.q) if self.segment is None else self.segment.place
        return np.asarray(self._situation.map.in_cells(tool))

    @property
    def direction(self) -> np.ndarray:
        """(rank,) of the motion; zero at rest."""
        rank = self._situation.map.rank
        flat = np.zeros(rank) if self.segment is None else self.segment.direction[:rank]
        size = float(np.linalg.norm(flat))
        return flat / size if size > LEAST_FORCE else np.zeros(rank)

    @property
    def force(self) -> np.ndarray:
        """(rank,) along the axes of the map [N]."""
        return self.felt[: self._situation.map.rank].copy()

    @property
    def step(self) -> np.ndarray | None:
        """(2, rank) cells of the touched step."""
        step = None if self.segment is None else self.segment.step
        return None if step is None else np.array(step.ends)

    def path(self, start: Cell) -> np.ndarray | None:
        """(k, rank) cells of the world's planner."""
        cells = self._paths.find(tuple(int(c) for c in start)).plan.cells
        return None if cells is None else cells.copy()


class TouchLearning:
    """Notes facts and beliefs on the situation's map."""

    def __init__(self, situation: Situation) -> None:
        self._situation, self._map = situation, situation.map

    def confirm(self, level: float) -> None:
        """Whether what was touched before was still felt when the arm went back: the alarm level then."""
        self._map.beliefs.confirm(level >= self._situation.world.detection.armed_below)

    def passage(self, until: int) -> None:
        """The segments before number ``until`` were driven without a touch."""
        self._map.beliefs.passed(*passed(self._map.grid, self._situation.motion, until))

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
            ahead[:rank] += REACH * grid.spacing * heading / length
        return grid.cell_of(ahead)

    def _leave_to_steps(self, segment: Segment) -> None:
        """A touch on no step: that segment is closed alone, and longer moves are no longer made there."""
        grid, motion = self._map.grid, self._situation.motion
        if (segment.number == 0 and not motion.passes_by) or motion.places is None:
            return
        begin = cell_at(grid, motion.places[segment.number])
        if begin is not None and segment.number == len(motion.places) - 2:
            self._map.beliefs.touch_to_goal(begin)
        ends = [grid.cell_of(place) for place in motion.places[segment.number : segment.number + 2]]
        for cell in (grid.cell_of(segment.place), *ends):
            if grid.inside(cell) and cell != self._map.goal_cell:
                self._map.beliefs.rough.add(cell)
