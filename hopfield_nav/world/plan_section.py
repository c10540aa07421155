"""The section ``plan`` of a world file: a motion to be planned where the surroundings are known.

``hopfield-nav plan`` reads it; a run, which finds its path by touch, does not.
"""

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from dynamics import BadInput
from hopfield_nav.world import fields
from hopfield_nav.world.document import Key
from hopfield_nav.world.ends import PoseSection


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
    """A motion from a start over places in between to a goal.

    It leads past the known obstacles and the arm itself.
    """

    extension: ClassVar[str] = "known_world"

    start: PlaceSection | None = Field(
        None, description="where the motion begins; null: at start.joints"
    )
    via: tuple[PlaceSection, ...] = Field((), description="places in between, in this order")
    goal: PlaceSection | None = None
    """where it ends; null: the tool at the world's goal, turned as at the start"""
    method: Literal["auto", "in_turn", "shortest", "around", "direct", "sampling"] = "auto"
    """shortest: the tool on straight lines from place to place; around: on straight lines past what
    stands in the way; direct: the joints on straight lines; sampling: any free path; in_turn: the
    first of shortest, direct and sampling that finds one; auto: shortest, else around or direct,
    whichever takes less time and less way of the tool, else sampling"""
    tool_speed: Annotated[float, fields.Range(0.0, 5.0, "m/s", above=True)] = 0.1
    """of the tool on a straight line; with the speed limits of the joints it bounds how far these
    may jump between two steps"""
    turn_speed: Annotated[float, fields.Range(0.0, 10.0, "rad/s", above=True)] = 0.5
    """of the tool's rotation, for lines on which it mostly turns"""
    steps: Annotated[int, fields.Whole(1, 10_000)] = 100
    """of a straight line between two poses of the tool"""
    clearance: Annotated[float, fields.Range(0.0, 1.0, "m")] = 0.0
    """kept from the known obstacles; from itself the arm keeps 0.1 mm"""
    acceleration: Annotated[Any, fields.PerJoint(0.01, 50.0, "rad/s²")] = 1.4
    """of the joints at most, one number or one a joint"""
    until_contact: Annotated[float, fields.Range(0.0, 1.0, "m", above=True)] | None = None
    """the motion ends where a contact is felt, and the tool goes on by no more than this; null: a
    contact is not looked for"""
    ways: Annotated[int, fields.Whole(1, 512)] = Field(
        5, description="direct paths that are shown, shortest first"
    )

    @property
    def places(self) -> dict[Key, PlaceSection]:
        """Every place that is given, by its keys in the section."""
        ends = {("start",): self.start, ("goal",): self.goal}
        places: dict[Key, PlaceSection] = {key: at for key, at in ends.items() if at is not None}
        return places | {("via", i): place for i, place in enumerate(self.via)}
