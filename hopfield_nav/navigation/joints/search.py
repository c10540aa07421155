"""The path over a map of joint angles: around what is known and felt, against as little doubt as can be.

What is known blocks for good, and so does a step that an exact check finds to touch it; what was felt is
withdrawn, the least certain first, where it leaves no path. Facts alone are never withdrawn.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics import Arm
from hopfield_nav.known_world import Scene, motion_is_free
from hopfield_nav.navigation.beliefs import Beliefs, Cell, Step, pairs, step_between
from hopfield_nav.navigation.joints.blocking import block_known
from hopfield_nav.navigation.joints.doubts import LADDER, Doubts
from hopfield_nav.navigation.joints.grid import JointGrid
from hopfield_nav.planning import plan_to_nearest

NEAR = 2  # [cells] in which the map is entered or left, where the nearest centre will not do
_ENTRIES = 64  # nearest centres that are tried


class Found(NamedTuple):
    """A path.

    Attributes:
        cells: (k, n) from the start's cell to that of the goal.
        goal: number of the solution that it leads to.
        doubt: largest certainty that speaks against one of its cells, 0 to 1.
    """

    cells: np.ndarray
    goal: int
    doubt: float


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
        self._exits = [self.entry(q) for q in solutions]

    def entry(self, q: np.ndarray, avoid: set[Cell] | None = None) -> Cell | None:
        """The nearest free cell whose centre is in sight of joint angles (n,) [rad]; None without one."""
        grid, shape = self._grid, np.array(self._grid.shape)
        at = (q - grid.lower) / grid.spacing - 0.5
        reach = [np.arange(-NEAR, NEAR + 1) if n > 1 else np.zeros(1, dtype=int) for n in shape]
        around = np.stack(np.meshgrid(*reach, indexing="ij"), axis=-1).reshape(-1, len(shape))
        cells = np.rint(np.where(shape > 1, at, 0.0)).astype(int) + around
        cells = cells[((cells >= 0) & (cells < shape)).all(axis=1)]
        far = np.abs(np.where(shape > 1, at - cells, 0.0)).sum(axis=1)
        cells = cells[np.argsort(far, kind="stable")][:_ENTRIES]
        cells = cells[~self.blocked[tuple(cells.T)]]
        if not len(cells):
            return None
        centres = self.centre(cells, q)
        free = motion_is_free(self._arm, self._scene, np.broadcast_to(q, centres.shape), centres)
        for cell in cells[free]:
            found = tuple(int(c) for c in cell)
            if found not in (avoid or ()):
                return found
        return None

    def centre(self, cells: np.ndarray, like: np.ndarray) -> np.ndarray:
        """Joint angles in the middle of cells (..., n); an axis of one cell has those of ``like`` (n,)."""
        return np.where(np.array(self._grid.shape) > 1, self._grid.centre(cells), like)

    def path(
        self, here: Cell, q: np.ndarray, beliefs: Beliefs, doubts: Doubts, left_out: set[tuple[int, Cell]]
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
        found = self._least_doubt(here, q, touched, doubts, left_out)
        return found or self._least_doubt(here, q, beliefs.facts, doubts, left_out)

    def _least_doubt(
        self, here: Cell, q: np.ndarray, closed: set[Step], doubts: Doubts, left_out: set[tuple[int, Cell]]
    ) -> Found | None:
        """By halving: the path with the least certainty of ``LADDER`` that leaves one."""
        found = self._below(LADDER[0], here, q, closed, doubts, left_out)
        if found is not None:
            return found
        best = self._below(LADDER[-1], here, q, closed, doubts, left_out)
        low, high = 1, len(LADDER) - 1
        while best is not None and low < high:
            middle = (low + high) // 2
            found = self._below(LADDER[middle], here, q, closed, doubts, left_out)
            best, low, high = (best, middle + 1, high) if found is None else (found, low, middle)
        return best

    def _below(
        self, certainty: float, here: Cell, q: np.ndarray, closed: set[Step], doubts: Doubts,
        left_out: set[tuple[int, Cell]],
    ) -> Found | None:  # fmt: skip
        """The shortest path over cells of no more doubt, all steps of which are proven free of the known."""
        exits = [(k, c) for k, c in enumerate(self._exits) if c is not None and (k, c) not in left_out]
        if not exits:
            return None
        blocked = self.blocked | doubts.doubtful(certainty)
        goals = np.array([cell for _, cell in exits])
        while True:
            shut = pairs(closed | self.barred, len(here))
            plan = plan_to_nearest(blocked, here, goals, closed=shut)
            if plan.cells is None:
                return None
            centres = self.centre(plan.cells, q)
            free = motion_is_free(self._arm, self._scene, centres[:-1], centres[1:])
            if free.all():
                last = tuple(int(c) for c in plan.cells[-1])
                number = next(k for k, cell in exits if cell == last)
                return Found(plan.cells, number, certainty)
            for k in np.flatnonzero(~free):
                step = step_between(plan.cells[k], plan.cells[k + 1])
                if step is not None:
                    self.barred.add(step)
