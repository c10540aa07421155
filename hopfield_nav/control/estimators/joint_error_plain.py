"""Force estimate from the joint error without the mass matrix (Stolt et al. 2012).

F = J^-T K q~ with one constant gain a joint: (5.8) of ragazzon2012 without M, and its K0 exchanged
for a constant found by experiment (ragazzon2012 5.2). It needs no model of the arm beyond the
Jacobian.

Without numbers of the user's own they follow from the arm and the gains of its control law
(``control.constant_gains``); ragazzon2012 prints no constants.
"""

from hopfield_nav.control.constant_gains import gains_of_arm
from hopfield_nav.control.tool_wrench import SINGULAR_DAMPING, wrench_from_torque
from hopfield_nav.plugin import REFERENCE, Method, Parameter, unpacker

GAIN = Parameter(
    "gain", None, 0.0, 1e9, "N·m/rad",
    "external torque for each radian of joint error; null: fitted to the arm and the gains of the"
    " control law",
    per_joint=True, of_arm=gains_of_arm,
)  # fmt: skip
unpack = unpacker(GAIN, SINGULAR_DAMPING)


def estimate(model, sensed, parameters, memory, work, tau_external, wrench):
    """Write K q~ and J^-T K q~; the status says whether the wrench was damped."""
    p = unpack(parameters)
    q, q_ref = sensed.q, sensed.q_ref
    for i in range(q.size):
        tau_external[i] = p.gain[i] * (q[i] - q_ref[i])
    return wrench_from_torque(model, p.singular_damping, work, tau_external, wrench)


METHOD = Method(
    "estimator", "joint_error_plain", estimate, unpack.declared,
    description="J^-T K q~ with a constant for each joint (Stolt et al. 2012)", needs=REFERENCE,
)  # fmt: skip
