"""What observers share that are sampled once a period: the time since the last call, and a lag.

Two places of an observer's memory are ``STARTED`` (0 until its first call) and ``LAST_TIME``.
"""

from __future__ import annotations

import math

from dynamics.compiled import inlined
from dynamics.joint_friction import SMOOTHING_SPEED, friction_torque

STARTED, LAST_TIME, SAMPLING = 0, 1, 2  # places in the memory, and how many they are
LONGEST_PERIOD = 0.05  # [s] a longer gap between two calls is a jump of the clock


@inlined
def elapsed(sensed, memory):
    """Time since the last call [s]; 0 at the first one and where the clock has jumped: start anew."""
    time = sensed.time[0]
    period = time - memory[LAST_TIME]
    started = memory[STARTED] == 1.0
    memory[STARTED], memory[LAST_TIME] = 1.0, time
    return period if started and 0.0 < period <= LONGEST_PERIOD else 0.0


@inlined
def lag_share(pole, period):
    """Share of a step that a first-order lag of rate ``pole`` [1/s] has followed after ``period``."""
    return 1.0 - math.exp(-pole * period)


@inlined
def friction_of(model, i, speed):
    """Friction torque of joint ``i`` by the controller's model [N·m], smooth about speed zero."""
    friction = model.friction
    if friction[i, 0] == 0.0 and friction[i, 1] == 0.0 and friction[i, 2] == 0.0:
        return 0.0
    return friction_torque(friction, i, speed, SMOOTHING_SPEED)
