"""A method declared: its function, its parameters with their ranges, and what it needs.

Whoever asks a method of a user's own tells its errors as its own, and its patience has an end.
"""

import sys
import traceback
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dynamics import BadInput, HopfieldNavError, check_range
from dynamics.kernels.decorators import Written
from dynamics.kernels.views import view

_PROGRAM = Path(__file__).parents[1]
DAMPED = 1  # status of a method: an estimate was damped near a singularity
# What a method may need, see ``Method.needs``.
WRIST, REFERENCE, JOINT_TORQUES, FORCE_FELT = (
    "sensors.wrench",
    "reference",
    "joint torques",
    "force",
)


class MethodFailed(HopfieldNavError):
    """A method of a user's own has raised, or has answered what is no answer."""


class Overdue(BaseException):
    """Raised in a method that has had its time."""


# of who ends what takes too long; one at most
watching: list[Callable[[str], AbstractContextManager[None]]] = []


@contextmanager
def asked(whose: str) -> Iterator[None]:
    """A block in which a method of a user's own works, by its ``title``; what it raises, or ``sys.exit``, fails it.

    Raises ``MethodFailed``: with the method, the error, and the line of its file.
    """
    try:
        with watching[-1](whose) if watching else nullcontext():
            yield
    except (Overdue, MethodFailed) as error:
        raise MethodFailed(f"{whose}: {error}") from None
    except (Exception, SystemExit) as error:
        lines = traceback.extract_tb(error.__traceback__)
        own = [line for line in lines if not Path(line.filename).is_relative_to(_PROGRAM)]
        place = f" ({Path(own[-1].filename).name}, line {own[-1].lineno})" if own else ""
        told = " ".join(f"{type(error).__name__}: {error}".split())
        raise MethodFailed(f"{whose}: {told}{place}") from error


@dataclass(frozen=True)
class Parameter:
    """One number, or one number a joint, that a method takes from the world file.

    With ``inherit`` the value is that of the control law's parameter of the same name, or one of
    its gains (``POSITION_GAIN``, ``VELOCITY_GAIN``), and is no key of the method's own section.
    With ``of_sensors`` it is that of the world's section ``sensors``: what the control computer
    knows of its sensors; where signals are replayed without a world, the default.
    """

    name: str
    default: float | tuple[float, ...]
    low: float
    high: float
    unit: str
    description: str
    per_joint: bool = False
    inherit: bool = False
    of_sensors: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.default, list):
            object.__setattr__(self, "default", tuple(self.default))

    def for_joints(self, n: int) -> float | tuple[float, ...]:
        """The default for an arm with ``n`` joints: of a list, the numbers at the same shares of its length."""
        last = len(self.default) - 1 if isinstance(self.default, tuple) else 0
        if not isinstance(self.default, tuple) or last + 1 == n:
            return self.default
        return tuple(self.default[round(i * last / max(n - 1, 1))] for i in range(n))

    def check(self, value: Any) -> float | tuple[float, ...]:
        """The value as a number, or as a tuple of them, one a joint; how many an arm has, ``pack`` knows.

        Raises ``BadInput``: no finite number, or out of the range.
        """
        value = value.tolist() if isinstance(value, np.ndarray) else value
        if self.per_joint and isinstance(value, (list, tuple)) and value:
            return tuple(self._check_one(v, f"{self.name}.{i}") for i, v in enumerate(value))
        return self._check_one(value, self.name)

    def _check_one(self, value: Any, where: str) -> float:
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not number or not abs(value) <= sys.float_info.max:
            allowed = f"a finite number{', or a list of them, one a joint' if self.per_joint else ''} [{self.unit}]"
            raise BadInput(
                "wrong kind of value", where, "null" if value is None else value, allowed
            )
        return check_range(float(value), self.low, self.high, self.unit, where=where)


# Gains that an estimator inherits from the control law, in whose ``Method.gains`` they are
# declared.
POSITION_GAIN, VELOCITY_GAIN = (
    Parameter(
        name, 1.0, low, 1e10, unit, f"{symbol} of the control law", per_joint=True, inherit=True
    )
    for name, low, unit, symbol in (
        ("position_gain", 1e-9, "1/s²", "K0"),
        ("velocity_gain", 0.0, "1/s", "K1"),
    )
)


def unpacker(*declared: Parameter) -> Any:
    """A kernel that gives the packed array of these parameters by their names; ``declared`` of it are they.

    With ``unpack = unpacker(...)`` before a method and ``p = unpack(parameters)`` in it,
    ``p.corner`` is a number, and ``p.threshold``, of a parameter with ``per_joint``, (n,) numbers:
    a part of the array, no copy. It finds n from the array's size.
    """
    joints = [p.per_joint for p in declared]
    starts = [f"{sum(joints[:k])} * n + {k - sum(joints[:k])}" for k in range(len(declared))]
    parts = [
        f"view(array, {at}, (n,))" if each else f"array[{at}]"
        for at, each in zip(starts, joints, strict=True)
    ]
    scope: dict[str, Any] = {
        "Named": namedtuple("Named", [p.name for p in declared]),
        "__name__": __name__,
    }
    scope["view"] = (
        view  # a slice would be owned by kernels that count references, and this step does not count
    )
    size = f"(array.size - {joints.count(False)}) // {max(joints.count(True), 1)}"
    exec(
        f"def unpack(array):\n    n = {size}\n    return Named({', '.join(parts)})", scope
    )  # as namedtuple does
    scope["unpack"].declared = declared
    return Written(scope["unpack"])


class Limits(NamedTuple):
    """What a control law asks of the integrator's step and of the control period."""

    # largest damping that it adds to a joint, one number or (n,) [N·m·s/rad]; a step or period that
    # is too long for it is refused before the run
    damping: float | np.ndarray = 0.0
    # natural frequency that it gives to joints, one number or (n,) [rad/s]; of a period that is too
    # long for it a run warns, as of ``Method.gains``. None: nothing is known of it.
    frequency: float | np.ndarray | None = None
    damping_ratio: float | np.ndarray = (
        1.0  # of these joints, one number or (n,); 1: critically damped
    )


class Gains(NamedTuple):
    """Of a law tau = M (qdd_ref - K0 q~ - K1 q~') + h(q, q'), q~ = q - q_ref; each one number or (n,)."""

    position: float | np.ndarray  # K0 [1/s²]
    velocity: float | np.ndarray  # K1 [1/s]


@dataclass(frozen=True)
class Method:
    """A function or class, its parameters, and how much it remembers; for the kinds see the top of this file.

    ``limits`` gives what a control law asks of step and period, for the values of its parameters by
    name. ``gains`` gives the ``Gains`` of a law of their form about the reference; None: it is of
    another. ``needs``: of an estimator ``WRIST`` where it reads the sensor at the flange, and so
    knows nothing of each joint's own torque, or ``REFERENCE`` where it judges by how far the arm is
    off that; of a detector ``JOINT_TORQUES`` where it judges those; of a control law ``FORCE_FELT``
    where it controls a force, its parameter ``force`` [N].
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
                array = np.atleast_1d(
                    parameter.check(values.get(parameter.name, parameter.for_joints(n)))
                )
            except BadInput as error:
                raise error.at(f"{self.kind} {self.name}: {error.where}") from None
            wanted = n if parameter.per_joint else 1
            if array.size not in (1, wanted):
                where, allowed = (
                    f"{self.kind} {self.name}: {parameter.name}",
                    f"{wanted} numbers, one a joint",
                )
                raise BadInput(
                    "wrong number of values", where=where, found=list(array), allowed=allowed
                )
            packed.append(np.repeat(array, wanted) if array.size == 1 else array)
        return np.concatenate(packed)


@contextmanager
def answering(method: Method, what: str) -> Iterator[None]:
    """A block that asks a method for something; whatever it raises, or ``sys.exit``, is its own error."""
    try:
        yield
    except (Exception, SystemExit) as error:
        reason = f"{type(error).__name__}: {error}"
        raise BadInput(f"the {what} of the {method.title} cannot be had: {reason}") from error


def inheritable(law: Method, values: Mapping[str, Any]) -> dict[str, Any]:
    """What an estimator may inherit from a law: the values of its parameters, and the gains that it declares.

    Raises ``BadInput``: the law cannot say its gains.
    """
    if law.gains is None:
        return dict(values)
    with answering(law, "gains"):
        gains = Gains(*law.gains(values))
    return {**values, POSITION_GAIN.name: gains.position, VELOCITY_GAIN.name: gains.velocity}


def loop_gains(law: Method, values: Mapping[str, Any], n: int) -> Gains | None:
    """Gains, (n,) each, with which a law makes joints follow something, be it not the reference; None: it says none.

    Raises ``BadInput``: the law cannot say its gains or limits, or they are no gains of ``n``
    joints.
    """
    limits = limits_of(law, values)
    if law.gains is None and limits.frequency is None:
        return None
    with answering(law, "limits" if law.gains is None else "gains"):
        if law.gains is not None:
            found = Gains(*law.gains(values))
        else:
            omega = np.asarray(limits.frequency, dtype=np.float64)
            found = Gains(omega * omega, 2.0 * np.asarray(limits.damping_ratio) * omega)
        rows = np.array([np.zeros(n) + np.asarray(gain, dtype=np.float64) for gain in found])
        if not (np.isfinite(rows).all() and rows.min() >= 0.0):
            raise ValueError("a gain that is no number from 0")
    return Gains(*rows)


def limits_of(law: Method, values: Mapping[str, Any]) -> Limits:
    """What a law asks of step and period.

    Raises ``BadInput``: it cannot say.
    """
    with answering(law, "limits"):
        return law.limits(values)


class Own:
    """An object of a user's own, which a method makes of its parameters' values when it is first asked."""

    def __init__(self, method: Method, values: Mapping[str, Any]) -> None:
        self._method, self._values = method, values

    @cached_property
    def _made(self) -> Any:
        return self._method.made(self._values)

    def ask(self, function: str, question: Any, check: Callable[[Any], Any]) -> Any:
        """What one of its functions answers, as ``check`` gives it.

        Raises ``MethodFailed``: it raises, or ``check`` does.
        """
        with asked(self._method.title):
            return check(getattr(self._made, function)(question))
