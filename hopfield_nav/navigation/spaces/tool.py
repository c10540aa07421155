"""The space ``tool``: a cell is a place of the tool point, in a level plane or in space."""

from dataclasses import replace
from functools import lru_cache

import numpy as np

from dynamics import Arm, forward_kinematics, load_arm
from hopfield_nav.loop import evaluate, quintic_trajectory
from hopfield_nav.navigation.map import CollisionMap, cell_of_start
from hopfield_nav.navigation.motion import follow_regular_path
from hopfield_nav.navigation.navigator import Navigator
from hopfield_nav.navigation.planners import built_in, open_cells
from hopfield_nav.navigation.space import Space
from hopfield_nav.plugin import BelievedMap, Method, is_ours
from hopfield_nav.world import GoalSection, PlannerSection, World


@lru_cache(maxsize=8)
def warm_up_replan(planner: PlannerSection, rank: int = 2) -> None:
    """Compile (or load), once in a process, what a replan of this planner calls.

    The map has ``rank`` axes. So no clock counts it, neither that of the run nor that of the first
    replan.
    """
    arm = load_arm("ur5_ragazzon2012")
    q = np.array([2.5511, -1.1193, 2.5706, 0.1196, 1.5708, -0.5905])
    blocked = np.zeros((3,) * rank, dtype=bool)
    start = (0,) * rank
    middle = (1,) * rank
    end = (2,) * rank
    blocked[middle] = True
    step = np.array([[start, (1, *start[1:])]])
    goals = np.array([end])
    none = np.zeros(0)
    asked = BelievedMap(blocked, none, step, none, start, goals, goals[:0], planner.radius)
    built_in(planner).plan(asked)  # around a closed step, for which there is code of its own
    cells = built_in(planner).plan(replace(asked, closed=step[:0])).cells
    open_cells(planner, blocked, start, end)
    if planner.any_angle and rank <= 3 and cells is not None:
        from hopfield_nav.planning import shorten_path

        shorten_path(blocked, cells)
    follow_regular_path(arm, forward_kinematics(arm, q)[None], q)
    evaluate(quintic_trajectory(np.stack([q, q]), 1.0), 0.5)


class ToolSpace(Space):
    """Facts and beliefs about steps between cells, or marked cells as in the document.

    A response to every touch.
    """

    of_places = True

    def navigator(self, world: World, arm: Arm, start: np.ndarray, hidden: bool) -> Navigator:
        """Who finds the way; arguments as ``Space.navigator``."""
        if world.detection.mark != "felt":
            from hopfield_nav.navigation.marking_navigator import MarkingNavigator

            return MarkingNavigator(world, arm, start)
        from hopfield_nav.navigation.tool_navigator import ToolNavigator

        name = world.explore.method
        method = world.trust.find("response", name, world.folder)
        if hidden and method.where_hidden:
            method = world.trust.find("response", method.where_hidden, world.folder)
        if is_ours("response", name):
            return ToolNavigator(world, arm, start, method.kernel())
        from hopfield_nav.navigation.responses import OwnResponse

        return ToolNavigator(world, arm, start, OwnResponse(method, world.explore.parameters))

    def cells(self, world: World, arm: Arm) -> CollisionMap:
        """The empty map."""
        return CollisionMap.create(
            world.map.origin, world.map.spacing, world.map.shape, world.map.rim
        )

    def check_start(self, world: World, arm: Arm, tool: np.ndarray) -> None:
        """Refuse a tool (3,) that does not start over a cell, where there is a goal [m]."""
        cell_of_start(world, self.cells(world, arm), tool)

    def random_goal(self, world: World, generator: np.random.Generator) -> GoalSection:
        """Any cell of the map."""
        return GoalSection(cell=tuple(int(generator.integers(size)) for size in world.map.shape))

    def prepare(self, world: World) -> None:
        """Compile what a replan of the world's planner calls."""
        warm_up_replan(world.planner, world.map.rank)


METHOD = Method(
    "navigator",
    "tool",
    ToolSpace,
    description="a cell is a place of the tool, in a plane or in space",
)
