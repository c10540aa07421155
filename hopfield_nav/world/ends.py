"""The sections ``start`` and ``goal`` of a world file."""

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar

from pydantic import Field, model_serializer

from dynamics import BadInput
from hopfield_nav.world import fields
from hopfield_nav.world.solids import RotationOrAngles

# Joint angles of the UR5 at the start [rad].
Q0 = (2.5511, -1.1193, 2.5706, 0.1196, 1.5708, -0.5905)


class PoseSection(fields.Section):
    """A place of the tool, turned in any way."""

    position: fields.Point = Field(description="[x, y, z] of the tool point, base axes")
    rotation: RotationOrAngles = Field(
        description="rows of the rotation from tool to base axes, or [roll, pitch, yaw]"
    )


class StartSection(fields.GivenKeys):
    """Where the arm is at the beginning, at rest: joint angles, or a place of the tool."""

    most_set = ("position",)

    joints: fields.Joints = Field(Q0, description="joint angles, within one turn")
    pose: PoseSection | None = Field(None, description="of the tool, in the place of joints")
    position: fields.MapPoint | None = None
    """[x, y] or [x, y, z] of the tool, turned as on the way, in the place of joints"""

    @fields.must_fit
    def _check(self) -> Iterator[BadInput]:
        given = [key for key, value in self if key in self.model_fields_set and value is not None]
        if len(given) > 1:
            yield BadInput(
                "one of them is enough",
                found=" and ".join(given),
                allowed="joints, pose or position",
            )

    @model_serializer(mode="wrap")
    def _given(self, handler: Any) -> dict[str, Any]:
        """Without the joints too where a place of the tool is given."""
        given = {key: value for key, value in handler(self).items() if value is not None}
        if len(given) > 1:
            given.pop("joints", None)
        return given


class GoalSection(fields.GivenKeys):
    """Where the tool shall arrive, and how near: a cell of the map or a position.

    On a map of joint angles also a pose of the tool, or the joint angles themselves.
    """

    most_set = ("position",)
    owners: ClassVar[dict[str, str]] = {"pose": "whole_arm", "joints": "whole_arm"}

    cell: (
        Annotated[tuple[Annotated[int, fields.Whole(0, 4095)], ...], fields.Length(2, 3)] | None
    ) = None
    """[i, j], counted from 0, i along x; [i, j, k] on a map in space"""
    position: fields.MapPoint | None = Field(
        None, description="[x, y] in base axes; [x, y, z] on a map in space"
    )
    pose: PoseSection | None = Field(None, description="of the tool, on a map of joint angles")
    joints: fields.Joints | None = Field(None, description="joint angles, on a map of these")
    tolerance: Annotated[float, fields.Range(0.0, 1.0, "m", above=True)] = 0.001
    """distance from the goal at which the tool has arrived"""

    @fields.must_fit
    def _check(self) -> Iterator[BadInput]:
        places = [key for key, value in self if value is not None and key != "tolerance"]
        if len(places) != 1:
            yield BadInput(
                "exactly one of cell and position is needed",
                found=" and ".join(places) or "neither",
                allowed="cell: [i, j] or position: [x, y]; "
                "on a map of joint angles position, pose or joints",
            )
