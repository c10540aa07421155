"""Alarm on the norm of the whole estimated wrench, as printed in ragazzon2012 (5.9).

The norm mixes newtons and newton-metres; ``force_norm`` takes the force part alone.
"""

import math

from hopfield_nav.plugin import Method, Parameter, unpacker

unpack = unpacker(
    Parameter("threshold", 12.0, 1e-9, 1e6, "N and N·m", "f_min of ragazzon2012 (5.9)")
)


def detect(model, sensed, parameters, memory, work, tau_external, wrench):
    """Norm of the six components as a share of the threshold (5.9)."""
    total = 0.0
    for i in range(6):
        total += wrench[i] * wrench[i]
    return math.sqrt(total) / unpack(parameters).threshold


METHOD = Method(
    "detector", "wrench_norm", detect, unpack.declared,
    description="norm of force and moment together, as printed (ragazzon2012 (5.9))",
)  # fmt: skip
