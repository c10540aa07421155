"""To which cell the arm goes back from a touch."""

import itertools

import numpy as np

from hopfield_nav.navigation.map import Cell, ToolMap
from hopfield_nav.navigation.motion import PlannedMotion, Segment, cell_at

MAX_TRIES = 2  # of a retreat that is touched, before another one is made
_TRIED = 0.05  # [s] a retreat touched sooner was not tried yet: between walls alarms come in bursts


def cell_to_go_back_to(segment: Segment, motion: PlannedMotion, map: ToolMap) -> Cell:
    """The cell from which the touched segment began, or one behind; else the nearest visited one.

    A retreat that is touched itself closes no step, but is not tried again until another one has
    come to its end.
    """
    is_retreat = segment.number == 0 and not motion.passes_by
    if not is_retreat:
        map.tries.clear()
        for cell in _cells_behind(segment, motion, map):
            if map.grid.inside(cell) and not map.obstacles()[cell]:
                return cell
        return _nearest(segment.place, motion, map)
    first: Cell = tuple(int(c) for c in motion.cells[0])
    if segment.driven >= _TRIED:
        map.tries[first] += 1
    if map.tries[first] < MAX_TRIES:
        return first
    return _nearest(segment.place, motion, map)


def _cells_behind(segment: Segment, motion: PlannedMotion, map: ToolMap) -> list[Cell]:
    """The cell where the segment began, and for one at any angle the cell behind the touch."""
    behind = map.grid.cell_of(segment.place - map.grid.spacing * segment.direction)
    begin = None if motion.places is None else cell_at(map.grid, motion.places[segment.number])
    return [behind] if begin is None else [begin, behind]


def _nearest(place: np.ndarray, motion: PlannedMotion, map: ToolMap) -> Cell:
    """The nearest cell to a place (3,) that was visited, or else is free, and was not tried."""
    cells = sorted(map.beliefs.visited - map.tries.keys()) or _free_cells_around(place, map)
    if not cells:
        map.tries.clear()
        return motion.start
    distances = [float(np.linalg.norm(map.grid.centre(cell) - place)) for cell in cells]
    return cells[int(np.argmin(distances))]


def _free_cells_around(place: np.ndarray, map: ToolMap) -> list[Cell]:
    """The cells around a place (3,) that are free and were not tried."""
    obstacles = map.obstacles()
    around = itertools.product(*(range(c - 1, c + 2) for c in map.grid.cell_of(place)))
    inside = [cell for cell in around if map.grid.inside(cell)]
    return [cell for cell in inside if not obstacles[cell] and cell not in map.tries]
