"""The shortest path: the tool on a straight line, the joints on the shortest way along it (nowoczyn2023 3.2).

The line is cut into steps; the graph of ``layered_graph`` gives the steps' joint positions that turn
the joints least. Each of its edges is then followed between the steps (``line_motion``): one that is no
continuous motion on the line, or not free, is banned, and the search goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dynamics.arm import Arm
from dynamics.errors import BadInput
from dynamics.ur_type import require_closed_form
from dynamics.work import make_work
from hopfield_nav.known_world.body_distance import AXES_WIDTH
from hopfield_nav.known_world.collision_check import collides
from hopfield_nav.known_world.layered_graph import Layers, Nodes, fill_layers, search_layers
from hopfield_nav.known_world.line_motion import FREE, JUMP, LIMIT, TOUCH, Fineness, join
from hopfield_nav.known_world.line_reasons import why_it_ends
from hopfield_nav.known_world.scene import Scene
from hopfield_nav.known_world.stations import as_station, is_pose, pose_of
from hopfield_nav.known_world.straight_line import StraightLine, straight_line
from hopfield_nav.known_world.turns import turn_alternatives
from hopfield_nav.known_world.way import SHORTEST, JointWay, way_length

ROW_LENGTH = 1e-3  # [m] of tool motion between two rows, at most
ROW_CHANGE = 0.02  # [rad] of a joint between two rows, at most: a body leaves its chord by under 0.1 mm
TOOL_SPEED, TURN_SPEED = 0.1, 0.5  # [m/s], [rad/s]
_SHIFT = 1e-3  # of a step, past a singular pose
_MOST_SEARCHES = 1000
_EQUAL = 1e-9  # [rad] lengths that differ by less count as equal


class ShortestPlan(NamedTuple):
    """What ``plan_shortest`` found.

    Attributes:
        way: the joints' way, or None.
        reason: "" where there is a way, otherwise why the line cannot be followed further.
        line: the tool's line; ``places`` (k,) of the way's rows on it.
        place: how far along the line some way was found: 0 at its start, 1 at the first station.
        point: (3,) of the tool there [m].
        searches: how often the graph was searched.
    """

    way: JointWay | None
    reason: str
    line: StraightLine
    places: np.ndarray
    place: float
    point: np.ndarray
    searches: int


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

    Args:
        arm: an arm of UR type.
        scene: from ``build_scene``.
        start: (n,) joint angles [rad], or a (4, 4) pose whose joints are left open, turns included.
        stations: via points and goal: each a (4, 4) pose T_base_tool, or (n,) joint angles, which are
            then met as they are, turns included.
        steps: of each leg.
        tool_speed: of the tool along the line [m/s], and
        turn_speed: of its rotation [rad/s]: at these no joint may exceed its speed limit from one step to
            the next. A leg takes as long as the slower of the two. Slower lines can pass nearer to
            singular poses; near them more ``steps`` help too.

    Raises:
        BadInput: a malformed station, or a number that is not positive.
        NoClosedForm: the arm is not of UR type.

    Source: nowoczyn2023 3.2, (3.3), (3.4).
    """
    require_closed_form(arm)
    for name, value in (("steps", steps), ("tool_speed", tool_speed), ("turn_speed", turn_speed)):
        if not 0 < value < np.inf:
            raise BadInput(f"{name} must be positive", found=value)
    through = [as_station(arm, start, "start")]
    through += [as_station(arm, s, f"stations[{i}]") for i, s in enumerate(stations)]
    line = straight_line(np.array([pose_of(arm, s) for s in through]))
    times = np.maximum(line.lengths / tool_speed, line.angles / turn_speed) / int(steps)
    return _Search(arm, scene, line, through, int(steps), times).plan()


class _Search:
    """Searching, following and banning, until a way holds or there is none."""

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
        share = np.full(len(line.shift), 1.0)
        np.divide(ROW_LENGTH, line.lengths, out=share, where=line.lengths > ROW_LENGTH)
        self.fineness = Fineness(np.array([ROW_CHANGE]), share)
        self.found: dict[tuple, tuple] = {}
        self.broken: dict[int, int] = {}  # worst code of a banned edge, by layer

    def plan(self) -> ShortestPlan:
        """Search until a way holds, or none is left."""
        starts, numbers = self._starts()
        for searches in range(1, _MOST_SEARCHES + 1):
            nodes = search_layers(
                self.arm, self.scene, self.line, self.layers, starts, numbers, *self._scratch
            )
            reached = int(np.nonzero(np.diff(nodes.first))[0].max(initial=-1))
            if reached < len(self.layers.place) - 1:
                return self._without(nodes, reached, searches)
            chain = _best_chain(nodes)
            rows = self._follow(nodes, chain)
            if rows is not None:
                return self._with(*rows, searches)
        return self._without(nodes, 0, _MOST_SEARCHES)

    def _make_layers(self, times: np.ndarray) -> Layers:
        legs, steps = len(self.line.shift), self.steps
        place = np.concatenate([[0.0], *(leg + np.arange(1, steps + 1) / steps for leg in range(legs))])
        count = len(place)
        bound = np.repeat(times, steps)[:, None] * self.arm.speed_limits
        layers = Layers(
            place=place,
            solutions=np.full((count, 8, 6), np.nan),
            solved=np.zeros(count, dtype=np.int64),
            free=np.zeros((count, 8), dtype=bool),
            loose=np.zeros(count, dtype=bool),
            given=np.zeros(count, dtype=bool),
            bound=np.vstack([np.zeros((1, 6)), bound]),
            banned=np.zeros((count, 8, 8), dtype=bool),
        )
        fill_layers(self.arm, self.scene, self.line, layers, _SHIFT / steps, *self._scratch)
        for i, station in enumerate(self.through):
            if not is_pose(station):
                self._give(layers, i * steps, station)
        return layers

    def _give(self, layers: Layers, i: int, q: np.ndarray) -> None:
        layers.solutions[i, 0], layers.solved[i] = q, 1
        layers.free[i, 0] = not collides(self.arm, self.scene, q)
        layers.given[i], layers.loose[i] = True, False

    def _starts(self) -> tuple[np.ndarray, np.ndarray]:
        layers = self.layers
        rows, numbers = [np.empty((0, 6))], [np.empty(0, dtype=np.int64)]
        for k in np.nonzero(layers.free[0, : layers.solved[0]])[0]:
            q = layers.solutions[0, k]
            rows.append(q[None] if layers.given[0] else turn_alternatives(self.arm, q))
            numbers.append(np.full(len(rows[-1]), k))
        return np.concatenate(rows), np.concatenate(numbers)

    def _follow(self, nodes: Nodes, chain: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """Rows and places of the way along a chain of nodes; None after banning an edge of it."""
        layers = self.layers
        rows, places = [nodes.q[chain[:1]]], [layers.place[:1]]
        for i in range(1, len(chain)):
            ends = nodes.q[chain[i - 1]], nodes.q[chain[i]]
            q, s, code = self._join(i, *ends)
            if code != FREE:
                layers.banned[i, nodes.solution[chain[i - 1]], nodes.solution[chain[i]]] = True
                self.broken[i] = max(code, self.broken.get(i, 0))
                return None
            rows.append(q)
            places.append(s)
        return np.concatenate(rows), np.concatenate(places)

    def _join(self, i: int, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
        key = (i, a.tobytes(), b.tobytes())
        if key not in self.found:
            place = self.layers.place
            self.found[key] = join(
                self.arm, self.scene, self.line, place[i - 1], place[i], a, b, self.fineness, *self._scratch
            )
        return self.found[key]

    def _with(self, q: np.ndarray, places: np.ndarray, searches: int) -> ShortestPlan:
        corners = np.searchsorted(places, np.arange(len(self.through)))
        way = JointWay(q, SHORTEST, corners, way_length(q))
        last = len(self.through) - 1
        return ShortestPlan(way, "", self.line, places, float(last), self.line.poses[-1, :3, 3], searches)

    def _without(self, nodes: Nodes, reached: int, searches: int) -> ShortestPlan:
        code = self.broken.get(reached + 1, FREE)
        reason, place, point = why_it_ends(
            self.arm, self.scene, self.line, self.layers, nodes, reached, _CODES[code]
        )
        return ShortestPlan(None, reason, self.line, np.empty(0), place, point, searches)


_CODES = {
    FREE: "",
    JUMP: "the joints would have to jump between two steps",
    TOUCH: "something is touched between two steps",
    LIMIT: "a joint would pass its limit between two steps",
}


def _best_chain(nodes: Nodes) -> np.ndarray:
    """Nodes of the shortest way, one of each layer; of equal ones that which ends nearest to zero."""
    end = slice(nodes.first[-2], None)
    far = nodes.cost[end] > nodes.cost[end].min() + _EQUAL
    last = nodes.first[-2] + int(np.argmin(np.where(far, np.inf, np.abs(nodes.q[end]).sum(axis=1))))
    chain = [last]
    while nodes.parent[chain[-1]] >= 0:
        chain.append(int(nodes.parent[chain[-1]]))
    return np.array(chain[::-1])
