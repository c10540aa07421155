"""What is true of a world: whether a path is left with a margin."""

import numpy as np

from dynamics import forward_kinematics
from hopfield_nav.build import build_arm, build_obstacles
from hopfield_nav.geometry import capsule_distance
from hopfield_nav.world import World


def has_path(world: World, margin: float) -> bool:
    """Whether steps that keep ``margin`` [m] from all obstacles lead to the goal.

    The map is one of the tool.
    """
    below, above, gap = steps(world)
    start, goal = ends(world)
    label = parts(world, below[gap >= margin], above[gap >= margin])
    return bool(label[start] == label[goal])


def steps(world: World) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All steps along the axes: numbers of both cells (k,), distance (k,) from obstacles [m]."""
    shape = tuple(world.map.shape)
    number = np.arange(np.prod(shape)).reshape(shape)
    centres = np.tile(np.array(world.map.origin), (number.size, 1))
    centres[:, : len(shape)] += world.map.spacing * np.argwhere(number >= 0)
    sides = [
        (number.take(range(n - 1), axis), number.take(range(1, n), axis))
        for axis, n in enumerate(shape)
    ]
    below, above = (
        np.concatenate([cells.ravel() for cells in side]) for side in zip(*sides, strict=True)
    )
    solids = build_obstacles(world)
    lines = np.column_stack([centres[below], centres[above], np.zeros(len(below))])
    gap = (
        capsule_distance(lines, solids).min(axis=1) if len(solids) else np.full(len(lines), np.inf)
    )
    return below, above, gap


def ends(world: World) -> list[int]:
    """Numbers of the cells of start and goal."""
    assert world.goal_point is not None
    tool = forward_kinematics(build_arm(world), np.array(world.start.joints))[:3, 3]
    rank = world.map.rank
    points = np.array([tool, world.goal_point])[:, :rank]
    from_origin = points - np.array(world.map.origin[:rank])
    cells = np.rint(from_origin / world.map.spacing).astype(int)
    numbers = np.ravel_multi_index(tuple(cells.T), tuple(world.map.shape))
    return [int(number) for number in numbers]


def parts(world: World, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Of every cell the number of its part of the map.

    Cells of a part are connected by steps, which lead between ``rows`` and ``columns``.
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    cells = int(np.prod(world.map.shape))
    graph = csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(cells, cells))
    return np.asarray(connected_components(graph, directed=False)[1])
