"""What a settled network is seen as: an activation for every neuron, and the neighbour that each one climbs to.

It is how records and pictures have a network; paths are found by `ascent`, which needs no grid of it.
"""

from collections.abc import Callable
from functools import cached_property

import numpy as np

from hopfield_nav.planning.ascent import SAME_ACTIVATION, SAME_DISTANCE
from hopfield_nav.planning.neighbourhood import Neighbourhood


class Landscape:
    """Activations over a grid, filled in when they are first asked for: over 20^6 cells they take half a gigabyte.

    ``near`` is the grid's neighbourhood, ``closed`` (n,) the keys of its closed steps (see `closed`), ``sums`` whether
    it is the network "sum".
    """

    def __init__(self, grid: Callable[[], np.ndarray], near: Neighbourhood, closed: np.ndarray, sums: bool) -> None:
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
        beside, cells = cells[:, None] + near.offset, np.asarray(cells)
        inside = (near.wrap | ((beside >= 0) & (beside < near.shape))).all(axis=2)
        first = np.ravel_multi_index(tuple(cells.T), near.shape)
        inside &= ~np.isin(first[:, None] * steps + np.arange(steps), self.closed)
        beside %= near.shape
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
