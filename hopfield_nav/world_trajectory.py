"""The section ``trajectory`` of a world file: from cells to a motion in time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema, WrapValidator

from dynamics.errors import BadInput
from hopfield_nav.world_fields import Range, Rotation, Section, show

_DOWN = ((0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, -1.0))


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


_TIME_SCHEMA = {
    "anyOf": [{"type": "number", "exclusiveMinimum": 0, "maximum": 1000}, {"const": "ragazzon2012"}]
}


FREE = "free"


def _or_free(value: Any, handler: Callable[[Any], Any]) -> Any:
    """The word free, or else what ``handler`` makes of the value."""
    return value if value == FREE else handler(value)


_ROW = {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3}
_ROTATION_SCHEMA = {
    "anyOf": [{"type": "array", "items": _ROW, "minItems": 3, "maxItems": 3}, {"const": FREE}]
}
_RotationOrFree = Annotated[
    Rotation,
    WrapValidator(_or_free),
    PlainSerializer(lambda value: value),
    WithJsonSchema(_ROTATION_SCHEMA),
]


class Trajectory(Section):
    """From cells to a motion in time."""

    time_per_cell: Annotated[Any, BeforeValidator(_time_per_cell), WithJsonSchema(_TIME_SCHEMA)] = Field(
        0.5, description="[s], or ragazzon2012: round(n/2)/(n-1) seconds for n waypoints"
    )
    sample_time: Annotated[float, Range(0.0, 1.0, "s")] = Field(
        0.0, description="the reference is held this long between samples; 0: continuous [s]"
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
