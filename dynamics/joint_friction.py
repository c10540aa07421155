"""Friction in the joints: Coulomb, viscous, and the higher torque that breaks a joint away (Stribeck).

The law at speed v is (c + (b - c) exp(-(v/v_s)²)) sign(v) + d v, with the four numbers of
``Arm.friction``. The simulated arm sticks truly (``hopfield_nav.loop.sticking``); what a control
computer subtracts is the smooth form here, since a measured speed crosses zero in noise.

Source: Armstrong-Hélouvry, Dupont and Canudas de Wit 1994 (the law without its delay); the UR arms'
controller documentation and madsen2020 name the Coulomb and viscous terms.
"""

import math

import numpy as np

from dynamics.arm import Arm, joint_count
from dynamics.batches import as_rows
from dynamics.kernels.decorators import inlined, kernel

SMOOTHING_SPEED = 0.01  # [rad/s] within it the sign of the speed is replaced by tanh(v / it)


def joint_friction_torque(arm: Arm, qd: np.ndarray, smoothing: float = SMOOTHING_SPEED) -> np.ndarray:
    """Torque that friction takes from the motors at joint velocities ``qd``.

    Args:
        arm: whose ``friction``.
        qd: (..., n) joint velocities [rad/s].
        smoothing: speed within which the sign is replaced by a tanh [rad/s]; 0: the sign itself.

    Returns:
        (..., n) of the sign of ``qd`` [N·m].

    Raises:
        BadInput: wrong shape.
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
    if smoothing > 0.0:
        sign = math.tanh(speed / smoothing)
    else:
        sign = 1.0 if speed > 0.0 else (-1.0 if speed < 0.0 else 0.0)
    return coulomb_level(friction, i, speed) * sign + friction[i, 1] * speed


@kernel
def _friction_batch(arm, qd, smoothing):
    out = np.empty_like(qd)
    for row in range(qd.shape[0]):
        for i in range(qd.shape[1]):
            out[row, i] = friction_torque(arm.friction, i, qd[row, i], smoothing)
    return out
