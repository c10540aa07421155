"""The mean external torque of a period, from the change of the momentum.

It is what observers of the momentum share. The memory of such an observer has 3 n places behind
those of ``sampling``: momentum and drift of the last call, and the mean torque from
``mean_torque_place(n)`` on. Its own begin at ``momentum_memory(n)``.
"""

from dynamics.kernels.decorators import inlined
from dynamics.momentum import update_momentum
from hopfield_nav.control.sampling import SAMPLING, elapsed


@inlined
def momentum_memory(n):
    """Places of memory that ``update_mean_torque`` takes."""
    return SAMPLING + 3 * n


@inlined
def mean_torque_place(n):
    """Place in the memory at which the mean torque (n,) begins."""
    return SAMPLING + 2 * n


@inlined
def update_mean_torque(model, sensed, memory, work):
    """Write into the memory the mean external torque (n,) since the last call [N·m].

    Returns ``elapsed``. From dp/dt = tau + C^T qd - g - friction + tau_external with p = M qd
    (De Luca and Mattone 2005):

        mean = (p - p_last)/T - tau - the mean of C^T qd - g - friction,

    tau being held and the mean taken by the trapezoidal rule; nothing is written where ``elapsed``
    is 0. Uses ``work.vector`` and what ``update_momentum`` does.
    """
    qd = sensed.qd
    n = sensed.qd.size
    momentum, rate = work.vector[0], work.vector[1]
    update_momentum(model, model.gravity, qd, work, momentum, rate)
    period = elapsed(sensed, memory)
    last_momentum = SAMPLING
    last_drift = SAMPLING + n
    mean = mean_torque_place(n)
    for i in range(n):
        drift = rate[i] - sensed.friction[i]
        if period > 0.0:
            change = (momentum[i] - memory[last_momentum + i]) / period
            mean_drift = 0.5 * (drift + memory[last_drift + i])
            memory[mean + i] = change - sensed.tau[i] - mean_drift
        memory[last_momentum + i] = momentum[i]
        memory[last_drift + i] = drift
    return period
