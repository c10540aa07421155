"""A control law that commands what it was told.

It is for those who control the arm from Python themselves.
"""

import numpy as np

from dynamics import BadInput
from hopfield_nav.control.control_step import Controller
from hopfield_nav.plugin import Applied, Method, compiled


def apply_given(model, sensed, parameters, memory, work, tau):
    """Write the torque (n,) [N·m] that ``memory`` holds."""
    for i in range(tau.size):
        tau[i] = memory[i]
    return 0


_METHOD = Method(kind="controller", name="given_torque", kernel=apply_given, memory=lambda n: n)


def with_torque(controller: Controller, torque: object) -> Controller:
    """The control computer with a torque (n,) of the motors [N·m] for its law.

    Limits, period and delay stay.

    Raises ``BadInput``: not as many finite numbers as the arm has joints.
    """
    n = len(controller.torque_limits)
    try:
        given = np.array(torque, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        given = np.full(0, np.nan)
    if given.shape != (n,) or not np.isfinite(given).all():
        raise BadInput("torque", found=torque, allowed=f"{n} finite numbers, one a joint [N·m]")
    law = Applied(compiled(_METHOD), np.zeros(0), given)
    return controller._replace(law=law, feedforward=False)
