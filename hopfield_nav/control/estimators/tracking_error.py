"""The tracking error and its rate used directly (ragazzon2012 7.3), as a torque.

With inverse dynamics q~'' + K1 q~' + K0 q~ = M^-1 J^T F (ragazzon2012 (5.5)). Without M, and
without the acceleration of the error, K (q~ + K1/K0 q~') remains: ``joint_error_plain`` and a lead
that makes it faster, (K1 s + K0)/(s² + K1 s + K0) instead of K0/(s² + K1 s + K0). No model is
needed beyond the Jacobian. Thresholds on q~ [rad] and q~' [rad/s] themselves: the detector
``tracking``.
"""

import math

from hopfield_nav.control.estimators.joint_error_plain import GAIN
from hopfield_nav.control.tool_wrench import SINGULAR_DAMPING, wrench_from_torque
from hopfield_nav.plugin import POSITION_GAIN, REFERENCE, VELOCITY_GAIN, Method, unpacker

unpack = unpacker(GAIN, POSITION_GAIN, VELOCITY_GAIN, SINGULAR_DAMPING)


def estimate(model, sensed, parameters, memory, work, tau_external, wrench):
    """Write K (q~ + K1/K0 q~') and J^-T times it; the status says whether the wrench was damped."""
    p = unpack(parameters)
    q, qd, q_ref, qd_ref = sensed.q, sensed.qd, sensed.q_ref, sensed.qd_ref
    for i in range(q.size):
        root = math.sqrt(p.position_gain[i])
        # 2/omega to the last digit where K0 = omega², K1 = 2 omega
        lead = p.velocity_gain[i] / root / root
        tau_external[i] = p.gain[i] * (q[i] - q_ref[i] + lead * (qd[i] - qd_ref[i]))
    return wrench_from_torque(model, p.singular_damping, work, tau_external, wrench)


METHOD = Method(
    "estimator", "tracking_error", estimate, unpack.declared,
    description="joint error and its rate with constant gains (ragazzon2012 7.3)", needs=REFERENCE,
)  # fmt: skip
