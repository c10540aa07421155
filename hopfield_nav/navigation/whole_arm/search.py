"""The path over a map of joint angles: around what is known and felt, against as little doubt as can be.

What is known blocks for good, and so does a step that an exact check finds to touch it; what was felt is
withdrawn, the least certain first, where it leaves no path. Facts alone are never withdrawn. A cell is judged
by its middle, so that a thin thing may stand between two free ones: a step that sweeps through a likely
place is closed as well, for as long as that place is believed.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from dynamics import Arm
from hopfield_nav.geometry import pack_primitives, sphere
from hopfield_nav.known_world import Scene, build_scene, motion_is_free
from hopfield_nav.navigation.map import Beliefs, Cell, Step, pairs, step_between
from hopfield_nav.navigation.whole_arm.blocking import block_known
from hopfield_nav.navigation.whole_arm.collision_belief import LADDER, CollisionBelief, Place
from hopfield_nav.navigation.whole_arm.grid import JointGrid
from hopfield_nav.planning import Replanner, axis_name, cheapest_path, neighbourhood_of

NEAR = 2  # [cells] in which the map is entered or left, where the nearest centre will not do
EXITS = 4  # centres from which each solution may be reached
BALL = 0.01  # [m] radius of what a likely place is while steps are checked
ROUNDS = 40  # of paths that sweep through likely places, before so much certainty is thought to leave none
RISK = 30.0  # steps that -ln(1 - certainty) = 1 is worth, where it is a cost
_ENTRIES = 64  # nearest centres that are tried
Exits = list[tuple[int, Cell]]  # numbers of solutions, and the cell from which each may be reached


class Found(NamedTuple):
    """A path.

    Attributes:
        cells: (k, n) from the start's cell to that of the goal.
        goal: number of the solution that it leads to.
    """

    cells: np.ndarray
    goal: int


def goal_cell(found: Found) -> Cell:
    """The cell from which a path's goal is reached."""
    return tuple(int(c) for c in found.cells[-1])


class Search:
    """Plans on one map.

    Attributes:
        blocked: bool grid of the cells at whose centres the arm touches itself or what is known.
        barred: steps that touch what is known on the way.

    Args:
        arm: the arm of the scene.
        scene: what is known.
        grid: the map.
        solutions: (s, n) joint angles at the goal [rad].
    """

    def __init__(self, arm: Arm, scene: Scene, grid: JointGrid, solutions: np.ndarray) -> None:
        self._arm, self._scene, self._grid = arm, scene, grid
        self.blocked = block_known(arm, scene, grid)
        self.barred: set[Step] = set()
        self.solutions = solutions
        self._exits = [(k, cell) for k, q in enumerate(solutions) for cell in self._entries(q)[:EXITS]]
        self._balls: dict[Place, Scene] = {}
        self._hits: dict[Step, set[Place]] = {}

    def entry(self, q: np.ndarray, avoid: set[Cell]) -> Cell | None:
        """The nearest free cell whose centre is in sight of joint angles (n,) [rad]; None without one."""
        return next((cell for cell in self._entries(q) if cell not in avoid), None)

    def _entries(self, q: np.ndarray) -> list[Cell]:
        """Free cells whose centres are in sight of joint angles (n,) [rad], the nearest first."""
        grid, shape = self._grid, np.array(self._grid.shape)
        at = (q - grid.lower) / grid.spacing - 0.5
        reach = [np.arange(-NEAR, NEAR + 1) if n > 1 else np.zeros(1, dtype=int) for n in shape]
        around = np.stack(np.meshgrid(*reach, indexing="ij"), axis=-1).reshape(-1, len(shape))
        cells = np.rint(np.where(shape > 1, at, 0.0)).astype(int) + around
        cells = cells[((cells >= 0) & (cells < shape)).all(axis=1)]
        far = np.abs(np.where(shape > 1, at - cells, 0.0)).sum(axis=1)
        cells = cells[np.argsort(far, kind="stable")][:_ENTRIES]
        cells = cells[~self.blocked[tuple(cells.T)]]
        centres = self.centre(cells, q)
        free = motion_is_free(self._arm, self._scene, np.broadcast_to(q, centres.shape), centres)
        return [tuple(int(c) for c in cell) for cell in cells[free]]

    def centre(self, cells: np.ndarray, like: np.ndarray) -> np.ndarray:
        """Joint angles in the middle of cells (..., n); an axis of one cell has those of ``like`` (n,)."""
        return np.where(np.array(self._grid.shape) > 1, self._grid.centre(cells), like)

    def path(
        self,
        here: Cell,
        q: np.ndarray,
        beliefs: Beliefs,
        doubts: CollisionBelief,
        left_out: set[tuple[int, Cell]],
    ) -> Found | None:
        """The shortest path from a cell to a goal that the least doubt speaks against; None without any.

        Args:
            here: where it begins.
            q: (n,) joint angles, for axes of one cell.
            beliefs: of the steps.
            doubts: of the cells.
            left_out: solutions that were felt not to be reached from a cell.
        """
        touched = set(beliefs.doubted())
        exits = [exit for exit in self._exits if exit not in left_out]
        return self._least_doubt(here, q, touched, beliefs.free, doubts, exits) or self._least_doubt(
            here, q, beliefs.facts, beliefs.free, doubts, exits
        )

    def cheapest(
        self,
        here: Cell,
        q: np.ndarray,
        beliefs: Beliefs,
        doubts: CollisionBelief,
        left_out: set[tuple[int, Cell]],
    ) -> Found | None:
        """The path with the least sum of steps and ``RISK`` times what speaks against its cells.

        Arguments as in ``path``. Source: the cost of Saund and Berenson's collision hypothesis sets.
        """
        exits = [exit for exit in self._exits if exit not in left_out and not self.blocked[exit[1]]]
        cost = np.where(self.blocked, np.float32(np.inf), np.float32(RISK) * doubts.risk())
        for closed in (set(beliefs.doubted()), beliefs.facts):
            found = self._by_cost(here, q, cost, closed, exits)
            if found is not None:
                return found
        return None

    def _by_cost(
        self, here: Cell, q: np.ndarray, cost: np.ndarray, closed: set[Step], exits: Exits
    ) -> Found | None:
        left, closed = list(exits), closed | self.barred
        while left:
            goals = np.array(sorted({cell for _, cell in left}))
            cells = cheapest_path(cost, here, goals, pairs(closed, len(here)))
            if cells is None:
                return None
            found, bad = self._checked(cells, q, left, set(), set())
            if not bad:
                return found
            closed = closed | {step for step in bad if step is not None}
            if None in bad:
                left.remove((found.goal, goal_cell(found)))
        return None

    def _checked(
        self, cells: np.ndarray, q: np.ndarray, left: Exits, driven: set[Step], likely: set[Place]
    ) -> tuple[Found, set[Step | None]]:
        """A path over cells, and its steps that touch what is known or likely; None for its last leg."""
        last = tuple(int(c) for c in cells[-1])
        found = Found(cells, next(k for k, cell in left if cell == last))
        rows = np.vstack([self.centre(cells, q), self.solutions[found.goal]])
        steps = [step_between(a, b) for a, b in itertools.pairwise(cells)]
        return found, self._touching(rows, [*steps, None], driven, likely)

    def steps_from(self, here: Cell, q: np.ndarray, closed: set[Step]) -> list[Cell]:
        """Cells one step from a cell that is entered at joint angles (n,) [rad], past what is known."""
        around = [tuple(c + sign * (a == axis) for a, c in enumerate(here))
                  for axis in range(len(here)) for sign in (1, -1)]  # fmt: skip
        inside = [
            cell for cell in around if all(0 <= c < n for c, n in zip(cell, self._grid.shape, strict=True))
        ]
        shut = closed | self.barred
        cells = [c for c in inside if not self.blocked[c] and step_between(here, c) not in shut]
        if not cells:
            return []
        centres = self.centre(np.array(cells), q)
        free = motion_is_free(self._arm, self._scene, np.broadcast_to(q, centres.shape), centres)
        return [cell for cell, is_free in zip(cells, free, strict=True) if is_free]

    def sweeps(self, place: np.ndarray, q: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """(k,) bool: whether the lines from angles (n,) to ends (k, n) [rad] sweep through a place (3,)."""
        x, y, z = (float(c) for c in place)
        return ~motion_is_free(self._arm, self._ball((x, y, z)), np.broadcast_to(q, ends.shape), ends)

    def _least_doubt(
        self,
        here: Cell,
        q: np.ndarray,
        closed: set[Step],
        driven: set[Step],
        doubts: CollisionBelief,
        exits: Exits,
    ) -> Found | None:
        """By halving: the path with the least certainty of ``LADDER`` that leaves one."""

        def below(certainty: float) -> Found | None:
            blocked, likely = self.blocked | doubts.doubtful(certainty), doubts.likely(certainty)
            return self._shortest(here, q, blocked, closed, driven, likely, exits)

        found = below(LADDER[0])
        best = None if found is not None else below(LADDER[-1])
        low, high = 1, len(LADDER) - 1
        while best is not None and low < high:
            middle = (low + high) // 2
            tried = below(LADDER[middle])
            best, low, high = (best, middle + 1, high) if tried is None else (tried, low, middle)
        return found or best

    def _shortest(
        self, here: Cell, q: np.ndarray, blocked: np.ndarray, closed: set[Step], driven: set[Step],
        likely: set[Place], exits: Exits,
    ) -> Found | None:  # fmt: skip
        """The shortest path whose steps are proven free of the known, and sweep through no likely place."""
        left = [exit for exit in self._unswept(exits, likely) if not blocked[exit[1]]]
        swept = {step for step, hit in self._hits.items() if hit & likely} - driven
        closed = closed | self.barred | swept
        network: Replanner | None = None
        rounds = 0
        while left and rounds < ROUNDS:
            if network is None:
                goals = np.array(sorted({cell for _, cell in left}))
                near = neighbourhood_of(blocked.shape, ties=_base_first(len(here)))
                network = Replanner(blocked, goals, near=near)
                network.close(pairs(closed, len(here)))
            cells = network.path(here)
            if cells is None:
                return None
            path, bad = self._checked(cells, q, left, driven, likely)
            if not bad:
                return path
            found = {step for step in bad if step is not None}
            rounds += not found <= self.barred
            closed = closed | found
            network.close(pairs(found, len(here)))
            if None in bad:
                left.remove((path.goal, goal_cell(path)))
                network = None
        return None

    def _unswept(self, exits: Exits, likely: set[Place]) -> Exits:
        """The exits whose last legs sweep through no likely place."""
        legs = [(self.centre(np.array(cell), self.solutions[k]), self.solutions[k]) for k, cell in exits]
        free = np.ones(len(legs), dtype=bool)
        begin, end = np.array(legs).reshape(-1, 2, len(self._grid.shape)).swapaxes(0, 1)
        for place in likely:
            free &= motion_is_free(self._arm, self._ball(place), begin, end)
        return [leg for leg, is_free in zip(exits, free, strict=True) if is_free]

    def _touching(
        self, rows: np.ndarray, steps: list[Step | None], driven: set[Step], likely: set[Place]
    ) -> set[Step | None]:
        """Which steps between waypoints (k + 1, n) touch what is known, or sweep through a likely place."""
        known = ~motion_is_free(self._arm, self._scene, rows[:-1], rows[1:])
        bad = {steps[k] for k in np.flatnonzero(known)}
        self.barred |= {step for step in bad if step is not None}
        for place in likely:
            for k in np.flatnonzero(~motion_is_free(self._arm, self._ball(place), rows[:-1], rows[1:])):
                step = steps[k]
                if step is None or step not in driven:
                    bad.add(step)
                if step is not None:
                    self._hits.setdefault(step, set()).add(place)
        return bad

    def _ball(self, place: Place) -> Scene:
        """The arm and a small ball at a place."""
        if place not in self._balls:
            self._balls[place] = build_scene(self._arm, pack_primitives([sphere(np.array(place), BALL)]))
        return self._balls[place]


def _base_first(joints: int) -> list[str]:
    """Tie order of the network: as long as two paths are as good, the base turns before the wrist."""
    return [sign + axis_name(axis) for axis in range(joints) for sign in "+-"]
