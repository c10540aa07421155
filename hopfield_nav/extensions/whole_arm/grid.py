"""A grid over the joint angles: cells and their centres; a finer grid where it is narrow, and what is carried over.

A finer grid has the cells of the axes of all joints split in three about the goal. So the centre of
every cell is one of the finer grid too, and a step between two centres is one step there, or three
or fewer in a row. What was driven is free there as well; a touch closes that part of the step in
which it was felt, for a fact only where that is well inside the part.
"""

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dynamics import Arm, BadInput, has_closed_form, inverse_kinematics
from hopfield_nav.extensions.clearance import Scene, collides
from hopfield_nav.extensions.whole_arm import numbers
from hopfield_nav.navigation.map import TRUE_STOP, Beliefs, Cell, Step
from hopfield_nav.world import World, goal_near

TURN = 2.0 * math.pi


class JointGrid(NamedTuple):
    """Cells between two angles of every joint, equal ones or, where it is finer in places, with given edges.

    An axis of a full turn is closed: behind its last cell comes the first, where the arm is as it
    was.
    """

    lower: np.ndarray  # (n,) angles at which the first cells begin [rad]
    upper: np.ndarray  # (n,) angles at which the last cells end [rad]
    # cells of each joint; the only cell of an axis has its centre in the middle of the two angles
    shape: tuple[int, ...]
    # of each joint where its cells begin and the last one ends (s + 1,) [rad]; none: they are equal
    breaks: tuple[np.ndarray, ...] = ()

    @property
    def spacing(self) -> np.ndarray:
        """Width of the narrowest cell of each joint (n,) [rad]."""
        if self.breaks:
            return np.array([np.diff(edges).min() for edges in self.breaks])
        return (self.upper - self.lower) / np.array(self.shape)

    @property
    def turn(self) -> tuple[int, ...]:
        """Cells of the axes that are closed, 0 of others."""
        full = np.abs(self.upper - self.lower - TURN) < numbers.SAME_ANGLE
        return tuple(
            n if whole and n >= numbers.LEAST_CLOSED else 0
            for n, whole in zip(self.shape, full, strict=True)
        )

    @property
    def periodic(self) -> tuple[bool, ...]:
        """Which axes are closed."""
        return tuple(n > 0 for n in self.turn)

    def unwound(self, rows: np.ndarray) -> np.ndarray:
        """Joint angles (k, n) with whole turns of the closed axes, so that none leaps from row to row."""
        angles, closed = rows.copy(), np.array(self.periodic)
        angles[:, closed] = np.unwrap(rows[:, closed], axis=0)
        return angles

    def beside(self, q: np.ndarray, like: np.ndarray) -> np.ndarray:
        """Joint angles (..., n) with the whole turns of the closed axes that bring them nearest to others."""
        return q + np.where(self.periodic, TURN * np.rint((like - q) / TURN), 0.0)

    def edges(self) -> str:
        """What bounds the map, in words."""
        ends = [f"from {low:.4g} to {high:.4g} rad" if size > 1 else "straight from start to goal"
                for low, high, size in zip(self.lower, self.upper, self.shape, strict=True)]  # fmt: skip
        bounds = [
            f"joint {k + 1} {ends[k]}" for k, closed in enumerate(self.periodic) if not closed
        ]
        bounds += ["the others as far as they turn"] if any(self.periodic) else []
        return f"the map holds {', '.join(bounds)}"

    def centre(self, cell: Sequence[int] | np.ndarray) -> np.ndarray:
        """Joint angles in the middle of cells (..., n) [rad]; a cell may lie outside."""
        if not self.breaks:
            return self.lower + (np.asarray(cell) + 0.5) * self.spacing
        turns = np.asarray(cell) // np.array(self.shape) * self.periodic
        inside = cell - turns * np.array(self.shape)
        parts = zip(self.breaks, self.axis_values(), np.moveaxis(inside, -1, 0), strict=True)
        middles = [values.take(c, mode="clip") + (c - c.clip(0, len(values) - 1)) * np.diff(edges)[0]
                 for edges, values, c in parts]  # fmt: skip
        return np.stack(middles, axis=-1) + TURN * turns

    def along(self, q: np.ndarray) -> np.ndarray:
        """How many cells of each joint lie below joint angles (..., n), with the part of the one they are in."""
        if not self.breaks:
            return np.asarray((np.asarray(q) - self.lower) / self.spacing)
        turns = np.floor((np.asarray(q) - self.lower) / TURN) * self.periodic
        places = []
        for edges, x in zip(self.breaks, np.moveaxis(q - TURN * turns, -1, 0), strict=True):
            k = (np.searchsorted(edges, x, side="right") - 1).clip(0, len(edges) - 2)
            places.append(k + (x - edges[k]) / (edges[k + 1] - edges[k]))
        return np.stack(places, axis=-1) + turns * np.array(self.shape)

    def cell_of(self, q: np.ndarray) -> tuple[int, ...]:
        """The cell in which joint angles (n,) lie [rad]; it may lie outside."""
        return tuple(int(c) for c in np.floor(self.along(q)))

    def split(self, cells: np.ndarray) -> "JointGrid":
        """The same axes, each with the numbers that cells (k, n) have on it split in three, but single ones.

        What was the centre of a cell is one of the finer grid as well.
        """
        breaks = []
        for k, values in enumerate(self.axis_values()):
            edges = (
                self.breaks[k]
                if self.breaks
                else np.linspace(self.lower[k], self.upper[k], len(values) + 1)
            )
            low, high = edges[:-1], edges[1:]
            new = np.unique(cells[:, k] % len(values) if self.turn[k] else cells[:, k])
            new = new[(new >= 0) & (new < len(values)) & (len(values) > 1)]
            thirds = [low[new] + (high - low)[new] / 3.0, high[new] - (high - low)[new] / 3.0]
            breaks.append(np.sort(np.concatenate([edges, *thirds])))
        return self._replace(shape=tuple(len(edges) - 1 for edges in breaks), breaks=tuple(breaks))

    def holds(self, cells: np.ndarray) -> np.ndarray:
        """(...) bool: whether cells (..., n) are on the map, closed axes counted on."""
        return ((cells >= 0) & (cells < np.array(self.shape)) | np.array(self.periodic)).all(
            axis=-1
        )

    def inside(self, cell: Sequence[int]) -> bool:
        """Whether the grid has this cell."""
        return all(0 <= c < size for c, size in zip(cell, self.shape, strict=True))

    def axis_values(self) -> list[np.ndarray]:
        """Angles of the centres along each axis [rad]."""
        if self.breaks:
            return [0.5 * (edges[1:] + edges[:-1]) for edges in self.breaks]
        pairs = zip(self.lower, self.spacing, self.shape, strict=True)
        return [low + (np.arange(size) + 0.5) * width for low, width, size in pairs]


def default_bounds(arm: Arm, start: np.ndarray, shape: Sequence[int]) -> JointGrid:
    """One turn of every joint, half of it to each side of the start within the limits; or all of less.

    An axis of one cell ends as far below the start (n,) [rad] as above: its only angle is that of
    the start. ``shape`` is the cells of each joint.

    Raises ``BadInput``: a start beyond the limits.
    """
    middle, sizes = np.asarray(start, dtype=np.float64), tuple(int(size) for size in shape)
    low, high = arm.position_limits.T
    if not np.all((low < middle) & (middle < high)):
        raise BadInput(
            "wrong start of a joint grid",
            found=start,
            allowed=f"{len(low)} angles within the limits",
        )
    single = np.array(sizes) == 1
    both = np.minimum(math.pi, np.minimum(middle - low, high - middle))
    width = np.where(single, 2.0 * both, np.minimum(TURN, high - low))
    begin = np.where(single, middle - both, np.clip(middle - math.pi, low, high - width))
    return JointGrid(begin, begin + width, sizes)


def grid_of(world: World, arm: Arm, start: np.ndarray) -> JointGrid:
    """The map of a world; an axis of one cell has the start's angle."""
    grid = default_bounds(arm, start, world.map.shape)
    given = world.map
    lower = grid.lower if given.lower is None else np.array(given.lower)
    upper = grid.upper if given.upper is None else np.array(given.upper)
    bad = np.flatnonzero(~(lower < upper))
    if bad.size:
        i = int(bad[0])
        words, allowed = "no room between the bounds of a joint", f"below {upper[i]:.6g} rad"
        raise BadInput(words, where=f"map.lower.{i}", found=float(lower[i]), allowed=allowed)
    return JointGrid(lower, upper, grid.shape)


def finer(grid: JointGrid, goal: np.ndarray) -> JointGrid | None:
    """A map with cells split around a goal (n,) [rad]; None where it would be too large."""
    around = np.arange(-numbers.AROUND, numbers.AROUND + 1)[:, None]
    fine = grid.split(np.floor(grid.along(goal)).astype(int) + around)
    return fine if np.prod(fine.shape, dtype=float) <= numbers.MOST_CELLS else None


class Carried:
    """From cells and steps of a coarse map to those of a finer one with all of its centres."""

    def __init__(self, coarse: JointGrid, fine: JointGrid) -> None:
        self._coarse, self._fine = coarse, fine
        places = zip(*(grid.axis_values() for grid in (coarse, fine)), strict=True)
        # of each joint the number of the cell with the same centre
        self._same = [np.abs(new - old[:, None]).argmin(axis=1) for old, new in places]

    def cell(self, cell: Cell) -> Cell:
        """The cell with the same centre."""
        return tuple(int(same[c % len(same)]) for same, c in zip(self._same, cell, strict=True))

    def parts(self, step: Step) -> list[Step]:
        """The steps in a row that a step has become."""
        begin, axis = self.cell(step.cell), step.axis
        size = self._fine.shape[axis]
        count = (self.cell(step.ends[1])[axis] - begin[axis]) % size
        return [
            Step((*begin[:axis], (begin[axis] + k) % size, *begin[axis + 1 :]), axis)
            for k in range(count)
        ]

    def part_at(self, step: Step, angle: float) -> tuple[Step, bool]:
        """The part of a step that holds an angle of its joint [rad], and whether it does so well inside."""
        parts, axis = self.parts(step), step.axis
        cells = [*(part.cell for part in parts), parts[-1].ends[1]]
        ends = np.unwrap([self._fine.centre(cell)[axis] for cell in cells])
        if self._fine.turn[axis]:
            angle = ends.mean() + math.remainder(angle - ends.mean(), TURN)
        k = int(np.clip(np.searchsorted(ends, angle) - 1, 0, len(parts) - 1))
        return parts[k], len(parts) == 1 or bool(
            ends[k] + numbers.ON_STEP <= angle <= ends[k + 1] - numbers.ON_STEP
        )

    def around(self, cells: np.ndarray) -> np.ndarray:
        """The cells (k, n) of the coarser map in which the centres of cells of the finer one lie."""
        inside = np.floor(self._coarse.along(self._fine.centre(cells))).astype(int)
        return np.asarray(inside % np.array(self._coarse.shape))

    def whole(self, steps: dict[Step, float]) -> dict[Step, float]:
        """What is so said of whole steps: one is closed of which a part is."""
        closed: dict[Step, float] = {}
        for step, certainty in steps.items():
            begin = tuple(int(c) for c in self.around(np.array([step.cell]))[0])
            for whole in Beliefs(self._coarse.shape, self._coarse.turn).steps_of(begin):
                if whole.axis == step.axis and step in self.parts(whole):
                    closed[whole] = max(certainty, closed.get(whole, 0.0))
        return closed

    def beliefs(self, known: Beliefs, felt_at: dict[Step, float]) -> Beliefs:
        """Facts and beliefs about the steps of the finer map.

        ``felt_at`` has the angle [rad] of its joint at which each step was touched last. Of one
        that an earlier run felt none is known: each of its parts is believed closed.
        """
        carried = Beliefs(self._fine.shape, self._fine.turn)
        carried.in_free_air = known.in_free_air
        carried.passed(
            map(self.cell, known.visited),
            [part for step in known.free for part in self.parts(step)],
        )
        carried.rough = set(map(self.cell, known.rough))
        closed = dict[Step, float]()
        for step, certainty in known.touched().items():
            parts = self.parts(step)
            is_sure = len(parts) == 1
            if step in felt_at:
                part, is_sure = self.part_at(step, felt_at[step])
                parts = [part]
            closed |= dict.fromkeys(parts, certainty if is_sure else min(certainty, TRUE_STOP))
        carried.load_prior(closed, {})
        return carried


def goal_solutions(world: World, arm: Arm, scene: Scene, grid: JointGrid) -> np.ndarray:
    """Joint angles (k, n) within the map at which the arm is at its goal and touches nothing known [rad].

    k may be 0. On a closed axis one angle stands for all that differ by whole turns; the search
    unwinds its paths. An axis of one cell gets the angle within the joint's limits that is nearest
    to the start. The goal is a position, a pose or joint angles; the world's seed draws rotations
    for a position, and for an arm without a closed form where a search begins. The arm has its tool
    frame; the scene is what is known.
    """
    goal = world.goal
    if goal is None:
        return np.zeros((0, len(arm.dh)))
    if goal.joints is not None:
        rows = np.array([goal.joints])
    elif not has_closed_form(arm):
        # a numeric search from the start, and from angles over the map that differ on axes of
        # several cells
        start = np.array(world.start.joints)
        drawn = np.random.default_rng(world.seed).uniform(
            grid.lower, grid.upper, (numbers.ROTATIONS, len(start))
        )
        tried = [
            goal_near(world, arm, q)
            for q in (start, *np.where(np.array(grid.shape) > 1, drawn, start))
        ]
        rows = np.array([q for q in tried if q is not None]).reshape(-1, len(start))
    elif goal.pose is not None:
        rows = _solutions(arm, np.array(goal.pose.rotation)[None], np.array(goal.pose.position))
    else:
        from scipy.spatial.transform import Rotation

        rotations = Rotation.random(numbers.ROTATIONS, rng=world.seed).as_matrix()
        if not world.trajectory.any_rotation:
            rotations = np.concatenate([np.array(world.trajectory.tool_rotation)[None], rotations])
        rows = _solutions(arm, rotations, np.array(goal.position))
    rows = _turned(rows, arm, grid)
    inside = (
        (rows >= grid.lower) & (rows <= grid.upper)
        | np.array(grid.periodic)
        | (np.array(grid.shape) == 1)
    )
    rows = rows[inside.all(axis=1)]
    return rows[~collides(arm, scene, rows)] if len(rows) else rows


def solutions_at(
    arm: Arm, rotations: np.ndarray, positions: np.ndarray, grid: JointGrid
) -> np.ndarray:
    """Joint angles (k, n) with the tool at positions (m, 3), in rotations (m, 3, 3); k may be 0."""
    if not has_closed_form(arm):
        return np.zeros((0, len(arm.dh)))
    return _turned(_solutions(arm, rotations, positions), arm, grid)


def _solutions(arm: Arm, rotations: np.ndarray, positions: np.ndarray) -> np.ndarray:
    poses = np.tile(np.eye(4), (len(rotations), 1, 1))
    poses[:, :3, :3], poses[:, :3, 3] = rotations, positions
    rows = inverse_kinematics(arm, poses).reshape(-1, len(arm.dh))
    return rows[np.isfinite(rows).all(axis=1)]


def _turned(rows: np.ndarray, arm: Arm, grid: JointGrid) -> np.ndarray:
    """Every solution with whole turns of its joints, as far as the map may hold them."""
    middle = 0.5 * (grid.lower + grid.upper)
    base = rows - TURN * np.rint((rows - middle) / TURN)
    single = np.array(grid.shape) == 1
    low, high = arm.position_limits.T
    base += np.where(single, TURN * ((base < low).astype(float) - (base > high)), 0.0)
    wide = ~single & (grid.upper - grid.lower > TURN + 1e-9)
    turns = [(-TURN, 0.0, TURN) if w else (0.0,) for w in wide]
    return np.concatenate([base + np.array(t) for t in itertools.product(*turns)])
