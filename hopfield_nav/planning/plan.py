"""What a planner answers: a path through the map, or why there is none; and what a settled network is seen as.

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
    """What lies between ``first`` and ``last``, both included; ``before`` says from where each was reached."""
    path = [last]
    while path[-1] != first:
        path.append(int(before[path[-1]]))
    return path[::-1]


def divided(points: np.ndarray, pieces: np.ndarray) -> np.ndarray:
    """Points on a chain of straight lines through points (k, rank), each line in so many ``pieces`` (k - 1,)."""
    lines = zip(points[:-1], points[1:], pieces.astype(int), strict=True)
    return np.vstack(
        [points[:1], *(a + np.arange(1, n + 1)[:, None] / n * (b - a) for a, b, n in lines)]
    )


class Landscape:
    """Activations over a grid, filled in when they are first asked for: over 20^6 cells they take half a gigabyte.

    ``near`` is the grid's neighbourhood, ``closed`` (n,) the keys of its closed steps (see
    `closed`), ``sums`` whether it is the network "sum".
    """

    def __init__(
        self, grid: Callable[[], np.ndarray], near: Neighbourhood, closed: np.ndarray, sums: bool
    ) -> None:
        self._grid, self.near, self.closed, self.sums = grid, near, closed, sums

    @cached_property
    def activation(self) -> np.ndarray:
        """The grid of ln sigma, network "sum", or of minus the distance, "limit"; -inf where there is no path."""
        return self._grid()

    def climbed(self, cells: np.ndarray) -> np.ndarray:
        """The neighbour (m, rank) that steepest ascent goes to from each cell (m, rank); the cell itself where it ends.

        From a blocked cell it goes to where its neighbours are highest.
        """
        near, steps = self.near, len(self.near.offset)
        beside, inside = near.beside(cells[:, None], near.offset)
        first = np.ravel_multi_index(tuple(cells.T), near.shape)
        inside &= ~np.isin(first[:, None] * steps + np.arange(steps), self.closed)
        high = np.where(inside, self.activation[tuple(np.moveaxis(beside, 2, 0))], -np.inf)
        own = self.activation[tuple(cells.T)][:, None]
        if self.sums:
            best, slack = high.max(axis=1, keepdims=True), np.log1p(-SAME_ACTIVATION)
            best = np.where(best > own, best, np.inf)
        else:
            high = np.where(own == 0.0, -np.inf, high - near.length)
            best = high.max(axis=1, keepdims=True)
            slack = SAME_DISTANCE * np.where(np.isfinite(best), best, 0.0)
        good = np.isfinite(high) & (high >= best + slack) & ((high > own) | (not self.sums))
        up = beside[np.arange(len(cells)), good.argmax(axis=1)]
        return np.where(good.any(axis=1)[:, None], up, cells)


@dataclass(frozen=True, eq=False, repr=False)
class Plan:
    """A path through the map, or why there is none."""

    cells: np.ndarray | None  # (k, rank) int, from start to goal; None when no path was found
    reason: str  # why there is none; empty when there is one
    # of the path, in the unit of `spacing` (cells by default); inf when there is none
    length: float
    network: str  # "limit" or "sum", or the name of another planner
    beta: float | None = None  # slope that was used; None for "limit", where it does not matter
    # whether a neuron other than the goal is clamped at 1; then, or where beta is above 1/(number
    # of neighbours), the network may have false maxima
    saturated: bool = False
    landscape: Landscape | None = field(
        default=None, repr=False
    )  # the settled network; None of other planners

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
        return (
            self.reason
            if self.cells is None
            else f"{len(self.cells)} cells, length {self.length:.6g}"
        )

    @cached_property
    def distance(self) -> np.ndarray | None:
        """Grid of shortest distances to the goal, inf where there is none; "limit" alone."""
        return (
            None
            if self.landscape is None or self.landscape.sums
            else 0.0 - self.landscape.activation
        )

    @property
    def log_activation(self) -> np.ndarray | None:
        """Grid of ln sigma, -inf where sigma is zero; "sum" alone."""
        return (
            self.landscape.activation
            if self.landscape is not None and self.landscape.sums
            else None
        )

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the network, the climbed neighbour of every cell and the path; of more than two axes a slice.

        Raises ``BadInput``: the plan of another planner, which has no network.
        """
        if self.landscape is None:
            raise BadInput(
                "no network to draw",
                where="plot",
                found=self.network,
                allowed="a plan of a network",
            )
        return import_module("hopfield_nav.figures.network").plot_plan(
            self, ax
        )  # a room above draws it

    def with_last(self, cell: tuple[int, ...]) -> Self:
        """The same path and one step more, to a cell."""
        last = np.array([cell])
        return replace(self, cells=last if self.cells is None else np.vstack([self.cells, last]))

    @property
    def reachable(self) -> np.ndarray:
        """Bool grid of the cells from which a path leads to the goal."""
        return (
            np.zeros(0, dtype=bool)
            if self.landscape is None
            else np.isfinite(self.landscape.activation)
        )
