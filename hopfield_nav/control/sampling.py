"""What observers share that are sampled once a period: the time since the last call, and a lag.

Three places of an observer's memory are ``STARTED`` (0 until its first call), ``LAST_TIME`` and
``LAST_GAP``, the time between its last two calls.
"""

import math

from dynamics.kernels.decorators import inlined
from hopfield_nav.plugin import Parameter

# places in the memory, and how many they are
STARTED = 0
LAST_TIME = 1
LAST_GAP = 2
SAMPLING = 3
POLE = Parameter(
    "pole",
    100.0,
    0.1,
    1e5,
    "1/s",
    "rate L at which the estimate follows the torque",
    per_joint=True,
)
# [s] a longer gap than that, and than 1.5 times the one before, is a jump of the clock
LONGEST_PERIOD = 0.05


@inlined
def elapsed(sensed, memory):
    """Time since the last call [s].

    0 at the first one and where the clock has jumped: start anew.
    """
    time = sensed.time[0]
    period = time - memory[LAST_TIME]
    started = memory[STARTED] == 1.0
    longest = max(LONGEST_PERIOD, 1.5 * memory[LAST_GAP])
    memory[LAST_GAP] = period if started else 0.0
    memory[STARTED] = 1.0
    memory[LAST_TIME] = time
    return period if started and 0.0 < period <= longest else 0.0


@inlined
def lag_share(pole, period):
    """Share of a step that a first-order lag has followed after ``period`` [s].

    ``pole`` is its rate [1/s].
    """
    return 1.0 - math.exp(-pole * period)
