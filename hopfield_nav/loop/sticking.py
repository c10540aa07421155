"""Coulomb friction in the joints of the simulated arm, with true sticking.

It owns one thing: the friction torque of a step for which no joint both moves and is held. ``plant``
alone calls it. The joint velocities at the end of the step solve

    A v + h c ∂|v| ∋ p,   A = M + h D,   p = A v_now + h (tau + J^T F - C v_now - g - D v_now),

where c is the level of friction (Coulomb, or more near standstill) and ∂|v| is the sign of v, or
anything from -1 to 1 where a joint rests. It is the stationarity of a strictly convex function of v,
minimised joint by joint; a joint that rests gets a speed of exactly zero, and the friction that takes.

Source: Moreau 1988 (time stepping for dry friction); the minimisation is coordinate descent with
soft thresholding, which converges for every positive definite A.
"""

from __future__ import annotations

from dynamics.joint_friction import coulomb_level
from dynamics.kernels.decorators import inlined

MAX_SWEEPS = 200  # a handful is usual
TOLERANCE = 1e-13  # [rad/s] change of the last sweep


@inlined
def update_friction(friction, matrix, push, qd, h, momentum, speed, out):
    """Write the friction torque (n,) of a step of ``h`` seconds to ``out`` [N·m].

    ``matrix`` is A (n, n), ``push`` (n,) every other torque less C v + g, ``qd`` the velocities now;
    ``momentum`` (n,) and ``speed`` (n,) are scratch, the latter the velocities at the end of the step.
    """
    n = qd.size
    for i in range(n):
        value = h * push[i]
        for j in range(n):
            value += matrix[i, j] * qd[j]
        momentum[i] = value
        speed[i] = qd[i]
        out[i] = coulomb_level(friction, i, qd[i])
    for _ in range(MAX_SWEEPS):
        change = 0.0
        for i in range(n):
            rest, level = momentum[i], h * out[i]
            for j in range(n):
                rest -= matrix[i, j] * speed[j]
            rest += matrix[i, i] * speed[i]
            value = 0.0
            if rest > level:
                value = (rest - level) / matrix[i, i]
            elif rest < -level:
                value = (rest + level) / matrix[i, i]
            change = max(change, abs(value - speed[i]))
            speed[i] = value
        if change <= TOLERANCE:
            break
    for i in range(n):
        if speed[i] < 0.0:
            out[i] = -out[i]
        elif speed[i] == 0.0:
            rest, level = momentum[i], out[i]
            for j in range(n):
                rest -= matrix[i, j] * speed[j]
            out[i] = min(max(rest / h, -level), level)
