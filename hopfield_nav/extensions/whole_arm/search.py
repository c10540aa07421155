"""The path over a map of joint angles: around what is known and felt, against as little doubt as can be.

What is known blocks for good, and so does a step that an exact check finds to touch it; what was felt is withdrawn,
the least certain first, where it leaves no path. Facts alone are never withdrawn. A cell is judged by its middle, so
that a thin thing may stand between two free ones: a step that sweeps through a likely place is closed as well, for as
long as that place is believed.
"""

import itertools
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from dynamics import Arm
from hopfield_nav.clearance import Scene
from hopfield_nav.extensions.whole_arm.blocking import block_known
from hopfield_nav.extensions.whole_arm.grid import Cuts, JointGrid, one_more, opened, within_limits
from hopfield_nav.extensions.whole_arm.step_checks import (
    LADDER,
    Place,
    StepChecks,
    Walls,
    doubtful,
    least_doubt,
    likely_places,
)
from hopfield_nav.navigation.map import Beliefs, Cell, Step, pairs, step_between
from hopfield_nav.navigation.planners import WithPlan
from hopfield_nav.planning import Replanner, cheapest_path, first_axis_first, neighbourhood_of
from hopfield_nav.plugin import Against, BelievedMap

NEAR = 2  # [cells] in which the map is entered or left, where the nearest centre will not do
EXITS = 4  # nearest centres from which each solution is reached, as long as little doubt speaks against it
MOST_EXITS = 64  # all of these, and nearest centres that are tried where the map is entered
NO_COST = 0.01  # [steps] of what nothing speaks against: what was taken back leaves a little
RISK = 0.5  # certainty that is risked at most before more centres are tried
ROUNDS = 40  # of paths that sweep through likely places, before so much certainty is thought to leave none
Exits = list[tuple[int, Cell]]  # numbers of solutions, and the cell from which each may be reached
LeftOut = set[tuple[int, Cell | None]]  # the same, None for all cells
# the cells of a path to one of the goals (g, n), past closed steps and over no cut; None without any
Ask = Callable[[np.ndarray, set[Step], Cuts], np.ndarray | None]


class Found(NamedTuple):
    """A path."""

    cells: np.ndarray  # (k, n) from the start's cell to that of the goal
    goal: int  # number of the solution that it leads to; -1: it ends at the centre of its last cell


def goal_cell(found: Found) -> Cell:
    """The cell from which a path's goal is reached."""
    return tuple(int(c) for c in found.cells[-1])


class Search:
    """Plans on one map of the arm of a scene, to solutions (s, n) [rad] at the goal.

    ``planner`` is somebody's own; None: the network, or the cheapest path where there are costs. Each solution may be
    reached from so many centres as ``most_exits``. ``lines`` (m, n) lead to one of them each; a path may end where one
    begins, and does if no doubt speaks against it: they are numbered behind the solutions.
    """

    def __init__(
        self, arm: Arm, scene: Scene, grid: JointGrid, solutions: np.ndarray,
        planner: WithPlan | None = None, seed: int = 0, most_exits: int = MOST_EXITS, lines: Sequence[np.ndarray] = (),
    ) -> None:  # fmt: skip
        self._arm, self._grid, self.checks = arm, grid, StepChecks(arm, scene)
        self._planner, self._seed = planner, seed
        self.blocked = block_known(arm, scene, grid)  # centres where the arm touches itself or what is known
        self._walls = Walls(self.checks, grid, self.blocked)
        self.risk = 0.0  # certainty that had to be risked for the last ``path``; 1 where all was
        self._ends = [*solutions[:, None], *lines]  # (m, n) of each the last joint angles of a path
        self.lines: LeftOut = {(len(solutions) + k, None) for k in range(len(lines))}
        self.solutions = np.array([rows[-1] for rows in self._ends]).reshape(-1, len(grid.shape))
        entries = [self._entries(rows[0], True) for rows in self._ends]
        self._near = [(k, cell) for k, cells in enumerate(entries) for cell in cells[:EXITS]]
        self._on_lines = [exit for exit in self._near if len(self._ends[exit[0]]) > 1]
        self._exits = [(k, cell) for k, cells in enumerate(entries) for cell in cells[:most_exits]]
        cells = np.array([cell for _, cell in self._exits], int).reshape(-1, len(grid.shape))
        ends = np.array([self._ends[k][0] for k, _ in self._exits]).reshape(cells.shape)
        self._legs = self.centre(cells, ends), ends  # of each exit the two ends of the leg that leaves the map
        self._swept_exits: dict[Place, set[tuple[int, Cell]]] = {}

    def entry(self, q: np.ndarray, avoid: set[Cell], doubts: Callable[[Cell], tuple] = lambda _: ()) -> Cell | None:
        """The nearest free cell whose centre is in sight of joint angles (n,) [rad]; None without one.

        ``avoid`` are cells that it may not be, ``doubts`` what speaks against a cell: the least is taken.
        """
        return min((cell for cell in self._entries(q) if cell not in avoid), key=doubts, default=None)

    def _entries(self, q: np.ndarray, any_turn: bool = False) -> list[Cell]:
        """Free cells whose centres are in sight of joint angles (n,) [rad], the nearest first.

        The centres are within the joints' limits, unless the angles stand for all whole turns of them.
        """
        grid, shape = self._grid, np.array(self._grid.shape)
        at = grid.along(q) - 0.5
        reach = [np.arange(-NEAR, NEAR + 1) if n > 1 else np.zeros(1, dtype=int) for n in shape]
        around = np.stack(np.meshgrid(*reach, indexing="ij"), axis=-1).reshape(-1, len(shape))
        cells = np.rint(np.where(shape > 1, at, 0.0)).astype(int) + around
        cells = cells[((cells >= 0) & (cells < shape) | np.array(grid.periodic)).all(axis=1)]
        far = np.abs(np.where(shape > 1, at - cells, 0.0)).sum(axis=1)
        cells = cells[np.argsort(far, kind="stable")][:MOST_EXITS] % shape
        cells = cells[~self.blocked[tuple(cells.T)]]
        centres = self.centre(cells, q)
        inside = within_limits(self._arm, self._grid, centres).all(axis=1) | any_turn
        cells, centres = cells[inside], centres[inside]
        free = self.checks.are_free(np.broadcast_to(q, centres.shape), centres)
        return [tuple(int(c) for c in cell) for cell in cells[free]]

    def centre(self, cells: np.ndarray, like: np.ndarray) -> np.ndarray:
        """Joint angles in the middle of cells (..., n), by whole turns nearest to others, ``like`` (n,).

        An axis of one cell has those others.
        """
        middle = np.where(np.array(self._grid.shape) > 1, self._grid.centre(cells), like)
        return self._grid.beside(middle, like)

    def rows(self, found: Found, q: np.ndarray) -> np.ndarray:
        """(k + 1, n) joint angles over a path and to its goal, unwound from angles (n,) at its beginning."""
        centres = np.where(np.array(self._grid.shape) > 1, self._grid.centre(found.cells), q)
        end = self._ends[found.goal] if found.goal >= 0 else centres[:0]
        return self._grid.unwound(np.vstack([q, centres, end]))[1:]

    def path(self, here: Cell, q: np.ndarray, beliefs: Beliefs, doubts: Against, left_out: LeftOut) -> Found | None:
        """The shortest path from a cell to a goal that the least doubt speaks against; None without any.

        ``q`` (n,) are joint angles for axes of one cell, ``beliefs`` are of the steps, ``doubts`` of the cells;
        ``left_out`` are solutions that were felt not to be reached from a cell.
        """
        exits, near, lines = (self.exits(left_out, among) for among in (self._exits, self._near, self._on_lines))
        touched, facts = set(beliefs.doubted()), beliefs.facts

        def below(certainty: float, closed: set[Step], exits: Exits = exits) -> Found | None:
            blocked = self.blocked | doubtful(doubts.cells, certainty)
            likely = likely_places(doubts, certainty)
            return self._shortest(here, q, blocked, closed, beliefs.free, likely, exits, doubts.cells)

        self.risk = 0.0
        found = (below(LADDER[0], touched, lines) if lines else None) or below(LADDER[0], touched, near)
        if found is not None:
            return found
        found, self.risk = least_doubt(partial(below, exits=near), touched)
        if found is None and below(LADDER[-1], facts) is None:
            return None  # facts alone leave no path: no doubt needs to be asked
        if len(exits) > len(near) and (found is None or self.risk > RISK):
            enough = self.risk if found is not None else None
            found, self.risk = below(LADDER[0], touched), 0.0
            if found is None:
                found, self.risk = least_doubt(below, touched, enough)
        return found or below(LADDER[0], facts) or least_doubt(below, facts, LADDER[-1])[0]

    def cheapest(self, here: Cell, q: np.ndarray, beliefs: Beliefs, doubts: Against, left_out: LeftOut) -> Found | None:
        """The path with the least sum of steps and costs of cells, over a line where that is free; see ``path``."""
        exits, near, lines = (self.exits(left_out, among) for among in (self._exits, self._near, self._on_lines))
        cost, touched = np.where(self.blocked, np.float32(np.inf), doubts.cells), set(beliefs.doubted())
        found = self._by_cost(here, q, cost, touched, lines) if lines else None
        if found is not None:
            line = np.floor(self._grid.along(self._ends[found.goal])).astype(int) % self._grid.shape
            if (doubts.cells[tuple(np.vstack([found.cells[1:], line]).T)] < NO_COST).all():
                return found
        for closed, from_ in ((touched, near), (touched, exits), (beliefs.facts, exits)):
            found = self._by_cost(here, q, cost, closed, from_)
            if found is not None:
                return found
        return None

    def towards(
        self, targets: np.ndarray, here: Cell, q: np.ndarray, beliefs: Beliefs, doubts: Against
    ) -> Found | None:
        """The shortest path to one of the cells ``targets`` (k,), in C order, past all other doubted cells.

        The rest is as in ``path``. None where no such path is within the limits and past what is known.
        """
        targets = targets[~self.blocked.reshape(-1)[targets]]
        if not len(targets):
            return None
        goals = np.stack(np.unravel_index(targets, self._grid.shape), axis=1)
        near = neighbourhood_of(self._grid.shape, periodic=self._grid.periodic, ties=first_axis_first(len(here)))
        shut = pairs(set(beliefs.doubted()) | self.checks.barred, self._grid.shape)
        network = Replanner(self.blocked | doubtful(doubts.cells, 0.0), goals, near, shut)
        for _ in range(ROUNDS):
            cells = network.path(here)
            if cells is None:
                return None
            path = Found(cells, -1)
            rows = self.rows(path, q)
            steps = [step_between(a, b, self._grid.turn) for a, b in itertools.pairwise(cells)]
            bad = {step for step in self.checks.touching(rows, steps, set(), set()) if step is not None}
            if not bad:
                return path if within_limits(self._arm, self._grid, rows).all() and len(cells) > 1 else None
            network.close(pairs(bad, self._grid.shape))
        return None

    def _by_cost(self, here: Cell, q: np.ndarray, cost: np.ndarray, closed: set[Step], exits: Exits) -> Found | None:
        """The cheapest path whose steps are proven free of the known."""

        def ask(goals: np.ndarray, closed: set[Step], cuts: Cuts) -> np.ndarray | None:
            if self._planner is not None:
                return self._planner.plan(self.believed(here, self.blocked, cost, goals, closed)).cells
            map_ = opened(cuts, self._grid)
            shut = map_.steps(pairs(closed, cost.shape))
            begin = tuple(map_.cells(np.array(here)))
            return map_.back(cheapest_path(map_.of(cost), begin, map_.cells(goals), shut, map_.periodic))

        return self._proven(ask, q, closed | self.checks.barred, exits, set(), set())

    def _shortest(
        self, here: Cell, q: np.ndarray, blocked: np.ndarray, closed: set[Step], driven: set[Step],
        likely: set[Place], exits: Exits, against: np.ndarray,
    ) -> Found | None:  # fmt: skip
        """The shortest path whose steps are proven free of the known, and sweep through no likely place."""
        left = [exit for exit in self._unswept(exits, likely) if not blocked[exit[1]]]
        closed = closed | self.checks.barred | self.checks.through(likely) - driven
        network, asked = None, None

        def ask(goals: np.ndarray, closed: set[Step], cuts: Cuts) -> np.ndarray | None:
            nonlocal network, asked
            if self._planner is not None:
                return self._planner.plan(self.believed(here, blocked, against, goals, closed)).cells
            map_ = opened(cuts, self._grid)
            if network is not None and asked is not None and asked[:2] == (goals.tolist(), cuts):
                network.close(map_.steps(pairs(closed - asked[2], blocked.shape)))
            else:
                near = neighbourhood_of(blocked.shape, periodic=map_.periodic, ties=first_axis_first(len(here)))
                network = Replanner(map_.of(blocked), map_.cells(goals), near, map_.steps(pairs(closed, blocked.shape)))
            asked = goals.tolist(), cuts, closed
            return map_.back(network.path(tuple(map_.cells(np.array(here)))))

        return self._proven(ask, q, closed, left, driven, likely)

    def _proven(
        self, ask: Ask, q: np.ndarray, closed: set[Step], exits: Exits, driven: set[Step],
        likely: set[Place], cuts: Cuts = (),
    ) -> Found | None:  # fmt: skip
        """The first path that is told against which a check finds nothing; what it finds is closed."""
        left, rounds = list(exits), 0
        while left and rounds < ROUNDS:
            cells = ask(np.array(sorted({cell for _, cell in left})), closed, cuts)
            if cells is None:
                return None
            path, bad = self._checked(cells, q, left, driven, likely)
            within = within_limits(self._arm, self._grid, self.rows(path, q)).all(axis=0)
            beyond = [] if bad else np.flatnonzero(~within).tolist()
            if not bad and not beyond:
                return path
            if beyond and beyond[0] not in dict(cuts):
                tried = (self._proven(ask, q, closed, left, driven, likely, more)
                         for more in one_more(cuts, self._arm, beyond[0], q[beyond[0]]))  # fmt: skip
                return next((other for other in tried if other is not None), None)
            found = {step for step in bad if step is not None}
            rounds += not found <= self.checks.barred
            closed = closed | found | self._walls.grow(found & self.checks.barred, q)
            if beyond or None in bad:
                left.remove((path.goal, goal_cell(path)))
        return None

    def _checked(
        self, cells: np.ndarray, q: np.ndarray, left: Exits, driven: set[Step], likely: set[Place]
    ) -> tuple[Found, set[Step | None]]:
        """A path over cells, and its steps that touch what is known or likely; None for its last leg."""
        last = tuple(int(c) for c in cells[-1])
        found = Found(cells, next(k for k, cell in left if cell == last))
        steps = [step_between(a, b, self._grid.turn) for a, b in itertools.pairwise(cells)]
        return found, self.checks.touching(self.rows(found, q), [*steps, None], driven, likely)

    def believed(
        self, here: Cell, blocked: np.ndarray, against: np.ndarray, goals: np.ndarray, closed: set[Step]
    ) -> BelievedMap:
        """The map as somebody's own planner gets it: what is closed in this attempt counts as proven."""
        shut = pairs(sorted(closed), blocked.shape)
        moves = neighbourhood_of(blocked.shape).offset
        return BelievedMap(blocked, against, shut, np.ones(len(shut)), here, goals, moves, seed=self._seed)

    @property
    def goals(self) -> np.ndarray:
        """(g, n) cells from which a solution may be reached."""
        cells = sorted({cell for _, cell in self._near})
        return np.array(cells, dtype=int).reshape(-1, len(self._grid.shape))

    def exits(self, left_out: LeftOut, among: Exits | None = None) -> Exits:
        """Solutions by number, and cells from which they may be reached, but for some of these."""
        among = self._exits if among is None else among
        return [exit for exit in among if exit not in left_out and (exit[0], None) not in left_out]

    def _unswept(self, exits: Exits, likely: set[Place]) -> Exits:
        """The exits whose last legs sweep through no likely place."""
        for place in likely - self._swept_exits.keys():
            hit = self.checks.sweep({place}, *self._legs)
            met = {k for k, rows in enumerate(self._ends) if self.checks.sweep({place}, rows[:-1], rows[1:]).any()}
            self._swept_exits[place] = {
                exit for exit, is_hit in zip(self._exits, hit, strict=True) if is_hit or exit[0] in met
            }
        swept = set().union(*(self._swept_exits[place] for place in likely))
        return [exit for exit in exits if exit not in swept]
