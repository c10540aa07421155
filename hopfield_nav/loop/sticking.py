"""Friction in the joints of the simulated arm: true sticking, or gears that give before they slip.

It owns one thing: the friction torque of a step for which no joint both moves and is held. The
joint velocities at the end of the step solve

    A v + h c ∂|v| ∋ p,   A = M + h D,   p = A v_now + h (tau + J^T F - C v_now - g - D v_now),

where c is the level of friction (Coulomb, or more near standstill) and ∂|v| is the sign of v, or
anything from -1 to 1 where a joint rests. With a gear that gives, c ∂|v| is the torque F(h v) after
the path of the step (``dynamics.joint_friction``), which tends to it as the stiffness grows, and is
stable at any step. It is the stationarity of a strictly convex function of v, minimised joint by
joint; a joint that rests gets a speed of exactly zero, and the friction that takes. Where all gears
give, Newton's steps for all joints at once mostly find it in two or three, and joint by joint is
left for turns at which they do not.

Source: Moreau 1988 (time stepping for dry friction); the minimisation is coordinate descent with
soft thresholding, which converges for every positive definite A.
"""

import numpy as np

from dynamics.joint_friction import coulomb_level, dahl, speed_with_friction
from dynamics.kernels.decorators import inlined
from dynamics.linear_solve import solve_symmetric

MAX_SWEEPS = 200  # a handful is usual
TOLERANCE = 1e-13  # [rad/s] change of the last sweep
MAX_NEWTON = 8
CLOSE = 1e-9  # [rad/s] of a step of Newton's: the error behind it is as its square


@inlined
def update_friction(arm, strain, matrix, push, qd, h, stages):
    """Write the friction torque (n,) of a step of ``h`` seconds to ``stages.friction`` [N·m].

    ``strain`` (n,) is the torque in the gears before it [N·m], ``matrix`` A (n, n), ``push`` (n,)
    every other torque less C v + g, ``qd`` the velocities now.
    """
    n = qd.size
    gears = arm.presliding
    momentum, speed, level, friction = stages.momentum, stages.speed, stages.level, stages.friction
    for i in range(n):
        value = h * push[i]
        for j in range(n):
            value += matrix[i, j] * qd[j]
        momentum[i] = value
        speed[i] = qd[i]
        level[i] = coulomb_level(arm.friction, i, qd[i])
    balanced = _balance_gears(gears, strain, matrix, h, stages)
    for _ in range(0 if balanced else MAX_SWEEPS):
        change = 0.0
        for i in range(n):
            rest = momentum[i]
            for j in range(n):
                rest -= matrix[i, j] * speed[j]
            rest += matrix[i, i] * speed[i]
            stopped = h * level[i]  # the momentum that friction may take in the step
            value = 0.0
            if gears[i] < np.inf:
                value = speed_with_friction(
                    matrix[i, i], rest, strain[i], gears[i], level[i], h, speed[i]
                )
            elif rest > stopped:
                value = (rest - stopped) / matrix[i, i]
            elif rest < -stopped:
                value = (rest + stopped) / matrix[i, i]
            change = max(change, abs(value - speed[i]))
            speed[i] = value
        if change <= TOLERANCE:
            break
    for i in range(n):
        if gears[i] < np.inf:
            friction[i] = dahl(strain[i], h * speed[i], gears[i], level[i])
        elif speed[i] < 0.0:
            friction[i] = -level[i]
        elif speed[i] == 0.0:
            rest = momentum[i]
            for j in range(n):
                rest -= matrix[i, j] * speed[j]
            friction[i] = min(max(rest / h, -level[i]), level[i])
        else:
            friction[i] = level[i]


@inlined
def _balance_gears(gears, strain, matrix, h, stages):
    """Newton's steps for ``stages.speed`` where all gears give.

    Returns whether they have come to an end.
    """
    speed, level, left, system = stages.speed, stages.level, stages.left, stages.system
    for i in range(speed.size):
        if gears[i] == np.inf:
            return False
    for _ in range(MAX_NEWTON):
        for i in range(speed.size):
            rest = stages.momentum[i]
            for j in range(speed.size):
                rest -= matrix[i, j] * speed[j]
                system[i, j] = matrix[i, j]
            torque = dahl(strain[i], h * speed[i], gears[i], level[i])
            left[i] = rest - h * torque
            if level[i] > 0.0:
                ahead = speed[i] > 0.0 or (speed[i] == 0.0 and left[i] > 0.0)
                share = torque / level[i] if ahead else -torque / level[i]
                system[i, i] += h * h * gears[i] * max(1.0 - share, 0.0)
        solve_symmetric(system, left)
        change = 0.0
        turned = False
        for i in range(speed.size):
            before = speed[i]
            speed[i] += left[i]
            turned = turned or (before > 0.0) != (speed[i] > 0.0)
            change = max(change, abs(left[i]))
        if change <= TOLERANCE or (change <= CLOSE and not turned):
            return True
    return False


@inlined
def hold(stiffness, qd, speed, matrix, torque):
    """Let no joint move in M qdd = torque that rests, and of which a step found that it goes on to.

    Its friction is found once a step, while what the others do to it changes from stage to stage.
    """
    for i in range(qd.size):
        if stiffness[i] == np.inf and qd[i] == 0.0 and speed[i] == 0.0:
            for j in range(qd.size):
                matrix[i, j] = matrix[j, i] = 0.0
            matrix[i, i] = 1.0
            torque[i] = 0.0


@inlined
def rest(stiffness, speed, qd):
    """Bring joints to rest of which the step found that they stick at its end."""
    for i in range(qd.size):
        if stiffness[i] == np.inf and speed[i] == 0.0:
            qd[i] = 0.0


@inlined
def strain_gears(friction, stiffness, before, q, qd, strain):
    """Bring the torque in the gears ``strain`` (n,) [N·m] along the path of a step.

    It leads from ``before`` to ``q`` (n,) [rad].
    """
    for i in range(q.size):
        if stiffness[i] < np.inf:
            level = coulomb_level(friction, i, qd[i])
            strain[i] = dahl(strain[i], q[i] - before[i], stiffness[i], level)
