"""Computed torque with a gain for position and one for velocity (kebria2016 section V)."""

from dynamics.newton_euler import newton_euler
from hopfield_nav.plugin import Gains, Method, Parameter, unpacker

unpack = unpacker(
    Parameter(
        "proportional", 10.0, 0.0, 1e8, "1/s²", "K_P, gain of the position error", per_joint=True
    ),
    Parameter(
        "derivative", 10.0, 0.0, 1e4, "1/s", "K_D, gain of the velocity error", per_joint=True
    ),
)


def control(model, sensed, parameters, memory, work, tau):
    """Write the motor torque ``tau`` (n,) [N·m] of computed torque, kebria2016 (11).

    tau = M a + C qd + g with the acceleration a = qdd_ref - K_D (qd - qd_ref) - K_P (q - q_ref).
    Returns the status, 0: this law cannot fail. The other arguments are those of any law
    (``hopfield_nav.plugin``).
    """
    q, qd, q_ref, qd_ref, qdd_ref = sensed.q, sensed.qd, sensed.q_ref, sensed.qd_ref, sensed.qdd_ref
    p = unpack(parameters)
    acceleration = work.vector[0]
    for i in range(q.size):
        position, velocity = q[i] - q_ref[i], qd[i] - qd_ref[i]
        acceleration[i] = qdd_ref[i] - p.proportional[i] * position - p.derivative[i] * velocity
    newton_euler(model, model.gravity, qd, acceleration, work, tau)
    return 0


METHOD = Method(
    "controller", "computed_torque", control, unpack.declared,
    description="computed torque with separate gains (kebria2016 (11))",
    gains=lambda values: Gains(values["proportional"], values["derivative"]),
)  # fmt: skip
