"""How far the torque that the control computer's model predicts may be wrong.

It is for thresholds that allow for it. With masses wrong by a share m, and friction by a share f,
the residual without contact is about m (M qdd_ref + C qd + g) + f friction: what the model itself
says of size and shape of its own error. About speed zero friction may be anything up to breakaway,
and no model tells which; nor does the model know breakaway better than the rest of its friction. Of
gears that give before they slip ``believed_friction`` tells what is not known.

Noise σ of the measured velocities is a noise M σ of the momentum, of which an observer with a lag
of rate L leaves at most L M σ (exactly L M σ for periods short beside 1/L). Noise of the measured
torque, new in every period T, leaves sqrt(a/(2 - a)) of itself with a = 1 - exp(-L T).
"""

import math
from dataclasses import replace

import numpy as np

from dynamics.composite import update_mass_and_bias
from dynamics.kernels.decorators import inlined
from dynamics.newton_euler import newton_euler
from hopfield_nav.plugin import Parameter

MODEL_ERROR = (
    Parameter("mass_error", 0.15, 0.0, 10.0, "1", "share by which the model's masses may be wrong"),
    Parameter(
        "friction_error", 0.25, 0.0, 10.0, "1",
        "share of the model's friction by which the true one may differ;"
        " a model a fifth too low needs 0.25",
    ),
    Parameter(
        "stiction_share", 1.0, 0.0, 10.0, "1",
        "share of the breakaway torque allowed for about speed zero",
    ),
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
# of the torque's: motors that are noisy also have a ripple, and a constant that is off
TORQUE_DEVIATIONS = 6.0


@inlined
def update_model_torques(model, sensed, work):
    """Write M qdd_ref + C qd to ``work.vector[0]`` and g to ``work.vector[1]``.

    Reads ``work.turn``.
    """
    still, weightless = work.still, work.weightless
    for i in range(still.size):
        still[i] = 0.0
    for i in range(3):
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
