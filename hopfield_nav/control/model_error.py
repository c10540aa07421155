"""How far the torque that a model predicts may be wrong, for thresholds that allow for it.

With masses wrong by a share m, and friction by a share f, the residual without contact is about
m (M qdd_ref + C qd + g) + f friction: what the model itself says of size and shape of its own error. About
speed zero friction may be anything up to breakaway, and no model tells which.
"""

from __future__ import annotations

import math

from dynamics.compiled import inlined
from dynamics.newton_euler import newton_euler
from hopfield_nav.plugin import Parameter

MODEL_ERROR = (
    Parameter("mass_error", 0.15, 0.0, 10.0, "1", "share by which the model's masses may be wrong"),
    Parameter("friction_error", 0.2, 0.0, 10.0, "1", "share by which its friction may be wrong"),
    Parameter(
        "stiction_share", 1.0, 0.0, 10.0, "1", "share of the breakaway torque allowed for about speed zero"
    ),
    Parameter("stiction_speed", 0.03, 1e-9, 100.0, "rad/s", "how far 'about speed zero' reaches"),
)


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
def stiction(model, i, speed, stiction_speed):
    """Torque that sticking may hide on joint ``i``: breakaway at speed zero, fading beyond [N·m]."""
    largest = max(model.friction[i, 0], model.friction[i, 2])
    if largest == 0.0:
        return 0.0
    share = speed / stiction_speed
    return largest * math.exp(-share * share)
