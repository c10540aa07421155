"""Paths around facts and beliefs; where there is none, against as few beliefs as can be."""

import itertools
from dataclasses import replace

import numpy as np

from hopfield_nav.navigation.map import Cell, ToolMap
from hopfield_nav.navigation.motion import (
    AGAINST_BELIEFS,
    Route,
    cell_at,
    is_corner,
    planned_by,
    step_of,
)
from hopfield_nav.navigation.planners.choice import believed_map, planner_for
from hopfield_nav.navigation.planners.marked_paths import GOAL_SHUT
from hopfield_nav.planning import Plan
from hopfield_nav.plugin import BelievedMap
from hopfield_nav.world import World

FACTS_ALONE = "facts alone separate start and goal"


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
        return Route(Plan(None, _why_none(map), np.inf, kind), by=self._by, asked=asked)

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


def targets(map: ToolMap) -> list[Cell]:
    """Cells from whose centres the goal may be reached: its own; where it is off its centre, more.

    Those beside it then, but for those from which the segment to the goal was touched.
    """
    first = map.target()
    if first is None or map.goal is None or map.goal_cell is None:
        return []
    cells = [first]
    if _is_aside(map):
        blocked = map.obstacles()
        beside = {cell for step in map.beliefs.steps_of(map.goal_cell) for cell in step.ends}
        distance = {c: float(np.linalg.norm(map.grid.centre(c) - map.goal)) for c in beside}
        nearest = sorted(sorted(beside), key=distance.__getitem__)
        cells += [c for c in nearest if c != first and not blocked[c]]
    return [c for c in cells if c not in map.beliefs.closed_to_goal]


def _is_aside(map: ToolMap) -> bool:
    """Whether the goal is not at the centre of its cell."""
    return map.goal is not None and cell_at(map.grid, map.goal) is None


def _to_goal(plan: Plan, target: Cell, map: ToolMap) -> Route:
    goal = map.goal_cell
    over_centre = _is_aside(map) and goal == target
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


def _why_none(map: ToolMap) -> str:
    if map.target() is None:
        return GOAL_SHUT
    facts = len(map.beliefs.facts)
    return f"{FACTS_ALONE}: {facts} closed steps" if facts else "no free path from start to goal"
