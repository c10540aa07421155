"""Which path over the cells is taken: past marked cells, or past what is known and against few beliefs."""

import itertools
from collections.abc import Collection
from dataclasses import replace

import numpy as np

from hopfield_nav.navigation.map import Cell
from hopfield_nav.navigation.motion import (
    AGAINST_BELIEFS,
    Route,
    Situation,
    cell_at,
    is_corner,
    planned_by,
    step_of,
)
from hopfield_nav.navigation.planners import believed_map, planner_for
from hopfield_nav.planning import Plan
from hopfield_nav.plugin import BelievedMap

FACTS_ALONE = "facts alone separate start and goal"
_GOAL_SHUT = "known obstacles stand between the goal and every free cell around it"


class MarkedPaths:
    """Paths past marked cells."""

    def __init__(self, situation: Situation) -> None:
        self._world, self._map = situation.world, situation.map
        self._planner, self._by = planner_for(situation.world), planned_by(situation.world.planner)

    def find(self, start: Cell) -> Route:
        """A path to the goal's cell, or to the one beside it (``motion.Paths``)."""
        target = self._map.target()
        if target is None:
            return Route(Plan(None, _GOAL_SHUT, np.inf, self._world.planner.kind), by=self._by)
        goals = np.array([target])
        plan = self._planner.plan(believed_map(self._world, self._map.obstacles(), start, goals))
        if plan.cells is None or self._map.goal_cell is None or self._map.goal_cell == target:
            return Route(plan, by=self._by)
        return Route(plan.with_last(self._map.goal_cell), by=self._by)

    def rests(self, places: np.ndarray) -> None:
        """The arm stops at the goal alone."""


class BelievedPaths:
    """Paths around facts and beliefs; where there is none, against as few beliefs as can be.

    The cells of ``tries``, to which retreats were tried in vain, are left out.
    """

    def __init__(self, situation: Situation, tries: Collection[Cell]) -> None:
        self._world, self._map, self._tries = situation.world, situation.map, tries
        self._planner, self._by = planner_for(situation.world), planned_by(situation.world.planner)

    def find(self, start: Cell) -> Route:
        """A path to the goal (``motion.Paths``)."""
        planner, targets, beliefs = self._world.planner, self.targets(), self._map.beliefs
        obstacles = self._map.obstacles()
        believed, asked = self.believed(start), None
        for target in targets:
            plan = asked = self._planner.plan(replace(believed, goals=np.array([target])))
            if plan.cells is not None:
                return self._to_goal(plan, target)._replace(by=self._by)
        for find in (beliefs.likeliest_path, self._way_out):
            for target in targets:
                cells = find(obstacles, start, target)
                if cells is not None:
                    likeliest = Plan(cells, "", float(len(cells) - 1), planner.kind)
                    return self._to_goal(likeliest, target)._replace(
                        by=AGAINST_BELIEFS, asked=asked
                    )
        facts = len(beliefs.facts)
        why = f"{FACTS_ALONE}: {facts} closed steps" if facts else "no free path from start to goal"
        why = _GOAL_SHUT if self._map.target() is None else why
        return Route(Plan(None, why, np.inf, planner.kind), by=self._by, asked=asked)

    def believed(self, start: Cell) -> BelievedMap:
        """The map as a planner gets it, with all goals."""
        goals = np.array(self.targets(), dtype=int).reshape(-1, self._map.rank)
        return believed_map(self._world, self._map.obstacles(), start, goals, self._map.beliefs)

    def rests(self, places: np.ndarray) -> np.ndarray:
        """Where the arm stops, so that it is on the line of a step when it touches something.

        Before and behind a step that is believed to be closed, and at corners beside occupied
        cells.
        """
        grid, beliefs = self._map.grid, self._map.beliefs
        rest = np.zeros(len(places) - 1, dtype=bool)
        beside = beliefs.beside_occupied()
        ways = np.diff(places, axis=0)
        for k, (begin, end) in enumerate(itertools.pairwise(places)):
            step, cell = step_of(grid, begin, end), grid.cell_of(end)
            doubted = step is not None and beliefs.certainty(step) > 0.0
            turned = (
                k > 0 and is_corner(ways[k - 1], ways[k]) and grid.inside(cell) and beside[cell]
            )
            rest[k] |= doubted
            if k > 0:
                rest[k - 1] |= doubted or turned
        return rest

    def _to_goal(self, plan: Plan, target: Cell) -> Route:
        goal = self._map.goal_cell
        over_centre = self._is_aside() and goal == target
        return Route(plan if goal is None or goal == target else plan.with_last(goal), over_centre)

    def targets(self) -> list[Cell]:
        """Cells from whose centres the goal may be reached: its own, and for one off its centre those beside.

        Those from which the segment to the goal was touched are left out.
        """
        first, goal, goal_cell = self._map.target(), self._map.goal, self._map.goal_cell
        if first is None or goal is None or goal_cell is None:
            return []
        cells = [first]
        if self._is_aside():
            blocked, centre = self._map.obstacles(), self._map.grid.centre
            beside = {c for step in self._map.beliefs.steps_of(goal_cell) for c in step.ends}
            nearest = sorted(sorted(beside), key=lambda c: float(np.linalg.norm(centre(c) - goal)))
            cells += [c for c in nearest if c != first and not blocked[c]]
        return [c for c in cells if c not in self._map.beliefs.closed_to_goal]

    def _is_aside(self) -> bool:
        """Whether the goal is not at the centre of its cell."""
        return self._map.goal is not None and cell_at(self._map.grid, self._map.goal) is None

    def _way_out(self, obstacles: np.ndarray, here: Cell, target: Cell) -> np.ndarray | None:
        """A path that begins at a cell visited before, for an arm that facts have locked in.

        It came in beside the line of a step, and may get out beside it too.
        """
        centre, beliefs = self._map.grid.centre, self._map.beliefs
        outside = sorted(beliefs.visited - set(self._tries) - {here})
        for cell in sorted(outside, key=lambda c: float(np.linalg.norm(centre(c) - centre(here)))):
            cells = beliefs.likeliest_path(obstacles, cell, target)
            if cells is not None:
                return cells
        return None
