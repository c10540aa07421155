"""External torque from filtered inverse dynamics (disturbance observer, Takakura et al. 1989).

What the measured motion needs beyond the motors' torque is put down to contact,

    tau_external = Q(s) (M qdd + C qd + g + friction - tau),    Q(s) = L / (s + L),

ragazzon2012 (5.1) solved for J^T F and low-passed, since qdd is a difference of measured
velocities: M (qd - qd_last)/T, the mean acceleration since the last call. M, C and g are taken at
the end of the period, so unlike in ``momentum_observer`` their change within it remains as an error
of order T. (Takakura et al. took constant inertias, one a joint; here the whole model is used.)

The lag is exact for a torque held over the period; it starts anew, at 0, at the first call and
where ``time`` jumps.
"""

from dynamics.newton_euler import newton_euler
from hopfield_nav.control.sampling import POLE, SAMPLING, elapsed, lag_share
from hopfield_nav.control.tool_wrench import SINGULAR_DAMPING, wrench_from_torque
from hopfield_nav.plugin import Method, unpacker

unpack = unpacker(POLE, SINGULAR_DAMPING)


def estimate(model, sensed, parameters, memory, work, tau_external, wrench):
    """Write the filtered torque and J^-T times it.

    The status says whether the wrench was damped.
    """
    p = unpack(parameters)
    qd, tau = sensed.qd, sensed.tau
    n = sensed.qd.size
    acceleration, needed = work.vector[0], work.vector[1]
    period = elapsed(sensed, memory)
    estimated, last_speed = SAMPLING, SAMPLING + n
    for i in range(n):
        acceleration[i] = (qd[i] - memory[last_speed + i]) / period if period > 0.0 else 0.0
        memory[last_speed + i] = qd[i]
    newton_euler(model, model.gravity, qd, acceleration, work, needed)
    for i in range(n):
        if period > 0.0:
            missing = needed[i] + sensed.friction[i] - tau[i]
            ahead = missing - memory[estimated + i]
            memory[estimated + i] += lag_share(p.pole[i], period) * ahead
        else:
            memory[estimated + i] = 0.0
        tau_external[i] = memory[estimated + i]
    return wrench_from_torque(model, p.singular_damping, work, tau_external, wrench)


METHOD = Method(
    "estimator", "disturbance_observer", estimate, unpack.declared, lambda n: SAMPLING + 2 * n,
    description="low-passed inverse dynamics less the motors' torque (Takakura et al. 1989)",
)  # fmt: skip
