"""Friction of rotors as the flexible joints of ``dynamics`` have it, for many speeds at once."""

import numpy as np

from dynamics.batches import as_rows
from dynamics.flexible_joint import FlexibleJoints, dry_level, viscous_torque
from dynamics.kernels.decorators import kernel


def rotor_friction(joints: FlexibleJoints, speed: np.ndarray, load: np.ndarray) -> np.ndarray:
    """Friction torque (..., n) of rotors, of the sign of their ``speed`` (..., n), zero at rest [rad/s; N·m].

    The ``load`` (..., n) are torques through the gears [N·m].
    """
    n = len(joints.stiffness)
    (speeds, loads), lead = as_rows(n, speed=speed, load=load)
    return _friction_batch(joints, speeds, loads).reshape(*lead, n)


@kernel
def _friction_batch(joints, speed, load):
    out = np.empty_like(speed)
    for row in range(speed.shape[0]):
        for i in range(speed.shape[1]):
            v = speed[row, i]
            sign = 1.0 if v > 0.0 else (-1.0 if v < 0.0 else 0.0)
            out[row, i] = dry_level(joints, i, v, load[row, i]) * sign + viscous_torque(
                joints, i, v
            )
    return out
