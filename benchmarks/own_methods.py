"""What a planner, a response or a belief of one's own costs a touch beside its own time, by size of the map.

Run with ``python benchmarks/own_methods.py``. The methods answer at once, so the whole call is the
cost: views of what they are told, the check of what they answer, and the patience of a sweep. The
map itself, which is made for built-in planners too, is beside it; it holds two hundred closed steps
and as many believed cells. Path and way lead along the edges of the map. Processor time, the least
of several runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from time import process_time

import numpy as np
from timing import asked, table, tell

from hopfield_nav import load_world
from hopfield_nav.extensions.whole_arm.strategies import _OwnBelief
from hopfield_nav.navigation.map import Beliefs, step_between
from hopfield_nav.navigation.planners import believed_map
from hopfield_nav.navigation.planners.own import OwnPlanner
from hopfield_nav.navigation.responses import checked_waypoints
from hopfield_nav.plugin import CollisionEvidence, ContactReport, Method
from hopfield_nav.plugin import asked as method_asked
from hopfield_nav.sweeps.job import watched

TOOL = ((20, 20), (200, 200), (632, 632), (73, 73, 73))
JOINTS = ((12, 8, 10, 1, 1, 1), (36, 18, 24, 12, 2, 1))
FACTS, CALLS, RUNS = 200, 20, 9


class Answers:
    """A method of any kind that has its answer."""

    def __init__(self, answer: object) -> None:
        self.plan = self.on_touch = self.believe = lambda told: answer


def corner_to_corner(shape: tuple[int, ...]) -> np.ndarray:
    """(k, rank) cells along one axis after the other."""
    legs = [np.tile([0] * len(shape), (1, 1))]
    for axis, n in enumerate(shape):
        leg = np.tile(legs[-1][-1], (n - 1, 1))
        leg[:, axis] = np.arange(1, n)
        legs.append(leg)
    return np.concatenate(legs)


def beliefs_of(shape: tuple[int, ...]) -> Beliefs:
    """Two hundred closed steps and as many believed cells, away from the path."""
    found, cells = Beliefs(shape), np.argwhere(np.ones(shape, dtype=bool))
    inside = cells[(cells[:, 1:] > 0).all(axis=1) & (cells[:, 0] < shape[0] - 1)]
    for cell in inside[np.linspace(0, len(inside) - 1, FACTS).astype(int)]:
        here = tuple(int(c) for c in cell)
        step = step_between(here, (here[0] + 1, *here[1:]))
        assert step is not None
        found.facts.add(step)
        found.believe_occupied(here, 0.5)
    return found


def of_tool(shape: tuple[int, ...]) -> dict[str, Callable[[], object]]:
    """A touch of the tool with an own planner, and with an own response; and the map that they are told."""
    world, beliefs, path = load_world("empty"), beliefs_of(shape), corner_to_corner(shape)
    goal, start, blocked = path[-1:], tuple(path[0].tolist()), np.zeros(shape, dtype=bool)
    told = partial(believed_map, world, blocked, start, goal, beliefs)
    planner = OwnPlanner(Method("planner", "answers", lambda: Answers(path)), {})
    method, response = Method("response", "answers", Answers), Answers(path[[shape[0] - 1]])
    known = told()

    def respond() -> object:
        with method_asked(method):
            believed = replace(known, goals=goal).read_only()
            return checked_waypoints(response.on_touch(believed), believed)

    return {"the map": told, "planner": lambda: planner.plan(known), "response": respond}


def of_arm(shape: tuple[int, ...]) -> dict[str, Callable[[], object]]:
    """A touch of the whole arm with an own belief."""
    first, last = (0,) * len(shape), np.array([shape]) - 1
    believed = believed_map(load_world("empty"), np.zeros(shape, dtype=bool), first, last)
    points, touches = np.zeros((3 * FACTS, 3)), np.repeat(np.arange(FACTS), 3)
    felt = ContactReport(
        believed,
        points,
        np.full(len(points), 0.3),
        touches,
        near=lambda point, distance: believed.blocked,
    )
    answer = CollisionEvidence(np.zeros(shape, dtype=np.float32))
    belief = _OwnBelief(Method("belief", "answers", lambda: Answers(answer)), {})
    return {"belief": lambda: belief.believe(felt)}


def milliseconds(call: Callable[[], object]) -> float:
    """Processor time of a call [ms]."""
    call()
    found = []
    for _ in range(RUNS):
        begun = process_time()
        for _ in range(CALLS):
            call()
        found.append((process_time() - begun) / CALLS)
    return 1e3 * min(found)


def main() -> None:
    """Print the table."""
    out, rows = asked(__doc__), []
    calls = {shape: of_tool(shape) for shape in TOOL} | {shape: of_arm(shape) for shape in JOINTS}
    with watched(60.0):
        for shape, kinds in calls.items():
            found = {kind: f"{milliseconds(call):.2f} ms" for kind, call in kinds.items()}
            size = " × ".join(str(n) for n in shape if n > 1)
            kinds_shown = (
                found.get(kind, "") for kind in ("planner", "response", "belief", "the map")
            )
            rows.append([size, str(int(np.prod(shape))), *kinds_shown])
    head = ["map", "cells", "planner", "response", "belief", "the map, as for built-in ones"]
    tell(table(head, rows), out, "own_methods")


if __name__ == "__main__":
    main()
