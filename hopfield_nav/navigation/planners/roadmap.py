"""The planner ``roadmap``: shortest paths over random points; it makes no steps from cell to cell.

Source: Spong, Hutchinson and Vidyasagar 2006, 5.4; Kavraki et al. 1996.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hopfield_nav.planning import (
    Plan,
    cells_along,
    closed_cells,
    in_sight,
    neighbourhood_of,
    polyline_length,
    way_back,
)  # fmt: skip
from hopfield_nav.plugin import BelievedMap, Method

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


def plan_roadmap(
    blocked: np.ndarray,
    start: Sequence[int],
    goal: Sequence[int],
    samples: int = 200,
    connections: int = 10,
    seed: int = 0,
) -> Plan:
    """The shortest path over random points that see each other; a blocked start or goal counts as free.

    The points are drawn over the whole map and those in blocked cells left out, so that one seed gives one roadmap,
    of which more and more is lost as cells are blocked. Each is connected with so many of the nearest, where it sees
    them. The plan has ``waypoints``.
    """
    grid = np.array(blocked, dtype=bool)
    grid[tuple(start)] = grid[tuple(goal)] = False
    drawn = np.random.default_rng(seed).uniform(-0.5, np.array(grid.shape) - 0.5, (samples, grid.ndim))
    inside = np.clip(np.rint(drawn), 0, np.array(grid.shape) - 1).astype(int)
    points = np.vstack([start, goal, drawn[~grid[tuple(inside.T)]]]).astype(float)
    path = _shortest(_graph(grid, points, connections))
    if path is None:
        reason = f"a roadmap of {samples} samples does not connect start and goal"
        return Plan(None, reason, np.inf, "roadmap")
    chain = points[path]
    return Plan(cells_along(grid, chain), "", polyline_length(chain), "roadmap", waypoints=chain)


def _graph(grid: np.ndarray, points: np.ndarray, connections: int) -> "csr_matrix":
    """Lengths between points that are among each other's nearest and see each other."""
    from scipy.sparse import csr_matrix
    from scipy.spatial import cKDTree

    most = min(connections + 1, len(points))
    length, other = cKDTree(points).query(points, k=list(range(1, most + 1)))
    one = np.repeat(np.arange(len(points)), most)
    other, length = other.reshape(-1), length.reshape(-1)
    real = one != other
    one, other, length = one[real], other[real], length[real]
    seen = in_sight(grid, points[one], points[other])
    lengths = np.maximum(length[seen], 1e-12)  # a zero would be no connection
    return csr_matrix((lengths, (one[seen], other[seen])), shape=(len(points), len(points)))


def _shortest(graph: "csr_matrix") -> list[int] | None:
    """Points from the first to the second."""
    from scipy.sparse.csgraph import dijkstra

    length, before = dijkstra(graph, directed=False, indices=0, return_predecessors=True)
    return way_back(before, 0, 1) if np.isfinite(length[1]) else None


@dataclass(frozen=True)
class Roadmap:
    """A roadmap with the keys that a world has for it; a ``Planner``."""

    samples: int
    connections: int

    def plan(self, believed: BelievedMap) -> Plan:
        """The path to the first goal; both cells of a closed step are blocked."""
        near = neighbourhood_of(believed.blocked.shape, believed.radius)
        blocked = believed.blocked | closed_cells(believed.closed, near)
        goal = tuple(believed.goals[0].tolist())
        return plan_roadmap(blocked, believed.start, goal, self.samples, self.connections, believed.seed)


METHOD = Method(
    "planner", "roadmap", Roadmap,
    description="shortest paths over random points that see each other (Kavraki et al. 1996)",
)  # fmt: skip
