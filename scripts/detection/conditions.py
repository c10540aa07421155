"""The two arms and how imperfect they are: the worlds in which methods are compared.

``ideal``: the control computer's model is the arm, 1 kHz, exact sensors. ``real``: every mass of the model
is 10 % off, each to a side of its own, its friction 20 % off, and the sensors are those of the recorded UR5:
steps of 10 and 16 µrad, 1 mrad/s of noise on the velocities.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopfield_nav.world import World, parse_world

ARMS = {"light": "ur5_ragazzon2012", "full": "ur5_full"}
MASS_ERROR, FRICTION_ERROR = 0.1, 0.2
ENCODER = (9.6e-6, 9.6e-6, 9.6e-6, 1.6e-5, 1.6e-5, 1.6e-5)  # [rad], steps seen in the recordings
VELOCITY_NOISE = 1e-3  # [rad/s], standard deviation at rest in the recordings


class Condition(NamedTuple):
    """An arm and whether it is ``ideal`` or ``real``."""

    arm: str
    kind: str

    @property
    def name(self) -> str:
        """For tables."""
        return f"{self.arm}, {self.kind}"


CONDITIONS = tuple(Condition(arm, kind) for arm in ARMS for kind in ("ideal", "real"))


def make_world(condition: Condition, seed: int, duration: float, more: str = "") -> World:
    """The world of one trial; ``seed`` draws the signs of the model's errors, and the noise.

    Args:
        condition: arm and imperfections.
        seed: of the trial.
        duration: time limit [s].
        more: further sections of the world file.
    """
    lines = ["format: 1", f"arm: {ARMS[condition.arm]}", f"time_limit: {duration}", f"seed: {seed}"]
    if condition.arm == "full":
        lines.append("plant: {friction: arm, presliding: ideal}")
    if condition.kind == "real":
        rng = np.random.default_rng([seed, 77])
        masses = 1.0 + MASS_ERROR * rng.choice([-1.0, 1.0], 6)
        friction = 1.0 + FRICTION_ERROR * rng.choice([-1.0, 1.0], 6)
        error = f"mass_scale: {masses.tolist()}, friction_scale: {friction.tolist()}"
        lines.append(f"controller: {{model_error: {{{error}}}}}")
        lines.append(f"sensors: {{encoder_resolution: {list(ENCODER)}, velocity_noise: {VELOCITY_NOISE}}}")
    lines.append("detection: {estimator: none}")
    return parse_world("\n".join(lines) + "\n" + more)
