"""What is true of a world: which steps its obstacles close, and whether a path is left with a margin."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynamics import forward_kinematics
from hopfield_nav.geometry import capsule_distance
from hopfield_nav.world import World, build_arm, build_obstacles


def steps_of(world: World) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
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


def ends_of(world: World) -> tuple[int, int]:
    """Numbers of the cells of start and goal."""
    shape, rank = tuple(world.map.shape), world.map.rank
    tool = forward_kinematics(build_arm(world), np.array(world.start.joints))[:3, 3]
    assert world.goal_point is not None
    places = (tool, np.array(world.goal_point))
    cells = [np.rint((p[:rank] - np.array(world.map.origin[:rank])) / world.map.spacing) for p in places]
    start, goal = (int(np.ravel_multi_index(tuple(c.astype(int)), shape)) for c in cells)
    return start, goal


def has_path(world: World, margin: float) -> bool:
    """Whether steps over a map of the tool that keep ``margin`` [m] from all obstacles lead to the goal."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    parts = [(a[gap >= margin], b[gap >= margin]) for a, b, gap in steps_of(world)]
    rows, columns = (np.concatenate(side) for side in zip(*parts, strict=True))
    cells = int(np.prod(world.map.shape))
    graph = csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(cells, cells))
    label = connected_components(graph, directed=False)[1]
    start, goal = ends_of(world)
    return bool(label[start] == label[goal])
