"""What the parts of a tool's navigator share: the task, the map, and the motion under way."""

from dataclasses import dataclass

import numpy as np

from dynamics import Arm, forward_kinematics
from hopfield_nav.navigation.map import Cell, ToolMap
from hopfield_nav.navigation.motion.planned_motion import PlannedMotion
from hopfield_nav.navigation.motion.start import cell_of_start
from hopfield_nav.world import World


@dataclass(eq=False)
class Situation:
    """Where the run stands, as its navigator knows it."""

    world: World  # resolved
    arm: Arm  # the kinematics that the controller plans with
    map: ToolMap  # with all that is believed on it
    motion: PlannedMotion  # the one that the arm makes now

    @classmethod
    def at_start(cls, world: World, arm: Arm, q: np.ndarray) -> "Situation":
        """At joint angles ``q`` (n,) [rad], before anything moves.

        Raises:
            BadInput: the tool starts beside the map.
        """
        tool_map = ToolMap(world)
        start = cell_of_start(world, tool_map.grid, forward_kinematics(arm, q)[:3, 3])
        return cls(world, arm, tool_map, PlannedMotion(start, no_cells(tool_map.rank), None))

    def tool(self, q: np.ndarray) -> np.ndarray:
        """(3,) position of the tool at joint angles (n,) [m]."""
        return np.asarray(forward_kinematics(self.arm, q)[:3, 3])

    def no_path(self, start: Cell, reason: str) -> PlannedMotion:
        """The end of a run for want of a path."""
        return PlannedMotion(start, no_cells(self.map.rank), None, "no_path", reason)


def no_cells(rank: int) -> np.ndarray:
    """A path of no cells (0, rank)."""
    return np.zeros((0, rank), dtype=int)
