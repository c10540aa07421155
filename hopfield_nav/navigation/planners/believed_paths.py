"""Paths around facts and beliefs; where there is none, against as few beliefs as can be."""

import itertools
from dataclasses import replace

import numpy as np

from hopfield_nav.navigation.map import Cell, ToolMap
from hopfield_nav.navigation.motion import (
    AGAINST_BELIEFS,
    NoPath,
    Route,
    is_corner,
    planned_by,
    step_of,
)
from hopfield_nav.navigation.planners.choice import believed_map, planner_for
from hopfield_nav.navigation.planners.goal_cells import is_goal_aside, targets
from hopfield_nav.navigation.planners.no_path import why_no_path
from hopfield_nav.planning import Plan
from hopfield_nav.plugin import BelievedMap
from hopfield_nav.world import World


class BelievedPaths:
    """Paths around facts and beliefs."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._planner = planner_for(world)
        self._by = planned_by(world.planner)

    def find(self, start: Cell, map: ToolMap) -> Route:
        """A path to the goal (``motion.Paths``).

        By the planner, around all that is believed; else past facts alone, against the least that
        is believed; else from a cell that the arm has visited.
        """
        goals = targets(map)
        believed = believed_by(start, map, self._world)
        asked = None
        for target in goals:
            plan = asked = self._planner.plan(replace(believed, goals=np.array([target])))
            if plan.cells is not None:
                return _to_goal(plan, target, map)._replace(by=self._by)
        kind = self._world.planner.kind
        for find in (_likeliest, _way_out):
            for target in goals:
                cells = find(start, target, map)
                if cells is not None:
                    likeliest = Plan(cells, "", float(len(cells) - 1), kind)
                    route = _to_goal(likeliest, target, map)
                    return route._replace(by=AGAINST_BELIEFS, asked=asked)
        return Route(Plan(None, "no path", np.inf, kind), by=self._by, asked=asked)

    def why_none(self, start: Cell, plan: Plan, map: ToolMap) -> NoPath:
        """Why facts and beliefs leave no path."""
        return why_no_path(start, map)

    def rests(self, places: np.ndarray, map: ToolMap) -> np.ndarray:
        """Where the arm stops, so that it is on the line of a step when it touches something.

        Before and behind a step that is believed to be closed, and at corners beside occupied
        cells.
        """
        rest = np.zeros(len(places) - 1, dtype=bool)
        beside = map.beliefs.beside_occupied()
        ways = np.diff(places, axis=0)
        for k, (begin, end) in enumerate(itertools.pairwise(places)):
            step = step_of(map.grid, begin, end)
            doubted = step is not None and map.beliefs.certainty(step) > 0.0
            rest[k] |= doubted
            if k == 0:
                continue
            cell = map.grid.cell_of(end)
            turns = is_corner(ways[k - 1], ways[k])
            rest[k - 1] |= doubted or (turns and map.grid.inside(cell) and beside[cell])
        return rest


def believed_by(start: Cell, map: ToolMap, world: World) -> BelievedMap:
    """The map as a planner gets it, with all goals."""
    goals = np.array(targets(map), dtype=int).reshape(-1, map.rank)
    return believed_map(world, map.obstacles(), start, goals, map.beliefs)


def _to_goal(plan: Plan, target: Cell, map: ToolMap) -> Route:
    goal = map.goal_cell
    over_centre = is_goal_aside(map) and goal == target
    return Route(plan if goal is None or goal == target else plan.with_last(goal), over_centre)


def _likeliest(start: Cell, target: Cell, map: ToolMap) -> np.ndarray | None:
    """The path that only facts may bar, and against which the beliefs speak least."""
    return map.beliefs.likeliest_path(map.obstacles(), start, target)


def _way_out(start: Cell, target: Cell, map: ToolMap) -> np.ndarray | None:
    """A path that begins at a cell visited before, for an arm that facts have locked in.

    It came in beside the line of a step, and may get out beside it too; not by a cell to which it
    went back in vain.
    """
    outside = sorted(map.beliefs.visited - set(map.tries) - {start})
    here = map.grid.centre(start)
    distance = {cell: float(np.linalg.norm(map.grid.centre(cell) - here)) for cell in outside}
    for cell in sorted(outside, key=distance.__getitem__):
        path = map.beliefs.likeliest_path(map.obstacles(), cell, target)
        if path is not None:
            return path
    return None
