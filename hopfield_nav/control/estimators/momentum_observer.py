"""External torque from the generalised momentum (De Luca and Mattone 2005; De Luca et al. 2006).

With p = M qd and dp/dt = tau + C^T qd - g - friction + tau_external, the residual

    r = L (p - p(0) - ∫ (tau + C^T qd - g - friction + r) dt)

obeys dr/dt = L (tau_external - r): a first-order lag of the true torque, for each joint alone,
without accelerations and without M^-1.

Sampled with period T, r follows the mean external torque since the last call
(``update_mean_torque``) with the exact lag, r += (1 - exp(-L T)) (mean - r). That is the same
observer without an integral that could drift. It starts anew, with r = 0, at the first call and
where ``time`` jumps.
"""

from hopfield_nav.control.mean_torque import mean_torque_place, momentum_memory, update_mean_torque
from hopfield_nav.control.sampling import POLE, lag_share
from hopfield_nav.control.tool_wrench import SINGULAR_DAMPING, wrench_from_torque
from hopfield_nav.plugin import Method, unpacker

unpack = unpacker(POLE, SINGULAR_DAMPING)


def estimate(model, sensed, parameters, memory, work, tau_external, wrench):
    """Write the residual r and J^-T r; the status says whether the wrench was damped."""
    p = unpack(parameters)
    n = sensed.qd.size
    period = update_mean_torque(model, sensed, memory, work)
    mean = mean_torque_place(n)
    residual = momentum_memory(n)
    for i in range(n):
        if period > 0.0:
            ahead = memory[mean + i] - memory[residual + i]
            memory[residual + i] += lag_share(p.pole[i], period) * ahead
        else:
            memory[residual + i] = 0.0
        tau_external[i] = memory[residual + i]
    return wrench_from_torque(model, p.singular_damping, work, tau_external, wrench)


METHOD = Method(
    "estimator", "momentum_observer", estimate, unpack.declared, lambda n: momentum_memory(n) + n,
    description="first-order residual of the generalised momentum (De Luca and Mattone 2005)",
)  # fmt: skip
