"""The friction that the control computer believes in, and how far the torque that its model predicts may be wrong.

It owns the state of gears that give before they slip (``dynamics.joint_friction``), kept from the
measured joint angles; ``control_step`` alone brings it up to date, and every method reads the
result in ``Sensed``. Two more states are of gears that are softer and stiffer by a factor: what
lies between them is not known. It is wide after a turn, and nothing once a joint has slipped. Nor
is it known how the gears were strained at the start, which a path forgets, and how far a slow joint
has turned back within a step of its encoder.

Thresholds allow for the rest. With masses wrong by a share m, and friction by a share f, the
residual without contact is about m (M qdd_ref + C qd + g) + f friction: what the model itself says
of size and shape of its own error. About speed zero friction may be anything up to breakaway, and
no model tells which; nor does the model know breakaway better than the rest of its friction.

Noise σ of the measured velocities is a noise M σ of the momentum, of which an observer with a lag
of rate L leaves at most L M σ (exactly L M σ for periods short beside 1/L). Noise of the measured
torque, new in every period T, leaves sqrt(a/(2 - a)) of itself with a = 1 - exp(-L T).
"""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dynamics.composite import update_mass_and_bias
from dynamics.joint_friction import SMOOTHING_SPEED, coulomb_level, dahl, friction_torque
from dynamics.kernels.decorators import inlined
from dynamics.kernels.records import record
from dynamics.newton_euler import newton_euler
from hopfield_nav.plugin import Parameter

DOUBT = 5.0  # factor by which the stiffness of a gear may be off, either way, before it is learnt
STANDING_SPEED = 0.02  # [rad/s] below which a joint may have turned within a step of its encoder
PASSED = 30.0  # square of the speed, as a share of that, beyond which it cannot have
FORGOTTEN = 1e-9  # share of the level that is no doubt any more
MODEL_ERROR = (
    Parameter("mass_error", 0.15, 0.0, 10.0, "1", "share by which the model's masses may be wrong"),
    Parameter(
        "friction_error", 0.25, 0.0, 10.0, "1",
        "share of the model's friction by which the true one may differ; a model a fifth too low needs 0.25",
    ),
    Parameter("stiction_share", 1.0, 0.0, 10.0, "1", "share of the breakaway torque allowed for about speed zero"),
    Parameter("stiction_speed", 0.02, 1e-9, 100.0, "rad/s", "how far 'about speed zero' reaches"),
)  # fmt: skip
VELOCITY_NOISE = Parameter(
    "velocity_noise", 0.0, 0.0, 1.0, "rad/s",
    "standard deviation of the measured velocities", per_joint=True, of_sensors=True,
)  # fmt: skip
TORQUE_NOISE = replace(
    VELOCITY_NOISE,
    name="torque_noise",
    high=1e3,
    unit="N·m",
    description="the same of the motors' torque",
)
DEVIATIONS = 4.0  # of the velocities' noise that are allowed for
TORQUE_DEVIATIONS = (
    6.0  # of the torque's: motors that are noisy also have a ripple, and a constant that is off
)


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
        speed, stiffness = sensed.qd[i], model.presliding[i]
        sensed.friction_doubt[i] = 0.0
        if stiffness == np.inf:
            sensed.friction[i] = believed_at(model, i, speed)
        else:
            level, torque, factor = (
                coulomb_level(friction, i, speed),
                belief.torque,
                belief.doubt[i],
            )
            path = sensed.q[i] - belief.q[i]
            if not belief.now.started:
                path, torque[i, 3] = 0.0, level
            torque[i, 0] = dahl(torque[i, 0], path, stiffness, level)
            torque[i, 1] = dahl(torque[i, 1], path, stiffness / factor, level)
            torque[i, 2] = dahl(torque[i, 2], path, stiffness * factor, level)
            if level > 0.0 and torque[i, 3] > FORGOTTEN * level:
                torque[i, 3] *= math.exp(-stiffness / factor * abs(path) / level)
            sensed.friction[i] = torque[i, 0] + friction[i, 1] * speed
            doubt, share = abs(torque[i, 2] - torque[i, 1]) + torque[i, 3], speed / STANDING_SPEED
            if resolution[i] > 0.0 and share * share < PASSED:
                back = -resolution[i] if torque[i, 0] > 0.0 else resolution[i]
                stiffer = stiffness * max(
                    factor / DOUBT, 1.0
                )  # where less is known of it than usual
                unseen = abs(dahl(torque[i, 0], back, stiffer, level) - torque[i, 0])
                doubt += unseen * math.exp(-share * share)
            sensed.friction_doubt[i] = min(doubt, 2.0 * level)
        belief.q[i] = sensed.q[i]
    belief.now.started = True


@inlined
def update_model_torques(model, sensed, work):
    """Write M qdd_ref + C qd to ``work.vector[0]`` and g to ``work.vector[1]``; reads ``work.turn``."""
    still, weightless = work.bias, work.square[0]
    for i in range(still.size):
        still[i] = 0.0
    for i in range(6):
        weightless[i] = 0.0
    newton_euler(model, weightless, sensed.qd, sensed.qdd_ref, work, work.vector[0])
    newton_euler(model, model.gravity, still, still, work, work.vector[1])


@inlined
def hidden_friction(model, sensed, i, stiction_speed, friction_error):
    """Torque that friction may hide on joint ``i`` [N·m].

    With an ideal gear breakaway at speed zero, fading beyond; else what is not known of its state
    and its level.
    """
    largest = max(model.friction[i, 0], model.friction[i, 2])
    if model.presliding[i] < np.inf:  # a level that is off shows in the middle of a turn as well
        level = friction_error * max(largest - abs(sensed.friction[i]), 0.0)
        return level + (1.0 + friction_error) * sensed.friction_doubt[i]
    if largest == 0.0:
        return 0.0
    share = sensed.qd[i] / stiction_speed
    return (1.0 + friction_error) * largest * math.exp(-share * share)


@inlined
def update_inertia(model, sensed, noise, work):
    """Bring ``work.mass_matrix`` up to date where there is ``noise`` (n,) to be felt through it.

    Reads ``work.rotation``, uses ``work.bias``; returns whether there is.
    """
    for i in range(noise.size):
        if noise[i] > 0.0:
            update_mass_and_bias(model, model.gravity, sensed.qd, work)
            return True
    return False


@inlined
def felt_noise(i, pole, noise, work):
    """Torque on joint ``i`` that the noise (n,) [rad/s] of the velocities may feign [N·m]."""
    square = 0.0
    for j in range(noise.size):
        momentum = work.mass_matrix[i, j] * noise[j]
        square += momentum * momentum
    return DEVIATIONS * pole * math.sqrt(square)
