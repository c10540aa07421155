"""What touches and passages of the whole arm teach: steps, cells, and places in space.

Every place at which a touch may have been is a ball. Against a cell in whose middle the arm would
contain it more is said than against one where the arm would be near it. What several touches say
adds up, as -ln(1 - certainty), the measure that ``beliefs`` has for steps. Places through which the
arm has passed are ruled out, and places beside those of other touches gain weight: an obstacle is
often touched more than once.

What touches links 1 to k does so whatever the joints beyond are. So a touch that was surely on these
links speaks against a whole *block*: all cells with the same cells of joints 1 to k.

Where a touch was likely at one place, an obstacle has a surface there, along the arm's own. Some
points of that plane may be believed to be occupied too, with a share of the place's weight, until
the arm contains them. They speak against cells alone: they close no step and settle no early no.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from dynamics import Arm
from hopfield_nav.build import build_model
from hopfield_nav.control import Trace, in_order
from hopfield_nav.extensions.whole_arm import numbers
from hopfield_nav.extensions.whole_arm.blocking import mark_ball
from hopfield_nav.extensions.whole_arm.grid import Carried, JointGrid
from hopfield_nav.extensions.whole_arm.lines import Route
from hopfield_nav.extensions.whole_arm.localization import (
    localize_contact,
    motion_at,
    when_to_look,
)
from hopfield_nav.extensions.whole_arm.search import ExitSet
from hopfield_nav.geometry import (
    LINK,
    arm_bodies,
    arm_closest_points,
    arm_distance,
    pack_primitives,
    sphere,
)
from hopfield_nav.navigation.map import NOWHERE, Beliefs, Cell, ContactHypotheses, PriorMap, Step
from hopfield_nav.navigation.motion import Detection
from hopfield_nav.world import World

WITHOUT_PLACES = ("optimist", "omniscient")  # strategies that do not ask where a touch was
Shells = tuple[tuple[float, float], ...]
_FULL_SCALE = 255  # what certainty 1 is as a mark of one touch
# every lesser mark, as -ln(1 - certainty)
_SAYS = -np.log1p(np.arange(_FULL_SCALE, dtype=np.float32) / -_FULL_SCALE)


class WholeArmLearning:
    """Facts and beliefs about a map of joint angles, with the kinematics that the controller plans with."""

    def __init__(self, world: World, arm: Arm, grid: JointGrid) -> None:
        self._arm, self._locates = arm, world.planner.strategy not in WITHOUT_PLACES
        self._held = world.detection.armed_below
        draws = world.detection.place == "particles"
        self._generator = np.random.default_rng([world.seed, *b"places"]) if draws else None
        self._model = build_model(world, arm)
        self._resolution = np.asarray(world.sensors.encoder_resolution)
        # (m, n) joint angles at which nothing touched [rad]
        self.passed = np.zeros((0, len(arm.dh)))
        self.beliefs = Beliefs(grid.shape, grid.turn)
        self.collisions = CollisionBelief(arm, grid, surface=world.planner.surface)
        self.shut_exits: ExitSet = set()  # solutions felt not to be reached from a cell
        self.shut_entries: set[Cell] = set()  # cells felt not to be entered from beside them
        self._felt_at: dict[Step, float] = {}
        self._last: Detection | None = None  # touch

    def confirm(self, level: float) -> None:
        """Whether what was touched before was still felt when the arm went back: the alarm level then."""
        self.beliefs.confirm(level >= self._held)

    def touch(self, detection: Detection, route: Route, number: int) -> None:
        """Close what was touched on a segment of a route.

        The tool's line to a goal and the last leg to one are shut for good by one touch; a cell, as
        the first one, until a line is touched elsewhere. A step is believed to be closed;
        ``confirm`` makes it a fact, after so many stops as ``Beliefs`` says. Of a joint line the
        cells are rough.
        """
        self._last = detection
        (first, last), step = route.cells[number : number + 2], route.step(number)
        line = route.joint_line(number)
        if line:  # from elsewhere the arm may enter where it could not before
            self.shut_entries.clear()
        if route.goal < 0 and last is None and not line:
            return  # a probe: what it touched is said by its places
        if number >= len(route.rows) - 1 - route.on_tool_line:
            self.shut_exits.add((route.goal, None))
        elif line:
            self.beliefs.rough.update(line)
        elif step is not None:
            self.beliefs.touch(step, is_true_stop(detection, *route.rows[number : number + 2]))
            self._felt_at[step] = float(detection.onset.q[step.axis])
        elif first is not None:
            self.shut_exits.add((route.goal, first))
        elif last is not None and number == 0:
            self.shut_entries.add(last)

    def passage(self, route: Route, until: int, swept: np.ndarray) -> None:
        """The segments before number ``until``, over joint angles (m, n) [rad], were driven without a touch."""
        cells, steps = route.passed(until)
        self.beliefs.passed(cells, steps)
        self.passed = np.vstack([self.passed, swept])
        self.collisions.passed(cells, swept)

    def is_against_push(self, q: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """(k,) bool: whether lines from joint angles (n,) to others (k, n) lead against the last push [rad].

        It is that of the last touch, if this was near. So the arm would be touched there at once.
        """
        touch = self._last
        if touch is None or np.abs(touch.onset.q - q).max() > numbers.NEAR_TOUCH:
            return np.zeros(len(ends), dtype=bool)
        lines = ends - q
        along = lines @ touch.torque
        size = np.linalg.norm(lines, axis=1) * np.linalg.norm(touch.torque)
        return np.asarray(along < -numbers.AGAINST_PUSH * size)

    def look_at(self, detection: Detection) -> float:
        """When ``localize`` is to be asked [s]."""
        return when_to_look(detection.onset.time, detection.time, self._model)

    def localize(self, detection: Detection, trace: Trace) -> ContactHypotheses:
        """Where on the arm a touch may have been, from what was measured until now."""
        if not self._locates:
            return NOWHERE
        rows = in_order(trace)
        rows = rows[np.isfinite(rows[:, 0])]
        onset = detection.onset.time
        places = localize_contact(
            self._arm, rows, onset, self._model, self.passed, self._resolution, self._generator
        )
        if len(places.points):
            q = detection.onset.q
            self.collisions.add(places, q, block_of(places, q, motion_at(rows, onset)))
        return places

    def move_to(self, grid: JointGrid, carried: Carried) -> None:
        """Go on with a finer map."""
        free = {carried.cell(cell) for cell in self.beliefs.visited}
        self.beliefs = carried.beliefs(self.beliefs, self._felt_at)
        self.collisions = self.collisions.on(grid, free, numbers.FINE_SHELLS)
        self.shut_exits = {(goal, carried.cell(cell)) for goal, cell in self.shut_exits if cell}
        self.shut_entries = set(map(carried.cell, self.shut_entries))
        self._felt_at = {
            carried.part_at(step, angle)[0]: angle for step, angle in self._felt_at.items()
        }

    def load_prior(self, prior: PriorMap) -> None:
        """Believe what an earlier run felt."""
        self.beliefs.load_prior(prior.steps, {})
        for places in prior.places:
            self.collisions.add(places)
        self.collisions.passed([], prior.free)


class Block(NamedTuple):
    """What a touch of an inner link says: there it touches, whatever the joints beyond that link are."""

    joints: int  # number of the first joints, which move the link
    q: np.ndarray  # (n,) joint angles of the touch [rad]
    velocity: np.ndarray  # (n,) of the joints when it began [rad/s]
    certainty: float


class _Touch(NamedTuple):
    """Its places that are left, and what they say: at which cells, counted in C order, with which ``marks``.

    ``alone`` is what they weigh without the other touches, ``q`` (n,) where it was felt, if known
    [rad]. ``around`` (k, m, 3) are points of the surface about each place [m], NaN where none is
    believed; at the cells ``beside`` they say so much ``more``.
    """

    places: ContactHypotheses
    alone: np.ndarray
    cells: np.ndarray
    marks: np.ndarray
    q: np.ndarray | None
    around: np.ndarray
    beside: np.ndarray
    more: np.ndarray


class CollisionBelief:
    """Contacts that were felt, and the cells that they make doubtful.

    Surfaces are believed to go on as far as ``surface`` about likely places [m]; 0: nothing is
    believed of them.
    """

    def __init__(
        self, arm: Arm, grid: JointGrid, shells: Shells = numbers.SHELLS, surface: float = 0.0
    ) -> None:
        self._arm, self._grid, self._shells, self._surface = arm, grid, shells, surface
        # the sum of -ln(1 - certainty) as touches say it: without surfaces, and also where the arm
        # was since. The cell in which a path begins and trials are chosen by it; paths by
        # ``evidence``
        self.against = np.zeros(grid.shape, dtype=np.float32)
        self._touches: list[_Touch] = []
        self._free: set[tuple[int, ...]] = set()
        # what inner links were touched at, and the cells of the first joints that it closes
        self._blocks: list[Block] = []
        self._closed: dict[tuple[int, ...], float] = {}

    @property
    def touches(self) -> list[ContactHypotheses]:
        """The places of each touch that are not yet ruled out."""
        return [touch.places for touch in self._touches]

    @property
    def configurations(self) -> list[np.ndarray | None]:
        """Joint angles (n,) of each touch [rad]; None of those that an earlier run felt."""
        return [touch.q for touch in self._touches]

    def add(
        self, places: ContactHypotheses, q: np.ndarray | None = None, block: Block | None = None
    ) -> None:
        """One more touch, at joint angles (n,) [rad] if they are known, and what it says of its block."""
        around = tangent_points(self._arm, q, places, self._surface)
        self._touches.append(self._say(places, places.weights, q, around))
        if block is not None:
            self._close(block)
        self._weigh()

    @property
    def closed_blocks(self) -> dict[tuple[int, ...], float]:
        """By the cells of the first joints: the certainty that they are closed whatever the other joints are."""
        return self._closed.copy()

    def on(self, grid: JointGrid, free: set[tuple[int, ...]], shells: Shells) -> "CollisionBelief":
        """The same places on another map, whose cells ``free`` the arm was in; with other shells."""
        other = CollisionBelief(self._arm, grid, shells, self._surface)
        other._free = free
        other._touches = [
            other._say(touch.places, touch.alone, touch.q, touch.around) for touch in self._touches
        ]
        for block in self._blocks:
            other._close(block)
        return other

    def passed(self, cells: list[tuple[int, ...]], q: np.ndarray) -> None:
        """The arm was at the centres of cells, and at joint angles (m, n), and touched nothing."""
        self._free.update(cells)
        for cells_of_joints in [c for c in self._closed if _is_visited(c, cells)]:
            self._whole(cells_of_joints)[...] -= _against(self._closed.pop(cells_of_joints))
        for k, touch in enumerate(self._touches):
            kept, around = ~self._inside(touch.places.points, q), touch.around.copy()
            there = np.flatnonzero(~np.isnan(around[..., 0]))
            gone = there[self._inside(around.reshape(-1, 3)[there], q)]
            if not kept.all() or len(gone):
                around.reshape(-1, 3)[gone] = np.nan
                total = touch.alone[kept].sum()  # what is left has the weight of all
                alone = (touch.alone.sum() / total if total > 0.0 else 0.0) * touch.alone[kept]
                places = ContactHypotheses(
                    touch.places.points[kept], touch.places.links[kept], alone
                )
                self._say_anew(k, places, alone, around[kept])
        self._weigh()

    def places(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All places (k, 3) that are left [m], the weight (k,) of each, and the number (k,) of its touch."""
        touches = [NOWHERE, *self.touches]
        points, weights = (np.concatenate([part[i] for part in touches]) for i in (0, 2))
        return (
            points,
            weights,
            np.repeat(np.arange(len(touches)) - 1, [len(t.weights) for t in touches]),
        )

    def alone(self) -> np.ndarray:
        """What each of ``places`` weighs without the other touches (k,)."""
        return np.concatenate([np.zeros(0), *(touch.alone for touch in self._touches)])

    def evidence(self, surfaces: bool = True) -> np.ndarray:
        """float32 grid of -ln(1 - certainty): ``against`` with what ``surfaces`` add, and 0 where the arm was."""
        against = np.maximum(self.against, np.float32(0.0))
        for touch in self._touches if surfaces else ():
            against.reshape(-1)[touch.beside] += touch.more
        for cell in self._free:
            against[cell] = 0.0
        return against

    def has_surfaces(self) -> bool:
        """Whether a surface is believed to go on anywhere."""
        return any(len(touch.beside) for touch in self._touches)

    def _close(self, block: Block) -> None:
        """Believe a block: its cell lies half a cell beyond where the arm was touched, as it moved.

        Not where the arm was in the block without a touch, or outside the map.
        """
        self._blocks.append(block)
        pace = block.velocity / self._grid.spacing
        pace = 0.5 * pace / np.abs(pace[: block.joints]).max()
        cell = np.floor(self._grid.along(block.q) + pace).astype(int)
        cell[block.joints :] = 0
        if not self._grid.holds(cell):
            return
        inside = cell % np.array(self._grid.shape)
        joints = tuple(int(c) for c in inside[: block.joints])
        before = self._closed.get(joints, 0.0)
        if block.certainty > before and not _is_visited(joints, self._free):
            self._whole(joints)[...] += _against(block.certainty) - _against(before)
            self._closed[joints] = block.certainty

    def _whole(self, cells: tuple[int, ...]) -> np.ndarray:
        """``against`` at all cells of the first joints, to be changed in place."""
        return self.against[cells + (slice(None),) * (self.against.ndim - len(cells))]

    def _weigh(self) -> None:
        """Let every touch hear where the others may have been, each as it weighs alone."""
        (points, _, whose), alone = self.places(), self.alone()
        apart = np.linalg.norm(points[:, None] - points[None], axis=2)
        near = np.clip(1.0 - apart / numbers.TOGETHER, 0.0, None)
        gained = alone * (1.0 + numbers.AGREEMENT * (near * (whose[:, None] != whose)) @ alone)
        for k, touch in enumerate(self._touches):
            own = gained[whose == k]
            weights = own * (touch.alone.sum() / own.sum()) if own.sum() > 0.0 else touch.alone
            if np.abs(weights - touch.places.weights).max(initial=0.0) > numbers.CHANGED_WEIGHT:
                self._say_anew(k, touch.places._replace(weights=weights), touch.alone, touch.around)

    def _say_anew(
        self, k: int, places: ContactHypotheses, alone: np.ndarray, around: np.ndarray
    ) -> None:
        said = self._touches[k]
        self.against.reshape(-1)[said.cells] -= _SAYS[said.marks]
        self._touches[k] = self._say(places, alone, said.q, around)

    def _say(
        self, places: ContactHypotheses, alone: np.ndarray, q: np.ndarray | None, around: np.ndarray
    ) -> _Touch:
        weights = np.minimum(places.weights, 1.0)
        said = self._marked(np.zeros(self._grid.shape, dtype=np.uint8), places.points, weights)
        cells = np.flatnonzero(said).astype(np.uint32)
        marks = said.reshape(-1)[cells]
        self.against.reshape(-1)[cells] += _SAYS[marks]
        there = ~np.isnan(around[..., 0]) & (weights >= numbers.SURFACE_WEIGHT)[:, None]
        wide, beside = said, np.zeros(0, dtype=np.uint32)
        if there.any():
            share = np.broadcast_to(numbers.SURFACE_SHARE * weights[:, None], there.shape)
            wide = self._marked(said.copy(), around[there], share[there])
            beside = np.flatnonzero(wide > said).astype(np.uint32)
        more = _SAYS[wide.reshape(-1)[beside]] - _SAYS[said.reshape(-1)[beside]]
        return _Touch(places, alone, cells, marks, q, around, beside, more)

    def _marked(self, said: np.ndarray, points: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """The marks with those of balls about points (k, 3) of so much weight (k,)."""
        for point, weight in zip(points, weights, strict=True):
            for radius, certainty in self._shells:
                mark_ball(
                    self._arm,
                    self._grid,
                    said,
                    point,
                    radius,
                    max(1, round(_FULL_SCALE * certainty * weight)),
                )
        return said

    def _inside(self, points: np.ndarray, q: np.ndarray) -> np.ndarray:
        """(k,) bool: the points (k, 3) that the arm contained at one of the joint angles (m, n)."""
        return np.asarray((point_distances(self._arm, q, points) < -numbers.DEEP).any(axis=(0, 1)))


def block_of(places: ContactHypotheses, q: np.ndarray, velocity: np.ndarray | None) -> Block | None:
    """What a touch at joint angles (n,) [rad], in motion, says of its block; None if it says nothing.

    The block is of the joints up to the outermost link on which more than ``BEYOND_BLOCK`` of the
    touch may have been. None where these are all, or none of them moved.
    """
    heavy = places.links[places.weights > numbers.BEYOND_BLOCK]
    joints = int(heavy.max(initial=0))
    if velocity is None or not 0 < joints < len(q):
        return None
    if np.abs(velocity[:joints]).max() < numbers.STANDING_SPEED:
        return None
    within = float(places.weights[places.links <= joints].sum())
    return Block(joints, q, velocity, min(within, numbers.BLOCK_CERTAINTY))


def _is_visited(cells: tuple[int, ...], visited: Iterable[tuple[int, ...]]) -> bool:
    return any(other[: len(cells)] == cells for other in visited)


def _against(certainty: float) -> np.float32:
    return np.float32(-np.log1p(-certainty))


def point_distances(arm: Arm, q: np.ndarray, points: np.ndarray) -> np.ndarray:
    """(m, b, k) distance of every body of the arm at joint angles (m, n) from points (k, 3) [m]; negative: inside."""
    return arm_distance(arm, q, pack_primitives(sphere(p, numbers.POINT) for p in points))


def is_true_stop(detection: Detection, begin: np.ndarray, end: np.ndarray) -> bool:
    """Whether the arm was stopped on a step between joint angles (n,) [rad]: touched there, and pushed back."""
    line, gone = end - begin, detection.onset.q - begin
    share = np.clip(gone @ line / np.linalg.norm(line) ** 2, 0.0, 1.0)
    return bool(
        detection.torque @ line < 0.0 and np.abs(gone - share * line).max() <= numbers.ON_STEP
    )


def tangent_points(
    arm: Arm, q: np.ndarray | None, places: ContactHypotheses, distance: float
) -> np.ndarray:
    """(k, m, 3) points so far [m] from each place, across the arm's normal there at joint angles (n,) [rad].

    They are evenly spread about the place. NaN where the place is on the axis of its link, which
    has no normal there, and everywhere without joint angles or a distance.
    """
    points = np.full((len(places.points), numbers.SURFACE_POINTS, 3), np.nan)
    if q is None or not distance or not len(points):
        return points
    turn = np.arange(numbers.SURFACE_POINTS)[:, None] * 2.0 * np.pi / numbers.SURFACE_POINTS
    normals = inward_normals(arm, q, places)
    for k, (place, normal) in enumerate(zip(places.points, normals, strict=True)):
        if not normal.any():
            continue
        first = np.cross(normal, np.eye(3)[np.abs(normal).argmin()])
        first /= np.linalg.norm(first)
        second = np.cross(normal, first) / np.linalg.norm(normal)
        points[k] = place + distance * (np.cos(turn) * first + np.sin(turn) * second)
    return points


def inward_normals(arm: Arm, q: np.ndarray, places: ContactHypotheses) -> np.ndarray:
    """(k, 3) of each place, the normal of its link there at joint angles (n,) [rad], into the link.

    Zeros where the place is on the axis of its link, which has no normal there.
    """
    normals = np.zeros((len(places.points), 3))
    if not len(normals):
        return normals
    points = pack_primitives(sphere(p, numbers.POINT) for p in places.points)
    near = arm_closest_points(arm, q, points)
    links = arm_bodies(arm)[:, LINK].astype(int)
    for k, link in enumerate(places.links):
        own = int(np.where(links == link, near.distance[:, k], np.inf).argmin())
        if np.linalg.norm(near.normal[own, k]) >= 0.5:
            normals[k] = near.normal[own, k]
    return normals
