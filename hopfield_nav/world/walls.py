"""Obstacles that stand for several upright cylinders: a wall between two points, and one along a polyline.

The cylinders stand no further apart than their radius, so that no gap is left: half-way between two of them
the wall is thinner by 14 % at most.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Any

from pydantic import Field, model_serializer

from dynamics import BadInput
from hopfield_nav.world.fields import Length, PlanePoint, must_fit
from hopfield_nav.world.sections import Section
from hopfield_nav.world.solids import Cylinder, Height, Radius, check_height

_MAX_CYLINDERS = 2_000  # cylinders of one wall


class _Row(Section):
    """Cylinders in a row."""

    radius: Radius = Field(description="of its cylinders, half its thickness")
    height: Height | None = Field(None, description="[lower, upper] z of its ends; left out: without end")

    @must_fit
    def _check_height(self) -> None:
        check_height(self.height)

    @must_fit
    def _check_count(self) -> None:
        if len(self._centres()) > _MAX_CYLINDERS:
            raise BadInput(
                f"takes more than {_MAX_CYLINDERS} cylinders",
                where="radius",
                found=self.radius,
                allowed="a thicker wall",
            )

    @model_serializer(mode="wrap")
    def _as_in_the_file(self, handler: Any) -> dict[str, Any]:
        return {key.rstrip("_"): value for key, value in handler(self).items() if value is not None}

    @property
    def corners(self) -> tuple[tuple[float, ...], ...]:
        """The points (k, 2) that it goes through [m]."""
        raise NotImplementedError

    def cylinders(self) -> list[Cylinder]:
        """What it is made of, in their order along it."""
        return [Cylinder(center=centre, radius=self.radius, height=self.height) for centre in self._centres()]

    def _centres(self) -> list[tuple[float, ...]]:
        centres = [self.corners[0]]
        for start, end in pairwise(self.corners):
            count = math.ceil(math.dist(start, end) / self.radius)
            centres += [_between(start, end, (i + 1) / count) for i in range(min(count, _MAX_CYLINDERS + 1))]
        return centres


class Wall(_Row):
    """A straight wall with round ends."""

    from_: PlanePoint = Field(alias="from", description="[x, y] where its middle line begins, base axes")
    to: PlanePoint = Field(description="[x, y] where it ends")

    @property
    def corners(self) -> tuple[tuple[float, ...], ...]:
        """Its two ends."""
        return self.from_, self.to


class Polyline(_Row):
    """A wall that bends."""

    points: Annotated[tuple[PlanePoint, ...], Length(2, 1000)] = Field(
        description="[x, y] of its corners in their order, base axes"
    )

    @property
    def corners(self) -> tuple[tuple[float, ...], ...]:
        """Its points."""
        return self.points


def _between(start: Sequence[float], end: Sequence[float], share: float) -> tuple[float, ...]:
    """The point at a share of the line, to a hundredth of a millimetre."""
    return tuple(round(a + share * (b - a), 5) for a, b in zip(start, end, strict=True))
