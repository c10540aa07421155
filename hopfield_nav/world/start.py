"""The section ``start`` of a world file."""

from typing import Any

from pydantic import Field, model_serializer

from dynamics import BadInput
from hopfield_nav.world.fields import Joints, MapPoint, Section, must_fit
from hopfield_nav.world.plan import PoseSection

Q0 = (2.5511, -1.1193, 2.5706, 0.1196, 1.5708, -0.5905)


class StartSection(Section):
    """Where the arm is at the beginning, at rest: joint angles, or a place of the tool."""

    joints: Joints = Field(Q0, description="joint angles, within one turn")
    pose: PoseSection | None = Field(None, description="of the tool, in the place of joints")
    position: MapPoint | None = Field(
        None, description="[x, y] or [x, y, z] of the tool, turned as on the way, in the place of joints"
    )

    @must_fit
    def _check(self) -> None:
        given = [key for key in ("joints", "pose", "position") if key in self.model_fields_set]
        given = [key for key in given if getattr(self, key) is not None]
        if len(given) > 1:
            raise BadInput(
                "one of them is enough", found=" and ".join(given), allowed="joints, pose or position"
            )

    @model_serializer(mode="wrap")
    def _leave_out_the_others(self, handler: Any) -> dict[str, Any]:
        kept = {key: value for key, value in handler(self).items() if value is not None}
        return {key: value for key, value in kept.items() if len(kept) == 1 or key != "joints"}
