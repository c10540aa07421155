"""The search over a map of joint angles: where paths may begin and end, and what is proven of them.

What is known blocks for good, and so does a step that an exact check finds to touch it. A cell is
judged by its centre, so that a thin thing may stand between two free ones: a step that sweeps
through a likely place is closed as well, for as long as that place is believed. Which of all paths
is chosen says ``arm_map``.

An *exit* is a solution and a cell over which the map is left for it, in one straight *leg* of all
joints.

The network knows no joint limits. A closed axis is cut where a path over it would turn a joint
beyond them.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from dynamics import Arm
from hopfield_nav.extensions.clearance import Scene
from hopfield_nav.extensions.whole_arm import numbers
from hopfield_nav.extensions.whole_arm.blocking import block_known
from hopfield_nav.extensions.whole_arm.grid import TURN, JointGrid
from hopfield_nav.extensions.whole_arm.step_checks import (
    Place,
    StepChecks,
    Walls,
    doubtful,
    heavy_places,
)
from hopfield_nav.navigation.map import Beliefs, Cell, Step, pairs, step_between
from hopfield_nav.planning import Landscape, Replanner, axis_name, neighbourhood_of
from hopfield_nav.plugin import BelievedMap, CollisionEvidence, Planner

Exits = list[tuple[int, Cell]]  # numbers of solutions, and the cell from which each may be reached
ExitSet = set[tuple[int, Cell | None]]  # the same, None for every cell
AxisCuts = tuple[tuple[int, float], ...]  # joints, and angles over which they shall not turn [rad]
# a path by goals, closed steps and cuts
Plan = Callable[[np.ndarray, set[Step], AxisCuts], np.ndarray | None]


class Query(NamedTuple):
    """From where a path is looked for, and what is believed then."""

    here: Cell
    q: np.ndarray  # (n,) joint angles, for axes of one cell and whole turns [rad]
    beliefs: Beliefs  # of the steps
    evidence: CollisionEvidence  # of the cells
    shut_exits: ExitSet  # solutions that were felt not to be reached from a cell


class CellPath(NamedTuple):
    """A path."""

    cells: np.ndarray  # (k, n) from the start's cell to that of the goal
    goal: int  # number of the solution that it leads to; -1: it ends at the centre of its last cell
    landscape: Landscape | None = None  # the network that was climbed, over the whole map
    # (m, n) joint angles behind the last centre; None: those of the solution, if it leads to one
    tail: np.ndarray | None = None


class Onto(NamedTuple):
    """A path onto a line of the tool, and which line it is."""

    line: int
    path: CellPath


class Search:
    """Plans on one map of the arm of a scene, to solutions (s, n) [rad] at the goal.

    ``planner`` is the user's; None: the network. Each solution may be reached from so many centres
    as ``most_exits``. ``lines`` (m, n) of the tool lead to one of them each; a path may end where
    one begins, and does if no doubt speaks against it: they are numbered behind the solutions.
    """

    def __init__(
        self, arm: Arm, scene: Scene, grid: JointGrid, solutions: np.ndarray,
        planner: Planner | None = None, seed: int = 0, most_exits: int = numbers.MOST_EXITS,
        lines: Sequence[np.ndarray] = (),
    ) -> None:  # fmt: skip
        self._arm, self._grid, self.checks = arm, grid, StepChecks(arm, scene)
        self._planner, self._seed, self._single = planner, seed, np.array(grid.shape) == 1
        # centres where the arm touches itself or what is known
        self.blocked = block_known(arm, scene, grid)
        self._walls = Walls(self.checks, grid, self.blocked)
        # (m, n) of each the last joint angles of a path
        self._last_rows = [*solutions[:, None], *lines]
        self.tool_lines: ExitSet = {(len(solutions) + k, None) for k in range(len(lines))}
        # (s, n) where paths end: the solutions, and those to which the lines lead, again [rad]
        self.ends = np.array([rows[-1] for rows in self._last_rows]).reshape(-1, len(grid.shape))
        # cells, of each end
        self._near = [self.entries(rows[0], True)[:most_exits] for rows in self._last_rows]

    def entries(self, q: np.ndarray, any_turn: bool = False) -> list[Cell]:
        """Free cells whose centres are in sight of joint angles (n,) [rad], the nearest first.

        The centres are within the joints' limits, unless the angles stand for all whole turns of
        them.
        """
        shape, single = np.array(self._grid.shape), self._single
        at = np.where(single, 0.0, self._grid.along(q) - 0.5)
        reach = (range(-far, far + 1) for far in np.where(single, 0, numbers.ENTRY_REACH))
        cells = np.rint(at).astype(int) + np.array(list(itertools.product(*reach)))
        cells = cells[self._grid.holds(cells)]
        far = np.abs(np.where(single, 0.0, at - cells)).sum(axis=1)
        cells = cells[np.argsort(far, kind="stable")][: numbers.MOST_EXITS] % shape
        cells = cells[~self.blocked[tuple(cells.T)]]
        centres = self.centre(cells, q)
        inside = self._within_limits(centres).all(axis=1) | any_turn
        cells, centres = cells[inside], centres[inside]
        free = self.checks.are_free(np.broadcast_to(q, centres.shape), centres)
        return [tuple(int(c) for c in cell) for cell in cells[free]]

    def centre(self, cells: np.ndarray, like: np.ndarray) -> np.ndarray:
        """Joint angles in the middle of cells (..., n), by whole turns nearest to others, ``like`` (n,).

        An axis of one cell has those others.
        """
        return self._grid.beside(np.where(self._single, like, self._grid.centre(cells)), like)

    def rows(self, path: CellPath, q: np.ndarray) -> np.ndarray:
        """(m, n) joint angles over the centres of a path, and behind them those that end it, unwound from angles (n,).

        One row ends it at a solution, several do along a tool's line, and none where it ends at a
        centre.
        """
        centres = np.where(self._single, q, self._grid.centre(path.cells))
        last = path.tail
        if last is None:
            last = self._last_rows[path.goal] if path.goal >= 0 else centres[:0]
        return self._grid.unwound(np.vstack([q, centres, last]))[1:]

    def exits(self, shut_exits: ExitSet, kind: str = "all") -> Exits:
        """Solutions by number, and cells from which they may be reached, but for some of these.

        They are "all", the nearest ``EXITS`` of each solution ("near"), or those of the tool's
        lines ("line").
        """
        ends = [k for k, rows in enumerate(self._last_rows) if kind != "line" or len(rows) > 1]
        most = None if kind == "all" else numbers.EXITS
        every = [
            (k, cell) for k in ends if (k, None) not in shut_exits for cell in self._near[k][:most]
        ]
        return [exit for exit in every if exit not in shut_exits]

    def believed(
        self,
        here: Cell,
        blocked: np.ndarray,
        against: np.ndarray,
        goals: Iterable[Cell],
        closed: dict[Step, float],
    ) -> BelievedMap:
        """The map as a planner of the user gets it, with the certainty of every step that is closed."""
        steps, shape = sorted(closed), blocked.shape
        ends = np.array(sorted(set(goals)), dtype=int).reshape(-1, len(shape))
        certainty, moves = (
            np.array([closed[step] for step in steps]),
            neighbourhood_of(shape).offset,
        )
        return BelievedMap(
            blocked, against, pairs(steps, shape), certainty, here, ends, moves, seed=self._seed
        )

    def shortest(
        self, query: Query, exits: Exits, closed: set[Step], certainty: float
    ) -> CellPath | None:
        """The shortest path against which no more than a certainty speaks, of cells and of likely places.

        None: there is none, or, below certainty 1, ``ROUNDS`` paths swept through likely places.
        """
        cells, driven, likely = (
            query.evidence.cells,
            query.beliefs.free,
            heavy_places(query.evidence, certainty),
        )
        blocked = self.blocked | doubtful(cells, certainty)
        left = [exit for exit in self._unswept(exits, likely) if not blocked[exit[1]]]
        closed = closed | self.checks.barred | (self.checks.through(likely) - driven)
        network, own = Network(self._grid, query.here, blocked), self._planner

        def plan(goals: np.ndarray, shut: set[Step], cuts: AxisCuts) -> np.ndarray | None:
            if own is None:
                return network.plan(goals, shut, cuts)
            proven = dict.fromkeys(shut, 1.0)  # what is closed in this attempt counts as proven
            return own.plan(
                self.believed(query.here, blocked, cells, map(tuple, goals.tolist()), proven)
            ).cells

        path = self._proven(plan, query.q, closed, left, driven, likely)
        return None if path is None else path._replace(landscape=network.landscape)

    def onto(self, lines: Sequence[np.ndarray], query: Query, certainty: float) -> Onto | None:
        """The shortest path to where one of some lines (m, n) of the tool begins [rad], and along it.

        Against no cell and no likely place on the way more than a certainty speaks. None: there is
        no such path.
        """
        blocked = self.blocked | doubtful(query.evidence.cells, certainty)
        exits: Exits = [
            (k, cell)
            for k, line in enumerate(lines)
            for cell in self.entries(line[0], True)[: numbers.EXITS]
            if not blocked[cell]
        ]
        network = Network(self._grid, query.here, blocked)
        likely, driven = heavy_places(query.evidence, certainty), query.beliefs.free
        closed = set(query.beliefs.doubted()) | self.checks.barred
        closed |= self.checks.through(likely) - driven
        path = self._proven(network.plan, query.q, closed, exits, driven, likely, lines=lines)
        return None if path is None else Onto(path.goal, path._replace(goal=-1))

    def _proven(
        self, plan: Plan, q: np.ndarray, closed: set[Step], exits: Exits, driven: set[Step],
        likely: set[Place], cuts: AxisCuts = (), lines: Sequence[np.ndarray] = (),
    ) -> CellPath | None:  # fmt: skip
        """The first path that is planned against which an exact check finds nothing.

        Its first leg, from the arm to a centre, is that of ``entries``. Steps that the check finds
        are closed, exits whose last legs it finds are left out, and a joint beyond its limits gets
        a cut in its closed axis; where it has one, the exit is left out. A round counts where a
        likely place was met.
        """
        left, rounds = list(exits), 0
        while left and rounds < numbers.ROUNDS:
            cells = plan(np.array(sorted({cell for _, cell in left})), closed, cuts)
            if cells is None:
                return None
            exit = next(exit for exit in left if exit[1] == tuple(cells[-1]))
            path = CellPath(cells, exit[0], tail=lines[exit[0]] if len(lines) else None)
            rows, bad = self._checked(path, q, driven, likely)
            beyond = [] if bad else np.flatnonzero(~self._within_limits(rows).all(axis=0)).tolist()
            if not bad and not beyond:
                return path
            if beyond and beyond[0] not in dict(cuts):
                others = (self._proven(plan, q, closed, left, driven, likely, more, lines)
                          for more in one_more(cuts, self._arm, beyond[0], q[beyond[0]]))  # fmt: skip
                return next((other for other in others if other is not None), None)
            touching = {step for step in bad if step is not None}
            rounds += bool(touching - self.checks.barred)
            closed = closed | touching | self._walls.grow(touching & self.checks.barred, q)
            if beyond or None in bad:
                left.remove(exit)
        return None

    def _checked(
        self, path: CellPath, q: np.ndarray, driven: set[Step], likely: set[Place]
    ) -> tuple[np.ndarray, set[Step | None]]:
        """The joint angles over a path, and its steps that touch what is known or likely; None for its last leg."""
        rows = self.rows(path, q)
        steps = [step_between(a, b, self._grid.turn) for a, b in itertools.pairwise(path.cells)]
        return rows, self.checks.touching(rows, [*steps, None][: len(rows) - 1], driven, likely)

    def _within_limits(self, rows: np.ndarray) -> np.ndarray:
        """(..., n) bool: whether angles (..., n) [rad] are within their limits; True where axes are open."""
        low, high = self._arm.position_limits.T
        return (rows >= low) & (rows <= high) | ~np.array(self._grid.periodic)

    def _unswept(self, exits: Exits, likely: set[Place]) -> Exits:
        """The exits, one or more, whose last legs and tool's lines sweep through no likely place."""
        behind = np.array([self._last_rows[k][0] for k, _ in exits])
        begin = self.centre(np.array([cell for _, cell in exits]), behind)
        swept: ExitSet = {*self.checks.sweeping(begin, behind, exits, likely)}
        for k in {k for k, _ in exits}:
            rows = self._last_rows[k]
            swept |= self.checks.sweeping(rows, rows[1:], [(k, None)] * (len(rows) - 1), likely)
        return [exit for exit in exits if exit not in swept and (exit[0], None) not in swept]


class Network:
    """The network: shortest paths past blocked cells. It settles on from its last answer while steps are closed.

    Where axes are cut, it lies over a map that begins behind the cuts and ends there.
    """

    def __init__(self, grid: JointGrid, here: Cell, blocked: np.ndarray) -> None:
        self._grid, self._here, self._blocked, self._shape = (
            grid,
            np.array(here),
            blocked,
            np.array(grid.shape),
        )
        self._replanner: Replanner | None = None
        self._asked: tuple[list[list[int]], AxisCuts] | None = None
        self._closed = set[Step]()
        # of the map as it is cut: cells of the whole one that are its first, and which of its axes
        # are closed
        self._first, self._periodic = np.zeros(len(grid.shape), int), list(grid.periodic)

    @property
    def landscape(self) -> Landscape | None:
        """The network as it stands; None where a cut parts the map."""
        cut = self._asked is None or self._asked[1]
        return None if self._replanner is None or cut else self._replanner.landscape

    def plan(self, goals: np.ndarray, closed: set[Step], cuts: AxisCuts) -> np.ndarray | None:  # noqa: D102
        asked, rank = (goals.tolist(), cuts), len(self._shape)
        if self._replanner is not None and self._asked == asked:
            self._replanner.close(self._steps(closed - self._closed))
        else:
            self._first, self._periodic = np.zeros(rank, int), list(self._grid.periodic)
            for joint, angle in cuts:
                self._first[joint], self._periodic[joint] = (
                    first_behind(joint, angle, self._grid),
                    False,
                )
            # the base turns before the wrist
            ties = [sign + axis_name(axis) for axis in range(rank) for sign in "+-"]
            near = neighbourhood_of(self._grid.shape, periodic=tuple(self._periodic), ties=ties)
            blocked = (
                np.roll(self._blocked, -self._first, range(rank))
                if self._first.any()
                else self._blocked
            )
            self._replanner = Replanner(
                blocked, (goals - self._first) % self._shape, near, self._steps(closed)
            )
        self._asked, self._closed = asked, closed
        path = self._replanner.path((self._here - self._first) % self._shape)
        return None if path is None else (path + self._first) % self._shape

    def _steps(self, steps: set[Step]) -> np.ndarray:
        """Pairs (m, 2, n) of neighbours, by cells of the map as it is cut, without those that a cut parts."""
        ends = (pairs(steps, self._grid.shape) - self._first) % self._shape
        return ends[(self._periodic | (np.abs(ends[:, 0] - ends[:, 1]) <= 1)).all(axis=1)]


def one_more(cuts: AxisCuts, arm: Arm, joint: int, angle: float) -> list[AxisCuts]:
    """The same cuts and one more: a turn of a joint within its limits, that holds its angle now [rad]."""
    low, high = arm.position_limits[joint]
    least, most = (
        max(low, angle - TURN + numbers.CUT_ASIDE),
        min(angle - numbers.CUT_ASIDE, high - TURN),
    )
    begins = dict.fromkeys((float(np.clip(angle - 0.5 * TURN, least, most)), least, most))
    return [(*cuts, (joint, begin)) for begin in begins]


def first_behind(joint: int, angle: float, grid: JointGrid) -> int:
    """Number of the first cell of a joint's closed axis behind a cut at an angle [rad]."""
    at = np.where(np.arange(len(grid.shape)) == joint, angle, grid.lower)
    return (math.floor(grid.along(at)[joint] - 0.5) + 1) % grid.shape[joint]
