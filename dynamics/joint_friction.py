"""Friction in the joints: Coulomb, viscous, and at breakaway (Stribeck).

A higher torque breaks a joint away. The law at speed v is (c + (b - c) exp(-(v/v_s)²)) sign(v) + d
v, with the four numbers of ``Arm.friction``. The simulated arm sticks truly
(``hopfield_nav.loop.sticking``); what a control computer subtracts is the smooth form here, since a
measured speed crosses zero in noise.

Source: Armstrong-Hélouvry, Dupont and Canudas de Wit 1994 (the law without its delay); the UR arms'
controller documentation and madsen2020 name the Coulomb and viscous terms.

A gear that gives before it slips has a torque that is a function of the path (Dahl's law):

    dF/dq = σ (1 - sgn(dq) F / F_c)

σ is the stiffness at a turning point, F_c the level at which the gear slips. Over a path on which
the level does not change the law is solved exactly, F -> s F_c + (F - s F_c) exp(-σ |dq| / F_c)
with s the sign of the path dq; so it does not depend on the rate, and a closed path of any kind
takes energy. With Stribeck's level it is LuGre's law without its damping. An infinite σ is
Coulomb's ideal.

Source: Dahl 1968; Canudas de Wit, Olsson, Åström and Lischinsky 1995 (LuGre).
"""

import math

import numpy as np

from dynamics.arm import Arm, joint_count
from dynamics.batches import as_rows
from dynamics.kernels.decorators import inlined, kernel

SMOOTHING_SPEED = 0.01  # [rad/s] within it the sign of the speed is replaced by tanh(v / it)


def joint_friction_torque(
    arm: Arm, qd: np.ndarray, smoothing: float = SMOOTHING_SPEED
) -> np.ndarray:
    """Torque (..., n) that friction takes from the motors, of the sign of qd (..., n) [rad/s; N·m].

    Below the speed ``smoothing`` [rad/s] the sign is replaced by a tanh; 0: the sign itself.
    """
    n = joint_count(arm)
    (rows,), lead = as_rows(n, qd=qd)
    return _friction_batch(arm, rows, float(smoothing)).reshape(*lead, n)


@inlined
def coulomb_level(friction, i, speed):
    """Largest friction torque of joint ``i`` at ``speed`` without the viscous part [N·m]."""
    coulomb, excess = friction[i, 0], friction[i, 2] - friction[i, 0]
    if excess == 0.0:
        return coulomb
    share = speed / friction[i, 3]
    return coulomb + excess * math.exp(-share * share)


@inlined
def friction_torque(friction, i, speed, smoothing):
    """Friction torque of joint ``i`` [N·m], from the rows of ``Arm.friction``."""
    sign = (
        math.tanh(speed / smoothing)
        if smoothing > 0.0
        else 1.0
        if speed > 0.0
        else -1.0
        if speed < 0.0
        else 0.0
    )
    return coulomb_level(friction, i, speed) * sign + friction[i, 1] * speed


@kernel
def _friction_batch(arm, qd, smoothing):
    out = np.empty_like(qd)
    for row in range(qd.shape[0]):
        for i in range(qd.shape[1]):
            out[row, i] = friction_torque(arm.friction, i, qd[row, i], smoothing)
    return out


NEWTON_STEPS = 50  # a few are usual
_CLOSE = 1e-15  # [rad/s] of a speed, beside 4e-16 of itself


def presliding_torque(arm: Arm, q: np.ndarray, start: np.ndarray | None = None) -> np.ndarray:
    """Friction torque (k, n) [N·m] along a path q (k, n) [rad].

    The path is followed slowly, without viscosity. The arm has ``friction`` and ``presliding``, all
    of them finite; it begins with the torque ``start`` (n,).
    """
    n = joint_count(arm)
    (rows,), _ = as_rows(n, q=q)
    (first,), _ = as_rows(n, start=np.zeros(n) if start is None else start)
    return _along(arm, rows, first[0])


@inlined
def dahl(force, path, stiffness, level):
    """The torque after ``path`` [rad] on which the level [N·m] stays as it is."""
    if level <= 0.0:
        return 0.0
    side = level if path > 0.0 else -level
    within = min(max(force, -level), level)  # a level that has fallen takes the torque with it
    if path == 0.0:
        return within
    return side + (within - side) * math.exp(-stiffness * abs(path) / level)


@inlined
def speed_with_friction(inertia, push, force, stiffness, level, h, guess):
    """The speed v [rad/s] for which inertia v + h F(h v) = push.

    F is after Dahl's law from ``force`` on. F grows with v, so that there is one; Newton's steps
    reach it from the side of zero without fail, as F bends towards the level. ``guess`` is where
    they begin.
    """
    if level <= 0.0:
        return push / inertia
    ahead = push - h * min(max(force, -level), level)  # its sign is that of v
    if ahead == 0.0:
        return 0.0
    side = level if ahead > 0.0 else -level
    speed = guess if guess * ahead > 0.0 else 0.0
    for _ in range(NEWTON_STEPS):
        torque = dahl(force, h * speed, stiffness, level)
        slope = inertia + h * h * stiffness * max(1.0 - torque / side, 0.0)
        change = (push - inertia * speed - h * torque) / slope
        speed += change
        if speed * ahead < 0.0:
            speed = 0.0
        if abs(change) <= _CLOSE + 4e-16 * abs(speed):
            break
    return speed


@kernel
def _along(arm, q, force):
    out = np.empty_like(q)
    for i in range(q.shape[1]):
        out[0, i] = force[i]
        for row in range(1, q.shape[0]):
            level = coulomb_level(arm.friction, i, 0.0)
            out[row, i] = dahl(out[row - 1, i], q[row, i] - q[row - 1, i], arm.presliding[i], level)
    return out
