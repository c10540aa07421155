"""The sections of a world file, one class each: keys, units, ranges and defaults.

A class is a pydantic model: unknown keys are refused, and an instance cannot be changed. What
concerns several sections at once is checked in ``hopfield_nav.world.checks``.
"""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field, ValidationInfo

from dynamics import BadInput
from hopfield_nav.plugin import find_extension
from hopfield_nav.world import fields
from hopfield_nav.world.fields import Section
from hopfield_nav.world.imperfections import (
    FrictionChoice,
    LearnChoice,
    ModelErrorSection,
    TorqueRippleSection,
)
from hopfield_nav.world.methods import Gone, MethodSection, Trust

_IDENTITY = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_ZERO = ((0.0, 0.0, 0.0),) * 3


class FrameSection(Section):
    """Pose of the tool point in the flange, the last frame of the arm."""

    position: fields.Point = Field((0.0, 0.0, 0.0), description="tool point in flange axes")
    rotation: fields.Rotation = Field(
        _IDENTITY, description="rows of the rotation from tool to flange axes"
    )


class PayloadSection(Section):
    """What the tool carries."""

    mass: Annotated[float, fields.Range(0.0, 100.0, "kg")] = Field(
        0.0, description="of the payload"
    )
    center_of_mass: fields.Point = Field((0.0, 0.0, 0.0), description="in the flange frame")
    inertia: fields.Inertia = Field(_ZERO, description="about the centre of mass, flange axes")


class ToolSection(Section):
    """The tool at the arm's flange."""

    frame: FrameSection = Field(default_factory=FrameSection, description="where the tool point is")
    payload: PayloadSection = Field(
        default_factory=PayloadSection, description="what the tool carries"
    )


class PlantSection(MethodSection):
    """What moves: the simulated arm, and how its motion is integrated.

    Parameters of the engine are further keys.
    """

    owners: ClassVar[dict[str, str]] = {"stiffness": "engines", "temperature": "engines"}
    kinds: ClassVar[dict[str, str]] = {"engine": "engine"}

    dynamics: fields.Text | None = Field(None, description="arm whose masses move; null: as `arm`")
    engine: fields.Text = "internal"
    """what computes the motion: internal, this program; mujoco, MuJoCo (extra `mujoco`); flexible,
    this program with elastic joints; or FILE.py:NAME"""
    integrator: Literal["rk4", "semi_implicit_euler"] = Field(
        "rk4", description="integration method"
    )
    step: Annotated[float, fields.Range(1e-6, 0.02, "s")] = Field(
        0.001, description="integration step"
    )
    damping: Annotated[Any, fields.PerJoint(0.0, 1e4, "N·m·s/rad")] = 0.0
    """viscous damping of the joints, one number or one a joint"""
    friction: FrictionChoice | None = None
    """friction in the joints; null: none; arm: as in the file of `plant.dynamics`"""
    presliding: Annotated[Any, fields.PerJoint(1.0, 1e9, "N·m/rad", word="ideal")] | None = None
    """stiffness of the gears before they slip, one number or one a joint; ideal: they stick; null:
    as in the file of `plant.dynamics` where `friction` is `arm`, else ideal"""
    torque_ripple: TorqueRippleSection = Field(default_factory=TorqueRippleSection)
    """of the motors, with the angle of the joint"""
    stiffness: Annotated[Any, fields.PerJoint(1.0, 1e9, "N·m/rad")] | None = None
    """of elastic joints (engine: flexible); null: by the size of the joint"""
    temperature: Annotated[Any, fields.PerJoint(-40.0, 150.0, "°C")] | None = None
    """of elastic joints, on which their viscous friction depends; null: 30"""


class ControllerSection(MethodSection):
    """The control law, its model of the arm, and its timing.

    The law's parameters are further keys.
    """

    owners: ClassVar[dict[str, str]] = {"learn": "self_model"}
    kinds: ClassVar[dict[str, str]] = {"law": "controller"}

    law: fields.Text = Field("inverse_dynamics", description="control law, or FILE.py:NAME")
    model: fields.Text | None = Field(
        None, description="arm as the controller believes it to be; null: as `arm`"
    )
    period: Annotated[float, fields.Range(1e-6, 1.0, "s")] = 0.001
    """control period, a multiple of plant.step; default: plant.step"""
    delay: Annotated[float, fields.Range(0.0, 64.0, "s")] = 0.0
    """from sensing to torque, a multiple of the period, at most 64 periods"""
    hold: fields.Flag = True
    """hold the torque over the period (false: law in every integrator stage)"""
    settling: Annotated[float, fields.Range(0.0, 10.0, "1/s")] = 1.0
    """rate at which the error at the end of a path is corrected; 0: not at all"""
    saturate: fields.Flag = Field(True, description="limit the torque to what the motors can give")
    friction_feedforward: fields.Flag = True
    """add the torque that friction is believed to take at the reference speed"""
    learn: LearnChoice = False
    """what the controller learns of the arm: true, or a section; false: nothing"""
    model_error: ModelErrorSection = Field(default_factory=ModelErrorSection)
    """where the controller's model differs from the plant"""


class ContactSection(Section):
    """The force of an obstacle on the arm: a spring, a damper and Coulomb friction."""

    bodies: Literal["tool", "arm"] = "tool"
    """what obstacles can touch: the tool point, or every link and the tool"""
    stiffness: Annotated[float, fields.Range(0.0, 1e9, "N/m", above=True)] = Field(
        1e5, description="of a surface"
    )
    damping: Annotated[float, fields.Range(0.0, 1e6, "N·s/m")] = Field(
        0.0, description="of a surface"
    )
    friction: Annotated[float, fields.Range(0.0, 2.0, "1")] = Field(
        0.0, description="Coulomb coefficient"
    )


# Detectors whose level is a size over a threshold: exactly, never held or filtered.
IN_PROPORTION = ("joint_torque", "force_norm")


class DetectionSection(MethodSection):
    """How a collision is felt and what is done about it.

    Parameters of both methods are further keys.
    """

    owners: ClassVar[dict[str, str]] = {"place": "whole_arm"}
    kinds: ClassVar[dict[str, str]] = {"estimator": "estimator", "measure": "detector"}

    estimator: fields.Text = Field(
        "momentum_observer", description="force estimator, or FILE.py:NAME"
    )
    measure: fields.Text = Field("adaptive_joint_torque", description="detector, or FILE.py:NAME")
    mark: Literal["felt", "actual", "desired"] = "felt"
    """felt: steps between cells, as facts and beliefs; actual: the cell ahead of the tool, for
    good; desired: that of the reference, for good"""
    place: Literal["patches", "particles"] = "patches"
    """where on the arm a touch was, on a map of joint angles: patches, a push is fitted on each of
    the whole surface; particles, a filter draws places, and forces within a friction cone"""
    back_off: Literal["against_velocity", "along_force"] = "along_force"
    """how to reach the cell from which the next path starts"""
    reaction: Literal["retreat", "stop", "float"] = "retreat"
    """between alarm and new path; retreat: nothing, the path leads back at once; stop: brake along
    a reference, until the arm rests; float: bear its weight alone, until it rests"""
    graze: Literal["pass", "retreat"] = "pass"
    """a touch whose force does not oppose the motion, with mark felt: pass by, at half the speed,
    unless the force grows by a whole threshold; or go back as after any other, as it always is on a
    map of joint angles"""
    rearm: Annotated[float, fields.Range(0.0, 1.0, "1", above=True)] | None = 0.5
    """share of the threshold below which the level must fall before the next detection; null: 1, so
    that every new rise above the threshold counts"""
    episodes: fields.Flag = True
    """one touch is one collision: after an alarm the next one needs another direction of the force,
    or growth in spite of the retreat; false: any rise by a whole threshold"""
    hold_off: Annotated[float, fields.Range(0.0, 100.0, "s")] = 0.0
    """no detection for this long after the start and after each replan"""
    report: Annotated[Any, fields.PerJoint(0.0, 1e6, "as the threshold")] | None = None
    """a second, lower `threshold`: what passes it is recorded and told to `on_contact`, and the arm
    goes on; one number, or one a joint where the threshold may be; null: none"""
    by_segment: tuple[Annotated[float, fields.Range(0.01, 100.0, "1")], ...] | None = None
    """shares of `threshold`, one for each part between two rests of a planned motion (`tune
    --motion PLAN --by-segment` writes them); a search has no parts; null: 1"""
    lag: Annotated[float, fields.Range(0.0, 1.0, "m", above=True)] | None = None
    """how far a point of the arm may be behind its reference before that counts as a touch,
    whatever the torques say; null: as far as it likes; 0.02 by default on a map of joint angles"""

    @property
    def armed_below(self) -> float:
        """Share of the threshold below which the level must fall before the next detection."""
        return 1.0 if self.rearm is None else self.rearm


class ExploreSection(MethodSection):
    """How the arm goes on after a touch.

    A bare word in its place is the method, with the rest as by default. The parameters of a user's
    own method are further keys.
    """

    owners: ClassVar[dict[str, str]] = dict.fromkeys(("retract", "force", "speed"), "surfaces")
    kinds: ClassVar[dict[str, str]] = {"method": "response"}
    gone: ClassVar[tuple[Gone, ...]] = (Gone("step"),)

    method: fields.Text = "replan"
    """replan: back to the centre of the last cell, and a new path; follow: along the surface that
    was felt to where the new path would cross it; slide: along it until the path is free; or
    FILE.py:NAME"""
    retract: Annotated[float, fields.Range(0.0, 0.1, "m", above=True)] = 0.005
    """to follow: distance from the surface between two touches"""
    force: Annotated[float, fields.Range(0.1, 1e3, "N")] = 10.0
    """to slide: wanted across the surface"""
    speed: Annotated[float, fields.Range(0.0, 1.0, "m/s", above=True)] = 0.05
    """to slide: wanted along the surface"""


# Neurons of a network whose activations are kept, at most: unless asked for, and in any case.
AUTO_NEURONS = 2_000
MOST_NEURONS = 100_000


class RecordSection(Section):
    """What of a run is kept."""

    every: Annotated[int, fields.Whole(1, 10**6)] = 1
    """a row is kept every so many steps of the integrator"""
    signals: Literal["all", "none"] = Field("all", description="all signals, or events alone")
    network: Literal["auto"] | fields.Flag = "auto"
    """the activations of every plan: auto, of up to 2,000 neurons where signals are kept; true, of
    up to 100,000; false: none; 8 bytes for each neuron and plan"""

    def keeps_network(self, neurons: int) -> bool:
        """Whether the activations of so many neurons are kept."""
        if self.network == "auto":
            return self.signals == "all" and neurons <= AUTO_NEURONS
        return bool(self.network)


def _of_extensions(sections: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
    """The sections of extensions, each as its own model has it.

    Those of a record are left as they stand.
    """
    context = info.context or {}
    made = {}
    if context.get("trust", Trust()).record:
        return sections
    for name, section in sections.items():
        try:
            extension = find_extension(name)
            if not extension.section:
                raise BadInput("this extension has no section", found=name, allowed="none")
            model = extension.load(extension.section)
        except BadInput as error:
            raise error.at(name) from None
        made[name] = model.model_validate(section).model_dump(mode="json")
    return made


Extensions = Annotated[dict[str, Any], AfterValidator(_of_extensions)]
