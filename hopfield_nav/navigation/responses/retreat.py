"""Back from a touch: to which cell the arm goes."""

import itertools
from collections import Counter

import numpy as np

from hopfield_nav.navigation.map import Cell
from hopfield_nav.navigation.motion import Segment, Situation, cell_at

MAX_TRIES = 2  # of a retreat that is touched, before another one is made
_TRIED = 0.05  # [s] a retreat touched sooner was not tried yet: between walls alarms come in bursts


class Retreat:
    """Chooses the cell that the arm goes back to.

    Args:
        situation: of the run.
    """

    def __init__(self, situation: Situation) -> None:
        self._now = situation
        # how often each cell was tried in vain since a retreat came to its end
        self.tries: Counter[Cell] = Counter()

    def tried(self) -> set[Cell]:
        """The cells that were tried in vain."""
        return set(self.tries)

    def cell(self, segment: Segment) -> Cell:
        """The cell from which the touched segment began, or one behind; else the nearest that was visited.

        A retreat that is touched itself closes no step, but is not tried again until another one has
        come to its end.
        """
        grid, motion, obstacles = self._now.map.grid, self._now.motion, self._now.map.obstacles()
        if segment.number > 0 or motion.passes_by:
            self.tries.clear()
            begin = None if motion.places is None else cell_at(grid, motion.places[segment.number])
            behind = grid.cell_of(segment.place - grid.spacing * segment.direction)
            for candidate in (begin, behind):  # the second on a segment at any angle
                if candidate is not None and grid.inside(candidate) and not obstacles[candidate]:
                    return candidate
        else:
            first: Cell = tuple(int(c) for c in motion.cells[0])
            self.tries[first] += segment.driven >= _TRIED
            if self.tries[first] < MAX_TRIES:
                return first
        return self._nearest(segment.place, obstacles)

    def _nearest(self, place: np.ndarray, obstacles: np.ndarray) -> Cell:
        """The nearest cell to a place (3,) that was visited, or else is free, and was not tried."""
        grid = self._now.map.grid
        free = sorted(self._now.map.beliefs.visited - self.tries.keys())
        if not free:
            around = itertools.product(*(range(c - 1, c + 2) for c in grid.cell_of(place)))
            free = [c for c in around if grid.inside(c) and not obstacles[c] and c not in self.tries]
        if not free:
            self.tries.clear()
            return self._now.motion.start
        return free[int(np.argmin([float(np.linalg.norm(grid.centre(c) - place)) for c in free]))]
