"""Section 3.2: the tool on a straight line, the graph of joint positions, and ε past a singular pose."""

from functools import cache
from typing import NamedTuple

import numpy as np
from keeping import kept
from ledger import Rows, judged
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import breadth_first_order, dijkstra
from verdicts import PARTLY

from dynamics import Arm, forward_kinematics, inverse_kinematics, with_tool
from hopfield_nav.extensions import known_world
from hopfield_nav.extensions.clearance import Scene, build_scene, collides
from hopfield_nav.extensions.known_world import (
    PlannedPath,
    StraightLine,
    plan_shortest,
    poses_at,
    straight_line,
)
from nowoczyn2023.cause_of_stops import cell

LINES = 16
STEPS, SPEED, TURN = 30, 0.05, 0.25  # of a line; [m/s], [rad/s] of the tool
EPSILON = 1e-3  # of a step
# joint 5 turns to +0.4, through s5 = 0
SINGULAR_START = np.array([0.3, -1.2, 1.4, -1.0, -0.4, 0.2])
FAST, SLOW = (0.1, 0.5), (0.004, 0.02)  # [m/s], [rad/s]


class Searched(NamedTuple):
    """One line: the graph as a whole, without what cannot be reached, and our path."""

    nodes: int  # of the whole graph
    kept: int  # of these, reachable from the start
    whole: (
        float  # length of the shortest path in the whole graph [rad]; infinite where there is none
    )
    pruned: float  # the same in what is reachable
    ours: float  # the same of our path
    searches: (
        int  # how often ours was searched; more than once where an edge did not hold between steps
    )
    bend: float  # largest distance of the tool from the straight line [m]
    detour: float  # length of the tool's path over the distance of its ends


@kept(
    "test_nowoczyn2023.py::test_lines_are_those_kept",
    lambda found: tuple(Searched(*v) for v in found),
)
def searched(count: int = LINES) -> tuple[Searched, ...]:
    """``search`` of every line."""
    return tuple(search(*pair) for pair in pairs(count))


def pairs(count: int = LINES, seed: int = 32) -> list[tuple[np.ndarray, np.ndarray]]:
    """Random lines between joints about 0.4 rad apart: joints at the start, and pose of the goal."""
    arm, scene = cell()
    rng = np.random.default_rng(seed)
    starts = known_world.random_free_joints(arm, scene, 2 * count, rng)
    ends = starts + rng.normal(0, 0.4, starts.shape)
    free = ~collides(arm, scene, ends)
    return list(zip(starts[free][:count], forward_kinematics(arm, ends[free][:count]), strict=True))


def search(start: np.ndarray, goal: np.ndarray) -> Searched:
    """A line in the graph as a whole, without what cannot be reached, and by our planner."""
    arm, scene = cell()
    plan = plan_shortest(arm, scene, start, [goal], steps=STEPS, tool_speed=SPEED, turn_speed=TURN)
    time = max(plan.line.lengths[0] / SPEED, plan.line.angles[0] / TURN) / STEPS
    graph, last = whole_graph(arm, scene, start, plan.line, time * arm.speed_limits)
    whole = dijkstra(graph, indices=0)[-last:].min(initial=np.inf) if last else np.inf
    kept = np.sort(breadth_first_order(graph, 0, return_predecessors=False))
    ends = np.nonzero(kept >= graph.shape[0] - last)[0]
    pruned = dijkstra(graph[kept][:, kept], indices=0)[ends].min(initial=np.inf)
    if plan.path is None:
        found = np.inf, np.nan, np.nan
    else:
        found = _at_steps(plan.path, plan.places), *_straightness(arm, plan.path)
    return Searched(graph.shape[0], len(kept), whole, pruned, found[0], plan.searches, *found[1:])


def whole_graph(
    arm: Arm, scene: Scene, start: np.ndarray, line: StraightLine, bound: np.ndarray
) -> tuple[csr_array, int]:
    """Every free joint position at every step on every turn, edges by ``bound``; nodes of the last step."""
    layers = [start[None]]
    for T in poses_at(line, np.linspace(0, 1, STEPS + 1)[1:]):
        q = inverse_kinematics(arm, T)
        free = q[~collides(arm, scene, q)] if len(q) else q
        layers.append(
            np.concatenate(
                [np.empty((0, 6)), *(known_world.turn_alternatives(arm, row) for row in free)]
            )
        )
    first = np.concatenate([[0], np.cumsum([len(layer) for layer in layers])])
    rows, columns, lengths = [], [], []
    for k in range(STEPS):
        for a, q in enumerate(layers[k]):
            change = np.abs(layers[k + 1] - q)
            near = np.nonzero((change <= bound + 1e-12).all(axis=1))[0]
            rows += [first[k] + a] * len(near)
            columns += list(first[k + 1] + near)
            lengths += list(change[near].sum(axis=1))
    graph = coo_array((lengths, (rows, columns)), shape=(first[-1], first[-1])).tocsr()
    return graph, len(layers[-1])


def _at_steps(path: PlannedPath, places: np.ndarray) -> float:
    at_steps = np.isin(np.round(places * STEPS, 9), np.arange(STEPS + 1))
    return known_world.path_length(path.q[at_steps])


def _straightness(arm: Arm, path: PlannedPath) -> tuple[float, float]:
    tool = forward_kinematics(arm, path.q)[:, :3, 3]
    chord = tool[-1] - tool[0]
    beside = np.cross(tool - tool[0], chord / np.linalg.norm(chord))
    length = np.linalg.norm(np.diff(tool, axis=0), axis=1).sum()
    return float(np.linalg.norm(beside, axis=1).max()), float(length / np.linalg.norm(chord))


class Past(NamedTuple):
    """Passing s5 = 0."""

    plain: float  # largest change of a joint to a step that is singular, of the best solution [rad]
    shifted: float  # the same with the step moved on by ``EPSILON`` [rad]
    usual: float  # of the step before [rad]
    through: bool  # whether a path is found with the tool point on joint 5's axis
    beside_fast: bool  # the same with it at the flange's centre, at ``FAST``
    beside_slow: bool  # and at ``SLOW``


@cache
def past() -> Past:
    """The tool turns about joint 5's axis through s5 = 0, with its point on that axis and off it."""
    arm, scene = cell()
    on_axis = np.eye(4)
    on_axis[2, 3] = -arm.dh[5, 1]
    tooled = with_tool(arm, on_axis)
    end = SINGULAR_START.copy()
    end[4] *= -1
    line = straight_line(forward_kinematics(tooled, np.array([SINGULAR_START, end])))
    before, usual = _best_change(tooled, line, 0.48, 0.49, SINGULAR_START)
    plain = _best_change(tooled, line, 0.49, 0.5, before)[1]
    shifted = _best_change(tooled, line, 0.49, 0.5 + 0.01 * EPSILON, before)[1]
    goal = forward_kinematics(arm, end)
    beside = [
        plan_shortest(arm, scene, SINGULAR_START, [goal], 100, *speed).path is not None
        for speed in (FAST, SLOW)
    ]
    through = plan_shortest(
        tooled, build_scene(tooled), SINGULAR_START, [line.poses[1]], 100, *FAST
    )
    return Past(plain, shifted, usual, through.path is not None, *beside)


def _best_change(
    arm: Arm, line: StraightLine, here: float, there: float, near: np.ndarray
) -> tuple[np.ndarray, float]:
    """The solution at ``there`` nearest to the one at ``here`` that is nearest to ``near``."""
    T = poses_at(line, np.array([here, there]))
    start = min(inverse_kinematics(arm, T[0]), key=lambda q: np.abs(q - near).max())
    best = min(inverse_kinematics(arm, T[1]), key=lambda q: np.abs(q - start).max())
    return best, float(np.abs(best - start).max())


def rows() -> Rows:
    paths = [s for s in searched() if np.isfinite(s.ours)]
    bend, detour = max(s.bend for s in paths), max(s.detour for s in paths)
    ours = f"tool at most {bend:.0e} m beside it, its path {detour:.9f} of the distance ({len(paths)} paths)"
    yield judged("nowoczyn2023.straight_line", ours, bend < 1e-8 and detour < 1 + 1e-9)
    found = searched()
    compared = [s for s in found if np.isfinite(s.ours) and s.searches == 1]
    apart = max(abs(s.ours / s.whole - 1) for s in compared)
    none = sum(bool(np.isinf(s.whole)) for s in found)
    same = sum(
        s.whole == s.pruned or bool(np.isclose(s.whole, s.pruned, rtol=1e-12)) for s in found
    )
    kept = sum(s.kept for s in found) / sum(s.nodes for s in found)
    ours = (
        f"{len(compared)} lines of {STEPS} steps: as long as scipy's Dijkstra on the whole graph to"
        f" {apart:.0e}; {none} of {len(found)} lines have no path in the graph"
    )
    yield judged("nowoczyn2023.dijkstra", ours, apart < 1e-9 and len(compared) > 0)
    ours = f"{100 * kept:.2f} % of the nodes are left; the same length for {same} of {len(found)} lines"
    yield judged("nowoczyn2023.pruning", ours, same == len(found))
    found = past()
    words = {True: "found", False: "none"}
    ours = (
        f"a step at s5 = 0 turns a joint by {np.degrees(found.plain):.1f}°, moved on by {EPSILON:.0e} of a step by"
        f" {np.degrees(found.shifted):.1f}° (the step before {np.degrees(found.usual):.1f}°); path through it:"
        f" {words[found.through]}; past it with the tool point {1e3 * cell()[0].dh[5, 1]:.0f} mm off the axis:"
        f" {words[found.beside_fast]} at {FAST[0]} m/s, {words[found.beside_slow]} at {SLOW[0]} m/s"
    )
    yield judged("nowoczyn2023.epsilon", ours, _helps(found))


def _helps(found: Past) -> bool | str:
    """Whether ε leads past: at the pose itself, and near it as well."""
    at_the_pose = found.shifted < 2 * found.usual and found.through
    return PARTLY if at_the_pose and not found.beside_fast else at_the_pose
