"""The map of what was felt, and what the known obstacles block of it.

Cells, and straight lines of the tool. A known solid blocks a cell when it reaches into its square,
in the plane of the map, or into its cube, in space. A step along an axis or a diagonal, and a line
of sight, stay inside the cells that they go through; so where these are free the tool's point
touches nothing known. A longer step (of ``planner.radius`` 2 and more) passes over cells: a cell
from which half of such a step touches a solid is blocked too.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from dynamics import BadInput
from hopfield_nav.build import solids_of
from hopfield_nav.geometry import capsule_distance
from hopfield_nav.planning import flat_index, neighbourhood_of
from hopfield_nav.world import World, packed

ROUNDING = 1e-13  # [m] of a distance that is zero
SAME = 1e-3  # [cells] a solid that comes so near to a cell is in it
# of the search for the least distance: to 1e-4 of a cell
_ROUNDS, _GOLDEN = (20, (math.sqrt(5.0) - 1.0) / 2.0)


def round_half_away(value: np.ndarray) -> np.ndarray:
    """Nearest integers, halves away from zero as in MATLAB (NumPy rounds halves to even)."""
    size = np.abs(value)
    whole = np.floor(size)
    return (np.sign(value) * (whole + (size - whole >= 0.5))).astype(np.int64)


class Cells(Protocol):
    """A grid of cells, of the tool (``CollisionMap``) or of joint angles (``whole_arm.JointGrid``).

    A place is (3,) in base axes [m] for the one, joint angles (n,) [rad] for the other.
    """

    @property
    def shape(self) -> tuple[int, ...]:
        """Cells along each axis."""

    @property
    def spacing(self) -> Any:
        """Distance of neighbouring centres, one number or one an axis [m, rad]."""

    def cell_of(self, place: Any, /) -> tuple[int, ...]:
        """The cell of a place; it may lie outside."""

    def inside(self, cell: Sequence[int], /) -> bool:
        """Whether the grid has a cell."""

    def centre(self, cell: Any, /) -> np.ndarray:
        """The places in the middle of cells (..., rank), also of those outside."""


@dataclass(eq=False)
class CollisionMap:
    """Cells over the workspace, ragazzon2012 (6.13) counted from 0. Make one with `create`."""

    origin: np.ndarray  # (3,) centre of cell (0, …, 0) in base axes [m]
    spacing: float  # distance of neighbouring cell centres [m]
    blocked: np.ndarray  # bool grid of rank 2 or 3; rim, obstacles known beforehand, and marks
    felt: np.ndarray  # bool grid; the marks alone

    @classmethod
    def create(
        cls,
        origin: Sequence[float] = (0.1501, -0.2499, 0.0),
        spacing: float = 0.0263,
        shape: Sequence[int] = (20, 20),
        rim: str = "blocked",
    ) -> "CollisionMap":
        """Make a map without marks, by default the document's of 20 x 20.

        ``rim``: "blocked" or "free", whether the outermost cells are blocked, as in the document's
        program. A world has checked all of these.
        """
        blocked = np.full(shape, rim == "blocked")
        blocked[(slice(1, -1),) * len(shape)] = False
        return cls(
            np.array(origin, dtype=float), float(spacing), blocked, np.zeros(shape, dtype=bool)
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """Cells along each axis."""
        return self.blocked.shape

    def cell_of(self, position: Sequence[float] | np.ndarray) -> tuple[int, ...]:
        """Cell (rank,) nearest to a position in base axes [m], which may lie outside the map.

        Halves are rounded as the document's program does (ragazzon2012, C.2.2): its cells are
        counted from 1, and that number is rounded half away from zero.

        Raises ``BadInput``: too few coordinates, or one that is not finite.
        """
        rank = self.blocked.ndim
        point = np.asarray(position, dtype=float)
        if point.ndim != 1 or point.size < rank or not np.isfinite(point).all():
            raise BadInput(
                "position", found=position, allowed=f"at least {rank} finite coordinates [m]"
            )
        from_one = (point[:rank] - self.origin[:rank]) / self.spacing + 1.0
        return tuple((round_half_away(from_one) - 1).tolist())

    def inside(self, cell: Sequence[int] | np.ndarray) -> bool:
        """Whether a cell, (rank,) ints, is one of the map's."""
        return all(0 <= c < n for c, n in zip(cell, self.shape, strict=True))

    def centre(self, cell: Sequence[float] | np.ndarray) -> np.ndarray:
        """(..., 3) centres of cells (..., rank) in base axes [m].

        For a map of rank 2 they lie in the plane of the origin. Fractions and cells outside are
        mapped as well (ragazzon2012 (6.13)).
        """
        cells = np.asarray(cell, dtype=float)
        rank = self.blocked.ndim
        position = np.tile(self.origin, (*cells.shape[:-1], 1))
        position[..., :rank] += self.spacing * cells
        return position

    def mark(self, cell: Sequence[int]) -> None:
        """Mark a cell (rank,) as felt, and so as blocked.

        A cell of the rim or a known obstacle can be newly felt too.

        Raises ``BadInput``: a cell outside the map.
        """
        i = flat_index(cell, self.shape, "marked")
        self.felt.flat[i] = self.blocked.flat[i] = True


class KnownMap(NamedTuple):
    """The known solids, and the cells that they block."""

    solids: np.ndarray  # (m, 17) from ``geometry.pack_primitives``
    blocked: np.ndarray  # bool grid of the cells that they block
    window: int  # [cells] how far from a blocked cell a free one is looked for


def make_map(world: World) -> tuple[CollisionMap, KnownMap]:
    """The map of a world with its rim and with the cells that known obstacles block.

    And those obstacles.
    """
    grid = CollisionMap.create(world.map.origin, world.map.spacing, world.map.shape, world.map.rim)
    solids = packed(solids_of(world.known))
    radius = world.planner.radius
    known = KnownMap(solids, blocked_cells(grid, solids, radius), 2 + math.ceil(radius / 2))
    grid.blocked |= known.blocked
    return grid, known


def blocked_cells(grid: CollisionMap, solids: np.ndarray, radius: float = 1.0) -> np.ndarray:
    """Cells into which solids reach, and those of which half a longer step touches one."""
    blocked = np.zeros(grid.shape, dtype=bool)
    rank = len(grid.shape)
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


def only_in_sight(
    known: KnownMap, grid: CollisionMap, cells: np.ndarray, place: np.ndarray
) -> np.ndarray:
    """Of the cells of a bool grid those whose centre a place (3,) sees.

    All of them if it sees none.
    """
    if len(known.solids) == 0 or not cells.any():
        return cells
    which = np.argwhere(cells)
    seen = which[~touches(known.solids, np.asarray(place, dtype=float), grid.centre(which))]
    if len(seen) == 0:
        return cells
    out = np.zeros_like(cells)
    out[tuple(seen.T)] = True
    return out


def _cells_within(
    grid: CollisionMap, solid: np.ndarray, reach: float
) -> tuple[np.ndarray, np.ndarray]:
    """Cells (k, rank) whose centre is within ``reach`` [m] of a solid (1, 17).

    And its distance (k,) [m] from each.
    """
    layer = np.argwhere(np.ones(grid.shape[1:], dtype=bool))
    near, distances = [], []
    for i in range(grid.shape[0]):  # layer by layer: maps may have millions of cells
        cells = np.column_stack([np.full(len(layer), i), layer])
        centres = grid.centre(cells)
        distance = capsule_distance(
            np.column_stack([centres, centres, np.zeros(len(cells))]), solid
        )[:, 0]
        near.append(cells[distance <= reach])
        distances.append(distance[distance <= reach])
    return np.concatenate(near), np.concatenate(distances)


def _least(centres: np.ndarray, solid: np.ndarray, half: float, axes: int) -> np.ndarray:
    """Least signed distance (k,) [m] of a solid to the cells about centres (k, 3).

    It is the least over their first ``axes``. Along the first axis the kernels give it. Over each
    further one it is convex, as the distance to a convex solid is, and a golden section finds it.
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
