"""What the known obstacles block: cells of the map, and straight lines of the tool.

A known solid blocks a cell when it reaches into its square, in the plane of the map, or into its cube, in space. A
step along an axis or a diagonal, and a line of sight, stay inside the cells that they go through; so where these are
free the tool's point touches nothing known. A longer step (of ``planner.radius`` 2 and more) passes over cells: a
cell from which half of such a step touches a solid is blocked too.
"""

import math
from typing import NamedTuple

import numpy as np

from hopfield_nav.build import solids_of
from hopfield_nav.geometry import capsule_distance
from hopfield_nav.navigation.map.collision_map import CollisionMap
from hopfield_nav.planning import neighbourhood_of
from hopfield_nav.world import World, packed

ROUNDING = 1e-13  # [m] of a distance that is zero
SAME = 1e-3  # [cells] a solid that comes so near to a cell is in it
_ROUNDS, _GOLDEN = 20, (math.sqrt(5.0) - 1.0) / 2.0  # of the search for the least distance: to 1e-4 of a cell


class KnownMap(NamedTuple):
    """The known solids, and the cells that they block."""

    solids: np.ndarray  # (m, 17) from ``geometry.pack_primitives``
    blocked: np.ndarray  # bool grid of the cells that they block
    window: int  # [cells] how far from a blocked cell a free one is looked for


def make_map(world: World) -> tuple[CollisionMap, KnownMap]:
    """The map of a world with its rim and with the cells that known obstacles block; and those obstacles."""
    grid = CollisionMap.create(world.map.origin, world.map.spacing, world.map.shape, world.map.rim)
    solids = packed(solids_of(world.known))
    radius = world.planner.radius
    known = KnownMap(solids, blocked_cells(grid, solids, radius), 2 + math.ceil(radius / 2))
    grid.blocked |= known.blocked
    return grid, known


def blocked_cells(grid: CollisionMap, solids: np.ndarray, radius: float = 1.0) -> np.ndarray:
    """Cells into which solids reach, and those of which half a longer step touches one."""
    blocked, rank = np.zeros(grid.shape, dtype=bool), len(grid.shape)
    half = 0.5 * grid.spacing
    steps = neighbourhood_of(grid.shape, radius).offset
    longer = half * steps[np.abs(steps).max(axis=1) > 1]
    far = max(half * math.sqrt(rank), *np.linalg.norm(longer, axis=1), 0.0) + SAME * grid.spacing
    for solid in solids[:, None]:
        cells, distance = _cells_within(grid, solid, far)
        centres = grid.centre(cells)
        touched = distance <= (half if rank == 3 else 0.0)  # the ball in the cube, or the centre
        rest = np.flatnonzero(~touched)
        touched[rest] = _least(centres[rest], solid, half, rank) <= SAME * grid.spacing
        for step in longer:
            ends = centres.copy()
            ends[:, :rank] += step
            touched |= touches(solid, centres, ends)
        blocked[tuple(cells[touched].T)] = True
    return blocked


def touches(solids: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Whether straight lines between points (..., 3) [m] touch a solid: (...) bool."""
    first, last = np.broadcast_arrays(start, end)
    if len(solids) == 0:
        return np.zeros(first.shape[:-1], dtype=bool)
    lines = np.concatenate([first, last, np.zeros((*first.shape[:-1], 1))], axis=-1)
    return np.asarray((capsule_distance(lines, solids) <= ROUNDING).any(axis=-1))


def only_in_sight(known: KnownMap, grid: CollisionMap, cells: np.ndarray, place: np.ndarray) -> np.ndarray:
    """Of the cells of a bool grid those whose centre a place (3,) sees; all of them if it sees none."""
    if len(known.solids) == 0 or not cells.any():
        return cells
    which = np.argwhere(cells)
    seen = which[~touches(known.solids, np.asarray(place, dtype=float), grid.centre(which))]
    if len(seen) == 0:
        return cells
    out = np.zeros_like(cells)
    out[tuple(seen.T)] = True
    return out


def _cells_within(grid: CollisionMap, solid: np.ndarray, reach: float) -> tuple[np.ndarray, np.ndarray]:
    """Cells (k, rank) whose centre is within ``reach`` [m] of a solid (1, 17), and its distance (k,) [m]."""
    layer = np.argwhere(np.ones(grid.shape[1:], dtype=bool))
    near, distances = [], []
    for i in range(grid.shape[0]):  # layer by layer: maps may have millions of cells
        cells = np.column_stack([np.full(len(layer), i), layer])
        centres = grid.centre(cells)
        distance = capsule_distance(np.column_stack([centres, centres, np.zeros(len(cells))]), solid)[:, 0]
        near.append(cells[distance <= reach])
        distances.append(distance[distance <= reach])
    return np.concatenate(near), np.concatenate(distances)


def _least(centres: np.ndarray, solid: np.ndarray, half: float, axes: int) -> np.ndarray:
    """Least signed distance (k,) of a solid to the cells about centres (k, 3), over their first ``axes``.

    Along the first axis the kernels give it. Over each further one it is convex, as the distance to a convex solid
    is, and a golden section finds it.
    """
    if axes == 1:
        along = half * np.array([1.0, 0.0, 0.0])
        lines = np.column_stack([centres - along, centres + along, np.zeros(len(centres))])
        return capsule_distance(lines, solid)[:, 0]

    def at(offset: np.ndarray) -> np.ndarray:
        moved = centres.copy()
        moved[:, axes - 1] += offset
        return _least(moved, solid, half, axes - 1)

    low, high = np.full(len(centres), -half), np.full(len(centres), half)
    for _ in range(_ROUNDS):
        first, second = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        less = at(first) < at(second)
        low, high = np.where(less, low, first), np.where(less, second, high)
    return at(0.5 * (low + high))
