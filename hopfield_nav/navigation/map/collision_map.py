"""The map of what was felt: cells over the workspace, and which of them are blocked; what any map has of cells."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from dynamics import BadInput
from hopfield_nav.planning import flat_index


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

        ``rim``: "blocked" or "free", whether the outermost cells are blocked, as in the document's program. A world has
        checked all of these.
        """
        blocked = np.full(shape, rim == "blocked")
        blocked[(slice(1, -1),) * len(shape)] = False
        return cls(np.array(origin, dtype=float), float(spacing), blocked, np.zeros(shape, dtype=bool))

    @property
    def shape(self) -> tuple[int, ...]:
        """Cells along each axis."""
        return self.blocked.shape

    def cell_of(self, position: Sequence[float] | np.ndarray) -> tuple[int, ...]:
        """Cell (rank,) nearest to a position in base axes [m], which may lie outside the map.

        Halves are rounded as the document's program does (ragazzon2012, C.2.2): its cells are counted from 1, and
        that number is rounded half away from zero.

        Raises ``BadInput``: too few coordinates, or one that is not finite.
        """
        rank = self.blocked.ndim
        point = np.asarray(position, dtype=float)
        if point.ndim != 1 or point.size < rank or not np.isfinite(point).all():
            raise BadInput("position", found=position, allowed=f"at least {rank} finite coordinates [m]")
        from_one = (point[:rank] - self.origin[:rank]) / self.spacing + 1.0
        return tuple((round_half_away(from_one) - 1).tolist())

    def inside(self, cell: Sequence[int] | np.ndarray) -> bool:
        """Whether a cell, (rank,) ints, is one of the map's."""
        return all(0 <= c < n for c, n in zip(cell, self.shape, strict=True))

    def centre(self, cell: Sequence[float] | np.ndarray) -> np.ndarray:
        """(..., 3) centres of cells (..., rank) in base axes [m], in the plane of the origin for a map of rank 2.

        Fractions and cells outside are mapped as well (ragazzon2012 (6.13)).
        """
        cells, rank = np.asarray(cell, dtype=float), self.blocked.ndim
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
