"""Force estimate from the joint error of the inverse-dynamics loop (ragazzon2012 5.2).

In closed loop q~'' + K1 q~' + K0 q~ = M^-1 J^T F (5.5), so a slowly varying force leaves
M K0 q~ on the joints (5.7) and F = J^-T M K0 q~ at the tool (5.8). What is felt of a force is
K0/(s² + K1 s + K0) of it in every joint.
"""

from dynamics.newton_euler import newton_euler
from hopfield_nav.control.tool_wrench import SINGULAR_DAMPING, wrench_from_torque
from hopfield_nav.plugin import POSITION_GAIN, REFERENCE, Method, unpacker

unpack = unpacker(POSITION_GAIN, SINGULAR_DAMPING)


def estimate(model, sensed, parameters, memory, work, tau_external, wrench):
    """Write M K0 q~ and J^-T M K0 q~ (5.8); the status says whether the wrench was damped."""
    p = unpack(parameters)
    q, q_ref = sensed.q, sensed.q_ref
    zero, acceleration = work.vector[0], work.vector[1]
    for i in range(q.size):
        acceleration[i] = p.position_gain[i] * (q[i] - q_ref[i])
        zero[i] = 0.0
    newton_euler(model, zero, zero[: q.size], acceleration, work, tau_external)
    return wrench_from_torque(model, p.singular_damping, work, tau_external, wrench)


METHOD = Method(
    "estimator", "joint_error", estimate, unpack.declared,
    description="J^-T M K0 q~ from the joint error (ragazzon2012 (5.8))", needs=REFERENCE,
)  # fmt: skip
