"""What an obstacle is: cylinder, sphere, box, floor, mesh, random cylinders.

Lengths in metres, base axes. What they are to the kernels, ``pack`` says.
"""

import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
from pydantic import (
    BeforeValidator,
    Field,
    PrivateAttr,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)

from dynamics import BadInput
from hopfield_nav.world import fields
from hopfield_nav.world.meshes import read_mesh
from hopfield_nav.world.sections import Section

Height = Annotated[tuple[fields.Metre, ...], fields.Length(2, 2)]
Radius = Annotated[float, fields.Range(0.0, 5.0, "m", above=True)]
_Edge = Annotated[float, fields.Range(0.0, 10.0, "m", above=True)]
_IDENTITY = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_ROTATION_SCHEMA = {"anyOf": [fields.VECTOR_SCHEMA, fields.MATRIX_SCHEMA]}
Seed = Annotated[int, fields.Whole(0, 2**63 - 1)]
LARGEST = 10.0  # [m] from the origin of a mesh to any of its corners
_TRIES = 10_000  # random positions tried for one cylinder before giving up


def check_height(height: tuple[float, ...] | None) -> Iterator[BadInput]:
    """What is wrong with the ends of a cylinder: that they are in the wrong order."""
    if height is not None and height[0] >= height[1]:
        yield BadInput(
            "lower end not below the upper",
            where="height",
            found=list(height),
            allowed="[lower, upper] in metres",
        )


class Cylinder(fields.GivenKeys):
    """An upright cylinder: without end, or from one height to another."""

    center: fields.PlanePoint = Field(description="[x, y] of the axis, base axes")
    radius: Radius = Field(description="of its round side")
    height: Height | None = Field(
        None, description="[lower, upper] z of its ends; left out: without end"
    )

    @fields.must_fit
    def _check(self) -> Iterator[BadInput]:
        return check_height(self.height)


class Sphere(Section):
    """A sphere."""

    center: fields.Point = Field(description="[x, y, z], base axes")
    radius: Radius = Field(description="of the sphere")


def _from_angles(value: Any) -> Any:
    """Roll, pitch and yaw as the rows of the rotation Rz(yaw) Ry(pitch) Rx(roll).

    Anything else stays as it is.
    """
    if not isinstance(value, (list, tuple)) or len(value) != 3:
        return value
    if not all(type(v) in (int, float) for v in value):
        return value
    if not all(abs(v) <= 2 * math.pi for v in value):
        allowed = "roll, pitch, yaw from -6.28319 to 6.28319 rad (are these in degrees?)"
        raise BadInput("out of range", found=list(value), allowed=allowed)
    roll, pitch, yaw = value
    cr, sr = math.cos(roll), math.sin(roll)
    cp, sp = math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    return (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )


RotationOrAngles = Annotated[
    fields.Rotation,
    BeforeValidator(_from_angles),
    fields.Unit("rad"),
    WithJsonSchema(_ROTATION_SCHEMA),
]


class Box(Section):
    """A box, turned in any way."""

    center: fields.Point = Field(description="[x, y, z] of its middle, base axes")
    size: Annotated[tuple[_Edge, ...], fields.Length(3, 3)] = Field(
        description="lengths of its edges"
    )
    rotation: RotationOrAngles = _IDENTITY
    """rows of the rotation from box to base axes, or [roll, pitch, yaw]"""


class Floor(Section):
    """Everything below a level plane."""

    height: fields.Metre = Field(description="z of its surface, base axes")


class Mesh(Section):
    """A convex mesh of a file, turned in any way."""

    file: fields.Text = Field(
        description="STL or OBJ, closed and convex, relative to the world file"
    )
    position: fields.Point = Field((0.0, 0.0, 0.0), description="of the file's origin, base axes")
    rotation: RotationOrAngles = _IDENTITY
    """rows of the rotation from the file's to base axes, or [roll, pitch, yaw]"""
    scale: Annotated[float, fields.Range(0.0, 1e3, "m", above=True)] = 1.0
    """length of the file's unit: 0.001 where it is in millimetres"""

    _triangles: np.ndarray | None = PrivateAttr(None)

    @model_validator(mode="after")
    def _read(self, info: ValidationInfo) -> Self:
        if self._triangles is not None:  # looked at again, as a part of another section
            return self
        folder = (info.context or {}).get("folder", Path())
        triangles = self.scale * read_mesh(folder / self.file)
        size = np.abs(triangles).max()
        if size > LARGEST:
            found = f"{size:.4g} m"
            allowed = f"up to {LARGEST:g} m (is it in millimetres?)"
            raise BadInput("a mesh so large", where="scale", found=found, allowed=allowed)
        self._triangles = triangles @ np.array(self.rotation).T + self.position
        return self

    @property
    def triangles(self) -> np.ndarray:
        """Corners (k, 3, 3) of its triangles, counter-clockwise from outside, base axes [m]."""
        assert self._triangles is not None
        return self._triangles


Solid = Cylinder | Sphere | Box | Floor | Mesh


class RandomCylinders(Section):
    """Cylinders at random places on the map, away from start and goal."""

    count: Annotated[int, fields.Whole(0, 10_000)] = Field(description="how many")
    radius: Annotated[tuple[Radius, ...], fields.Length(2, 2)] = Field(
        description="smallest and largest"
    )
    clearance: Annotated[float, fields.Range(0.0, 5.0, "m")] = 0.05
    """free distance kept around the start tool position and the goal"""
    seed: Seed | None = Field(
        None, description="of these cylinders; null: drawn from the run's seed"
    )

    @fields.must_fit
    def _check(self) -> Iterator[BadInput]:
        if self.radius[0] > self.radius[1]:
            allowed = "[smallest, largest] in metres"
            yield BadInput(
                "smallest radius above the largest", "radius", list(self.radius), allowed
            )

    def draw(
        self,
        generator: np.random.Generator,
        low: np.ndarray,
        high: np.ndarray,
        keep_free: list[tuple[float, float]],
    ) -> Iterator[Cylinder]:
        """Draw the cylinders, centres uniform between the corners ``low`` and ``high`` [m].

        Raises ``BadInput``: none that was drawn keeps clear of the points ``keep_free`` [m].
        """
        for _ in range(self.count):
            yield self._draw_one(generator, low, high, keep_free)

    def _draw_one(
        self,
        generator: np.random.Generator,
        low: np.ndarray,
        high: np.ndarray,
        keep_free: list[tuple[float, float]],
    ) -> Cylinder:
        for _ in range(_TRIES):
            x, y = generator.uniform(low, high).tolist()
            radius = float(generator.uniform(self.radius[0], self.radius[1]))
            if all(math.dist((x, y), point) > radius + self.clearance for point in keep_free):
                return Cylinder(center=(x, y), radius=radius)
        raise BadInput(
            "no room for a random cylinder",
            found=f"radius {list(self.radius)}, clearance {self.clearance}",
            allowed="cylinders that leave start and goal free on this map",
        )


def packed(solids: Iterable[Solid]) -> np.ndarray:
    """The rows (m, 17) of some obstacles, as kernels read them."""
    from hopfield_nav.geometry import pack_primitives  # loads Numba

    return pack_primitives(pack(solid) for solid in solids)


def pack(solid: Solid) -> np.ndarray:
    """The row (17,) of one obstacle, or a longer one of a mesh."""
    from hopfield_nav.geometry import (
        box,
        convex_mesh,
        finite_cylinder,
        half_space,
        sphere,
        upright_cylinder,
    )

    if isinstance(solid, Sphere):
        return sphere(solid.center, solid.radius)
    if isinstance(solid, Box):
        return box(solid.center, solid.size, np.array(solid.rotation))
    if isinstance(solid, Mesh):
        return convex_mesh(solid.triangles.reshape(-1, 3))
    if not isinstance(solid, Cylinder):
        return half_space((0.0, 0.0, solid.height))
    if solid.height is None:
        return upright_cylinder(solid.center, solid.radius)
    low, high = solid.height
    return finite_cylinder((*solid.center, 0.5 * (low + high)), solid.radius, high - low)
