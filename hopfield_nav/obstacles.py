"""Obstacles and goals as a world file writes them.

An obstacle is a mapping with one key, its kind (``obstacle_kinds``).
``random_cylinders`` stands for several, drawn when a run begins; the run's own copy of the world
lists them one by one.
"""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np
from pydantic import Field, model_serializer, model_validator

from dynamics.errors import BadInput
from hopfield_nav.obstacle_kinds import Box, Cylinder, Floor, Radius, Solid, Sphere
from hopfield_nav.world_fields import Length, MapPoint, Range, Whole
from hopfield_nav.world_sections import Section

Seed = Annotated[int, Whole(0, 2**63 - 1)]
_TRIES = 10_000  # random positions tried for one cylinder before giving up


class RandomCylinders(Section):
    """Cylinders at random places on the map, away from start and goal."""

    count: Annotated[int, Whole(0, 10_000)] = Field(description="how many")
    radius: Annotated[tuple[Radius, ...], Length(2, 2)] = Field(description="smallest and largest [m]")
    clearance: Annotated[float, Range(0.0, 5.0, "m")] = Field(
        0.05, description="free distance kept around the start tool position and the goal [m]"
    )
    seed: Seed | None = Field(None, description="of these cylinders; null: drawn from the run's seed")

    @model_validator(mode="after")
    def _check(self) -> RandomCylinders:
        if self.radius[0] > self.radius[1]:
            raise BadInput(
                "smallest radius above the largest",
                where="radius",
                found=list(self.radius),
                allowed="[smallest, largest] in metres",
            )
        return self

    def draw(
        self,
        generator: np.random.Generator,
        low: np.ndarray,
        high: np.ndarray,
        keep_free: list[tuple[float, float]],
    ) -> list[Cylinder]:
        """Draw the cylinders, centres uniform between the corners ``low`` and ``high`` [m].

        Raises:
            BadInput: no place is left that keeps the clearance.
        """
        return [self._draw_one(generator, low, high, keep_free) for _ in range(self.count)]

    def _draw_one(
        self,
        generator: np.random.Generator,
        low: np.ndarray,
        high: np.ndarray,
        keep_free: list[tuple[float, float]],
    ) -> Cylinder:
        for _ in range(_TRIES):
            x, y = (float(v) for v in generator.uniform(low, high))
            radius = float(generator.uniform(self.radius[0], self.radius[1]))
            if all(math.dist((x, y), point) > radius + self.clearance for point in keep_free):
                return Cylinder(center=(x, y), radius=radius)
        raise BadInput(
            "no room for a random cylinder",
            found=f"radius {list(self.radius)}, clearance {self.clearance}",
            allowed="cylinders that leave start and goal free on this map",
        )


class _OneKind(Section):
    """A mapping of which exactly one key is given."""

    @model_validator(mode="after")
    def _check(self) -> _OneKind:
        given = [key for key, value in self if value is not None]
        if len(given) != 1:
            allowed = " or ".join(type(self).model_fields)
            raise BadInput("exactly one kind is needed", found=given, allowed=allowed)
        return self

    @model_serializer(mode="wrap")
    def _leave_out_the_others(self, handler: Any) -> dict[str, Any]:
        return {key: value for key, value in handler(self).items() if value is not None}


class KnownObstacle(_OneKind):
    """An obstacle that is on the map from the start: exactly one of the keys is given."""

    cylinder: Cylinder | None = Field(None, description="one upright cylinder")
    sphere: Sphere | None = Field(None, description="one sphere")
    box: Box | None = Field(None, description="one box")
    floor: Floor | None = Field(None, description="everything below a level plane")

    @property
    def solid(self) -> Solid:
        """What the one key holds."""
        return next(s for s in (self.cylinder, self.sphere, self.box, self.floor) if s is not None)


class Obstacle(KnownObstacle):
    """An obstacle that the arm knows nothing of: exactly one of the keys is given."""

    random_cylinders: RandomCylinders | None = Field(None, description="several, drawn when a run begins")


class Goal(Section):
    """Where the tool shall arrive: a cell of the map or a position, and how near."""

    cell: Annotated[tuple[Annotated[int, Whole(0, 4095)], ...], Length(2, 3)] | None = Field(
        None, description="[i, j], counted from 0, i along x; [i, j, k] on a map in space"
    )
    position: MapPoint | None = Field(
        None, description="[x, y] in base axes; [x, y, z] on a map in space [m]"
    )
    tolerance: Annotated[float, Range(0.0, 1.0, "m", above=True)] = Field(
        0.001, description="distance from the goal at which the tool has arrived [m]"
    )

    @model_validator(mode="after")
    def _check(self) -> Goal:
        if (self.cell is None) == (self.position is None):
            raise BadInput(
                "exactly one of cell and position is needed",
                found=[key for key, value in self if value is not None],
                allowed="cell: [i, j] or position: [x, y]",
            )
        return self

    @model_serializer(mode="wrap")
    def _leave_out_the_other(self, handler: Any) -> dict[str, Any]:
        return {key: value for key, value in handler(self).items() if value is not None}
