"""A map in space: where its cells are, the cubes of those that are blocked, its outer box, its levels.

For maps seen from above, ``slice_outline`` cuts an obstacle at the height of a level.
"""

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dynamics import forward_kinematics
from hopfield_nav.build import build_arm
from hopfield_nav.figures.solid.faces import box_faces, faces_of
from hopfield_nav.record import Run
from hopfield_nav.world import Floor, Solid

Room = tuple[float, float, float, float]  # x from, to, y from, to [m]
_CUBE = 0.98  # of a cell: the edge of its cube
_MOST_LINES = 80  # a finer grid is not drawn


def in_space(run: Run) -> bool:
    """Whether the map has levels, and is no plane."""
    return run.world.map.rank == 3


def cell_points(run: Run, cells: np.ndarray) -> np.ndarray:
    """Centres (k, 3) [m] of cells (k, rank), those of a map in a plane at its height."""
    grid = run.world.map
    points = np.tile(np.array(grid.origin), (len(cells), 1))
    points[:, : grid.rank] += grid.spacing * np.asarray(cells, float).reshape(-1, grid.rank)
    return points


def map_extent(run: Run) -> tuple[float, float, float, float]:
    """Outer edges of the map: x from, to, y from, to [m]."""
    half, (x, y) = run.world.map.spacing / 2, run.world.map.origin[:2]
    nx, ny = run.world.map.shape[:2]
    return x - half, x + (2 * nx - 1) * half, y - half, y + (2 * ny - 1) * half


def grid_lines(run: Run) -> list[list[tuple[float, float]]]:
    """Lines [m] between the cells of a map seen from above; none of a grid too fine to be drawn."""
    left, right, low, high = map_extent(run)
    nx, ny = run.world.map.shape[:2]
    if max(nx, ny) > _MOST_LINES:
        return []
    upright = [[(x, low), (x, high)] for x in np.linspace(left, right, nx + 1)]
    return upright + [[(left, y), (right, y)] for y in np.linspace(low, high, ny + 1)]


def start_point(run: Run) -> np.ndarray:
    """(3,) position of the tool at the start [m]."""
    return forward_kinematics(build_arm(run.world), np.array(run.world.start.joints))[:3, 3]


def room_ends(run: Run) -> np.ndarray:
    """Lowest and highest x, y, z (2, 3) [m] of the map's outer faces; a plane has one height."""
    grid = run.world.map
    half = 0.5 * grid.spacing * (np.arange(3) < grid.rank)
    last = np.array([*grid.shape, 1][:3]) - 1
    return np.array([np.array(grid.origin) - half, np.array(grid.origin) + grid.spacing * last + half])


def room_edges(run: Run, toward: np.ndarray) -> np.ndarray:
    """The nine edges (9, 2, 3) [m] of a map in space that do not meet at the corner nearest to the eye."""
    near = np.asarray(toward) > 0
    corners = np.array(list(product((0, 1), repeat=3)))
    pairs = [
        (a, b)
        for a, b in product(corners, repeat=2)
        if np.abs(b - a).sum() == 1 and (b - a).sum() == 1 and not (np.all(a == near) or np.all(b == near))
    ]
    return room_ends(run)[np.array(pairs), np.arange(3)]


def cube_faces(run: Run, cells: np.ndarray) -> np.ndarray:
    """Faces (6 k, 4, 3) [m] of the cubes of cells (k, 3), which leave a thin gap between two."""
    cube = box_faces(np.zeros(3), np.full(3, _CUBE * run.world.map.spacing), np.eye(3))
    return (cell_points(run, cells)[:, None, None] + cube).reshape(-1, 4, 3)


def level_height(run: Run, level: Any) -> Any:
    """Height z [m] of the centres of the cells of one level or of more."""
    return run.world.map.origin[2] + run.world.map.spacing * level


def level_of(run: Run, z: ArrayLike) -> np.ndarray:
    """The level nearest to heights ``z`` [m], held to those of the map."""
    grid = run.world.map
    nearest = np.rint((np.asarray(z) - grid.origin[2]) / grid.spacing)
    return np.clip(nearest, 0, grid.shape[2] - 1).astype(int)


def slice_outline(solid: Solid, z: float, room: Room) -> np.ndarray:
    """Corners (k, 2) [m], in order, of a solid's cut at height ``z``, none without a cut; a floor fills the room."""
    if isinstance(solid, Floor):
        left, right, low, high = room
        corners = np.array([[left, low], [right, low], [right, high], [left, high]])
        return corners if z <= solid.height else corners[:0]
    starts = faces_of([solid], z - 1.0, z + 1.0)
    ends = np.roll(starts, -1, axis=1)
    cut = (starts[..., 2] <= z) != (ends[..., 2] <= z)
    start, end = starts[cut], ends[cut]
    points = (start + ((z - start[:, 2]) / (end - start)[:, 2])[:, None] * (end - start))[:, :2]
    around = points - points.mean(axis=0) if len(points) else points
    return points[np.argsort(np.arctan2(*around.T[::-1]))]
