"""Paths past marked cells, as the documents take them."""

import numpy as np

from hopfield_nav.navigation.map import Cell, ToolMap
from hopfield_nav.navigation.motion import NoPath, Route, planned_by
from hopfield_nav.navigation.planners.choice import believed_map, planner_for
from hopfield_nav.navigation.planners.no_path import (
    GOAL_SHUT,
    why_no_path_past_marks,
    why_planner_failed,
)
from hopfield_nav.planning import Plan
from hopfield_nav.world import World


class MarkedPaths:
    """Paths past marked cells."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._planner = planner_for(world)
        self._by = planned_by(world.planner)

    def find(self, start: Cell, map: ToolMap) -> Route:
        """A path to the goal's cell, or to the one beside it (``motion.Paths``)."""
        target = map.target()
        if target is None:
            return Route(Plan(None, GOAL_SHUT, np.inf, self._world.planner.kind), by=self._by)
        goals = np.array([target])
        plan = self._planner.plan(believed_map(self._world, map.obstacles(), start, goals))
        if plan.cells is None or map.goal_cell is None or map.goal_cell == target:
            return Route(plan, by=self._by)
        return Route(plan.with_last(map.goal_cell), by=self._by)

    def why_none(self, start: Cell, plan: Plan, map: ToolMap) -> NoPath:
        """Why marks leave no path, or that the planner gave up."""
        failed = why_planner_failed(start, map, plan.reason)
        return why_no_path_past_marks(start, map) if failed is None else failed

    def rests(self, places: np.ndarray, map: ToolMap) -> None:
        """The arm stops at the goal alone."""
