"""Alarm on the fast part of the external torque: what changes slowly is put down to the model.

y = s/(s + corner) tau_external for each joint: masses and friction that the model has wrong give a
torque that changes with the motion, a collision one that rises within milliseconds. A lasting push
fades with 1/corner, so the alarm falls, though the contact lasts. For ``SETTLING_TIME`` after the
start nothing is felt: an observer starts from 0 and meets the model's whole error at once.
"""

from dynamics.kernels.decorators import inlined
from hopfield_nav.control.detectors.joint_torque import THRESHOLD
from hopfield_nav.control.sampling import SAMPLING, elapsed, lag_share
from hopfield_nav.plugin import JOINT_TORQUES, Method, Parameter, unpacker

SETTLING_TIME = 0.1  # [s]
CORNER = Parameter("corner", 5.0, 0.0, 1e4, "1/s", "what changes slower than this is not felt")
unpack = unpacker(THRESHOLD, CORNER)


@inlined
def high_pass(value, share, memory, place):
    """The fast part of ``value``.

    ``memory[place]`` is the slow part, and starts as ``value`` (share 1).
    """
    memory[place] += share * (value - memory[place])
    return value - memory[place]


def detect(model, sensed, parameters, memory, work, tau_external, wrench):
    """Largest high-passed |torque| as a share of the joint's threshold."""
    p = unpack(parameters)
    n = tau_external.size
    period = elapsed(sensed, memory)
    level = 0.0
    age = SAMPLING + n
    memory[age] = memory[age] + period if period > 0.0 else 0.0
    share = lag_share(p.corner, period) if memory[age] >= SETTLING_TIME else 1.0
    for i in range(n):
        fast = high_pass(tau_external[i], share, memory, SAMPLING + i)
        level = max(level, abs(fast) / p.threshold[i])
    return level


METHOD = Method(
    "detector", "high_pass_joint_torque", detect, unpack.declared, lambda n: SAMPLING + n + 1,
    description="fast part of the external torque, a threshold for each joint", needs=JOINT_TORQUES,
)  # fmt: skip
