"""The cells from whose centres the goal is reached."""

import numpy as np

from hopfield_nav.navigation.map import Cell, ToolMap
from hopfield_nav.navigation.motion import cell_at


def targets(map: ToolMap) -> list[Cell]:
    """The cells to which is planned, the likeliest first.

    Those from which the segment to the goal was touched are left out.
    """
    cells = cells_beside_goal(map, map.obstacles())
    return [cell for cell in cells if cell not in map.beliefs.closed_to_goal]


def cells_beside_goal(map: ToolMap, blocked: np.ndarray) -> list[Cell]:
    """The goal's cell, or one beside it; none where what is known shuts the goal.

    Where the goal is off the centre of its cell, the cells around it too. Those of the bool grid
    ``blocked`` do not count, but for the goal's own.
    """
    if map.goal is None or map.goal_cell is None:
        return []
    first = map.cell_beside(map.goal, map.goal_cell, blocked)
    if first is None:
        return []
    cells = [first]
    if is_goal_aside(map):
        beside = {cell for step in map.beliefs.steps_of(map.goal_cell) for cell in step.ends}
        distance = {c: float(np.linalg.norm(map.grid.centre(c) - map.goal)) for c in beside}
        nearest = sorted(sorted(beside), key=distance.__getitem__)
        cells += [c for c in nearest if c != first and not blocked[c]]
    return cells


def is_goal_aside(map: ToolMap) -> bool:
    """Whether the goal is not at the centre of its cell."""
    return map.goal is not None and cell_at(map.grid, map.goal) is None
