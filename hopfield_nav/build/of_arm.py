"""Values of methods that nobody gave and that follow from the arm: what is fitted to one is for no other."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from dynamics import Arm, BadInput
from hopfield_nav.plugin import Gains, Method
from hopfield_nav.world import start_of_arm


def with_values_of_arm(
    methods: Iterable[Method],
    values: Mapping[str, Any],
    model: Arm,
    gains: Callable[[], Gains | None],
    prefix: str = "",
) -> dict[str, Any]:
    """The ``values`` by name, completed for the ``model`` of the control computer and the ``gains`` of its law.

    The gains are asked for only where something follows from the arm; None: the law says none.
    ``prefix`` stands before the name of a value in messages: ``detection.`` of a world.

    Raises ``BadInput``: a value does not follow from them.
    """
    completed = dict(values)
    for parameter in (p for method in methods for p in method.parameters):
        if parameter.of_arm is None or completed.get(parameter.name) is not None:
            continue
        pose = np.array(start_of_arm(model))
        try:
            completed[parameter.name] = parameter.of_arm(model, pose, gains())
        except BadInput as error:
            raise error.at(f"{prefix}{parameter.name}") from None
    return completed
