"""The section ``plan`` of a world file: a motion to be planned where the surroundings are known.

``hopfield-nav plan`` reads it; a run, which finds its path by touch, does not.
"""

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from dynamics import BadInput
from hopfield_nav.world.document import Key
from hopfield_nav.world.fields import GivenKeys, Joints, PerJoint, Point, Range, Section, Whole, must_fit
from hopfield_nav.world.solids import RotationOrAngles


class PoseSection(Section):
    """A place of the tool, turned in any way."""

    position: Point = Field(description="[x, y, z] of the tool point, base axes")
    rotation: RotationOrAngles = Field(description="rows of the rotation from tool to base axes, or [roll, pitch, yaw]")


class PlaceSection(GivenKeys):
    """A place that the motion goes through: exactly one of the keys is given."""

    extension: ClassVar[str] = "known_world"

    joints: Joints | None = Field(None, description="joint angles, within the limits of the arm")
    pose: PoseSection | None = Field(None, description="of the tool; whatever joint angles take it there")

    @must_fit
    def _check(self) -> Iterator[BadInput]:
        if (self.joints is None) == (self.pose is None):
            allowed = "joints: [q1, q2, …] or pose: {position: [x, y, z], rotation: …}"
            found = [key for key, value in self if value is not None]
            yield BadInput("exactly one of joints and pose is needed", found=found, allowed=allowed)


class PlanSection(Section):
    """From a start over places in between to a goal, past the known obstacles and the arm itself."""

    extension: ClassVar[str] = "known_world"

    start: PlaceSection | None = Field(None, description="where the motion begins; null: at start.joints")
    via: tuple[PlaceSection, ...] = Field((), description="places in between, in this order")
    goal: PlaceSection | None = Field(
        None, description="where it ends; null: the tool at the world's goal, turned as at the start"
    )
    method: Literal["auto", "in_turn", "shortest", "around", "direct", "sampling"] = Field(
        "auto",
        description="shortest: the tool on straight lines from place to place; around: on straight lines "
        "past what stands in the way; direct: the joints on straight lines; sampling: any free path; "
        "in_turn: the first of shortest, direct and sampling that finds one; auto: shortest, else around or "
        "direct, whichever takes less time and less way of the tool, else sampling",
    )
    tool_speed: Annotated[float, Range(0.0, 5.0, "m/s", above=True)] = Field(
        0.1,
        description="of the tool on a straight line; with the speed limits of the joints it bounds how far "
        "these may jump between two steps",
    )
    turn_speed: Annotated[float, Range(0.0, 10.0, "rad/s", above=True)] = Field(
        0.5, description="of the tool's rotation, for lines on which it mostly turns"
    )
    steps: Annotated[int, Whole(1, 10_000)] = Field(100, description="of a straight line between two poses of the tool")
    clearance: Annotated[float, Range(0.0, 1.0, "m")] = Field(
        0.0, description="kept from the known obstacles; from itself the arm keeps 0.1 mm"
    )
    acceleration: Annotated[Any, PerJoint(0.01, 50.0, "rad/s²")] = Field(
        1.4, description="of the joints at most, one number or one a joint"
    )
    until_contact: Annotated[float, Range(0.0, 1.0, "m", above=True)] | None = Field(
        None,
        description="the motion ends where a contact is felt, and the tool goes on by no more than this; "
        "null: a contact is not looked for",
    )
    ways: Annotated[int, Whole(1, 512)] = Field(5, description="direct paths that are shown, shortest first")

    @property
    def places(self) -> dict[Key, PlaceSection]:
        """Every place that is given, by its keys in the section."""
        ends = {("start",): self.start, ("goal",): self.goal}
        places: dict[Key, PlaceSection] = {key: at for key, at in ends.items() if at is not None}
        return places | {("via", i): place for i, place in enumerate(self.via)}
