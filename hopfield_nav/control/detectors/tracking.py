"""Alarm on the joint error or its rate, whichever is larger for its threshold (ragazzon2012 7.3).

Reads q~ and q~' alone, whatever the estimator says: no model, no torque, no Jacobian. The rate
reacts to an impact at once, the error to a lasting push.
"""

from hopfield_nav.plugin import Method, Parameter, unpacker

unpack = unpacker(
    Parameter("position_threshold", 0.002, 1e-12, 10.0, "rad", "joint error", per_joint=True),
    Parameter(
        "speed_threshold", 0.02, 1e-12, 100.0, "rad/s", "rate of the joint error", per_joint=True
    ),
)


def detect(model, sensed, parameters, memory, work, tau_external, wrench):
    """Largest |q~_i| and |q~'_i| as a share of their thresholds."""
    p = unpack(parameters)
    level = 0.0
    for i in range(sensed.q.size):
        level = max(level, abs(sensed.q[i] - sensed.q_ref[i]) / p.position_threshold[i])
        level = max(level, abs(sensed.qd[i] - sensed.qd_ref[i]) / p.speed_threshold[i])
    return level


METHOD = Method(
    "detector", "tracking", detect, unpack.declared,
    description="joint error and its rate, thresholds for each joint (ragazzon2012 7.3)",
)  # fmt: skip
