"""Alarm on the norm of the estimated force, without the moment (ragazzon2012 (5.9), force part)."""

import math

from hopfield_nav.plugin import Method, Parameter, unpacker

unpack = unpacker(
    Parameter("threshold", 12.0, 1e-9, 1e6, "N", "force at which a collision is detected")
)


def detect(model, sensed, parameters, memory, work, tau_external, wrench):
    """Norm of the force as a share of the threshold."""
    squared = wrench[0] * wrench[0] + wrench[1] * wrench[1] + wrench[2] * wrench[2]
    return math.sqrt(squared) / unpack(parameters).threshold


METHOD = Method(
    "detector", "force_norm", detect, unpack.declared,
    description="norm of the estimated force alone",
)  # fmt: skip
