"""The parameters of a compiled method by their names, at no cost: a step that is written from their declaration."""

from collections import namedtuple
from typing import Any

from dynamics.kernels.decorators import Written
from dynamics.kernels.views import view
from hopfield_nav.plugin.method import Parameter


def unpacker(*declared: Parameter) -> Any:
    """A kernel that gives the packed array of these parameters by their names; ``declared`` of it are they.

    With ``unpack = unpacker(...)`` before a method and ``p = unpack(parameters)`` in it, ``p.corner`` is a number, and
    ``p.threshold``, of a parameter with ``per_joint``, (n,) numbers: a part of the array, no copy. It finds n from the
    array's size.
    """
    joints = [p.per_joint for p in declared]
    starts = [f"{sum(joints[:k])} * n + {k - sum(joints[:k])}" for k in range(len(declared))]
    parts = [f"view(array, {at}, (n,))" if each else f"array[{at}]" for at, each in zip(starts, joints, strict=True)]
    scope: dict[str, Any] = {"Named": namedtuple("Named", [p.name for p in declared]), "__name__": __name__}
    scope["view"] = view  # a slice would be owned by kernels that count references, and this step does not count
    size = f"(array.size - {joints.count(False)}) // {max(joints.count(True), 1)}"
    exec(f"def unpack(array):\n    n = {size}\n    return Named({', '.join(parts)})", scope)  # as namedtuple does
    scope["unpack"].declared = declared
    return Written(scope["unpack"])
