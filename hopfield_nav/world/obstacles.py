"""The entries of ``obstacles`` and ``known``: a mapping with one key, the kind of the obstacle, and its name.

A wall stands for several solids, and so does what is random, drawn when a run begins; the run's own copy of
the world lists them one by one.
"""

from typing import Any, Self

from pydantic import Field, model_serializer

from dynamics import BadInput
from hopfield_nav.world.fields import must_fit
from hopfield_nav.world.random_scene import RandomScene
from hopfield_nav.world.sections import Section
from hopfield_nav.world.solids import Box, Cylinder, Floor, RandomCylinders, Solid, Sphere
from hopfield_nav.world.walls import Polyline, Wall


class _OneKind(Section):
    """A mapping of which exactly one key is given, beside a name."""

    name: str | None = Field(None, min_length=1, max_length=60, description="by which a plan speaks of it")

    @must_fit
    def _check(self) -> None:
        given = [key for key, value in self if value is not None and key != "name"]
        if len(given) != 1:
            allowed = " or ".join(self.kinds())
            raise BadInput("exactly one kind is needed", found=given, allowed=allowed)

    @classmethod
    def kinds(cls) -> list[str]:
        """The keys of which one is given."""
        return [key for key in cls.model_fields if key != "name"]

    @model_serializer(mode="wrap")
    def _leave_out_the_others(self, handler: Any) -> dict[str, Any]:
        return {key: value for key, value in handler(self).items() if value is not None}


class KnownObstacle(_OneKind):
    """An obstacle that is on the map from the start: exactly one of the keys is given."""

    cylinder: Cylinder | None = Field(None, description="one upright cylinder")
    sphere: Sphere | None = Field(None, description="one sphere")
    box: Box | None = Field(None, description="one box")
    floor: Floor | None = Field(None, description="everything below a level plane")

    wall: Wall | None = Field(None, description="upright cylinders in a row, from one point to another")
    polyline: Polyline | None = Field(None, description="upright cylinders along a line with corners")

    @classmethod
    def of(cls, solid: Solid, name: str | None = None) -> Self:
        """The entry of one solid."""
        return cls(**{type(solid).__name__.lower(): solid, "name": name})

    @property
    def solids(self) -> list[Solid]:
        """What the one key holds, or stands for; nothing is drawn."""
        row = self.wall or self.polyline
        if row is not None:
            return list(row.cylinders())
        return [s for s in (self.cylinder, self.sphere, self.box, self.floor) if s is not None]


class Obstacle(KnownObstacle):
    """An obstacle that the arm knows nothing of: exactly one of the keys is given."""

    random_cylinders: RandomCylinders | None = Field(None, description="several, drawn when a run begins")
    random_scene: RandomScene | None = Field(None, description="a whole scene, drawn when a run begins")

    @property
    def is_drawn(self) -> bool:
        """Whether the run's seed decides what stands there."""
        random = self.random_cylinders or self.random_scene
        return random is not None and random.seed is None
