"""The navigator of the documents: a touch marks a cell, and the arm backs off from it.

It keeps map and means of one run, and asks ``answer`` what follows; which cell is marked, and where
the arm backs off to, ``marks`` says.
"""

import numpy as np

from dynamics import Arm
from hopfield_nav.navigation import answer
from hopfield_nav.navigation.map import Cell, CollisionMap, cell_of_start
from hopfield_nav.navigation.marks import MarkedMap
from hopfield_nav.navigation.motion import (
    Detection,
    PlannedMotion,
    Reference,
    make_means,
    no_cells,
    tool_at,
)
from hopfield_nav.navigation.navigator import Navigator
from hopfield_nav.navigation.planners import MarkedPaths
from hopfield_nav.world import World


class MarkingNavigator(Navigator):
    """Map and means of one run that starts at joint angles ``start`` (n,) [rad].

    What was felt is not handed on (``record.load_prior``).

    Raises ``BadInput``: the tool starts beside the map.
    """

    def __init__(self, world: World, arm: Arm, start: np.ndarray) -> None:
        self.map = MarkedMap(world)
        self.means = make_means(world, arm, self.map, MarkedPaths(world))
        self.notes = self.means.notes
        cell = cell_of_start(world, self.map.grid, tool_at(arm, start))
        self.motion = PlannedMotion(cell, no_cells(self.map.rank), None)

    @property
    def grid(self) -> CollisionMap:
        """The cells of the map."""
        return self.map.grid

    @property
    def goal(self) -> np.ndarray | None:
        """(3,) position of the tool at the goal [m]; None without one."""
        return self.map.goal

    def first_motion(self, q: np.ndarray) -> PlannedMotion:  # noqa: D102  (says ``Navigator``)
        return answer.first_motion(self.motion.start, q, self.map, self.means)

    def on_detection(self, detection: Detection) -> tuple[Cell, PlannedMotion]:
        """Mark what was felt and plan a new motion."""
        given = answer.after_mark(detection, self.motion, self.map, self.means)
        return given.cell, given.motion

    def replan(self, begin: Reference, level_at_retreat: float) -> PlannedMotion:
        """After a reaction, from the cell that was chosen when the touch was felt."""
        return answer.lead(self.motion.start, begin, self.motion, self.map, self.means)

    def felt(self) -> np.ndarray:
        """Bool grid of the marks."""
        return self.grid.felt.copy()

    def final_map(self) -> np.ndarray:  # noqa: D102  (says ``Navigator``)
        return self.map.final()
