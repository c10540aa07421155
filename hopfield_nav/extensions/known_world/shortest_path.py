"""The shortest path: the tool on a straight line, with the least motion of the joints (nowoczyn2023 3.2).

The line is cut into steps. The graph (``graph``) gives the configurations at the steps that turn
the joints least. Each of its edges is then followed between the steps: one that is no continuous
motion on the line, or not free, is banned, and the search goes on.

Where the wrist is singular at an open start, joint 6 is free there. It has to begin as the line
goes on from there; on a line that is singular all along it takes the best angle of a grid.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dynamics import Arm, BadInput, inverse_kinematics
from dynamics.inverse import require_closed_form
from dynamics.work import make_work
from hopfield_nav.extensions.clearance import AXES_WIDTH, Scene, collides
from hopfield_nav.extensions.known_world import graph, task
from hopfield_nav.extensions.known_world.line import (
    StraightLine,
    flip_choices,
    poses_at,
    straight_line,
)
from hopfield_nav.extensions.known_world.line_reasons import bad_station, why_it_ends, with_place

ROW_LENGTH = 1e-3  # [m] of tool motion between two rows, at most
# [rad] of a joint between two rows, at most: a body leaves its chord by under 0.1 mm
ROW_CHANGE = 0.02
TOOL_SPEED, TURN_SPEED = 0.1, 0.5  # [m/s], [rad/s]
_SHIFT = 1e-3  # of a step, past a singular pose
_MOST_SEARCHES = 1000
_EQUAL = 1e-9  # [rad] lengths that differ by less count as equal
_MOST_FLIPS = 4  # choices of the sense in which legs of half a turn are turned
_GRID = np.deg2rad(sorted(range(-165, 181, 15), key=abs))  # of joint 6 [rad]


class ShortestPlan(NamedTuple):
    """What ``plan_shortest`` found."""

    path: task.PlannedPath | None  # the joints' path, or None
    reason: str  # "" where there is a path, otherwise why the line cannot be followed further
    line: StraightLine  # the tool's line; ``places`` (k,) of the path's rows on it
    places: np.ndarray
    # how far along the line the joints can follow it: 0 at its start, 1 at the first station
    place: float
    point: np.ndarray  # (3,) of the tool there [m]
    searches: int  # how often the graph was searched; 0 where the arm cannot stand at a station


def plan_shortest(
    arm: Arm,
    scene: Scene,
    start: np.ndarray,
    stations: Sequence[np.ndarray],
    steps: int = 100,
    tool_speed: float = TOOL_SPEED,
    turn_speed: float = TURN_SPEED,
) -> ShortestPlan:
    """The tool straight from station to station, with the least motion of the joints.

    The arm is of UR type, the scene from ``build_scene``. ``start`` is (n,) joint angles [rad], or
    a (4, 4) pose whose joints are left open, turns included. The stations, via points and goal, are
    each a (4, 4) pose T_base_tool, or (n,) joint angles, which are then met as they are, turns
    included.

    Each leg has ``steps``. At ``tool_speed`` along the line [m/s] and ``turn_speed`` of its
    rotation [rad/s] no joint may exceed its speed limit from one step to the next; a leg takes as
    long as the slower of the two. Slower lines can pass nearer to singular poses. Over a step the
    bound holds on average; more ``steps`` enforce it more locally, so that a line can be found with
    few and refused with many.

    A leg of half a turn (π to 1e-6) is turned the other way round where the first sense finds no
    path; of several such legs the first four combinations are tried.

    Raises ``BadInput``: a malformed station, or a number that is not positive; ``NoClosedForm``:
    the arm is not of UR type.

    Source: nowoczyn2023 3.2, (3.3), (3.4).
    """
    require_closed_form(arm)
    for name, value in (("steps", steps), ("tool_speed", tool_speed), ("turn_speed", turn_speed)):
        if not 0 < value < np.inf:
            raise BadInput(f"{name} must be positive", found=value)
    through = task.plan_places(arm, start, stations)
    poses = np.array([task.pose_of(arm, s) for s in through])
    plans: list[ShortestPlan] = []
    for flip in flip_choices(straight_line(poses), _MOST_FLIPS):
        line = straight_line(poses, flip)
        times = np.maximum(line.lengths / tool_speed, line.angles / turn_speed) / int(steps)
        plans.append(_GraphSearch(arm, scene, line, through, int(steps), times).plan())
        if plans[-1].path is not None or plans[-1].searches == 0:
            break
    return _best(plans)


def _best(plans: list[ShortestPlan]) -> ShortestPlan:
    """The shortest path, or what came furthest; of equals the first. It has all searches."""
    searches = sum(p.searches for p in plans)
    found = [p for p in plans if p.path is not None]
    if not found:
        return max(plans, key=lambda p: p.place)._replace(searches=searches)
    shortest = min(p.path.length for p in found if p.path is not None)
    best = next(p for p in found if p.path is not None and p.path.length <= shortest + _EQUAL)
    return best._replace(searches=searches)


class _GraphSearch:
    """Searching, following and banning, until a path holds or there is none."""

    def __init__(
        self,
        arm: Arm,
        scene: Scene,
        line: StraightLine,
        through: list[np.ndarray],
        steps: int,
        times: np.ndarray,
    ) -> None:
        self.arm, self.scene, self.line, self.through, self.steps = arm, scene, line, through, steps
        self._scratch = make_work(len(arm.dh)), np.empty((len(scene.bodies), AXES_WIDTH))
        self.layers = self._make_layers(times)
        self.shares = np.full(len(line.shift), 1.0)  # of each leg, between two rows
        np.divide(ROW_LENGTH, line.lengths, out=self.shares, where=line.lengths > ROW_LENGTH)
        self.found: dict[tuple, tuple] = {}
        self.searches = 0
        self.broken: dict[int, int] = {}  # worst code of a banned edge, by layer

    def plan(self) -> ShortestPlan:
        """Search until a path holds, or none is left."""
        bad = bad_station(self.arm, self.scene, self.layers, self.through, self.steps)
        if bad is not None:
            place, reason = bad
            return self._ended(reason, float(place), self.line.poses[place, :3, 3], 0)
        loose = self.layers.loose
        starts = _GRID.tolist() if loose.all() else self._angles_onward() if loose[0] else [0.0]
        return _best([self._plan_from(theta6) for theta6 in starts])

    def _plan_from(self, theta6: float) -> ShortestPlan:
        """The shortest path, with this angle of joint 6 where the wrist is singular at an open start."""
        starts, numbers = self._starts(theta6)
        self.layers.banned[:] = False
        self.broken.clear()
        before, last = self.searches, 0
        while self.searches < _MOST_SEARCHES:
            self.searches += 1
            nodes = graph.search_layers(
                self.arm, self.scene, self.line, self.layers, starts, numbers, *self._scratch
            )
            reached = int(np.nonzero(np.diff(nodes.first))[0].max(initial=-1))
            if reached < len(self.layers.place) - 1:
                between = _CODES[self.broken.get(reached + 1, graph.FREE)]
                why = why_it_ends(
                    self.arm, self.scene, self.line, self.layers, nodes, reached, between
                )
                return self._ended(*why, self.searches - before)
            followed = self._follow(nodes, _best_chain(nodes))
            if not isinstance(followed, int):
                q, places = followed
                corners = np.searchsorted(places, np.arange(len(self.through)))
                path = task.PlannedPath(q, task.SHORTEST, corners, task.path_length(q))
                end, point = len(self.through) - 1.0, self.line.poses[-1, :3, 3]
                return ShortestPlan(path, "", self.line, places, end, point, self.searches - before)
            last = followed
        between = _CODES[self.broken.get(last, graph.FREE)]
        words = f"the search was given up after {self.searches} paths along the steps; on the last one {between}"
        why = with_place(self.line, float(self.layers.place[last]), words)
        return self._ended(*why, self.searches - before)

    def _angles_onward(self) -> list[float]:
        """0, and joint 6 as the line goes on from its singular beginning."""
        place, end = self.layers.place, int(np.argmin(self.layers.loose))
        T = poses_at(self.line, place[end - 1] + _SHIFT * (place[end] - place[end - 1]))
        onward = inverse_kinematics(self.arm, T)[:, 5]
        angles = np.concatenate(
            [[0.0], onward, self.layers.solutions[end, : self.layers.solved[end], 5]]
        )
        first = np.unique(np.round(np.exp(1j * angles), 9), return_index=True)[1]
        return angles[np.sort(first)].tolist()

    def _make_layers(self, times: np.ndarray) -> graph.Layers:
        legs, steps = len(self.line.shift), self.steps
        place = np.concatenate(
            [[0.0], *(leg + np.arange(1, steps + 1) / steps for leg in range(legs))]
        )
        count = len(place)
        bound = np.repeat(times, steps)[:, None] * self.arm.speed_limits
        layers = graph.Layers(
            place=place,
            solutions=np.full((count, 8, 6), np.nan),
            solved=np.zeros(count, dtype=np.int64),
            free=np.zeros((count, 8), dtype=bool),
            loose=np.zeros(count, dtype=bool),
            given=np.zeros(count, dtype=bool),
            bound=np.vstack([np.zeros((1, 6)), bound]),
            banned=np.zeros((count, 8, 8), dtype=bool),
        )
        graph.fill_layers(self.arm, self.scene, self.line, layers, _SHIFT / steps, *self._scratch)
        for i, station in zip(range(0, count, steps), self.through, strict=True):
            if not task.is_pose(station):
                layers.solutions[i, 0], layers.solved[i] = station, 1
                layers.free[i, 0] = not collides(self.arm, self.scene, station)
                layers.given[i], layers.loose[i] = True, False
        return layers

    def _starts(self, theta6: float) -> tuple[np.ndarray, np.ndarray]:
        layers = self.layers
        solutions, free = (
            layers.solutions[0, : layers.solved[0]],
            layers.free[0, : layers.solved[0]],
        )
        if layers.loose[0]:
            solutions = inverse_kinematics(self.arm, self.line.poses[0], theta6)
            free = ~collides(self.arm, self.scene, solutions)
        rows, numbers = [np.empty((0, 6))], [np.empty(0, dtype=np.int64)]
        for k in np.nonzero(free)[0]:
            q = solutions[k]
            rows.append(q[None] if layers.given[0] else task.turn_alternatives(self.arm, q))
            numbers.append(np.full(len(rows[-1]), k))
        return np.concatenate(rows), np.concatenate(numbers)

    def _follow(self, nodes: graph.Nodes, chain: np.ndarray) -> tuple[np.ndarray, np.ndarray] | int:
        """Rows and places of the path along a chain of nodes; or the layer of an edge that it banned."""
        layers = self.layers
        rows, places = [nodes.q[chain[:1]]], [layers.place[:1]]
        for i in range(1, len(chain)):
            ends = nodes.q[chain[i - 1]], nodes.q[chain[i]]
            key = (i, *(q.tobytes() for q in ends))
            if key not in self.found:
                begin, end = zip(layers.place[i - 1 : i + 1], ends, strict=True)
                fine = ROW_CHANGE, self.shares, *self._scratch
                self.found[key] = graph.join(self.arm, self.scene, self.line, begin, end, *fine)
            q, s, code = self.found[key]
            if code != graph.FREE:
                layers.banned[i, nodes.solution[chain[i - 1]], nodes.solution[chain[i]]] = True
                self.broken[i] = max(code, self.broken.get(i, 0))
                return i
            rows.append(q)
            places.append(s)
        return np.concatenate(rows), np.concatenate(places)

    def _ended(self, reason: str, place: float, point: np.ndarray, searches: int) -> ShortestPlan:
        return ShortestPlan(None, reason, self.line, np.empty(0), place, point, searches)


_CODES = {
    graph.FREE: "",
    graph.JUMP: "the joints would have to jump between two steps",
    graph.TOUCH: "something is touched between two steps",
    graph.LIMIT: "a joint would pass its limit between two steps",
}


def _best_chain(nodes: graph.Nodes) -> np.ndarray:
    """Nodes of the shortest path, one of each layer; of equal ones that which ends nearest to zero."""
    end = slice(nodes.first[-2], None)
    far = nodes.cost[end] > nodes.cost[end].min() + _EQUAL
    last = nodes.first[-2] + int(np.argmin(np.where(far, np.inf, np.abs(nodes.q[end]).sum(axis=1))))
    chain = [last]
    while nodes.parent[chain[-1]] >= 0:
        chain.append(int(nodes.parent[chain[-1]]))
    return np.array(chain[::-1])
