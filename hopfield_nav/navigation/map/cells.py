"""What every kind of map is asked of its cells, whether these are places of the tool or configurations of the arm."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np


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
