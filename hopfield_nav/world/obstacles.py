"""The entries of ``obstacles`` and ``known`` in a world file: what stands around the arm.

An entry is a mapping with one key, the kind of the obstacle, and its name.

A wall stands for several solids, and so does what is random, drawn when a run begins; the run's own
copy of the world lists them one by one. The cylinders of a wall stand no further apart than their
radius, so that no gap is left: half-way between two of them it is thinner by 14 % at most.
"""

import math
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, model_validator

from dynamics import BadInput
from hopfield_nav.world import solids
from hopfield_nav.world.fields import GivenKeys, Length, PlanePoint, Range, must_fit
from hopfield_nav.world.random_scene import RandomScene

_MAX_CYLINDERS = 2_000  # cylinders of one wall
_TIMES = ("appears", "vanishes")  # keys that say when an obstacle stands


class _Row(GivenKeys):
    """Cylinders in a row."""

    radius: solids.Radius = Field(description="of its cylinders, half its thickness")
    height: solids.Height | None = Field(
        None, description="[lower, upper] z of its ends; left out: without end"
    )

    @must_fit
    def _check(self) -> Iterator[BadInput]:
        yield from solids.check_height(self.height)
        if len(self.centres()) > _MAX_CYLINDERS:
            yield BadInput(
                f"takes more than {_MAX_CYLINDERS} cylinders",
                where="radius",
                found=self.radius,
                allowed="a thicker wall",
            )

    def centres(self) -> list[tuple[float, ...]]:
        """(k, 2) of its cylinders, in their order along it [m]."""
        points: tuple[tuple[float, ...], ...] = self.points  # type: ignore[attr-defined]
        centres = [points[0]]
        for start, end in pairwise(points):
            count = math.ceil(math.dist(start, end) / self.radius)
            for i in range(min(count, _MAX_CYLINDERS + 1)):
                share = (i + 1) / count
                ends = zip(start, end, strict=True)
                centres.append(tuple(round(a + share * (b - a), 5) for a, b in ends))
        return centres


class Wall(_Row):
    """A straight wall with round ends."""

    from_: PlanePoint = Field(
        alias="from", description="[x, y] where its middle line begins, base axes"
    )
    to: PlanePoint = Field(description="[x, y] where it ends")

    @property
    def points(self) -> tuple[tuple[float, ...], ...]:
        """[x, y] of its two ends."""
        return self.from_, self.to


class Polyline(_Row):
    """A wall that bends."""

    points: Annotated[tuple[PlanePoint, ...], Length(2, 1000)]
    """[x, y] of its corners in their order, base axes"""


Moment = Annotated[float, Range(0.0, 1e5, "s", above=True)]


class KnownObstacle(GivenKeys):
    """An obstacle that is on the map from the start.

    Exactly one of the keys is given, beside a name.
    """

    owners: ClassVar[dict[str, str]] = {"name": "known_world"}

    name: str | None = Field(
        None, min_length=1, max_length=60, description="by which a plan speaks of it"
    )
    cylinder: solids.Cylinder | None = Field(None, description="one upright cylinder")
    sphere: solids.Sphere | None = Field(None, description="one sphere")
    box: solids.Box | None = Field(None, description="one box")
    floor: solids.Floor | None = Field(None, description="everything below a level plane")
    mesh: solids.Mesh | None = Field(None, description="a convex mesh of an STL or OBJ file")

    wall: Wall | None = Field(
        None, description="upright cylinders in a row, from one point to another"
    )
    polyline: Polyline | None = Field(
        None, description="upright cylinders along a line with corners"
    )

    @model_validator(mode="before")
    @classmethod
    def _stays(cls, data: Any) -> Any:
        """What is known stays where it is."""
        for key in _TIMES:
            if isinstance(data, Mapping) and key in data and key not in cls.model_fields:
                allowed = "no such key, or the obstacle among obstacles"
                raise BadInput(
                    "what is known neither comes nor goes",
                    where=key,
                    found=data[key],
                    allowed=allowed,
                )
        return data

    @must_fit
    def _check(self) -> Iterator[BadInput]:
        given = [key for key, value in self if value is not None and key in self.kinds()]
        if len(given) != 1:
            yield BadInput(
                "exactly one kind is needed", found=given, allowed=" or ".join(self.kinds())
            )

    @classmethod
    def kinds(cls) -> list[str]:
        """The keys of which one is given."""
        return [key for key in cls.model_fields if key not in ("name", *_TIMES)]

    @classmethod
    def of(cls, solid: solids.Solid, name: str | None = None, **times: float | None) -> Self:
        """The entry of one solid.

        Of an ``Obstacle`` ``times`` are its ``appears`` and ``vanishes``.
        """
        return cls(**{type(solid).__name__.lower(): solid, "name": name, **times})

    @property
    def solids(self) -> list[solids.Solid]:
        """What the one key holds or stands for; what is random is not drawn."""
        row = self.wall or self.polyline
        if row is not None:
            return [
                solids.Cylinder(center=at, radius=row.radius, height=row.height)
                for at in row.centres()
            ]
        singles = (self.cylinder, self.sphere, self.box, self.floor, self.mesh)
        return [solid for solid in singles if solid is not None]


class Obstacle(KnownObstacle):
    """An obstacle that the arm knows nothing of.

    Exactly one of the keys is given, beside name and times.
    """

    random_cylinders: solids.RandomCylinders | None = Field(
        None, description="several, drawn when a run begins"
    )
    random_scene: RandomScene | None = Field(
        None, description="a whole scene, drawn when a run begins"
    )
    appears: Moment | None = None
    """when it comes, or as soon as the arm is not in it; left out: there from the start"""
    vanishes: Moment | None = Field(None, description="when it goes; left out: never")

    @must_fit
    def _check_times(self) -> Iterator[BadInput]:
        first, last = self.times
        if not first < last:
            allowed = f"below vanishes, {last:g} s; what goes and comes again is two obstacles"
            yield BadInput(
                "it would go before it comes", where="appears", found=self.appears, allowed=allowed
            )

    @property
    def times(self) -> tuple[float, float]:
        """From when until when it stands [s]."""
        first = 0.0 if self.appears is None else self.appears
        last = math.inf if self.vanishes is None else self.vanishes
        return first, last

    @property
    def is_drawn(self) -> bool:
        """Whether the run's seed decides what stands there."""
        random = self.random_cylinders or self.random_scene
        return random is not None and random.seed is None
