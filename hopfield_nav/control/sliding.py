"""The law ``hybrid_force_motion`` in the place of a world's own: what it is told, and what it says.

For whoever lets an arm slide for a while, as ``experiment.slide_phase`` does.
"""

from __future__ import annotations

import math

import numpy as np

from hopfield_nav.control.control_step import Controller
from hopfield_nav.control.laws import hybrid_force_motion as hybrid
from hopfield_nav.plugin import Applied, applied

_PERIOD = 1e-3  # [s] for which the law's own gains are


def with_sliding(
    controller: Controller,
    force: float,
    speed: float,
    normal: np.ndarray,
    side: float,
    period: float,
    frequency: np.ndarray | float | None = None,
) -> Controller:
    """The control computer with a law that approaches a surface and slides along it.

    Args:
        controller: with its usual law; limits, period and delay stay.
        force: wanted across the surface [N].
        speed: wanted along it [m/s].
        normal: (3,) from the surface, as far as it is known; its horizontal part counts.
        side: 1 counter-clockwise around what is touched, -1 clockwise.
        period: of control [s]; the gains of the force are as much smaller as it is longer than 1 ms.
        frequency: natural frequencies, one or (n,) [rad/s]; None: the law's own.
    """
    gains = min(1.0, _PERIOD / period)
    values: dict[str, object] = {
        "force": force,
        "speed": speed,
        "heading": math.atan2(-normal[1], -normal[0]),
        "side": side,
    }
    for parameter in hybrid.METHOD.parameters:
        if parameter.name in ("force_gain", "force_integral"):
            values[parameter.name] = gains * float(np.asarray(parameter.default))
    if frequency is not None:
        values["natural_frequency"] = np.broadcast_to(frequency, len(controller.model.dh)).tolist()
    law = applied(hybrid.METHOD, values, len(controller.model.dh))
    return controller._replace(law=law, feedforward=False)


def felt_normal(law: Applied) -> tuple[bool, np.ndarray]:
    """Whether a sliding law feels the surface now, and the (3,) normal that it believes in."""
    memory = law.memory
    angle = math.atan2(memory[hybrid.NORMAL + 1], memory[hybrid.NORMAL]) + memory[hybrid.TILT]
    return bool(memory[hybrid.PHASE] == hybrid.SLIDING), np.array([math.cos(angle), math.sin(angle), 0.0])


def slide_to(law: Applied, side: float) -> None:
    """Let a sliding law go on to a side; see ``with_sliding``."""
    law.parameters[hybrid.SIDE] = side
