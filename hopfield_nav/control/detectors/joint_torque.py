"""Alarm where the external torque on any joint exceeds that joint's own threshold.

The usual measure beside a momentum observer (De Luca et al. 2006); it needs no wrench, so that
contact anywhere on the arm counts, and no singularity disturbs it.
"""

from hopfield_nav.plugin import JOINT_TORQUES, Method, Parameter, unpacker

THRESHOLD = Parameter(
    "threshold", (0.5, 0.5, 0.5, 0.1, 0.1, 0.1), 1e-9, 1e6, "N·m",
    "torque on each joint at which a collision is detected", per_joint=True,
)  # fmt: skip
unpack = unpacker(THRESHOLD)


def detect(model, sensed, parameters, memory, work, tau_external, wrench):
    """Largest |torque| as a share of the joint's threshold."""
    p = unpack(parameters)
    level = 0.0
    for i in range(tau_external.size):
        level = max(level, abs(tau_external[i]) / p.threshold[i])
    return level


METHOD = Method(
    "detector", "joint_torque", detect, unpack.declared,
    description="external torque, a threshold for each joint", needs=JOINT_TORQUES,
)  # fmt: skip
