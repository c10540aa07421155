"""Force estimate from the joint error without the mass matrix (Stolt et al. 2012).

F = J^-T K q~ with one constant gain a joint: (5.8) of ragazzon2012 without M, and its K0 exchanged
for a constant found by experiment (ragazzon2012 5.2). It needs no model of the arm beyond the
Jacobian.

The default gains explain contacts best at 1000 poses of ``ur5_ragazzon2012`` within 0.5 rad of its
start pose, with the ``omega`` of ragazzon2012 (``scripts/ragazzon2012/plain_gain.py``); that
document prints no constants.
"""

from hopfield_nav.control.tool_wrench import SINGULAR_DAMPING, wrench_from_torque
from hopfield_nav.plugin import REFERENCE, Method, Parameter, unpacker

GAIN = Parameter(
    "gain", (143.2, 148.8, 642.2, 44.9, 3.5, 0.0), 0.0, 1e9, "N·m/rad",
    "external torque for each radian of joint error; by default fitted to the arm and omega of ragazzon2012",
    per_joint=True,
)  # fmt: skip
unpack = unpacker(GAIN, SINGULAR_DAMPING)


def estimate(model, sensed, parameters, memory, work, tau_external, wrench):
    """Write K q~ and J^-T K q~; the status says whether the wrench was damped."""
    p, q, q_ref = unpack(parameters), sensed.q, sensed.q_ref
    for i in range(q.size):
        tau_external[i] = p.gain[i] * (q[i] - q_ref[i])
    return wrench_from_torque(model, p.singular_damping, work, tau_external, wrench)


METHOD = Method(
    "estimator", "joint_error_plain", estimate, unpack.declared,
    description="J^-T K q~ with a constant for each joint (Stolt et al. 2012)", needs=REFERENCE,
)  # fmt: skip
