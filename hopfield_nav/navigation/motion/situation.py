"""A run over a map of the tool, as its navigator and the parts of that share it: the map, and the motion under way."""

import numpy as np

from dynamics import Arm, BadInput, forward_kinematics
from hopfield_nav.navigation.map import Cell, CollisionMap, ToolMap
from hopfield_nav.navigation.motion.planned_motion import PlannedMotion, PlanNotes
from hopfield_nav.world import World


class Situation:
    """Where a run of a resolved world stands, as its navigator knows it: at first at joint angles ``q`` (n,) [rad].

    Raises ``BadInput``: the tool starts beside the map.
    """

    def __init__(self, world: World, arm: Arm, q: np.ndarray) -> None:
        self.world, self.arm = world, arm  # arm: the kinematics that the controller plans with
        self.map = ToolMap(world)  # with all that is believed on it
        start = cell_of_start(world, self.map.grid, self.tool(q))
        self.motion = PlannedMotion(
            start, no_cells(self.map.rank), None
        )  # the one that the arm makes now
        self.notes = PlanNotes(world)  # every plan so far

    @property
    def goal(self) -> np.ndarray | None:
        """(3,) position of the tool at the goal [m]; None without one."""
        return self.map.goal

    @property
    def grid(self) -> CollisionMap:
        """The cells of the map."""
        return self.map.grid

    def felt(self) -> np.ndarray:
        """Bool grid of the marks, or of the cells believed to be occupied."""
        return self.grid.felt.copy()

    def final_map(self) -> np.ndarray:
        """Int grid: 1 blocked, 2 free but not reached, 3 believed occupied."""
        return self.map.final()

    def tool(self, q: np.ndarray) -> np.ndarray:
        """(3,) position of the tool at joint angles (n,) [m]."""
        return np.asarray(forward_kinematics(self.arm, q)[:3, 3])

    def no_path(self, start: Cell, reason: str) -> PlannedMotion:
        """The end of a run for want of a path."""
        return PlannedMotion(start, no_cells(self.map.rank), None, "no_path", reason)


def no_cells(rank: int) -> np.ndarray:
    """A path of no cells (0, rank)."""
    return np.zeros((0, rank), dtype=int)


def cell_of_start(world: World, grid: CollisionMap, tool: np.ndarray) -> tuple[int, ...]:
    """The cell of a map of the tool over which the tool (3,) starts [m].

    Raises ``BadInput``: the world has a goal, and the tool starts beside its map.
    """
    cell = grid.cell_of(tool)
    if world.goal is not None and not grid.inside(cell):
        axes, where = "xyz"[: len(cell)], "above" if len(cell) == 2 else "in"
        place = "tool at " + ", ".join(f"{a} = {tool[k]:.4f} m" for k, a in enumerate(axes))
        allowed = f"start.position: [{', '.join(axes)}], or joints, where the tool is over one of the map's cells"
        raise BadInput(
            f"the tool does not start {where} the map",
            where="start.joints",
            found=place,
            allowed=allowed,
        )
    return cell
