"""The damping law of ragazzon2012 3.3: tau = -K(t) qd.

K falls linearly from start to end.
"""

from hopfield_nav.plugin import NO_REFERENCE, Limits, Method, Parameter, unpacker

unpack = unpacker(
    Parameter("gain_start", 1.0, 0.0, 1e4, "N·m·s/rad", "K at time 0"),
    Parameter("gain_end", 0.02, 0.0, 1e4, "N·m·s/rad", "K from gain_time on"),
    Parameter("gain_time", 9.8, 1e-9, 1e6, "s", "time at which K reaches gain_end"),
)


def control(model, sensed, parameters, memory, work, tau):
    """Write tau = -K(t) qd (3.3.1)."""
    p = unpack(parameters)
    share = min(sensed.time[0] / p.gain_time, 1.0)
    gain = p.gain_start + (p.gain_end - p.gain_start) * share
    for i in range(tau.size):
        tau[i] = -gain * sensed.qd[i]
    return 0


METHOD = Method(
    "controller", "damping", control, unpack.declared,
    description="pure damping, tau = -K(t) qd (ragazzon2012 3.3.1)",
    limits=lambda values: Limits(damping=max(values["gain_start"], values["gain_end"])),
    needs=NO_REFERENCE,
)  # fmt: skip
