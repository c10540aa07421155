"""Values of methods' parameters that nobody gave and that follow from the arm."""

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
    """The ``values`` of some methods' parameters by name, with those that follow from the arm.

    They follow from the control computer's ``model`` of it and from the ``gains`` of the control
    law, which are asked for only then; None: the law says none. ``prefix`` stands before the name
    of a value in messages: ``detection.`` of a world.

    Raises ``BadInput``: a value does not follow from them.
    """
    completed = dict(values)
    parameters = [parameter for method in methods for parameter in method.parameters]
    for parameter in parameters:
        if parameter.of_arm is None or completed.get(parameter.name) is not None:
            continue
        pose = np.array(start_of_arm(model))
        try:
            completed[parameter.name] = parameter.of_arm(model, pose, gains())
        except BadInput as error:
            raise error.at(f"{prefix}{parameter.name}") from None
    return completed
