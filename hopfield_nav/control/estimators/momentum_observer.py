"""External torque from the generalised momentum (De Luca and Mattone 2005; De Luca et al. 2006).

With p = M qd and dp/dt = tau + C^T qd - g - friction + tau_external, the residual

    r = L (p - p(0) - ∫ (tau + C^T qd - g - friction + r) dt)    obeys    dr/dt = L (tau_external - r):

a first-order lag of the true torque, for each joint alone, without accelerations and without M^-1.

Sampled with period T the mean external torque since the last call is (p - p_last)/T - tau - the mean of C^T qd - g -
friction, tau being held and the mean taken by the trapezoidal rule; r follows it with the exact lag, r += (1 - exp(-L
T)) (mean - r). That is the same observer without an integral that could drift. It starts anew, with r = 0, at the
first call and where ``time`` jumps.
"""

from dynamics.momentum import update_momentum
from hopfield_nav.control.observing import POLE, SAMPLING, SINGULAR_DAMPING, elapsed, lag_share, wrench_from_torque
from hopfield_nav.plugin import Method, unpacker

unpack = unpacker(POLE, SINGULAR_DAMPING)


def estimate(model, sensed, parameters, memory, work, tau_external, wrench):
    """Write the residual r and J^-T r; the status says whether the wrench was damped."""
    p, qd, tau, n = unpack(parameters), sensed.qd, sensed.tau, sensed.qd.size
    momentum, rate = work.vector[0], work.vector[1]
    update_momentum(model, model.gravity, qd, work, momentum, rate)
    period = elapsed(sensed, memory)
    residual, last_momentum, last_rate = SAMPLING, SAMPLING + n, SAMPLING + 2 * n
    pole, share = -1.0, 0.0
    for i in range(n):
        drift = rate[i] - sensed.friction[i]
        if period > 0.0:
            mean = (momentum[i] - memory[last_momentum + i]) / period - tau[i] - 0.5 * (drift + memory[last_rate + i])
            if p.pole[i] != pole:
                pole = p.pole[i]
                share = lag_share(pole, period)
            memory[residual + i] += share * (mean - memory[residual + i])
        else:
            memory[residual + i] = 0.0
        memory[last_momentum + i], memory[last_rate + i] = momentum[i], drift
        tau_external[i] = memory[residual + i]
    return wrench_from_torque(model, p.singular_damping, work, tau_external, wrench)


METHOD = Method(
    kind="estimator",
    name="momentum_observer",
    kernel=estimate,
    parameters=unpack.declared,
    memory=lambda n: SAMPLING + 3 * n,
    description="first-order residual of the generalised momentum (De Luca and Mattone 2005)",
)
