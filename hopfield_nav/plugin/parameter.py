"""The parameters of a method: numbers of the world file with their ranges.

In its kernel it has them by their names, of ``unpacker``.
"""

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
        """The default for an arm with ``n`` joints.

        Of a list of another length, each joint has the number at its own share of the list.
        """
        if not isinstance(self.default, tuple) or len(self.default) == n:
            return self.default
        last_number = len(self.default) - 1
        last_joint = max(n - 1, 1)
        return tuple(self.default[round(i * last_number / last_joint)] for i in range(n))

    def check(self, value: Any) -> float | tuple[float, ...]:
        """The value as a number, or as a tuple of them, one a joint.

        Whether these are as many as the arm has joints is for ``Method.pack`` to check.

        Raises ``BadInput``: no finite number, or out of the range.
        """
        if isinstance(value, np.ndarray):
            value = value.tolist()
        if self.per_joint and isinstance(value, (list, tuple)) and value:
            return tuple(self._check_one(v, f"{self.name}.{i}") for i, v in enumerate(value))
        return self._check_one(value, self.name)

    def _check_one(self, value: Any, where: str) -> float:
        """One number in the range; ``where`` is its place in a message."""
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not is_number or not abs(value) <= sys.float_info.max:
            or_list = ", or a list of them, one a joint" if self.per_joint else ""
            raise BadInput(
                "wrong kind of value",
                where=where,
                found="null" if value is None else value,
                allowed=f"a finite number{or_list} [{self.unit}]",
            )
        return check_range(float(value), self.low, self.high, self.unit, where=where)


def unpacker(*declared: Parameter) -> Any:
    """A kernel that gives the packed array of these parameters by their names.

    Its attribute ``declared`` holds the parameters.

    With ``unpack = unpacker(...)`` before a method and ``p = unpack(parameters)`` in it,
    ``p.corner`` is a number, and ``p.threshold``, of a parameter with ``per_joint``, (n,) numbers:
    a part of the array, no copy. It finds n from the array's size.
    """
    # How many lists and how many single numbers stand in the array before the next parameter.
    lists = 0
    numbers = 0
    parts = []
    for parameter in declared:
        at = f"{lists} * n + {numbers}"
        if parameter.per_joint:
            parts.append(f"view(array, {at}, (n,))")
            lists += 1
        else:
            parts.append(f"array[{at}]")
            numbers += 1
    n = f"(array.size - {numbers}) // {max(lists, 1)}"
    text = f"def unpack(array):\n    n = {n}\n    return Named({', '.join(parts)})"
    scope: dict[str, Any] = {
        "Named": namedtuple("Named", [p.name for p in declared]),
        "__name__": __name__,
        # no slice: kernels that count references would own it, and this step counts none
        "view": view,
    }
    exec(text, scope)  # as namedtuple does
    unpack = scope["unpack"]
    unpack.declared = declared
    unpack.written_text = text
    return Written(unpack)
