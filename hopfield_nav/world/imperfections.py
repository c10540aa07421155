"""The sections of a world file that make the simulated arm as imperfect as a real one.

Joint friction, sensors, and where the controller's model differs from the plant. All are off unless
the file says otherwise. ``sections`` puts them in their places.
"""

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, Discriminator, Field, Tag

from dynamics import BadInput
from hopfield_nav.world.fields import Flag, Length, PerJoint, Range, Section, must_fit

# Tags of a value that is either a word or a section.
WORD = "<word>"
SECTION = "<section>"


def _word_or_section(value: object) -> str:
    """Which of the two a value is meant to be, as pydantic asks it of such a union."""
    return SECTION if isinstance(value, (dict, BaseModel)) else WORD


class FrictionSection(Section):
    """Friction in the joints of the plant.

    Each value is one number, or one a joint.
    """

    coulomb: Annotated[Any, PerJoint(0.0, 1e3, "N·m")] = Field(0.0, description="while moving")
    viscous: Annotated[Any, PerJoint(0.0, 1e4, "N·m·s/rad")] = Field(
        0.0, description="grows with the speed"
    )
    breakaway: Annotated[Any, PerJoint(0.0, 1e3, "N·m")] | None = None
    """at standstill, at least coulomb; null: as coulomb"""
    stribeck_speed: Annotated[Any, PerJoint(1e-6, 10.0, "rad/s")] = 0.1
    """speed over which breakaway falls to coulomb"""

    @must_fit
    def _check(self) -> Iterator[BadInput]:
        if self.breakaway is None:
            return
        moving = as_list(self.coulomb)
        at_rest = as_list(self.breakaway)
        if len(moving) == 1:
            moving = moving * len(at_rest)
        if len(at_rest) == 1:
            at_rest = at_rest * len(moving)
        if any(b < c for c, b in zip(moving, at_rest, strict=False)):
            yield BadInput(
                "below the Coulomb friction",
                where="breakaway",
                found=self.breakaway,
                allowed=f"at least {self.coulomb}",
            )


def as_list(value: float | tuple[float, ...]) -> list[float]:
    """One number, or one a joint, as a list."""
    return list(value) if isinstance(value, tuple) else [value]


FrictionChoice = Annotated[
    Annotated[Literal["arm"], Tag(WORD)] | Annotated[FrictionSection, Tag(SECTION)],
    Discriminator(_word_or_section),
]


class TorqueRippleSection(Section):
    """A torque of the motors that goes with the angle of the joint.

    Each value is one number, or one a joint.
    """

    amplitude: Annotated[Any, PerJoint(0.0, 1e3, "N·m")] = Field(0.0, description="of the ripple")
    cycles: Annotated[Any, PerJoint(0.0, 1e4, "1")] = 202.0
    """of it in a turn of the joint: twice the gear's ratio in a UR5"""


_Newtons = Annotated[tuple[Annotated[float, Range(-1e3, 1e3, "N")], ...], Length(3, 3)]
_NewtonMetres = Annotated[tuple[Annotated[float, Range(-100.0, 100.0, "N·m")], ...], Length(3, 3)]


class WrenchSensorSection(Section):
    """A force and torque sensor at the flange, and its errors.

    All axes are those of the flange.
    """

    period: Annotated[float, Range(0.0, 1.0, "s", above=True)] | None = None
    """from sample to sample, a multiple of plant.step; null: plant.step"""
    force_noise: Annotated[float, Range(0.0, 100.0, "N")] = 0.0
    """standard deviation of each component of the force"""
    moment_noise: Annotated[float, Range(0.0, 10.0, "N·m")] = 0.0
    """standard deviation of each component of the moment"""
    force_offset: _Newtons = Field((0.0, 0.0, 0.0), description="added to the force, always")
    moment_offset: _NewtonMetres = Field((0.0, 0.0, 0.0), description="added to the moment, always")
    force_drift: Annotated[float, Range(0.0, 100.0, "N/√s")] = 0.0
    """random walk of each component: standard deviation after one second"""
    moment_drift: Annotated[float, Range(0.0, 10.0, "N·m/√s")] = Field(
        0.0, description="the same of the moment"
    )


class SensorsSection(Section):
    """Imperfections of the joint sensors, and a sensor at the flange.

    Each imperfection is one number, or one a joint.
    """

    encoder_resolution: Annotated[Any, PerJoint(0.0, 0.1, "rad")] = 0.0
    """step to which joint angles are rounded; 0: exact"""
    velocity_noise: Annotated[Any, PerJoint(0.0, 1.0, "rad/s")] = 0.0
    """standard deviation of the measured joint velocities"""
    torque_noise: Annotated[Any, PerJoint(0.0, 1e3, "N·m")] = 0.0
    """standard deviation of the motors' measured torque, each control period anew"""
    wrench: WrenchSensorSection | None = None
    """force and torque sensor at the flange; null: there is none"""


class LearnSection(Section):
    """What the control computer learns of the arm before its first motion and on the way."""

    extension: ClassVar[str] = "self_model"

    wiggle: Annotated[float, Range(0.0, 0.01, "rad")] = 0.002
    """how far all joints turn to either side before the first motion; 0: not at all"""
    wiggle_time: Annotated[float, Range(0.5, 60.0, "s")] = Field(2.0, description="that this takes")
    masses: Flag = Field(
        True, description="learn masses and centres of the links while they move freely"
    )
    payload: Annotated[tuple[Annotated[float, Range(0.0, 1e5, "s")], ...], Length(2, 2)] | None = (
        None
    )
    """[from, to]: time in which what is felt is a payload, and no touch; null: none"""

    @must_fit
    def _check(self) -> Iterator[BadInput]:
        if self.payload is not None and self.payload[0] >= self.payload[1]:
            yield BadInput(
                "not rising",
                where="payload",
                found=list(self.payload),
                allowed="[from, to], from < to",
            )


LearnChoice = Annotated[
    Annotated[Literal[False], Tag(WORD)] | Annotated[LearnSection, Tag(SECTION)],
    Discriminator(_word_or_section),
    BeforeValidator(
        lambda value: {} if value is True else value, json_schema_input_type=bool | LearnSection
    ),
]


class ModelErrorSection(Section):
    """Where the model that control law and estimator work with differs from the plant."""

    mass_scale: Annotated[Any, PerJoint(0.0, 10.0, "")] = 1.0
    """factor on mass and inertia tensor of each link"""
    friction_scale: Annotated[Any, PerJoint(0.0, 10.0, "")] = 1.0
    """factor on the believed friction of each joint; 0: the controller knows of none"""
    presliding_scale: Annotated[Any, PerJoint(0.01, 100.0, "")] = 1.0
    """factor on the believed stiffness of each gear before it slips"""
    motor_constant_scale: Annotated[Any, PerJoint(0.1, 10.0, "")] = 1.0
    """believed torque of each motor a true one"""
    payload: Literal["known", "unknown"] = Field(
        "known", description="whether the model contains `tool.payload`"
    )
