"""Steps beside one that touches what is known: what parts two free centres parts others beside them as well.

The network knows of such a step only once a path led over it. A thin wall would be met step by step, with a new path
each time; so the steps around one that touches are checked along with it, some in every round. They are closed for
what they are, and every path is the one that would be found without this.
"""

import numpy as np

from hopfield_nav.extensions.whole_arm.grid import JointGrid
from hopfield_nav.extensions.whole_arm.step_checks import StepChecks
from hopfield_nav.navigation.map import Step

MOST = 300  # steps that are checked in one round: about as long as the network then takes to settle


class Walls:
    """The known walls of a map with bool ``blocked`` cells, as far as ``checks`` have found them."""

    def __init__(self, checks: StepChecks, grid: JointGrid, blocked: np.ndarray) -> None:
        self._checks, self._grid, self._blocked = checks, grid, blocked
        self._seen, self._edge = set[int](), list[int]()  # numbers of steps; those whose neighbours are to be checked

    def grow(self, touching: set[Step], q: np.ndarray) -> set[Step]:
        """Other steps that touch, near these and those of earlier calls; ``q`` (n,) [rad] is for axes of one cell."""
        n, found, left = len(q), set[Step](), MOST
        cells = np.array([step.cell for step in touching], int).reshape(-1, n)
        first = self._numbers(cells, np.array([step.axis for step in touching], int))
        self._edge += [number for number in first if number not in self._seen]
        self._seen.update(first)
        while self._edge and left > 0:
            batch, self._edge = self._edge[:left], self._edge[left:]
            cells, axes = self._beside(np.array(batch))
            left -= max(len(cells), 1)
            bad = ~self._free(cells, axes, q)
            cells, axes = cells[bad], axes[bad]
            found.update(Step(tuple(cell), axis) for cell, axis in zip(cells.tolist(), axes.tolist(), strict=True))
            self._edge += self._numbers(cells, axes)
        self._checks.barred |= found
        return found

    def _free(self, cells: np.ndarray, axes: np.ndarray, q: np.ndarray) -> np.ndarray:
        ends = cells + np.eye(len(q), dtype=int)[axes]
        begin, end = (np.where(np.array(self._grid.shape) > 1, self._grid.centre(c), q) for c in (cells, ends))
        return self._checks.are_free(begin, end)

    def _beside(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Cells (m, n) and axes (m,) of the steps beside others that join free cells and were not checked yet."""
        shape, unit = np.array(self._grid.shape), np.eye(len(self._grid.shape), dtype=int)
        flat, own = np.divmod(numbers, len(shape))
        at, along, cells, axes = np.stack(np.unravel_index(flat, shape), axis=1), unit[own], [], []
        for other in np.flatnonzero(shape > 1):
            aside, turned = unit[other], np.full_like(own, other)
            around = [(at + aside, own), (at - aside, own), (at, turned), (at - aside, turned),
                      (at + along, turned), (at + along - aside, turned)]  # fmt: skip
            cells += [c[own != other] for c, _ in around]
            axes += [a[own != other] for _, a in around]
        near, axis = np.concatenate(cells), np.concatenate(axes)
        there = self._is_open(near) & self._is_open(near + unit[axis])
        new = [k for k in dict.fromkeys(self._numbers(near[there], axis[there])) if k not in self._seen]
        self._seen.update(new)
        flat, axis = np.divmod(np.array(new, int), len(shape))
        return np.stack(np.unravel_index(flat, shape), axis=1), axis

    def _is_open(self, cells: np.ndarray) -> np.ndarray:
        shape = np.array(self._grid.shape)
        inside = ((cells >= 0) & (cells < shape) | np.array(self._grid.periodic)).all(axis=1)
        return inside & ~self._blocked[tuple((cells % shape).T)]

    def _numbers(self, cells: np.ndarray, axes: np.ndarray) -> list[int]:
        shape = self._grid.shape
        flat = np.ravel_multi_index(tuple((cells % np.array(shape)).T), shape)
        return (flat * len(shape) + axes).tolist()
