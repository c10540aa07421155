"""Friction of a gear that gives before it slips: a torque that is a function of the path (Dahl's law).

    dF/dq = σ (1 - sgn(dq) F / F_c)

σ is the stiffness at a turning point, F_c the level at which the gear slips. Over a path on which the level
does not change the law is solved exactly, F -> s F_c + (F - s F_c) exp(-σ |dq| / F_c) with s the sign of the
path dq; so it does not depend on the rate, and a closed path of any kind takes energy. With Stribeck's
level (``dynamics.joint_friction``) it is LuGre's law without its damping. An infinite σ is Coulomb's ideal.

Source: Dahl 1968; Canudas de Wit, Olsson, Åström and Lischinsky 1995 (LuGre).
"""

import math

import numpy as np

from dynamics.arm import Arm, joint_count
from dynamics.batches import as_rows
from dynamics.joint_friction import coulomb_level
from dynamics.kernels.decorators import inlined, kernel

NEWTON_STEPS = 50  # a few are usual
_CLOSE = 1e-15  # [rad/s] of a speed, beside 4e-16 of itself


def presliding_torque(arm: Arm, q: np.ndarray, start: np.ndarray | None = None) -> np.ndarray:
    """Friction torque along a path that is followed slowly.

    Args:
        arm: whose ``friction`` and ``presliding``, all of them finite.
        q: (k, n) joint angles one after the other [rad].
        start: (n,) torque at the first of them [N·m]; default none.

    Returns:
        (k, n) torque that friction takes from the motors [N·m], the viscous part not in it.

    Raises:
        BadInput: wrong shapes.
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
    """The speed v [rad/s] for which inertia v + h F(h v) = push, F after Dahl's law from ``force`` on.

    F grows with v, so that there is one; Newton's steps reach it from the side of zero without fail, as F
    bends towards the level. ``guess`` is where they begin.
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
