"""The space ``tool``: a cell is a place of the tool point, in a level plane or in space."""

from functools import partial

import numpy as np

from dynamics import Arm
from hopfield_nav.navigation.map import CollisionMap
from hopfield_nav.navigation.motion import cell_of_start
from hopfield_nav.navigation.navigator import Navigator
from hopfield_nav.navigation.space import Space
from hopfield_nav.navigation.warm_up import warm_up_replan
from hopfield_nav.plugin import Method
from hopfield_nav.world import GoalSection, World, is_code


class ToolSpace(Space):
    """Facts and beliefs about steps between cells, or marked cells as in the document; a response to every touch."""

    of_places = True

    def navigator(self, world: World, arm: Arm, start: np.ndarray, hidden: bool) -> Navigator:
        """Who finds the way; arguments as ``Space.navigator``."""
        if world.detection.mark != "felt":
            from hopfield_nav.navigation.marking_navigator import MarkingNavigator

            return MarkingNavigator(world, arm, start)
        from hopfield_nav.navigation.tool_navigator import ToolNavigator

        name = world.explore.method
        method = world.trust.find("response", "follow" if name == "slide" and hidden else name, world.folder)
        if not is_code(name):
            return ToolNavigator(world, arm, start, method.kernel)
        from hopfield_nav.navigation.responses import OwnResponse

        return ToolNavigator(world, arm, start, partial(OwnResponse, method, world.explore.parameters))

    def cells(self, world: World, arm: Arm) -> CollisionMap:
        """The empty map."""
        return CollisionMap.create(world.map.origin, world.map.spacing, world.map.shape, world.map.rim)

    def check_start(self, world: World, arm: Arm, tool: np.ndarray) -> None:
        """Refuse a tool (3,) that does not start over a cell, where there is a goal [m]."""
        cell_of_start(world, self.cells(world, arm), tool)

    def random_goal(self, world: World, generator: np.random.Generator) -> GoalSection:
        """Any cell of the map."""
        return GoalSection(cell=tuple(int(generator.integers(size)) for size in world.map.shape))

    def prepare(self, world: World) -> None:
        """Compile what a replan of the world's planner calls."""
        warm_up_replan(world.planner, world.map.rank)


METHOD = Method("navigator", "tool", ToolSpace, description="a cell is a place of the tool, in a plane or in space")
