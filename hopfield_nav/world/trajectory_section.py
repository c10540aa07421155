"""The section ``trajectory`` of a world file: from cells to a motion in time."""

from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema, WrapValidator

from dynamics import BadInput
from hopfield_nav.world import fields

DOWN = ((0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, -1.0))
_TIME_SCHEMA = {
    "anyOf": [{"type": "number", "exclusiveMinimum": 0, "maximum": 1000}, {"const": "ragazzon2012"}]
}
FREE = "free"
_ROTATION_SCHEMA = {"anyOf": [fields.MATRIX_SCHEMA, {"const": FREE}]}


def _time_per_cell(value: object) -> object:
    """Seconds a cell, or the name of the document's rule."""
    if value == "ragazzon2012":
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        allowed = "a number of seconds above 0, or the word ragazzon2012"
        raise BadInput("wrong kind of value", found=fields.show(value), allowed=allowed)
    return float(fields.Range(0.0, 1000.0, "s", above=True).check(value))


_TimePerCell = Annotated[
    Any, BeforeValidator(_time_per_cell), fields.Unit("s"), WithJsonSchema(_TIME_SCHEMA)
]
_RotationOrFree = Annotated[
    fields.Rotation,
    WrapValidator(lambda value, handler: value if value == FREE else handler(value)),
    PlainSerializer(lambda value: value),
    WithJsonSchema(_ROTATION_SCHEMA),
]


class TrajectorySection(fields.Section):
    """From cells to a motion in time."""

    owners: ClassVar[dict[str, str]] = {"tool_speed": "whole_arm"}

    time_per_cell: _TimePerCell = 0.5
    """a number, or ragazzon2012: round(n/2)/(n-1) seconds for n waypoints"""
    unknown_speed: Annotated[float, fields.Range(0.0, 1.0, "1", above=True)] = 1.0
    """factor on the speed into cells of the tool's map that were not passed before"""
    sample_time: Annotated[float, fields.Range(0.0, 1.0, "s")] = 0.0
    """the reference is held this long between samples; 0: continuous"""
    tool_speed: Annotated[float, fields.Range(0.0, 5.0, "m/s", above=True)] = 0.1
    """of no point of the arm more than this, on a map of joint angles"""
    tool_rotation: _RotationOrFree = DOWN
    """rows of the rotation from tool to base axes on the way, or free: any that takes the joints
    least far"""

    @property
    def any_rotation(self) -> bool:
        """Whether the tool may turn on the way."""
        return self.tool_rotation == FREE
