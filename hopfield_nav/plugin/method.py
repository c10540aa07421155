"""A method declared: its function, its parameters with their ranges, and what it needs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dynamics import BadInput
from hopfield_nav.plugin.asking import asked
from hopfield_nav.plugin.parameter import Parameter

DAMPED = 1  # status of a method: an estimate was damped near a singularity
# What a method may need, see ``Method.needs``.
WRIST = "sensors.wrench"
REFERENCE = "reference"
JOINT_TORQUES = "joint torques"
FORCE_FELT = "force"
NO_REFERENCE = "no reference"
ROTORS = "rotors"


class Limits(NamedTuple):
    """What a control law asks of the integrator's step and of the control period."""

    # largest damping that it adds to a joint, one number or (n,) [N·m·s/rad]; a step or period that
    # is too long for it is refused before the run
    damping: float | np.ndarray = 0.0
    # natural frequency that it gives to joints, one number or (n,) [rad/s]; of a period that is too
    # long for it a run warns, as of ``Method.gains``. None: nothing is known of it.
    frequency: float | np.ndarray | None = None
    # of these joints, one number or (n,); 1: critically damped
    damping_ratio: float | np.ndarray = 1.0


class Gains(NamedTuple):
    """The gains K0 and K1 of a control law of computed torque, each one number or (n,).

    The law is tau = M (qdd_ref - K0 q~ - K1 q~') + h(q, q') with q~ = q - q_ref.
    """

    # K0 [1/s²]
    position: float | np.ndarray
    # K1 [1/s]
    velocity: float | np.ndarray


@dataclass(frozen=True)
class Method:
    """A function or class that a world file may choose, with the parameters that it takes.

    The kinds, and what the function of each is called with, stand in ``plugin``. What a method may
    need:

    - an estimator: ``WRIST``, it reads the sensor at the flange, and so knows nothing of each
      joint's own torque; ``REFERENCE``, it judges by how far the arm is off its reference;
    - a detector: ``JOINT_TORQUES``, it judges the torques of single joints;
    - a control law: ``FORCE_FELT``, it controls a force, its parameter ``force`` [N];
      ``NO_REFERENCE``, it follows no reference;
    - a response: ``FORCE_FELT``, it controls the force ``explore.force``;
    - an engine: ``ROTORS``, its joints have rotors, also those of an arm without.
    """

    kind: str
    name: str
    kernel: Callable
    parameters: tuple[Parameter, ...] = ()
    # of the number of joints, how many numbers it keeps between periods
    memory: Callable[[int], int] = lambda n: 0
    description: str = ""
    # of the values of a control law's parameters by name, what it asks of step and period
    limits: Callable[[Mapping[str, Any]], Limits] = lambda values: Limits()
    # one of those above; empty: nothing
    needs: str = ""
    # of the same values, the gains of a law of the form of ``Gains``; None: it has another form
    gains: Callable[[Mapping[str, Any]], Gains] | None = None
    # other methods that it looks up, by kind and name
    uses: tuple[tuple[str, str], ...] = ()
    # of a response that has to feel a force: the one in its place where friction hides the force
    where_hidden: str = ""

    def __post_init__(self) -> None:
        """Lists become tuples: a method is the key under which its compiled code is kept."""
        object.__setattr__(self, "parameters", tuple(self.parameters))

    @property
    def title(self) -> str:
        """What messages call it."""
        return f"{self.kind} {self.name!r}"

    def made(self, values: Mapping[str, Any]) -> Any:
        """What a method in plain Python makes for a run, of its parameters or their defaults.

        Raises ``MethodFailed``: the method raises.
        """
        with asked(self.title):
            arguments = {p.name: values.get(p.name, p.default) for p in self.parameters}
            return self.kernel(**arguments)

    def pack(self, values: dict[str, object], n: int) -> np.ndarray:
        """The float64 array of parameters for an arm with ``n`` joints.

        Raises ``BadInput``: a value that ``Parameter.check`` refuses, or a list that has not one
        entry a joint.
        """
        packed = [np.zeros(0)]
        for parameter in self.parameters:
            value = values.get(parameter.name, parameter.for_joints(n))
            try:
                packed.append(_numbers(parameter, value, n))
            except BadInput as error:
                raise error.at(f"{self.kind} {self.name}: {error.where}") from None
        return np.concatenate(packed)


def _numbers(parameter: Parameter, value: object, n: int) -> np.ndarray:
    """The value of a parameter as (1,) number, or as (n,) numbers where it has one a joint."""
    if value is None and parameter.of_arm is not None:
        raise BadInput(
            "follows from the arm and its control law, which are not known here",
            where=parameter.name,
            found="no value",
            allowed=f"numbers [{parameter.unit}]",
        )
    numbers = np.atleast_1d(parameter.check(value))
    wanted = n if parameter.per_joint else 1
    if numbers.size == 1:
        return np.repeat(numbers, wanted)
    if numbers.size != wanted:
        raise BadInput(
            "wrong number of values",
            where=parameter.name,
            found=list(numbers),
            allowed=f"{wanted} numbers, one a joint",
        )
    return numbers
