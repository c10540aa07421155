"""A map in space: where its cells are, the cubes of those that are blocked, its outer box, its levels.

For maps seen from above, ``slice_outline`` cuts an obstacle at the height of a level.
"""

from collections.abc import Iterable
from functools import singledispatch
from itertools import pairwise, product

import numpy as np
from numpy.typing import ArrayLike

from dynamics import forward_kinematics
from hopfield_nav.build import build_arm
from hopfield_nav.figures.solid.faces import box_faces
from hopfield_nav.record import Run
from hopfield_nav.world import Box, Cylinder, Floor, Mesh, Solid, Sphere

_EYE = np.eye(3)
Room = tuple[float, float, float, float]  # x from, to, y from, to [m]
_MOST_LINES = 80  # a finer grid is not drawn
_NOTHING = np.zeros((0, 2))
_CIRCLE = np.stack([f(np.linspace(0.0, 2 * np.pi, 97)[:-1]) for f in (np.cos, np.sin)], axis=-1)


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


def cube_faces(run: Run, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Faces (m, 4, 3) [m] of the cubes of cells (k, 3) but those between two, and the cell of each (m,)."""
    cells = np.asarray(cells, dtype=int).reshape(-1, 3)
    taken = set(map(tuple, cells.tolist()))
    unit = box_faces(np.zeros(3), np.full(3, run.world.map.spacing), _EYE, cells=1)
    outward = np.rint(2 * unit.mean(axis=1) / run.world.map.spacing).astype(int)
    centres = cell_points(run, cells)
    seen = [
        (k, side)
        for k, cell in enumerate(cells)
        for side in range(6)
        if tuple((cell + outward[side]).tolist()) not in taken
    ]
    if not seen:
        return np.zeros((0, 4, 3)), np.zeros(0, dtype=int)
    owner, side = np.array(seen).T
    return unit[side] + centres[owner][:, None], owner


def level_height(run: Run, level: int) -> float:
    """Height z [m] of the centres of a level's cells."""
    return run.world.map.origin[2] + run.world.map.spacing * level


def level_of(run: Run, z: ArrayLike) -> np.ndarray:
    """The level nearest to heights ``z`` [m], held to those of the map."""
    grid = run.world.map
    nearest = np.rint((np.asarray(z) - grid.origin[2]) / grid.spacing)
    return np.clip(nearest, 0, grid.shape[2] - 1).astype(int)


@singledispatch
def slice_outline(solid: Solid, z: float, room: Room) -> np.ndarray:
    """Corners (k, 2) [m] of a solid's cut at height ``z``, none without a cut; a floor fills the room."""
    raise TypeError(f"no solid: {type(solid).__name__}")


@slice_outline.register
def _(solid: Cylinder, z: float, room: Room) -> np.ndarray:
    if not solid.contains(solid.center[0], solid.center[1], z):
        return _NOTHING
    return np.array(solid.center) + solid.radius * _CIRCLE


@slice_outline.register
def _(solid: Sphere, z: float, room: Room) -> np.ndarray:
    square = solid.radius**2 - (z - solid.center[2]) ** 2
    return np.array(solid.center[:2]) + np.sqrt(square) * _CIRCLE if square > 0 else _NOTHING


@slice_outline.register
def _(solid: Floor, z: float, room: Room) -> np.ndarray:
    left, right, low, high = room
    corners = np.array([[left, low], [right, low], [right, high], [left, high]])
    return corners if z <= solid.height else _NOTHING


@slice_outline.register
def _(solid: Box, z: float, room: Room) -> np.ndarray:
    corners = np.array(list(product((-0.5, 0.5), repeat=3))) * solid.size
    corners = corners @ np.array(solid.rotation).T + solid.center
    pairs = [(a, b) for a, b in product(range(8), repeat=2) if a < b and (a ^ b) in (1, 2, 4)]  # its edges
    return _cut([(corners[a], corners[b]) for a, b in pairs], z)


@slice_outline.register
def _(solid: Mesh, z: float, room: Room) -> np.ndarray:
    return _cut([(a, b) for corners in solid.triangles for a, b in pairwise([*corners, corners[0]])], z)


def _cut(edges: Iterable[tuple[np.ndarray, np.ndarray]], z: float) -> np.ndarray:
    """Corners (k, 2) [m], around their middle, of what edges of a convex solid bound at a height."""
    points = []
    for start, end in edges:
        if (start[2] - z) * (end[2] - z) <= 0 and start[2] != end[2]:
            points.append((start + (z - start[2]) / (end[2] - start[2]) * (end - start))[:2])
    if len(points) < 3:
        return _NOTHING
    around = np.array(points) - np.mean(points, axis=0)
    return np.array(points)[np.argsort(np.arctan2(around[:, 1], around[:, 0]))]
