"""Inverse-dynamics control with critically damped joints (ragazzon2012 chapter 4)."""

from dynamics.newton_euler import newton_euler
from hopfield_nav.plugin import Limits, Method, Parameter


def control(model, sensed, parameters, memory, work, tau):
    """Write tau = M a_q + C qd + g with a_q = qdd_ref - K0 q~ - K1 q~' (4.1), (4.4), (4.6)."""
    q, qd, q_ref, qd_ref, qdd_ref = sensed.q, sensed.qd, sensed.q_ref, sensed.qd_ref, sensed.qdd_ref
    acceleration = work.vector[0]
    for i in range(q.size):
        omega = parameters[i]
        acceleration[i] = qdd_ref[i] - omega * omega * (q[i] - q_ref[i]) - 2.0 * omega * (qd[i] - qd_ref[i])
    newton_euler(model, model.gravity, qd, acceleration, work, tau)
    return 0


METHOD = Method(
    kind="controller",
    name="inverse_dynamics",
    kernel=control,
    parameters=(
        Parameter(
            "omega",
            (22.5, 22.5, 37.5, 60.0, 67.5, 75.0),
            1e-3,
            1e4,
            "rad/s",
            "natural frequency of each joint",
            per_joint=True,
        ),
    ),
    limits=lambda values: Limits(frequency=values["omega"]),
    description="inverse dynamics with critically damped joints (ragazzon2012 chapter 4)",
)
