"""The sections ``map`` and ``trajectory`` of a world file: cells in a plane or in space, motion over them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema, WrapValidator, model_validator

from dynamics import BadInput
from hopfield_nav.world.fields import Length, Point, Range, Rotation, Section, Unit, Whole, show

_MOST_CELLS = 4096**2
_DOWN = ((0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, -1.0))
_TIME_SCHEMA = {
    "anyOf": [{"type": "number", "exclusiveMinimum": 0, "maximum": 1000}, {"const": "ragazzon2012"}]
}
FREE = "free"
_ROW = {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3}
_ROTATION_SCHEMA = {
    "anyOf": [{"type": "array", "items": _ROW, "minItems": 3, "maxItems": 3}, {"const": FREE}]
}


class MapSection(Section):
    """The grid of neurons, laid into the plane or the room in which the tool moves."""

    origin: Point = Field((0.1501, -0.2499, 0.0), description="centre of cell (0, 0, 0) in base axes")
    spacing: Annotated[float, Range(0.0, 1.0, "m", above=True)] = Field(
        0.0263, description="between neighbouring cells"
    )
    shape: Annotated[tuple[Annotated[int, Whole(1, 4096)], ...], Length(2, 3)] = Field(
        (20, 20), description="cells along x and along y, and along z for a map in space"
    )
    rim: Literal["free", "blocked"] = Field(
        "free", description="whether the outermost cells count as obstacles"
    )

    @model_validator(mode="after")
    def _check(self) -> MapSection:
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


def _time_per_cell(value: object) -> object:
    """Seconds a cell, or the name of the document's rule."""
    if value == "ragazzon2012":
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise BadInput(
            "wrong kind of value",
            found=show(value),
            allowed="a number of seconds above 0, or the word ragazzon2012",
        )
    return float(Range(0.0, 1000.0, "s", above=True).check(value))


def _or_free(value: Any, handler: Callable[[Any], Any]) -> Any:
    """The word free, or else what ``handler`` makes of the value."""
    return value if value == FREE else handler(value)


_RotationOrFree = Annotated[
    Rotation,
    WrapValidator(_or_free),
    PlainSerializer(lambda value: value),
    WithJsonSchema(_ROTATION_SCHEMA),
]


class TrajectorySection(Section):
    """From cells to a motion in time."""

    time_per_cell: Annotated[
        Any, BeforeValidator(_time_per_cell), Unit("s"), WithJsonSchema(_TIME_SCHEMA)
    ] = Field(0.5, description="a number, or ragazzon2012: round(n/2)/(n-1) seconds for n waypoints")
    sample_time: Annotated[float, Range(0.0, 1.0, "s")] = Field(
        0.0, description="the reference is held this long between samples; 0: continuous"
    )
    tool_rotation: _RotationOrFree = Field(
        _DOWN,
        description="rows of the rotation from tool to base axes on the way, or free: any that takes the "
        "joints least far",
    )

    @property
    def any_rotation(self) -> bool:
        """Whether the tool may turn on the way."""
        return self.tool_rotation == FREE
