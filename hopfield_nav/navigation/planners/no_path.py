"""Why there is no path over a map of the tool, and what that rests on: a grade.

Asked when a run is about to end for want of a path. What is known, and facts, may leave none over
the steps of this map. Else cells that the arm does not reach have a part in it; or only what is
believed: marks, last legs to the goal that were touched, ways back that were tried in vain. That a
planner gave up says nothing of a way.
"""

from collections.abc import Iterable

import numpy as np

from hopfield_nav.navigation.map import Beliefs, Cell, Step, ToolMap
from hopfield_nav.navigation.motion import Grade, NoPath
from hopfield_nav.navigation.planners.goal_cells import cells_beside_goal

FACTS_ALONE = "facts alone separate start and goal"
KNOWN_ALONE = "what is known alone separates start and goal"
GOAL_SHUT = "known obstacles stand between the goal and every free cell around it"


def why_no_path(start: Cell, map: ToolMap) -> NoPath:
    """Why facts and beliefs leave no path from a cell, nor from one that was visited."""
    starts = [start, *map.beliefs.visited]
    facts = map.beliefs.facts
    closed = f"{len(facts)} closed steps"
    known = map.grid.blocked
    shut = _shut_by_known(starts, known, map)
    if shut is not None:
        return shut
    if not _leads(starts, cells_beside_goal(map, known), known, facts):
        return NoPath(f"{FACTS_ALONE}: {closed}{_how_fine(map)}", Grade.FACTS)
    unreached = map.obstacles()
    goals = cells_beside_goal(map, unreached)
    if not _leads(starts, goals, unreached, facts):
        beside = f", and {closed}," if facts else ""
        return NoPath(
            f"cells out of the arm's reach{beside} separate start and goal", Grade.EXCLUDED
        )
    legs = map.beliefs.closed_to_goal
    if not _leads(starts, [g for g in goals if g not in legs], unreached, facts):
        what = f"{len(legs)} last legs to the goal were touched, which is no proof, and {closed}"
        return NoPath(f"no last leg to the goal is left: {what}", Grade.DOUBTFUL)
    tried = f"to {len(map.tries)} cells it went back in vain"
    return NoPath(f"the arm finds no way out of {closed}: {tried}", Grade.DOUBTFUL)


def why_no_path_past_marks(start: Cell, map: ToolMap) -> NoPath:
    """Why marks leave no path from a cell."""
    marks = map.grid.felt
    known = (map.grid.blocked & ~marks) | map.known.blocked
    shut = _shut_by_known([start], known, map)
    if shut is not None:
        return shut
    unreached = known | map.unreachable
    if not _leads([start], cells_beside_goal(map, unreached)[:1], unreached):
        return NoPath("cells out of the arm's reach separate start and goal", Grade.EXCLUDED)
    count = int(marks.sum())
    return NoPath(
        f"{count} marked cells separate start and goal, and marks are beliefs", Grade.DOUBTFUL
    )


def why_planner_failed(start: Cell, map: ToolMap, reason: str) -> NoPath | None:
    """That a planner gave up, for a reason; None where no free cells lead to the goal."""
    free = map.obstacles()
    if not _leads([start], cells_beside_goal(map, free)[:1], free):
        return None
    return NoPath(
        f"{reason}: the planner gave up, though free cells lead to the goal", Grade.PLANNER
    )


def _shut_by_known(starts: list[Cell], known: np.ndarray, map: ToolMap) -> NoPath | None:
    """Whether known cells alone separate start and goal."""
    goals = cells_beside_goal(map, known)
    if not goals:
        return NoPath(GOAL_SHUT, Grade.FACTS)
    if not _leads(starts, goals, known):
        return NoPath(f"{KNOWN_ALONE}{_how_fine(map)}", Grade.FACTS)
    return None


def _leads(
    starts: Iterable[Cell],
    goals: Iterable[Cell],
    blocked: np.ndarray,
    facts: set[Step] | None = None,
) -> bool:
    """Whether a path over free cells leads from one of some cells to a goal, past facts."""
    proven = Beliefs(blocked.shape)
    proven.facts = set() if facts is None else facts
    free = blocked.copy()
    for cell in starts:
        free[cell] = False
    return any(proven.cells_that_lead_to(goal, free)[cell] for goal in goals for cell in starts)


def _how_fine(map: ToolMap) -> str:
    """Of which steps that is said: a gap between their lines may be passed on a finer map."""
    spacing = map.grid.spacing
    finer = f"map.spacing: {0.5 * spacing:.3g}"
    return f", of a map with steps of {1e3 * spacing:.3g} mm; a narrower gap may be passed with {finer}"
