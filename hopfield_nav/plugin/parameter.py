"""The parameters of a method: numbers of the world file with their ranges, and by name in its kernel."""

import sys
from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dynamics import BadInput, check_range
from dynamics.kernels.decorators import Written
from dynamics.kernels.views import view


@dataclass(frozen=True)
class Parameter:
    """One number, or one number a joint, that a method takes from the world file.

    With ``inherit`` the value is that of the control law's parameter of the same name, or one of
    its gains (``POSITION_GAIN``, ``VELOCITY_GAIN``), and is no key of the method's own section.
    With ``of_sensors`` it is that of the world's section ``sensors``: what the control computer
    knows of its sensors; where signals are replayed without a world, the default.

    With ``of_arm`` the default is None, and a value that is not given follows from the arm: from
    the control computer's model, the pose (n,) of the arm's own start [rad], and the ``Gains`` of
    the control law, None where that says none. It raises ``BadInput`` where nothing follows. With
    ``fitted_to`` the default is good for that arm alone, and whoever uses another is told.
    """

    name: str
    default: float | tuple[float, ...] | None
    low: float
    high: float
    unit: str
    description: str
    per_joint: bool = False
    inherit: bool = False
    of_sensors: bool = False
    of_arm: Callable[..., tuple[float, ...]] | None = None
    fitted_to: str = ""

    def __post_init__(self) -> None:
        if isinstance(self.default, list):
            object.__setattr__(self, "default", tuple(self.default))

    def for_joints(self, n: int) -> float | tuple[float, ...] | None:
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
    text = f"def unpack(array):\n    n = {size}\n    return Named({', '.join(parts)})"
    exec(text, scope)  # as namedtuple does
    scope["unpack"].declared = declared
    scope["unpack"].written_text = text
    return Written(scope["unpack"])
