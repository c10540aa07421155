"""The arm of the study: gears of one stiffness, motors and sensors as the recordings show them."""

from __future__ import annotations

import numpy as np

STIFFNESS = ("1e4", "2e4", "5e4", "1e5", "3e5", "1e6")  # [N·m/rad]
FIRST = 500  # seed; others than those that the method was made with
REAL = [
    "plant.dynamics=ur5_full",
    "controller.model=ur5_full",
    "plant.friction=arm",
    "sensors.encoder_resolution=1e-5",
    "sensors.velocity_noise=1e-3",
    "sensors.torque_noise=[1, 1, 1, 0.2, 0.2, 0.2]",
    "plant.torque_ripple.amplitude=[0, 0.7, 0.7, 0, 0, 0]",
    "controller.model_error.motor_constant_scale=1.02",
]
WRONG = [  # masses, friction and stiffness of the model
    "controller.model_error.mass_scale=1.1",
    "controller.model_error.friction_scale=0.8",
    "controller.model_error.presliding_scale=2",
]


def wrong_by(factor: float, seed: int) -> list[str]:
    """Gears of the model off by a factor, masses by 10 and friction by 20 %, each to a side of its own."""
    sides = np.random.default_rng([seed, 38]).choice([-1.0, 1.0], (3, 6))
    scales = 1.0 + 0.1 * sides[0], 1.0 + 0.2 * sides[1], factor ** sides[2]
    names = ("mass_scale", "friction_scale", "presliding_scale")
    return [
        f"controller.model_error.{name}={scale.tolist()}" for name, scale in zip(names, scales, strict=True)
    ]
