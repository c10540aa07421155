"""What the motors make of the torque that is commanded: another constant than believed, and ripple.

It owns the difference between the torque that the control computer believes to apply and that which moves the joints;
the loops alone ask it.
"""

import math
from typing import NamedTuple

import numpy as np

from dynamics.kernels.decorators import inlined


class Motors(NamedTuple):
    """The motors of n joints, each (n,)."""

    gain: np.ndarray  # true torque a believed one [1]
    ripple: np.ndarray  # amplitude of a torque that goes with the joint's angle [N·m]
    cycles: np.ndarray  # of it in a turn of the joint


def make_motors(n: int, gain: object = 1.0, ripple: object = 0.0, cycles: object = 202.0) -> Motors:
    """Motors of an arm with ``n`` joints; one number, or one a joint."""
    return Motors(*(np.zeros(n) + np.asarray(value, dtype=np.float64) for value in (gain, ripple, cycles)))


@inlined
def drive(motors, q, tau, applied):
    """Write the torque (n,) that motors at joint angles ``q`` apply where ``tau`` is commanded [N·m]."""
    for i in range(q.size):
        applied[i] = motors.gain[i] * tau[i]
        if motors.ripple[i] != 0.0:
            applied[i] += motors.ripple[i] * math.sin(motors.cycles[i] * q[i])
