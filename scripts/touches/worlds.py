"""What is true of a world: which steps its obstacles close, whether a path is left, the smallest cut."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components, maximum_flow

from dynamics import forward_kinematics
from hopfield_nav.geometry import capsule_distance
from hopfield_nav.world import World, build_arm, build_obstacles

_OPEN = 1_000_000  # capacity of a step that no cut may count


def _steps(world: World) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Numbers of both cells (k,) of all steps along an axis, and their distance (k,) from obstacles [m]."""
    shape, spacing = tuple(world.map.shape), world.map.spacing
    cells = np.argwhere(np.ones(shape, dtype=bool))
    centres = np.tile(np.array(world.map.origin), (len(cells), 1))
    centres[:, : len(shape)] += spacing * cells
    number = np.arange(len(cells)).reshape(shape)
    solids = build_obstacles(world)
    for axis, n in enumerate(shape):
        low = cells[:, axis] + 1 < n
        ends = centres[low].copy()
        ends[:, axis] += spacing
        lines = np.column_stack([centres[low], ends, np.zeros(len(ends))])
        above = cells[low].copy()
        above[:, axis] += 1
        gap = capsule_distance(lines, solids).min(axis=1) if len(solids) else np.full(len(lines), np.inf)
        yield number[tuple(cells[low].T)], number[tuple(above.T)], gap


def _ends(world: World) -> tuple[int, int]:
    """Numbers of the cells of start and goal."""
    shape, rank = tuple(world.map.shape), world.map.rank
    tool = forward_kinematics(build_arm(world), np.array(world.start.joints))[:3, 3]
    assert world.goal_point is not None
    places = (tool, np.array(world.goal_point))
    cells = [np.rint((p[:rank] - np.array(world.map.origin[:rank])) / world.map.spacing) for p in places]
    start, goal = (int(np.ravel_multi_index(tuple(c.astype(int)), shape)) for c in cells)
    return start, goal


def has_path(world: World, margin: float) -> bool:
    """Whether steps that keep ``margin`` [m] from all obstacles lead from start to goal."""
    parts = [(a[gap >= margin], b[gap >= margin]) for a, b, gap in _steps(world)]
    rows, columns = (np.concatenate(side) for side in zip(*parts, strict=True))
    cells = int(np.prod(world.map.shape))
    graph = csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(cells, cells))
    label = connected_components(graph, directed=False)[1]
    start, goal = _ends(world)
    return bool(label[start] == label[goal])


def smallest_cut(world: World, touchable: bool = False) -> int | None:
    """Number of closed steps that separate start and goal at least; None where a path is left.

    Args:
        world: the world.
        touchable: count only steps that begin at a cell to which open steps lead from the start.
    """
    start, goal = _ends(world)
    cells = int(np.prod(world.map.shape))
    steps = list(_steps(world))
    rows, columns, gap = (np.concatenate(part) for part in zip(*steps, strict=True))
    free = gap > 0.0
    graph = csr_matrix((np.ones(free.sum()), (rows[free], columns[free])), shape=(cells, cells))
    label = connected_components(graph, directed=False)[1]
    if label[start] == label[goal]:
        return None
    counted = ~free
    if touchable:
        counted &= (label[rows] == label[start]) | (label[columns] == label[start])
    capacity = np.where(counted, 1, _OPEN).astype(np.int32)
    both = (np.concatenate([rows, columns]), np.concatenate([columns, rows]))
    network = csr_matrix((np.concatenate([capacity, capacity]), both), shape=(cells, cells))
    return int(maximum_flow(network, start, goal).flow_value)
