"""External torque by a Kalman filter of the momentum.

It is the disturbance Kalman filter of Hu and Xiong 2018. Each joint's momentum p = M qd and
external torque r are a state that is disturbed by white noise w,

    dp/dt = tau + C^T qd - g - friction + r,    dr/dt = w,    measured: p + v,

r walks at random with ``torque_walk`` σ_w, and v has the deviation that ``speed_noise`` σ on every
joint's speed gives to p, σ_v² = σ² Σ_j M_ij². Hu and Xiong couple the joints by full covariances
that have to be tuned; here each joint is filtered alone, with variances that mean something.

Only the error e = p_filter - p counts, since e grows by T (r - mean) with the mean external torque
since the last call (``update_mean_torque``). With the gain K of the measurement

    e -= K_p e,    r -= K_r e.

Settled, that is an observer of second order whose bandwidth, about (σ_w / σ_v)^(1/2) T^(-1/4),
follows from the noise instead of a pole; while it is still uncertain it is faster. It starts anew,
with r = 0 for sure, at the first call and where ``time`` jumps.
"""

from dynamics.composite import update_mass_and_bias
from dynamics.kernels.decorators import inlined
from hopfield_nav.control.mean_torque import mean_torque_place, momentum_memory, update_mean_torque
from hopfield_nav.control.tool_wrench import SINGULAR_DAMPING, wrench_from_torque
from hopfield_nav.plugin import Method, Parameter, unpacker

unpack = unpacker(
    Parameter(
        "torque_walk",
        (2.0, 2.0, 1.0, 0.2, 0.2, 0.1),
        1e-9,
        1e6,
        "N·m/√s",
        "how far the torque walks",
        per_joint=True,
    ),
    Parameter(
        "speed_noise",
        1e-3,
        1e-9,
        1.0,
        "rad/s",
        "standard deviation of measured speeds",
        per_joint=True,
    ),
    SINGULAR_DAMPING,
)
STATE = 5  # numbers a joint: error of the momentum, torque, and their covariance: pp, pr, rr


def estimate(model, sensed, parameters, memory, work, tau_external, wrench):
    """Write the filtered torque r and J^-T r; the status says whether the wrench was damped."""
    p = unpack(parameters)
    n = sensed.qd.size
    update_mass_and_bias(model, model.gravity, sensed.qd, work)
    period = update_mean_torque(model, sensed, memory, work)
    mean = mean_torque_place(n)
    for i in range(n):
        measured = 0.0  # variance of the momentum
        for j in range(n):
            measured += (work.mass_matrix[i, j] * p.speed_noise[j]) ** 2
        at = momentum_memory(n) + STATE * i
        if period > 0.0:
            _predict(memory, at, period, memory[mean + i], p.torque_walk[i] ** 2)
            _correct(memory, at, measured)
        else:
            memory[at : at + STATE] = 0.0
            memory[at + 2] = measured
        tau_external[i] = memory[at + 1]
    return wrench_from_torque(model, p.singular_damping, work, tau_external, wrench)


@inlined
def _predict(memory, at, period, mean, walk):
    """The state ``period`` later; ``walk`` is σ_w²."""
    memory[at] += period * (memory[at + 1] - mean)
    pp, pr, rr = memory[at + 2], memory[at + 3], memory[at + 4]
    memory[at + 2] = pp + period * (2.0 * pr + period * rr) + walk * period**3 / 3.0
    memory[at + 3] = pr + period * rr + walk * period**2 / 2.0
    memory[at + 4] = rr + walk * period


@inlined
def _correct(memory, at, measured):
    """The state once the momentum is measured with variance ``measured``.

    The error is then known to be 0.
    """
    error, pp, pr, rr = memory[at], memory[at + 2], memory[at + 3], memory[at + 4]
    gain_p, gain_r = pp / (pp + measured), pr / (pp + measured)
    memory[at] -= gain_p * error
    memory[at + 1] -= gain_r * error
    memory[at + 2] = gain_p * measured
    memory[at + 3] = gain_r * measured
    memory[at + 4] = rr - gain_r * pr


METHOD = Method(
    "estimator", "kalman_filter", estimate, unpack.declared,
    lambda n: momentum_memory(n) + STATE * n,
    description="disturbance Kalman filter of the momentum (Hu and Xiong 2018)",
)  # fmt: skip
