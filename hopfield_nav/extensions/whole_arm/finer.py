"""A finer map where it is narrow, and what is carried over to it.

Cells are split in three on the axes of all joints: about the goal first, then where the arm was touched. So the
centre of every cell is one of the finer map too, and a step between two centres is one step there, or three or fewer
in a row. What was driven is free there as well; a touch closes that part of the step in which it was felt, for a fact
only where that is well inside the part.
"""

import itertools
import math

import numpy as np

from hopfield_nav.extensions.whole_arm.grid import TURN, JointGrid
from hopfield_nav.navigation.map import Beliefs, Cell, Step, step_between

MOST_CELLS = 12_000_000  # of a finer map; more take too long to plan over
LEVELS = 1  # finer maps of a run
SURELY = 0.9  # certainty that is risked at most before the map is made finer
AROUND = 1  # [cells] beside that of the goal which are split
INSIDE = 0.02  # [rad] from the ends of a part a touch was felt at least, if it is a fact about it


def finer(grid: JointGrid, goal: np.ndarray) -> JointGrid | None:
    """A map with cells split around a goal (n,) [rad]; None where it would be too large."""
    around = np.arange(-AROUND, AROUND + 1)[:, None]
    found = grid.split(np.floor(grid.along(goal)).astype(int) + around)
    return found if np.prod(found.shape, dtype=float) <= MOST_CELLS else None


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
        numbers = [(begin[axis] + k) % size for k in range(count + 1)]
        cells = [(*begin[:axis], number, *begin[axis + 1 :]) for number in numbers]
        found = [step_between(a, b, self._fine.turn) for a, b in itertools.pairwise(cells)]
        return [part for part in found if part is not None]

    def part_at(self, step: Step, angle: float) -> tuple[Step, bool]:
        """The part of a step that holds an angle of its joint [rad], and whether it does so well inside."""
        parts, axis = self.parts(step), step.axis
        cells = [*(part.cell for part in parts), parts[-1].ends[1]]
        ends = np.unwrap([self._fine.centre(cell)[axis] for cell in cells])
        if self._fine.turn[axis]:
            angle = ends.mean() + math.remainder(angle - ends.mean(), TURN)
        k = int(np.clip(np.searchsorted(ends, angle) - 1, 0, len(parts) - 1))
        return parts[k], len(parts) == 1 or bool(ends[k] + INSIDE <= angle <= ends[k + 1] - INSIDE)

    def around(self, cells: np.ndarray) -> np.ndarray:
        """The cells (k, n) of the coarser map in which the centres of cells of the finer one lie."""
        inside = np.floor(self._coarse.along(self._fine.centre(cells))).astype(int)
        return np.asarray(inside % np.array(self._coarse.shape))

    def whole(self, steps: dict[Step, float]) -> dict[Step, float]:
        """What is so said of whole steps: one is closed of which a part is."""
        found: dict[Step, float] = {}
        for step, certainty in steps.items():
            begin = tuple(int(c) for c in self.around(np.array([step.cell]))[0])
            for whole in Beliefs(self._coarse.shape, self._coarse.turn).steps_of(begin):
                if whole.axis == step.axis and step in self.parts(whole):
                    found[whole] = max(certainty, found.get(whole, 0.0))
        return found

    def beliefs(self, known: Beliefs, felt_at: dict[Step, float]) -> Beliefs:
        """Facts and beliefs about the steps of the finer map.

        ``felt_at`` has the angle [rad] of its joint at which each step was touched last.
        """
        found = Beliefs(self._fine.shape, self._fine.turn)
        found.in_free_air = known.in_free_air
        found.passed(map(self.cell, known.visited), [part for step in known.free for part in self.parts(step)])
        found.rough = set(map(self.cell, known.rough))
        closed = {}
        for step, certainty in known.touched().items():
            if step in felt_at:
                part, inside = self.part_at(step, felt_at[step])
                closed[part] = certainty if inside else min(certainty, 0.95)
        found.load_prior(closed, {})
        return found
