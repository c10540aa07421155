"""What observers share: the time since the last call, a lag, and the wrench that explains a torque on the joints.

Three places of the memory of one that is sampled once a period are ``STARTED`` (0 until its first
call), ``LAST_TIME`` and ``LAST_GAP``, the time between its last two calls. One of the momentum has
2 n more behind them, see ``update_mean_torque``, and its own from ``momentum_memory(n)`` on.
"""

import math

from dynamics.kernels.decorators import inlined
from dynamics.kinematics import update_jacobian
from dynamics.linear_solve import solve_symmetric
from dynamics.momentum import update_momentum
from hopfield_nav.plugin import DAMPED, Parameter

STARTED, LAST_TIME, LAST_GAP, SAMPLING = 0, 1, 2, 3  # places in the memory, and how many they are
POLE = Parameter(
    "pole",
    100.0,
    0.1,
    1e5,
    "1/s",
    "rate L at which the estimate follows the torque",
    per_joint=True,
)
LONGEST_PERIOD = (
    0.05  # [s] a longer gap than that, and than 1.5 times the one before, is a jump of the clock
)
LARGEST_DAMPING = 0.05  # damping factor at the singularity itself; J mixes metres and pure numbers
SINGULAR_DAMPING = Parameter(
    "singular_damping", 1e-3, 0.0, 1.0, "m³", "|det J| below which the wrench estimate is damped"
)


@inlined
def elapsed(sensed, memory):
    """Time since the last call [s]; 0 at the first one and where the clock has jumped: start anew."""
    time = sensed.time[0]
    period = time - memory[LAST_TIME]
    started, longest = memory[STARTED] == 1.0, max(LONGEST_PERIOD, 1.5 * memory[LAST_GAP])
    memory[LAST_GAP] = period if started else 0.0
    memory[STARTED], memory[LAST_TIME] = 1.0, time
    return period if started and 0.0 < period <= longest else 0.0


@inlined
def momentum_memory(n):
    """Places of memory that ``update_mean_torque`` takes."""
    return SAMPLING + 2 * n


@inlined
def update_mean_torque(model, sensed, memory, work):
    """Write into ``work.vector[0]`` the mean external torque (n,) since the last call [N·m]; returns ``elapsed``.

    From dp/dt = tau + C^T qd - g - friction + tau_external with p = M qd (De Luca and Mattone
    2005):

        mean = (p - p_last)/T - tau - the mean of C^T qd - g - friction,

    tau being held and the mean taken by the trapezoidal rule; nothing is written where ``elapsed``
    is 0. Uses ``work.vector[1]`` and what ``update_momentum`` does.
    """
    qd, n = sensed.qd, sensed.qd.size
    momentum, rate = work.vector[0], work.vector[1]
    update_momentum(model, model.gravity, qd, work, momentum, rate)
    period = elapsed(sensed, memory)
    last_momentum, last_drift = SAMPLING, SAMPLING + n
    for i in range(n):
        now, drift = momentum[i], rate[i] - sensed.friction[i]
        if period > 0.0:
            momentum[i] = (now - memory[last_momentum + i]) / period - sensed.tau[i]
            momentum[i] -= 0.5 * (drift + memory[last_drift + i])
        memory[last_momentum + i], memory[last_drift + i] = now, drift
    return period


@inlined
def lag_share(pole, period):
    """Share of a step that a first-order lag of rate ``pole`` [1/s] has followed after ``period``."""
    return 1.0 - math.exp(-pole * period)


@inlined
def wrench_from_torque(model, smallest_determinant, work, tau_external, wrench):
    """Write the ``wrench`` (6,) at the tool with J^T wrench = ``tau_external`` (n,), at the frames in ``work``.

    Solves (J J^T + λ² I) F = J tau. λ is 0, and for six joints the solution exact, where sqrt(det(J
    J^T)) is at least ``smallest_determinant`` (|det J| for six joints, m³); nearer to a singularity
    λ grows, and the status is ``DAMPED`` instead of 0. Arms with fewer than six joints are always
    damped.

    Source: ragazzon2012 (5.2); damping after Nakamura and Hanafusa 1986.
    """
    update_jacobian(model, work)
    square = work.square
    _normal_equations(work.jacobian, 0.0, tau_external, square, wrench)
    determinant = solve_symmetric(square, wrench)
    limit = smallest_determinant * smallest_determinant
    if determinant >= limit and determinant > 1e-24:
        return 0
    share = determinant / limit if 1e-24 < determinant < limit else 0.0  # also where it is NaN
    _normal_equations(
        work.jacobian, LARGEST_DAMPING**2 * (1.0 - share), tau_external, square, wrench
    )
    solve_symmetric(square, wrench)
    return DAMPED


@inlined
def _normal_equations(columns, damping, tau, square, vector):
    """Write J J^T + damping · I and J tau."""
    for i in range(6):
        value = 0.0
        for k in range(tau.size):
            value += columns[i, k] * tau[k]
        vector[i] = value
        for j in range(i + 1):
            value = damping if i == j else 0.0
            for k in range(tau.size):
                value += columns[i, k] * columns[j, k]
            square[i, j] = value
            square[j, i] = value
