"""The law ``hybrid_force_motion`` in the place of a world's own: what it is told, and what it says.

For whoever lets an arm slide for a while, as ``experiment.slide_phase`` does.
"""

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
    axis: np.ndarray,
    bias: np.ndarray,
    period: float,
    frequency: np.ndarray | float | None = None,
) -> Controller:
    """The control computer with a law that approaches a surface and slides along it.

    Args:
        controller: with its usual law; limits, period and delay stay.
        force: wanted across the surface [N].
        speed: wanted along it [m/s].
        normal: (3,) from the surface, as far as it is known, a unit vector.
        axis: (3,) perpendicular to it, a unit vector; about it the arm slides counter-clockwise around what
            it touches.
        bias: (3,) force that the estimator believes in without a contact [N].
        period: of control [s]; the gains of the force are as much smaller as it is longer than 1 ms.
        frequency: natural frequencies, one or (n,) [rad/s]; None: the law's own.
    """
    gains = min(1.0, _PERIOD / period)
    heading, elevation = math.atan2(-normal[1], -normal[0]), math.asin(np.clip(-normal[2], -1.0, 1.0))
    left = np.array([-math.sin(heading), math.cos(heading), 0.0])
    values: dict[str, object] = {
        "force": force,
        "speed": speed,
        "heading": heading,
        "elevation": elevation,
        "incline": math.atan2(axis @ left, axis @ np.cross(left, normal)),
    }
    for parameter in hybrid.METHOD.parameters:
        if parameter.name in ("force_gain", "force_integral"):
            values[parameter.name] = gains * float(np.asarray(parameter.default))
    if frequency is not None:
        values["natural_frequency"] = np.broadcast_to(frequency, len(controller.model.dh)).tolist()
    law = applied(hybrid.METHOD, values, len(controller.model.dh))
    law.memory[hybrid.BIAS : hybrid.BIAS + 3] = bias
    return controller._replace(law=law, feedforward=False)


def felt_normal(law: Applied) -> tuple[bool, np.ndarray]:
    """Whether a sliding law feels the surface now, and the (3,) normal that it believes in."""
    memory = law.memory
    axis = memory[hybrid.AXIS : hybrid.AXIS + 3]
    normal, angle = memory[hybrid.NORMAL : hybrid.NORMAL + 3], memory[hybrid.TILT]
    along = (1.0 - math.cos(angle)) * (axis @ normal) * axis
    turned = math.cos(angle) * normal + math.sin(angle) * np.cross(axis, normal) + along
    return bool(memory[hybrid.PHASE] == hybrid.SLIDING), turned


def slide_about(law: Applied, axis: np.ndarray) -> None:
    """Let a sliding law go on about another axis (3,); see ``with_sliding``."""
    law.memory[hybrid.AXIS : hybrid.AXIS + 3] = axis
