"""The sections of a world file that make the simulated arm as imperfect as a real one.

Joint friction, sensors, and where the controller's model differs from the plant. All are off unless
the file says otherwise. ``sections`` puts them in their places.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from dynamics import BadInput
from hopfield_nav.world.fields import (
    SECTION,
    WORD,
    Length,
    PerJoint,
    Range,
    Section,
    must_fit,
    word_or_section,
)


class FrictionSection(Section):
    """Friction in the joints of the plant; each value one number, or one a joint."""

    coulomb: Annotated[Any, PerJoint(0.0, 1e3, "N·m")] = Field(0.0, description="while moving")
    viscous: Annotated[Any, PerJoint(0.0, 1e4, "N·m·s/rad")] = Field(0.0, description="grows with the speed")
    breakaway: Annotated[Any, PerJoint(0.0, 1e3, "N·m")] | None = Field(
        None, description="at standstill, at least coulomb; null: as coulomb"
    )
    stribeck_speed: Annotated[Any, PerJoint(1e-6, 10.0, "rad/s")] = Field(
        0.1, description="speed over which breakaway falls to coulomb"
    )

    @must_fit
    def _check(self) -> None:
        if self.breakaway is not None:
            low, high = as_list(self.coulomb), as_list(self.breakaway)
            n = max(len(low), len(high))
            low, high = (values * n if len(values) == 1 else values for values in (low, high))
            if any(b < c for c, b in zip(low, high, strict=False)):
                raise BadInput(
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
    Discriminator(word_or_section),
]


_Newtons = Annotated[tuple[Annotated[float, Range(-1e3, 1e3, "N")], ...], Length(3, 3)]
_NewtonMetres = Annotated[tuple[Annotated[float, Range(-100.0, 100.0, "N·m")], ...], Length(3, 3)]


class WrenchSensorSection(Section):
    """A force and torque sensor at the flange, and its errors; all axes are those of the flange."""

    period: Annotated[float, Range(0.0, 1.0, "s", above=True)] | None = Field(
        None, description="from sample to sample, a multiple of plant.step; null: plant.step"
    )
    force_noise: Annotated[float, Range(0.0, 100.0, "N")] = Field(
        0.0, description="standard deviation of each component of the force"
    )
    moment_noise: Annotated[float, Range(0.0, 10.0, "N·m")] = Field(
        0.0, description="standard deviation of each component of the moment"
    )
    force_offset: _Newtons = Field((0.0, 0.0, 0.0), description="added to the force, always")
    moment_offset: _NewtonMetres = Field((0.0, 0.0, 0.0), description="added to the moment, always")
    force_drift: Annotated[float, Range(0.0, 100.0, "N/√s")] = Field(
        0.0, description="random walk of each component: standard deviation after one second"
    )
    moment_drift: Annotated[float, Range(0.0, 10.0, "N·m/√s")] = Field(
        0.0, description="the same of the moment"
    )


class SensorsSection(Section):
    """Imperfections of the joint sensors, each one number or one a joint; and a sensor at the flange."""

    encoder_resolution: Annotated[Any, PerJoint(0.0, 0.1, "rad")] = Field(
        0.0, description="step to which joint angles are rounded; 0: exact"
    )
    velocity_noise: Annotated[Any, PerJoint(0.0, 1.0, "rad/s")] = Field(
        0.0, description="standard deviation of the measured joint velocities"
    )
    wrench: WrenchSensorSection | None = Field(
        None, description="force and torque sensor at the flange; null: there is none"
    )


class ModelErrorSection(Section):
    """Where the model that control law and estimator work with differs from the plant."""

    mass_scale: Annotated[Any, PerJoint(0.0, 10.0, "")] = Field(
        1.0, description="factor on mass and inertia tensor of each link"
    )
    friction_scale: Annotated[Any, PerJoint(0.0, 10.0, "")] = Field(
        1.0, description="factor on the believed friction of each joint; 0: the controller knows of none"
    )
    payload: Literal["known", "unknown"] = Field(
        "known", description="whether the model contains `tool.payload`"
    )
