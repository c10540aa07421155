"""The navigator of the documents: a touch marks a cell, and the path starts anew from a cell beside the tool.

For ``detection.mark: desired`` and ``actual``; the rules for the marked cell and the start are in ``responses.mark``.
Source: ragazzon2012 chapters 6 and 7, appendix C.
"""

import numpy as np

from dynamics import Arm, forward_kinematics, jacobian
from hopfield_nav.loop import evaluate
from hopfield_nav.navigation import responses
from hopfield_nav.navigation.map import Cell, only_in_sight
from hopfield_nav.navigation.motion import Detection, PlannedMotion, Reference
from hopfield_nav.navigation.navigator import Navigator, OverToolMap
from hopfield_nav.navigation.planners import open_cells
from hopfield_nav.world import World


class MarkingNavigator(OverToolMap, Navigator):
    """Map, planner and motions of one run; what was felt is not handed on (``record.load_prior``)."""

    def __init__(self, world: World, arm: Arm, start: np.ndarray) -> None:
        super().__init__(world, arm, start)
        self.paths = responses.MarkedPaths(self.situation)
        self._passed = np.zeros(self.map.grid.shape, dtype=bool)

    def on_detection(self, detection: Detection) -> tuple[Cell, PlannedMotion]:
        """Mark what was felt and plan a new motion."""
        if self.motion.trajectory is None:
            raise RuntimeError("a run that has ended cannot collide")
        begin = Reference(detection.time, *evaluate(self.motion.trajectory, detection.time))
        contact = self._estimate(detection, begin)
        marked = responses.cell_to_mark(self.grid, contact, self.map.goal_cell, self.situation.world.detection.mark)
        self.grid.mark(marked)
        if self.goal is None:
            return marked, self.motion
        self._remember_passed(contact)
        start = self._back_off(marked, contact)
        if start is None:
            self.motion = self.situation.no_path(marked, "no free path from the tool to the goal")
        else:
            self.motion = self.motions.over(self.paths, start, begin)
        return marked, self.motion

    def replan(self, begin: Reference, level_at_retreat: float) -> PlannedMotion:
        """After a reaction, from the cell that was chosen when the touch was felt."""
        self.motion = self.motions.over(self.paths, self.motion.start, begin)
        return self.motion

    def _estimate(self, detection: Detection, begin: Reference) -> responses.ContactEstimate:
        arm = self.situation.arm
        return responses.ContactEstimate(
            position=self.situation.tool(detection.q),
            desired=forward_kinematics(arm, begin.q)[:3, 3],
            desired_velocity=(jacobian(arm, begin.q) @ begin.qd)[:3],
            force=detection.force,
            path=self.motion.cells,
        )

    def _back_off(self, marked: Cell, contact: responses.ContactEstimate) -> Cell | None:
        """Where the next path starts; None where no open cell is left near the tool.

        Never the goal itself: a tool that was pushed off it must come from another side, and a goal whose neighbours
        are all blocked is out of reach even from beside it.
        """
        world, grid = self.situation.world, self.grid
        if world.detection.back_off == "against_velocity":
            return responses.start_against_velocity(grid, marked, contact)
        target = self.map.target()
        if target is None:
            return None
        allowed = open_cells(world.planner, self.map.obstacles(), marked, target)
        allowed[self.map.goal_cell] = False
        allowed = only_in_sight(self.map.known, grid, allowed, contact.position)
        start = responses.start_along_force(grid, contact, allowed, self._passed)
        return start if allowed[start] else None

    def _remember_passed(self, contact: responses.ContactEstimate) -> None:
        """The cells of the path up to the one nearest to the tool."""
        rank, path = self.map.rank, contact.path
        centres = self.grid.origin[:rank] + self.grid.spacing * path
        nearest = int(np.argmin(((centres - contact.position[:rank]) ** 2).sum(axis=1)))
        self._passed[tuple(path[: nearest + 1].T)] = True
