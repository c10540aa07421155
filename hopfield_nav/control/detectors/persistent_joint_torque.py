"""Alarm where the torque on one joint stays above its threshold for a time.

A spike of noise, or of a control computer that hung for a period, is no contact; the price is a
delay by ``persistence``. Until the time is over the level is held to 1, which is no alarm.
"""

from hopfield_nav.control.detectors.joint_torque import THRESHOLD
from hopfield_nav.control.sampling import SAMPLING, elapsed
from hopfield_nav.plugin import JOINT_TORQUES, Method, Parameter, unpacker

_ROUNDING = 1e-9  # [s] of the clock
unpack = unpacker(
    THRESHOLD,
    Parameter(
        "persistence",
        0.005,
        0.0,
        10.0,
        "s",
        "since it was last not above the threshold, before it is an alarm",
    ),
)


def detect(model, sensed, parameters, memory, work, tau_external, wrench):
    """Largest |torque| as a share of the threshold, at most 1 for joints not yet above it for long.

    The memory holds, for each joint, when it was last not above.
    """
    p = unpack(parameters)
    time = sensed.time[0]
    level = 0.0
    anew = elapsed(sensed, memory) == 0.0
    for i in range(tau_external.size):
        share = abs(tau_external[i]) / p.threshold[i]
        if share <= 1.0 or anew:
            memory[SAMPLING + i] = time
        if time - memory[SAMPLING + i] < p.persistence - _ROUNDING:
            share = min(share, 1.0)
        level = max(level, share)
    return level


METHOD = Method(
    "detector", "persistent_joint_torque", detect, unpack.declared, lambda n: SAMPLING + n,
    description="external torque above each joint's threshold for a time", needs=JOINT_TORQUES,
)  # fmt: skip
