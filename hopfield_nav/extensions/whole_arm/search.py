"""The search over a map of joint angles: where paths may begin and end, and what is proven of them.

What is known blocks for good, and so does a step that an exact check finds to touch it. A cell is judged by its
centre, so that a thin thing may stand between two free ones: a step that sweeps through a likely place is closed as
well, for as long as that place is believed. Which of all paths is chosen says ``attempts``.

An *exit* is a solution and a cell over which the map is left for it, in one straight *leg* of all joints.
"""

import itertools
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from dynamics import Arm
from hopfield_nav.extensions.clearance import Scene
from hopfield_nav.extensions.whole_arm import numbers
from hopfield_nav.extensions.whole_arm.blocking import block_known
from hopfield_nav.extensions.whole_arm.cell_planners import AxisCuts, Network, one_more, within_limits
from hopfield_nav.extensions.whole_arm.grid import JointGrid
from hopfield_nav.extensions.whole_arm.step_checks import Place, StepChecks, Walls, doubtful, likely_places
from hopfield_nav.navigation.map import Beliefs, Cell, Step, pairs, step_between
from hopfield_nav.planning import Landscape, neighbourhood_of
from hopfield_nav.plugin import BelievedMap, CollisionEvidence, Planner

Exits = list[tuple[int, Cell]]  # numbers of solutions, and the cell from which each may be reached
LeftOut = set[tuple[int, Cell | None]]  # the same, None for all cells
Plan = Callable[[np.ndarray, set[Step], AxisCuts], np.ndarray | None]  # a path by goals, closed steps and cuts


class Query(NamedTuple):
    """From where a path is looked for, and what is believed then."""

    here: Cell
    q: np.ndarray  # (n,) joint angles, for axes of one cell and whole turns [rad]
    beliefs: Beliefs  # of the steps
    evidence: CollisionEvidence  # of the cells
    left_out: LeftOut  # solutions that were felt not to be reached from a cell


class CellPath(NamedTuple):
    """A path."""

    cells: np.ndarray  # (k, n) from the start's cell to that of the goal
    goal: int  # number of the solution that it leads to; -1: it ends at the centre of its last cell
    landscape: Landscape | None = None  # the network that was climbed, over the whole map

    @property
    def exit(self) -> tuple[int, Cell]:
        """The solution, and the cell from which it is reached."""
        return self.goal, tuple(int(c) for c in self.cells[-1])


class Search:
    """Plans on one map of the arm of a scene, to solutions (s, n) [rad] at the goal.

    ``planner`` is the user's; None: the network. Each solution may be reached from so many centres as ``most_exits``.
    ``lines`` (m, n) of the tool lead to one of them each; a path may end where one begins, and does if no doubt speaks
    against it: they are numbered behind the solutions.
    """

    def __init__(
        self, arm: Arm, scene: Scene, grid: JointGrid, solutions: np.ndarray,
        planner: Planner | None = None, seed: int = 0, most_exits: int = numbers.MOST_EXITS,
        lines: Sequence[np.ndarray] = (),
    ) -> None:  # fmt: skip
        self._arm, self._grid, self.checks = arm, grid, StepChecks(arm, scene)
        self._planner, self._seed, self._single = planner, seed, np.array(grid.shape) == 1
        self.blocked = block_known(arm, scene, grid)  # centres where the arm touches itself or what is known
        self._walls = Walls(self.checks, grid, self.blocked)
        self._last_rows = [*solutions[:, None], *lines]  # (m, n) of each the last joint angles of a path
        self.tool_lines: LeftOut = {(len(solutions) + k, None) for k in range(len(lines))}
        # (s, n) where paths end: the solutions, and those to which the lines lead, again [rad]
        self.ends = np.array([rows[-1] for rows in self._last_rows]).reshape(-1, len(grid.shape))
        entries = [self.entries(rows[0], True) for rows in self._last_rows]
        near = [(k, cell) for k, cells in enumerate(entries) for cell in cells[: numbers.EXITS]]
        self._exits = {
            "near": near,
            "line": [exit for exit in near if len(self._last_rows[exit[0]]) > 1],
            "all": [(k, cell) for k, cells in enumerate(entries) for cell in cells[:most_exits]],
        }
        cells = np.array([cell for _, cell in self._exits["all"]], int).reshape(-1, len(grid.shape))
        behind = np.array([self._last_rows[k][0] for k, _ in self._exits["all"]]).reshape(cells.shape)
        self._legs = self.centre(cells, behind), behind  # of each exit the two ends of the leg that leaves the map
        self._swept_exits: dict[Place, set[tuple[int, Cell]]] = {}

    def entries(self, q: np.ndarray, any_turn: bool = False) -> list[Cell]:
        """Free cells whose centres are in sight of joint angles (n,) [rad], the nearest first.

        The centres are within the joints' limits, unless the angles stand for all whole turns of them.
        """
        shape, single = np.array(self._grid.shape), self._single
        at = np.where(single, 0.0, self._grid.along(q) - 0.5)
        reach = [np.arange(-far, far + 1) for far in np.where(single, 0, numbers.ENTRY_REACH)]
        around = np.stack(np.meshgrid(*reach, indexing="ij"), axis=-1).reshape(-1, len(shape))
        cells = np.rint(at).astype(int) + around
        cells = cells[((cells >= 0) & (cells < shape) | np.array(self._grid.periodic)).all(axis=1)]
        far = np.abs(np.where(single, 0.0, at - cells)).sum(axis=1)
        cells = cells[np.argsort(far, kind="stable")][: numbers.MOST_EXITS] % shape
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
        return self._grid.beside(np.where(self._single, like, self._grid.centre(cells)), like)

    def rows(self, path: CellPath, q: np.ndarray) -> np.ndarray:
        """(k + 1, n) joint angles over a path and to its goal, unwound from angles (n,) at its beginning."""
        centres = np.where(self._single, q, self._grid.centre(path.cells))
        last = self._last_rows[path.goal] if path.goal >= 0 else centres[:0]
        return self._grid.unwound(np.vstack([q, centres, last]))[1:]

    def exits(self, left_out: LeftOut, kind: str = "all") -> Exits:
        """Solutions by number, and cells from which they may be reached, but for some of these.

        They are "all", those "near" a solution, or those on the "line" of the tool.
        """
        return [exit for exit in self._exits[kind] if exit not in left_out and (exit[0], None) not in left_out]

    def believed(
        self, here: Cell, blocked: np.ndarray, against: np.ndarray, goals: np.ndarray, closed: set[Step]
    ) -> BelievedMap:
        """The map as a planner of the user gets it: what is closed in this attempt counts as proven."""
        shut = pairs(sorted(closed), blocked.shape)
        moves = neighbourhood_of(blocked.shape).offset
        return BelievedMap(blocked, against, shut, np.ones(len(shut)), here, goals, moves, seed=self._seed)

    def shortest(self, query: Query, exits: Exits, closed: set[Step], certainty: float) -> CellPath | None:
        """The shortest path against which no more than a certainty speaks, of cells and of likely places.

        None: there is none, or, below certainty 1, ``ROUNDS`` paths swept through likely places.
        """
        cells, driven, likely = query.evidence.cells, query.beliefs.free, likely_places(query.evidence, certainty)
        blocked = self.blocked | doubtful(cells, certainty)
        left = [exit for exit in self._unswept(exits, likely) if not blocked[exit[1]]]
        closed = closed | self.checks.barred | (self.checks.through(likely) - driven)
        network, own = Network(self._grid, query.here, blocked), self._planner

        def plan(goals: np.ndarray, shut: set[Step], cuts: AxisCuts) -> np.ndarray | None:
            if own is None:
                return network.plan(goals, shut, cuts)
            return own.plan(self.believed(query.here, blocked, cells, goals, shut)).cells  # it knows nothing of cuts

        path = self._proven(plan, query.q, closed, left, driven, likely)
        return None if path is None else path._replace(landscape=network.landscape)

    def towards(self, targets: np.ndarray, query: Query) -> CellPath | None:
        """The shortest path to one of the cells ``targets`` (k,), doubted or not, in C order, past other doubted cells.

        None where there is none past what is known, or the arm is there.
        """
        free = targets[~self.blocked.reshape(-1)[targets]]
        exits: Exits = [(-1, tuple(cell)) for cell in np.transpose(np.unravel_index(free, self._grid.shape)).tolist()]
        network = Network(self._grid, query.here, self.blocked | doubtful(query.evidence.cells, 0.0))
        closed = set(query.beliefs.doubted()) | self.checks.barred
        path = self._proven(network.plan, query.q, closed, exits, set(), set())
        return None if path is None or len(path.cells) == 1 else path

    def _proven(
        self, plan: Plan, q: np.ndarray, closed: set[Step], exits: Exits, driven: set[Step],
        likely: set[Place], cuts: AxisCuts = (),
    ) -> CellPath | None:  # fmt: skip
        """The first path that is planned against which an exact check finds nothing.

        Steps that it finds are closed, exits whose last legs it finds are left out, and a joint beyond its limits gets
        a cut in its closed axis. A round counts where a likely place was met.
        """
        left, rounds = list(exits), 0
        while left and rounds < numbers.ROUNDS:
            cells = plan(np.array(sorted({cell for _, cell in left})), closed, cuts)
            if cells is None:
                return None
            path = CellPath(cells, next(k for k, cell in left if cell == tuple(cells[-1])))
            rows, bad = self._checked(path, q, driven, likely)
            beyond = [] if bad else np.flatnonzero(~within_limits(self._arm, self._grid, rows).all(axis=0)).tolist()
            if not bad and not beyond:
                return path
            if beyond and beyond[0] not in dict(cuts):
                others = (self._proven(plan, q, closed, left, driven, likely, more)
                          for more in one_more(cuts, self._arm, beyond[0], q[beyond[0]]))  # fmt: skip
                return next((other for other in others if other is not None), None)
            touching = {step for step in bad if step is not None}
            rounds += not touching <= self.checks.barred
            closed = closed | touching | self._walls.grow(touching & self.checks.barred, q)
            if beyond or None in bad:
                left.remove(path.exit)
        return None

    def _checked(
        self, path: CellPath, q: np.ndarray, driven: set[Step], likely: set[Place]
    ) -> tuple[np.ndarray, set[Step | None]]:
        """The joint angles over a path, and its steps that touch what is known or likely; None for its last leg."""
        rows = self.rows(path, q)
        steps = [step_between(a, b, self._grid.turn) for a, b in itertools.pairwise(path.cells)]
        return rows, self.checks.touching(rows, [*steps, None][: len(rows) - 1], driven, likely)

    def _unswept(self, exits: Exits, likely: set[Place]) -> Exits:
        """The exits whose last legs sweep through no likely place."""
        for place in likely - self._swept_exits.keys():
            hit = self.checks.sweep({place}, *self._legs)
            met = {k for k, rows in enumerate(self._last_rows) if self.checks.sweep({place}, rows[:-1], rows[1:]).any()}
            self._swept_exits[place] = {
                exit for exit, is_hit in zip(self._exits["all"], hit, strict=True) if is_hit or exit[0] in met
            }
        swept = set().union(*(self._swept_exits[place] for place in likely))
        return [exit for exit in exits if exit not in swept]
