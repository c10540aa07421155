"""Alarm on the external torque, with thresholds that grow with what the model may have wrong.

For each joint: threshold + mass_error (|M qdd_ref + C qd| + |g|) + friction_error |friction| +
stiction_share · (1 + friction_error) breakaway · exp(-(qd/stiction_speed)²) + the noise of the
measured velocities as an observer with this ``pole`` feels it, and of the measured torque, see
``hopfield_nav.control.model_error``. The noise is that of the world's ``sensors``. Where gears
give, what is not known of their state and level stands in the place of breakaway.
"""

import math
from dataclasses import replace

import numpy as np

from hopfield_nav.control import model_error
from hopfield_nav.control.detectors.joint_torque import THRESHOLD
from hopfield_nav.control.sampling import POLE, SAMPLING, elapsed, lag_share
from hopfield_nav.plugin import JOINT_TORQUES, Method, unpacker

FIXED_THRESHOLD = replace(
    THRESHOLD,
    default=1.0,
    description=f"{THRESHOLD.description}, where the model has nothing to allow for",
)
unpack = unpacker(
    FIXED_THRESHOLD,
    *model_error.MODEL_ERROR,
    POLE,
    model_error.VELOCITY_NOISE,
    model_error.TORQUE_NOISE,
)


def detect(model, sensed, parameters, memory, work, tau_external, wrench):
    """Largest |torque| as a share of the joint's threshold at this moment."""
    p = unpack(parameters)
    noisy = model_error.update_inertia(model, sensed, p.velocity_noise, work)
    model_error.update_model_torques(model, sensed, work)
    inertial, weight = work.vector[0], work.vector[1]
    period = elapsed(sensed, memory)
    level = 0.0
    for i in range(tau_external.size):
        threshold = p.threshold[i] + p.mass_error * (abs(inertial[i]) + abs(weight[i]))
        threshold += p.friction_error * abs(sensed.friction[i])
        hidden = model_error.hidden_friction(model, sensed, i, p.stiction_speed, p.friction_error)
        if model.presliding[i] < np.inf:  # an observer shows it with its own lag
            hidden = max(hidden, (1.0 - lag_share(p.pole[i], period)) * memory[SAMPLING + i])
            memory[SAMPLING + i] = hidden
        threshold += p.stiction_share * hidden
        if p.torque_noise[i] > 0.0:
            share = lag_share(p.pole[i], period)
            allowed = model_error.TORQUE_DEVIATIONS * p.torque_noise[i]
            threshold += allowed * math.sqrt(share / (2.0 - share))
        if noisy:
            threshold += model_error.felt_noise(i, p.pole[i], p.velocity_noise, work)
        level = max(level, abs(tau_external[i]) / threshold)
    return level


METHOD = Method(
    "detector", "adaptive_joint_torque", detect, unpack.declared, lambda n: SAMPLING + n,
    description="external torque, thresholds that allow for errors of the model",
    needs=JOINT_TORQUES,
)  # fmt: skip
