"""The sections ``start``, ``goal`` and ``plan`` of a world file: where the arm begins, and where it shall arrive.

``plan`` is a motion to be planned where the surroundings are known. ``hopfield-nav plan`` reads it;
a run, which finds its path by touch, does not.
"""

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_serializer

from dynamics import BadInput
from hopfield_nav.world import fields
from hopfield_nav.world.document import Key
from hopfield_nav.world.solids import RotationOrAngles

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
        kept = {key: value for key, value in handler(self).items() if value is not None}
        return {key: value for key, value in kept.items() if len(kept) == 1 or key != "joints"}


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
            allowed = "cell: [i, j] or position: [x, y]; on a map of joint angles position, pose or joints"
            found = " and ".join(places) or "neither"
            yield BadInput(
                "exactly one of cell and position is needed", found=found, allowed=allowed
            )


class PlaceSection(fields.GivenKeys):
    """A place that the motion goes through: exactly one of the keys is given."""

    extension: ClassVar[str] = "known_world"

    joints: fields.Joints | None = Field(
        None, description="joint angles, within the limits of the arm"
    )
    pose: PoseSection | None = Field(
        None, description="of the tool; whatever joint angles take it there"
    )

    @fields.must_fit
    def _check(self) -> Iterator[BadInput]:
        if (self.joints is None) == (self.pose is None):
            allowed = "joints: [q1, q2, …] or pose: {position: [x, y, z], rotation: …}"
            found = [key for key, value in self if value is not None]
            yield BadInput("exactly one of joints and pose is needed", found=found, allowed=allowed)


class PlanSection(fields.Section):
    """From a start over places in between to a goal, past the known obstacles and the arm itself."""

    extension: ClassVar[str] = "known_world"

    start: PlaceSection | None = Field(
        None, description="where the motion begins; null: at start.joints"
    )
    via: tuple[PlaceSection, ...] = Field((), description="places in between, in this order")
    goal: PlaceSection | None = None
    """where it ends; null: the tool at the world's goal, turned as at the start"""
    method: Literal["auto", "in_turn", "shortest", "around", "direct", "sampling"] = "auto"
    """shortest: the tool on straight lines from place to place; around: on straight lines past what stands in the way;
    direct: the joints on straight lines; sampling: any free path; in_turn: the first of shortest, direct and sampling
    that finds one; auto: shortest, else around or direct, whichever takes less time and less way of the tool, else
    sampling"""
    tool_speed: Annotated[float, fields.Range(0.0, 5.0, "m/s", above=True)] = 0.1
    """of the tool on a straight line; with the speed limits of the joints it bounds how far these may jump between two
    steps"""
    turn_speed: Annotated[float, fields.Range(0.0, 10.0, "rad/s", above=True)] = 0.5
    """of the tool's rotation, for lines on which it mostly turns"""
    steps: Annotated[int, fields.Whole(1, 10_000)] = 100
    """of a straight line between two poses of the tool"""
    clearance: Annotated[float, fields.Range(0.0, 1.0, "m")] = 0.0
    """kept from the known obstacles; from itself the arm keeps 0.1 mm"""
    acceleration: Annotated[Any, fields.PerJoint(0.01, 50.0, "rad/s²")] = 1.4
    """of the joints at most, one number or one a joint"""
    until_contact: Annotated[float, fields.Range(0.0, 1.0, "m", above=True)] | None = None
    """the motion ends where a contact is felt, and the tool goes on by no more than this; null: a contact is not looked
    for"""
    ways: Annotated[int, fields.Whole(1, 512)] = Field(
        5, description="direct paths that are shown, shortest first"
    )

    @property
    def places(self) -> dict[Key, PlaceSection]:
        """Every place that is given, by its keys in the section."""
        ends = {("start",): self.start, ("goal",): self.goal}
        places: dict[Key, PlaceSection] = {key: at for key, at in ends.items() if at is not None}
        return places | {("via", i): place for i, place in enumerate(self.via)}
