"""The section ``goal`` of a world file: where the tool, or the whole arm, shall arrive."""

from typing import Annotated, Any

from pydantic import Field, model_serializer

from dynamics import BadInput
from hopfield_nav.world.fields import Joints, Length, MapPoint, Range, Section, Whole, must_fit
from hopfield_nav.world.plan import PoseSection


class GoalSection(Section):
    """Where the tool shall arrive, and how near: a cell of the map or a position.

    On a map of joint angles also a pose of the tool, or the joint angles themselves.
    """

    cell: Annotated[tuple[Annotated[int, Whole(0, 4095)], ...], Length(2, 3)] | None = Field(
        None, description="[i, j], counted from 0, i along x; [i, j, k] on a map in space"
    )
    position: MapPoint | None = Field(None, description="[x, y] in base axes; [x, y, z] on a map in space")
    pose: PoseSection | None = Field(None, description="of the tool, on a map of joint angles")
    joints: Joints | None = Field(None, description="joint angles, on a map of these")
    tolerance: Annotated[float, Range(0.0, 1.0, "m", above=True)] = Field(
        0.001, description="distance from the goal at which the tool has arrived"
    )

    @must_fit
    def _check(self) -> None:
        places = [key for key, value in self if value is not None and key != "tolerance"]
        if len(places) != 1:
            raise BadInput(
                "exactly one of cell and position is needed",
                found=" and ".join(places) or "neither",
                allowed="cell: [i, j] or position: [x, y]; on a map of joint angles position, pose or joints",
            )

    @model_serializer(mode="wrap")
    def _leave_out_the_other(self, handler: Any) -> dict[str, Any]:
        return {key: value for key, value in handler(self).items() if value is not None}
