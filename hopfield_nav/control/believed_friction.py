"""The friction that the control computer believes its joints to have, and how far it may be wrong.

It owns the state of gears that give before they slip (``dynamics.joint_friction``), kept from the
measured joint angles; ``control_step`` alone brings it up to date, and every method reads the
result in ``Sensed``. Two more states are of gears that are softer and stiffer by a factor: what
lies between them is not known. It is wide after a turn, and nothing once a joint has slipped. Nor
is it known how the gears were strained at the start, which a path forgets, and how far a slow joint
has turned back within a step of its encoder.
"""

import math
from typing import NamedTuple

import numpy as np

from dynamics.joint_friction import SMOOTHING_SPEED, coulomb_level, dahl, friction_torque
from dynamics.kernels.decorators import inlined
from dynamics.kernels.records import record

DOUBT = 5.0  # factor by which the stiffness of a gear may be off, either way, before it is learnt
STANDING_SPEED = 0.02  # [rad/s] below which a joint may have turned within a step of its encoder
PASSED = 30.0  # square of the speed, as a share of that, beyond which it cannot have
FORGOTTEN = 1e-9  # share of the level that is no doubt any more


@record
class FrictionNow:
    """The number of ``FrictionBelief``."""

    started: bool = False  # whether joint angles were seen


class FrictionBelief(NamedTuple):
    """What is remembered of the joints' path."""

    now: FrictionNow  # whether there is one
    q: np.ndarray  # (n,) joint angles of the period before [rad]
    # (n, 4) of the gears: as believed, softer, stiffer, and what is left of not knowing how they
    # began [N·m]
    torque: np.ndarray
    doubt: np.ndarray  # (n,) factor by which the stiffness of a gear may be off, either way


def make_friction_belief(n: int) -> FrictionBelief:
    """Nothing seen yet, on an arm with ``n`` joints."""
    return FrictionBelief(FrictionNow(), np.zeros(n), np.zeros((n, 4)), np.full(n, DOUBT))


@inlined
def believed_at(model, i, speed):
    """Friction torque of joint ``i`` at a lasting speed, smooth about zero [N·m]."""
    friction = model.friction
    if friction[i, 0] == 0.0 and friction[i, 1] == 0.0 and friction[i, 2] == 0.0:
        return 0.0
    return friction_torque(friction, i, speed, SMOOTHING_SPEED)


@inlined
def update_believed_friction(model, sensed, resolution, belief):
    """Write ``sensed.friction`` and ``sensed.friction_doubt`` at the measured angles and speeds.

    Where the model's gears are ideal the sign of the speed is smoothed, as a measured one crosses
    zero in noise; there is no doubt then. ``resolution`` (n,) is the step of the encoders [rad].
    """
    friction = model.friction
    for i in range(sensed.q.size):
        speed = sensed.qd[i]
        stiffness = model.presliding[i]
        sensed.friction_doubt[i] = 0.0
        if stiffness == np.inf:
            sensed.friction[i] = believed_at(model, i, speed)
        else:
            level = coulomb_level(friction, i, speed)
            torque = belief.torque
            factor = belief.doubt[i]
            path = sensed.q[i] - belief.q[i]
            if not belief.now.started:
                path = 0.0
                torque[i, 3] = level
            torque[i, 0] = dahl(torque[i, 0], path, stiffness, level)
            torque[i, 1] = dahl(torque[i, 1], path, stiffness / factor, level)
            torque[i, 2] = dahl(torque[i, 2], path, stiffness * factor, level)
            if level > 0.0 and torque[i, 3] > FORGOTTEN * level:
                torque[i, 3] *= math.exp(-stiffness / factor * abs(path) / level)
            sensed.friction[i] = torque[i, 0] + friction[i, 1] * speed
            doubt = abs(torque[i, 2] - torque[i, 1]) + torque[i, 3]
            share = speed / STANDING_SPEED
            if resolution[i] > 0.0 and share * share < PASSED:
                back = -resolution[i] if torque[i, 0] > 0.0 else resolution[i]
                # where less is known of it than usual
                stiffer = stiffness * max(factor / DOUBT, 1.0)
                unseen = abs(dahl(torque[i, 0], back, stiffer, level) - torque[i, 0])
                doubt += unseen * math.exp(-share * share)
            sensed.friction_doubt[i] = min(doubt, 2.0 * level)
        belief.q[i] = sensed.q[i]
    belief.now.started = True
