"""The sections ``start`` and ``goal`` of a world file: where the arm begins, and where it shall arrive."""

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import Field, model_serializer

from dynamics import BadInput
from hopfield_nav.world.fields import (
    MOST_SET,
    GivenKeys,
    Joints,
    Length,
    MapPoint,
    Range,
    Whole,
    must_fit,
    of_extension,
)
from hopfield_nav.world.plan import PoseSection

Q0 = (2.5511, -1.1193, 2.5706, 0.1196, 1.5708, -0.5905)


class StartSection(GivenKeys):
    """Where the arm is at the beginning, at rest: joint angles, or a place of the tool."""

    joints: Joints = Field(Q0, description="joint angles, within one turn")
    pose: PoseSection | None = Field(None, description="of the tool, in the place of joints")
    position: MapPoint | None = Field(
        None,
        description="[x, y] or [x, y, z] of the tool, turned as on the way, in the place of joints",
        json_schema_extra=MOST_SET,
    )

    @must_fit
    def _check(self) -> Iterator[BadInput]:
        given = [key for key in ("joints", "pose", "position") if key in self.model_fields_set]
        given = [key for key in given if getattr(self, key) is not None]
        if len(given) > 1:
            allowed = "joints, pose or position"
            yield BadInput("one of them is enough", found=" and ".join(given), allowed=allowed)

    @model_serializer(mode="wrap")
    def _given(self, handler: Any) -> dict[str, Any]:
        """Without the joints too where a place of the tool is given."""
        kept = {key: value for key, value in handler(self).items() if value is not None}
        return {key: value for key, value in kept.items() if len(kept) == 1 or key != "joints"}


class GoalSection(GivenKeys):
    """Where the tool shall arrive, and how near: a cell of the map or a position.

    On a map of joint angles also a pose of the tool, or the joint angles themselves.
    """

    cell: Annotated[tuple[Annotated[int, Whole(0, 4095)], ...], Length(2, 3)] | None = Field(
        None, description="[i, j], counted from 0, i along x; [i, j, k] on a map in space"
    )
    position: MapPoint | None = Field(
        None, description="[x, y] in base axes; [x, y, z] on a map in space", json_schema_extra=MOST_SET
    )
    pose: PoseSection | None = Field(
        None, description="of the tool, on a map of joint angles", json_schema_extra=of_extension("whole_arm")
    )
    joints: Joints | None = Field(
        None, description="joint angles, on a map of these", json_schema_extra=of_extension("whole_arm")
    )
    tolerance: Annotated[float, Range(0.0, 1.0, "m", above=True)] = Field(
        0.001, description="distance from the goal at which the tool has arrived"
    )

    @must_fit
    def _check(self) -> Iterator[BadInput]:
        places = [key for key, value in self if value is not None and key != "tolerance"]
        if len(places) != 1:
            allowed = "cell: [i, j] or position: [x, y]; on a map of joint angles position, pose or joints"
            found = " and ".join(places) or "neither"
            yield BadInput("exactly one of cell and position is needed", found=found, allowed=allowed)
