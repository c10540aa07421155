"""A detector of one's own: alarm on the largest torque that contact puts on a joint.

Use it in a world file: ``detection: {measure: scripts/own_detector.py:METHOD, threshold: 2.5}``.
"""

from hopfield_nav.plugin import Method, Parameter, unpacker

unpack = unpacker(
    Parameter("threshold", 2.0, 1e-9, 1e3, "N·m", "joint torque that counts as a collision")
)


def detect(model, sensed, parameters, memory, work, tau_external, wrench):
    """Largest |joint torque| as a share of the threshold."""
    largest = 0.0
    for i in range(tau_external.size):
        largest = max(largest, abs(tau_external[i]))
    return largest / unpack(parameters).threshold


METHOD = Method("detector", "largest_torque", detect, unpack.declared)
