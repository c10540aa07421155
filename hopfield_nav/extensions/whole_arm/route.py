"""The way of the whole arm: the waypoints of the present motion, and the trail of free ones behind it."""

import itertools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from hopfield_nav.loop import Trajectory
from hopfield_nav.navigation.map import Cell, Step, step_between

_SWEEP = 8  # configurations on a line that was driven, at which places are ruled out
_APART = 0.05  # [rad] no further from each other than these are those on longer lines


class Route(NamedTuple):
    """The waypoints of a motion."""

    rows: np.ndarray  # (k + 1, n) joint angles [rad]
    cells: list[Cell | None]  # of each the cell whose centre it is, if it is one
    goal: int = -1  # number of the solution that it leads to; -1 for none
    turn: tuple[int, ...] = ()  # cells of the closed axes of the map, 0 of others
    # of each segment the cells that it joins, where it is a straight line or a blend of such lines; none of
    # others. Empty where there are no lines.
    joined: tuple[list[Cell], ...] = ()
    # (k + 1,) when the arm is at the waypoints [s]; None: at the knots of the trajectory
    times: np.ndarray | None = None
    on_line: int = 0  # how many of the last segments are the tool's line to the goal

    def segment_at(self, trajectory: Trajectory, time: float) -> int:
        """Number of the segment on which the reference is at a time [s]."""
        knots = trajectory.knots if self.times is None else self.times
        number = int(np.searchsorted(knots, time, side="right")) - 1
        return min(max(number, 0), max(len(self.rows) - 2, 0))

    def ahead(self, number: int) -> Cell | None:
        """The first cell behind segment ``number``; None where it leads over no more."""
        if self.line(number):
            return self.line(number)[-1]
        return next((c for c in self.cells[number + 1 :] if c is not None), None)

    def line(self, number: int) -> list[Cell]:
        """The cells that segment ``number`` joins as a straight line; none where it is no such line."""
        return self.joined[number] if self.joined else []

    def up_to(self, number: int, row: np.ndarray) -> "Route":
        """The segments before number ``number``, and this one as far as to joint angles (n,) [rad]."""
        rows = np.vstack([self.rows[: number + 1], row])
        return self._replace(rows=rows, cells=[*self.cells[: number + 1], None])

    def step(self, number: int) -> Step | None:
        """The step that a segment is; None where it is none."""
        begin, end = self.cells[number : number + 2]
        return None if begin is None or end is None else step_between(begin, end, self.turn)

    def passed(self, until: int) -> tuple[list[Cell], list[Step]]:
        """Centres and steps on the segments before number ``until``."""
        steps = [self.step(k) for k in range(until)]
        return [c for c in self.cells[1 : until + 1] if c is not None], [s for s in steps if s is not None]

    def swept(self, until: int) -> np.ndarray:
        """Configurations (m, n) on these segments [rad]."""
        driven = self.rows[: until + 1]
        share = np.linspace(0.0, 1.0, _SWEEP)[:, None, None]
        if self.joined:
            longest = float(np.abs(np.diff(driven, axis=0)).max(initial=0.0))
            share = np.linspace(0.0, 1.0, max(_SWEEP, int(longest / _APART)))[:, None, None]
        return (driven[:-1] + share * np.diff(driven, axis=0)).reshape(-1, driven.shape[1])


class Trail:
    """Free waypoints (n,) that the arm came over, the latest last; where it may go back to [rad]."""

    def __init__(self, start: np.ndarray) -> None:
        self._points: list[tuple[np.ndarray, Cell | None]] = [(start.copy(), None)]

    @property
    def row(self) -> np.ndarray:
        """(n,) joint angles of the latest [rad]."""
        return self._points[-1][0]

    @property
    def cell(self) -> Cell | None:
        """The cell whose centre the latest is, if it is one."""
        return self._points[-1][1]

    @property
    def at_start(self) -> bool:
        """Whether the arm has been nowhere else."""
        return len(self._points) == 1

    def extend(self, way: Route, until: int) -> None:
        """Add the waypoints of a motion up to number ``until``."""
        self._points += itertools.islice(zip(way.rows, way.cells, strict=True), 1, until + 1)

    def back(self) -> None:
        """Leave the latest out."""
        self._points.pop()

    def rename(self, name: Callable[[Cell], Cell]) -> None:
        """Give every cell another name, that of a finer map."""
        self._points = [(row, None if cell is None else name(cell)) for row, cell in self._points]

    def restart(self, row: np.ndarray) -> None:
        """Begin anew at joint angles (n,) [rad]."""
        self._points = [(row, None)]
