"""What a planner answers: a path, or why there is none; and what a settled network is seen as.

A network is seen as an activation for every neuron, and the neighbour that each one climbs to: so
records and pictures have it. Paths are found by `ascent`, which needs no grid of it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Self

import numpy as np

from dynamics import BadInput, html_table
from hopfield_nav.planning.ascent import SAME_ACTIVATION, SAME_DISTANCE
from hopfield_nav.planning.neighbourhood import Neighbourhood

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NO_PATH = "no free path from start to goal"


def way_back(before: np.ndarray, first: int, last: int) -> list[int]:
    """The chain from ``first`` to ``last``; ``before`` says from where each number was reached."""
    path = [last]
    while path[-1] != first:
        path.append(int(before[path[-1]]))
    return path[::-1]


def divided(points: np.ndarray, pieces: np.ndarray) -> np.ndarray:
    """Points on a chain of straight lines through points (k, rank).

    Each line is cut into so many ``pieces`` (k - 1,) of equal length.
    """
    found = [points[:1]]
    for a, b, n in zip(points[:-1], points[1:], pieces.astype(int), strict=True):
        share = np.arange(1, n + 1)[:, None] / n
        found.append(a + share * (b - a))
    return np.vstack(found)


class Landscape:
    """Activations over a grid, filled in when they are first asked for.

    Over 20^6 cells they take half a gigabyte. ``near`` is the grid's neighbourhood, ``closed`` (n,)
    the keys of its closed steps (see `closed`), ``sums`` whether it is the network "sum".
    """

    def __init__(
        self, grid: Callable[[], np.ndarray], near: Neighbourhood, closed: np.ndarray, sums: bool
    ) -> None:
        self._grid = grid
        self.near = near
        self.closed = closed
        self.sums = sums

    @cached_property
    def activation(self) -> np.ndarray:
        """The grid of ln sigma ("sum"), or of minus the distance ("limit"); -inf without a path."""
        return self._grid()

    def climbed(self, cells: np.ndarray) -> np.ndarray:
        """The neighbour (m, rank) that steepest ascent goes to from each cell (m, rank).

        It is the cell itself where the ascent ends. From a blocked cell it goes to where its
        neighbours are highest.
        """
        near = self.near
        beside, inside = near.beside(cells[:, None], near.offset)
        has_step = inside & ~self._are_closed(cells)
        activation = self.activation[tuple(np.moveaxis(beside, 2, 0))]
        high = np.where(has_step, activation, -np.inf)
        own = self.activation[tuple(cells.T)][:, None]
        good = _highest_neighbours(high, own) if self.sums else _nearest(high - near.length, own)
        first_good = beside[np.arange(len(cells)), good.argmax(axis=1)]
        has_good = np.any(good, axis=1, keepdims=True)
        return np.where(has_good, first_good, cells)

    def _are_closed(self, cells: np.ndarray) -> np.ndarray:
        """Which steps from cells (m, rank) are closed, (m, k) bool."""
        steps = len(self.near.offset)
        number = np.ravel_multi_index(tuple(cells.T), self.near.shape)
        keys = number[:, None] * steps + np.arange(steps)
        return np.isin(keys, self.closed)


def _highest_neighbours(high: np.ndarray, own: np.ndarray) -> np.ndarray:
    """Which neighbours (m, k) are the highest, and higher than their cell: network "sum".

    ``high`` (m, k) and ``own`` (m, 1) are ln sigma; what differs by rounding alone is equal.
    """
    best = high.max(axis=1, keepdims=True)
    best = np.where(best > own, best, np.inf)
    return np.isfinite(high) & (high >= best + np.log1p(-SAME_ACTIVATION)) & (high > own)


def _nearest(high: np.ndarray, own: np.ndarray) -> np.ndarray:
    """Over which neighbours (m, k) a shortest path goes: network "limit".

    ``high`` (m, k) is minus the length of the path over each, ``own`` (m, 1) minus the distance of
    the cell, 0 at a target; what differs by rounding alone is equal.
    """
    high = np.where(own == 0.0, -np.inf, high)
    best = high.max(axis=1, keepdims=True)
    slack = SAME_DISTANCE * np.where(np.isfinite(best), best, 0.0)
    return np.isfinite(high) & (high >= best + slack)


@dataclass(frozen=True, eq=False, repr=False)
class Plan:
    """A path through the map, or why there is none."""

    cells: np.ndarray | None  # (k, rank) int, from start to goal; None when no path was found
    reason: str  # why there is none; empty when there is one
    length: float  # of the path, in the unit of `spacing` (cells by default); inf without one
    network: str  # "limit" or "sum", or the name of another planner
    beta: float | None = None  # slope that was used; None for "limit", where it does not matter
    # whether a neuron other than the goal is clamped at 1; then, or where beta is above 1/(number
    # of neighbours), the network may have false maxima
    saturated: bool = False
    # the settled network; None of other planners
    landscape: Landscape | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        return f"<Plan: {self._words}, {self.network} network>"

    def _repr_html_(self) -> str:
        ends = None if self.cells is None else f"{tuple(self.cells[0])} to {tuple(self.cells[-1])}"
        rows = [
            ("path", self._words),
            ("cells", ends),
            ("network", self.network),
            ("beta", self.beta),
        ]
        return html_table("Plan", rows)

    @property
    def _words(self) -> str:
        if self.cells is None:
            return self.reason
        return f"{len(self.cells)} cells, length {self.length:.6g}"

    @cached_property
    def distance(self) -> np.ndarray | None:
        """Grid of shortest distances to the goal, inf where there is none; "limit" alone."""
        if self.landscape is None or self.landscape.sums:
            return None
        return 0.0 - self.landscape.activation

    @property
    def log_activation(self) -> np.ndarray | None:
        """Grid of ln sigma, -inf where sigma is zero; "sum" alone."""
        if self.landscape is None or not self.landscape.sums:
            return None
        return self.landscape.activation

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the network, the climbed neighbour of every cell and the path.

        Of more than two axes it is a slice.

        Raises ``BadInput``: the plan of another planner, which has no network.
        """
        if self.landscape is None:
            allowed = "a plan of a network"
            raise BadInput("no network to draw", where="plot", found=self.network, allowed=allowed)
        figures = import_module("hopfield_nav.figures.network")  # of a room above
        return figures.plot_plan(self, ax)

    def with_last(self, cell: tuple[int, ...]) -> Self:
        """The same path and one step more, to a cell."""
        last = np.array([cell])
        return replace(self, cells=last if self.cells is None else np.vstack([self.cells, last]))

    @property
    def reachable(self) -> np.ndarray:
        """Bool grid of the cells from which a path leads to the goal."""
        if self.landscape is None:
            return np.zeros(0, dtype=bool)
        return np.isfinite(self.landscape.activation)
