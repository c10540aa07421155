"""What replay and watch share.

Methods with their parameters and rule of alarms, and the motors of an arm.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from dynamics import Arm, BadInput, load_arm, load_named_arm, with_dynamics
from dynamics.files import NamedArm, arm_from_dict
from hopfield_nav.build import build_arm, build_model, with_values_of_arm
from hopfield_nav.extensions.recordings.motors import MotorFit, fit_motors, given_motors
from hopfield_nav.extensions.recordings.replayed import gains_among, with_gains
from hopfield_nav.extensions.recordings.tuning import Watched
from hopfield_nav.plugin import (
    JOINT_TORQUES,
    Gains,
    Method,
    find_method,
    inheritable,
    loop_gains,
)
from hopfield_nav.world import World, parse_value

if TYPE_CHECKING:
    import xarray

DETECTOR = "adaptive_joint_torque"  # where nothing names one
_RESIDUALS = ("momentum_observer", "disturbance_observer")  # what filters a difference of torques
_FIRST_ALARMS = 10  # whose times a table shows
_ESTIMATOR, _ARM = "momentum_observer", "ur5_controller"


@dataclass(frozen=True)
class Chosen(Watched):
    """Model, methods, values of their parameters, the rule by which a level becomes an alarm, and whose they are."""

    own: NamedArm = field(kw_only=True)  # the arm as in its file, with names
    tool_alone: bool = False  # whether nothing but the tool can touch

    def told(self) -> list[tuple[str, str]]:
        """What was chosen, as rows of a table."""
        rule = "one touch is one alarm" if self.episodes else "every rise is an alarm"
        values = ", ".join(f"{name}={_short(value)}" for name, value in self.values.items())
        methods = [("methods", f"{self.estimator.name}, {self.detector.name}"), ("rule", rule)]
        return [*methods, *([("parameters", values)] if values else [])]

    def note(self, log: str) -> str:
        """What stands below a figure of a log."""
        return "  ·  ".join([log, *map(" ".join, self.told())])


def _short(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_short, value))}]"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def alarms_in_words(times: Sequence[float]) -> str:
    """How many alarms there were, and when the first ones were [s]."""
    first = ", ".join(f"{t:.2f}" for t in times[:_FIRST_ALARMS])
    rest = ", …" if len(times) > _FIRST_ALARMS else ""
    return f"{len(times)} at {first}{rest} s" if len(times) else "0"


Log = Annotated[
    Path,
    typer.Argument(
        metavar="LOG",
        help="Run, its log.nc or signals.csv, recording of a real arm, ROS bag, or description of a log.",
    ),
]
SameMotor = Annotated[
    list[str] | None,
    typer.Option(
        metavar="JOINTS", help="Joints with one motor constant: --same-motor 4,5,6. Repeatable."
    ),
]
WorldOfLog = Annotated[
    str | None, typer.Option(metavar="WORLD", help="That gives model, methods and parameters.")
]
Detector = Annotated[
    str | None,
    typer.Option(
        help=f"Name of a detector, or FILE.py:NAME  [default: that of the world, or {DETECTOR}]"
    ),
]
Estimator = Annotated[
    str | None,
    typer.Option(
        help=f"Name of an estimator, or FILE.py:NAME  [default: that of the world, or {_ESTIMATOR}]"
    ),
]
ArmName = Annotated[
    str | None,
    typer.Option("--arm", help=f"Model of the arm  [default: that of the world, or {_ARM}]"),
]
Values = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="A parameter of a method: --set omega=20. Repeatable."
    ),
]
Threshold = Annotated[float | None, typer.Option(help="Of the detector.")]
FreeRun = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="LOG", help="Log of the same arm untouched: gives motors and friction. Repeatable."
    ),
]
MotorConstants = Annotated[
    str | None,
    typer.Option(
        metavar="K1,K2,...", help="Torque for a current, of every joint [N·m/A], where it is known."
    ),
]

Episodes = Annotated[
    bool | None,
    typer.Option(
        "--episodes/--every-rise",
        help="One touch is one alarm, for an arm that retreats from what it feels; or every rise is one.",
    ),
]


def read_joints(groups: Sequence[str] | None) -> list[list[int]]:
    """The joints of every ``--same-motor``, counted from 1.

    BadInput for other than whole numbers.
    """
    joints = []
    for text in groups or ():
        try:
            joints.append([int(part) for part in text.split(",")])
        except ValueError:
            raise BadInput(
                "no joints", where="--same-motor", found=text, allowed="such as 4,5,6"
            ) from None
    return joints


def read_values(threshold: float | None, values: Sequence[str]) -> dict[str, Any]:
    """The values of ``--threshold`` and ``--set``, by name."""
    given: dict[str, Any] = {} if threshold is None else {"threshold": threshold}
    for text in values:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise BadInput(
                "not understood", where=f"--set {text}", allowed="NAME=VALUE, such as omega=20"
            )
        given[name] = parse_value(value, f"--set {text}")
        entries = given[name] if isinstance(given[name], list) and given[name] else [given[name]]
        if not all(
            isinstance(entry, int | float) and not isinstance(entry, bool) for entry in entries
        ):
            raise BadInput(
                "not a number", where=f"--set {text}", allowed="a number, or a list of them"
            )
    return given


def read_numbers(text: str, option: str) -> list[float]:
    """Numbers between commas that an option has; BadInput for something else."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise BadInput(
            "not understood", where=option, found=text, allowed="numbers, such as 4,5,6"
        ) from None


def choose(
    world: "World | None", detector: str | None, estimator: str | None, arm: str | None,
    given: dict[str, Any], episodes: bool | None,
) -> Chosen:  # fmt: skip
    """The methods that a world names, or others, with its values of their parameters and its rule of alarms.

    Without a world, every rise of the defaults is an alarm. What is given comes before what the
    world says.
    """
    if world is None:
        methods = (
            find_method("estimator", estimator or _ESTIMATOR),
            find_method("detector", detector or DETECTOR),
        )
        own = load_named_arm(arm or _ARM)
        return Chosen(
            own.arm, *methods, with_gains(given, methods), episodes=bool(episodes), own=own
        )
    rule = world.detection
    methods = (
        find_method("estimator", estimator)
        if estimator
        else _named(world, "estimator", rule.estimator),
        find_method("detector", detector) if detector else _named(world, "detector", rule.measure),
    )
    model = model_of_world(world, arm)
    told = with_gains(given, methods)
    values = values_of_world(world, methods) | told
    gains = partial(_gains_of_world, world, told)
    values = with_values_of_arm(methods, values, model, gains, "--set ")
    alarms = rule.armed_below, rule.episodes if episodes is None else episodes
    own = load_named_arm(world.arm, world.folder)
    return Chosen(
        model,
        *methods,
        values,
        *alarms,
        world.contact.bodies == "tool",
        own=own,
    )


def _gains_of_world(world: "World", told: Mapping[str, Any]) -> Gains | None:
    """The gains that were told by name, or else those of the world's control law.

    None: neither is known.
    """
    given = gains_among(told)
    if given is not None or not world.trust.looks_into("controller", world.controller.law):
        return given
    law = world.trust.find("controller", world.controller.law, world.folder)
    return loop_gains(law, world.controller.parameters, len(world.start.joints))


def _named(world: "World", kind: str, name: str) -> "Method":
    """A method of a world; files that the record of a run names are never executed."""
    try:
        return world.trust.find(kind, name, world.folder)
    except BadInput as error:
        raise BadInput(
            error.what, found=error.found, allowed=f"--{kind} NAME or FILE.py:NAME"
        ) from None


def model_of_world(world: "World", arm: str | None) -> "Arm":
    """The arm as the world's control computer believes it to be, or another model on the same kinematics."""
    own = build_arm(world)
    if arm is not None:
        return with_dynamics(own, load_arm(arm))
    return build_model(world, own)


def values_of_world(world: "World", methods: "Sequence[Method]") -> dict[str, Any]:
    """What a world says of the parameters that the methods have, and of its encoders."""
    law, values = world.controller.law, world.controller.parameters
    if world.trust.looks_into("controller", law):
        values = inheritable(world.trust.find("controller", law, world.folder), values)
    return fitting({**values, **world.detection.parameters, **world.sensors.model_dump()}, methods)


def fitting(values: Mapping[str, Any], methods: "Sequence[Method]") -> dict[str, Any]:
    """Those of some values that methods have as parameters, a list where that has one number a joint; and encoders'."""
    joints = {p.name: p.per_joint for method in methods for p in method.parameters} | {
        "encoder_resolution": True
    }
    known = {name: value for name, value in values.items() if name in joints}
    return {
        name: value
        for name, value in known.items()
        if joints[name] or not isinstance(value, list | tuple)
    }


def of_residual(chosen: Chosen, joints: int, kinematics: bool) -> Chosen:
    """The same for a log of torques that are what a maker's model leaves, of an arm without masses."""
    if chosen.estimator.name not in _RESIDUALS:
        allowed, found = ", ".join(_RESIDUALS), chosen.estimator.name
        raise BadInput(
            "feels nothing without masses", where="--estimator", found=found, allowed=allowed
        )
    if not kinematics and chosen.detector.needs != JOINT_TORQUES:
        allowed = "--arm ARM for its lengths, or a detector of joint torques"
        raise BadInput(
            "needs an arm", where="--detector", found=chosen.detector.name, allowed=allowed
        )
    if kinematics:
        return replace(chosen, model=without_masses(chosen.model))
    # of the joints nothing but their number is known: no lengths and no masses
    joint: dict[str, object] = {"theta": 0, "d": 0, "a": 0, "alpha": 0, "source": "none"}
    link = {"mass": 0, "center_of_mass": [0, 0, 0], "inertia": [[0, 0, 0]] * 3, "source": "none"}
    chain = arm_from_dict({"joints": [joint] * joints, "links": [link] * joints})
    return replace(chosen, model=chain, own=NamedArm(chain))


def without_masses(arm: "Arm") -> "Arm":
    """An arm that needs no torque to move: no masses, tensors, rotors or friction."""
    names = ("mass", "inertia", "rotor_inertia", "friction")
    return arm._replace(**{name: np.zeros_like(getattr(arm, name)) for name in names})


def motors_of(
    model: "Arm", constants: str | None, free: "Sequence[xarray.Dataset]", same_motor: list[list[int]],
    where: str, measured: bool = False,
) -> "tuple[Arm, MotorFit]":  # fmt: skip
    """The model with its friction, and its motors.

    Given by their constants, or fitted to free motion. ``measured``: the torques at the joints
    were, so that only friction is fitted.
    """
    if any(("effort" in data) != measured for data in free):
        kinds = ("currents", "torques")
        raise BadInput(
            f"{kinds[not measured]} where the log has {kinds[measured]}", where="--free-run"
        )
    if measured and (constants is not None or same_motor):
        message = "the log has torques, which need no motor constants"
        raise BadInput(
            message, where="--motor-constants", allowed="a description without effort, or neither"
        )
    if constants is not None:
        if free or same_motor:
            raise BadInput(
                "motors are given twice", where="--motor-constants", allowed="that, or --free-run"
            )
        return model, given_motors(read_numbers(constants, "--motor-constants"), len(model.dh))
    if measured and not free:
        return model, given_motors([1.0] * len(model.dh), len(model.dh))
    if not free:
        allowed = "--free-run LOG, one or more logs of the same arm with nothing touching it"
        raise BadInput("the motor constants are not known", where=where, allowed=allowed)
    motors = fit_motors(free, model, same_motor)
    return motors.on(model), motors
