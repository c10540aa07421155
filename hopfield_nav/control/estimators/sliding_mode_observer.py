"""External torque by a sliding-mode observer of the momentum (Garofalo et al. 2019).

With the error e = p_observer - p of the momentum p = M qd the observer is a super-twisting one with
linear parts,

    dp_observer/dt = tau + C^T qd - g - friction + r - k1 |e|^(1/2) sign(e) - 2 λ e,
    dr/dt          = -k2 sign(e) - λ² e.

With k1 = 1.5 L^(1/2) and k2 = 1.1 L (Levant 1998) e and r - tau_external become zero within a
finite time where the torque changes by at most L (``largest_rate``), a ramp without any lag;
``pole`` λ pulls in large errors.

Signs that jump once a period chatter. So the step is implicit (Brogliato, Polyakov and Efimov
2020): with the mean external torque since the last call (``update_mean_torque``) and b = e + T (r -
mean) the new e solves

    (1 + 2 λ T + λ² T²) e + k1 T |e|^(1/2) sign(e) + k2 T² sign(e) = b,

with sign(0) anything from -1 to 1. Where |b| <= k2 T² it is 0, and r the mean itself: no lag, no
chatter, and no filter. Noise passes up to the rate k2, which is what ``largest_rate`` trades
against speed. It starts anew, with r = 0, at the first call and where ``time`` jumps.
"""

import math

from dynamics.kernels.decorators import inlined
from hopfield_nav.control.mean_torque import mean_torque_place, momentum_memory, update_mean_torque
from hopfield_nav.control.tool_wrench import SINGULAR_DAMPING, wrench_from_torque
from hopfield_nav.plugin import Method, Parameter, unpacker

unpack = unpacker(
    Parameter(
        "largest_rate", (200.0, 200.0, 100.0, 20.0, 20.0, 10.0), 1e-3, 1e9, "N·m/s",
        "rate L of the torque that is followed without a lag", per_joint=True,
    ),
    Parameter("pole", 20.0, 0.0, 1e5, "1/s", "rate λ of the linear parts; 0: none", per_joint=True),
    SINGULAR_DAMPING,
)  # fmt: skip
ROOT_SHARE = 1.5  # k1 / L^(1/2) (Levant 1998)
SIGN_SHARE = 1.1  # k2 / L (the same)


def estimate(model, sensed, parameters, memory, work, tau_external, wrench):
    """Write the torque r and J^-T r; the status says whether the wrench was damped."""
    p = unpack(parameters)
    n = sensed.qd.size
    period = update_mean_torque(model, sensed, memory, work)
    mean = mean_torque_place(n)
    error = momentum_memory(n)
    torque = momentum_memory(n) + n
    for i in range(n):
        if period > 0.0:
            begin = memory[error + i] + period * (memory[torque + i] - memory[mean + i])
            new, sign = _settled(begin, period, p.largest_rate[i], p.pole[i])
            memory[error + i] = new
            falling = SIGN_SHARE * p.largest_rate[i] * sign + p.pole[i] ** 2 * new
            memory[torque + i] -= period * falling
        else:
            memory[error + i] = memory[torque + i] = 0.0
        tau_external[i] = memory[torque + i]
    return wrench_from_torque(model, p.singular_damping, work, tau_external, wrench)


@inlined
def _settled(begin, period, rate, pole):
    """The new error of the momentum and its sign, from -1 to 1, for b = ``begin``."""
    jump = SIGN_SHARE * rate * period**2
    if abs(begin) <= jump:
        return 0.0, begin / jump
    linear = 1.0 + pole * period * (2.0 + pole * period)
    root = ROOT_SHARE * math.sqrt(rate) * period
    discriminant = root**2 + 4.0 * linear * (abs(begin) - jump)
    size = (math.sqrt(discriminant) - root) / (2.0 * linear)  # of |e|^(1/2)
    sign = math.copysign(1.0, begin)
    return sign * size**2, sign


METHOD = Method(
    "estimator", "sliding_mode_observer", estimate, unpack.declared,
    lambda n: momentum_memory(n) + 2 * n,
    description="super-twisting observer of the momentum (Garofalo et al. 2019)",
)  # fmt: skip
