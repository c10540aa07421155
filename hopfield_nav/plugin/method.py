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
    """Of a law tau = M (qdd_ref - K0 q~ - K1 q~') + h(q, q'), q~ = q - q_ref; each one number or (n,)."""

    position: float | np.ndarray  # K0 [1/s²]
    velocity: float | np.ndarray  # K1 [1/s]


@dataclass(frozen=True)
class Method:
    """A function or class, its parameters, and how much it remembers; for the kinds see ``plugin``.

    ``limits`` gives what a control law asks of step and period, for the values of its parameters by
    name. ``gains`` gives the ``Gains`` of a law of their form about the reference; None: it is of
    another. ``needs``: of an estimator ``WRIST`` where it reads the sensor at the flange, and so
    knows nothing of each joint's own torque, or ``REFERENCE`` where it judges by how far the arm is
    off that; of a detector ``JOINT_TORQUES`` where it judges those; of a control law ``FORCE_FELT``
    where it controls a force, its parameter ``force`` [N], or ``NO_REFERENCE`` where it follows
    none; of a response ``FORCE_FELT`` where it controls ``explore.force``; of an engine ``ROTORS``
    where its joints have rotors in any case, also those of an arm without.
    """

    kind: str
    name: str
    kernel: Callable
    parameters: tuple[Parameter, ...] = ()
    memory: Callable[[int], int] = lambda n: 0
    description: str = ""
    limits: Callable[[Mapping[str, Any]], Limits] = lambda values: Limits()
    needs: str = ""
    gains: Callable[[Mapping[str, Any]], Gains] | None = None
    # other methods that it looks up, by kind and name
    uses: tuple[tuple[str, str], ...] = ()
    # of a response that has to feel a force: the one in its place where friction hides it
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

        Raises ``MethodFailed``: it raises.
        """
        with asked(self.title):
            return self.kernel(**{p.name: values.get(p.name, p.default) for p in self.parameters})

    def pack(self, values: dict[str, object], n: int) -> np.ndarray:
        """The float64 array of parameters for an arm with ``n`` joints.

        Raises ``BadInput``: a value that ``Parameter.check`` refuses, or a list that has not one
        entry a joint.
        """
        packed = [np.zeros(0)]
        for parameter in self.parameters:
            try:
                value = values.get(parameter.name, parameter.for_joints(n))
                if value is None and parameter.of_arm is not None:
                    raise BadInput(
                        "follows from the arm and its control law, which are not known here",
                        where=parameter.name,
                        found="no value",
                        allowed=f"numbers [{parameter.unit}]",
                    )
                array = np.atleast_1d(parameter.check(value))
            except BadInput as error:
                raise error.at(f"{self.kind} {self.name}: {error.where}") from None
            wanted = n if parameter.per_joint else 1
            if array.size not in (1, wanted):
                where = f"{self.kind} {self.name}: {parameter.name}"
                allowed = f"{wanted} numbers, one a joint"
                raise BadInput(
                    "wrong number of values", where=where, found=list(array), allowed=allowed
                )
            packed.append(np.repeat(array, wanted) if array.size == 1 else array)
        return np.concatenate(packed)
