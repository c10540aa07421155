"""The section ``map`` of a world file: the cells, in a level plane or in space."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field, model_validator

from dynamics.errors import BadInput
from hopfield_nav.world_fields import Length, Point, Range, Section, Whole

_MOST_CELLS = 4096**2


class Map(Section):
    """The grid of neurons, laid into the plane or the room in which the tool moves."""

    origin: Point = Field((0.1501, -0.2499, 0.0), description="centre of cell (0, 0, 0) in base axes [m]")
    spacing: Annotated[float, Range(0.0, 1.0, "m", above=True)] = Field(
        0.0263, description="between neighbouring cells [m]"
    )
    shape: Annotated[tuple[Annotated[int, Whole(1, 4096)], ...], Length(2, 3)] = Field(
        (20, 20), description="cells along x and along y, and along z for a map in space"
    )
    rim: Literal["free", "blocked"] = Field(
        "free", description="whether the outermost cells count as obstacles"
    )

    @model_validator(mode="after")
    def _check(self) -> Map:
        for k in range(2):
            if self.shape[k] < 2:
                allowed = "a whole number from 2 to 4096"
                raise BadInput("out of range", where=f"shape.{k}", found=self.shape[k], allowed=allowed)
        if math.prod(self.shape) > _MOST_CELLS:
            allowed = f"at most {_MOST_CELLS} cells"
            raise BadInput("too many cells", where="shape", found=list(self.shape), allowed=allowed)
        return self

    @property
    def rank(self) -> int:
        """2 for a map in a level plane, 3 for one in space."""
        return len(self.shape)

    def centre(self, cell: Sequence[float]) -> tuple[float, ...]:
        """Centre of a cell, (rank,) coordinates in base axes [m]."""
        return tuple(self.origin[k] + self.spacing * cell[k] for k in range(self.rank))
