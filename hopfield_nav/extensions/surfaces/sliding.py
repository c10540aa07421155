"""The law ``hybrid_force_motion`` in the place of a world's own: what it is told, and what it says.

For whoever lets an arm slide for a while, as ``experiment.slide_phase`` does.
"""

import math

import numpy as np

from hopfield_nav.control import Controller
from hopfield_nav.extensions.surfaces.laws import hybrid_force_motion as hybrid
from hopfield_nav.plugin import Applied, Gains, applied

_PERIOD = 1e-3  # [s] for which the law's own gains are


def with_sliding(
    controller: Controller,
    force: float,
    speed: float,
    normal: np.ndarray,
    axis: np.ndarray,
    bias: np.ndarray,
    period: float,
    gains: Gains | None = None,
) -> Controller:
    """The control computer with a law that approaches a surface and slides along it.

    Limits, period and delay stay. Wanted are a ``force`` across the surface [N] and a ``speed`` along it [m/s].
    ``normal`` (3,) points from the surface, as far as it is known, ``axis`` (3,) is perpendicular to it, both unit
    vectors; about the axis the arm slides counter-clockwise around what it touches. The estimator believes in the
    force ``bias`` (3,) without a contact [N]. The gains of the force are as much smaller as the ``period`` [s] of
    control is longer than 1 ms. The joints follow with ``gains``, (n,) each; None, or without stiffness: with those of
    the law itself.
    """
    slower = min(1.0, _PERIOD / period)
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
            values[parameter.name] = slower * float(np.asarray(parameter.default))
    if gains is not None and np.min(gains.position) > 0.0:
        values |= _oscillators(gains)
    law = applied(hybrid.METHOD, values, len(controller.model.dh))
    law.memory[hybrid.BIAS : hybrid.BIAS + 3] = bias
    return controller._replace(law=law, feedforward=False)


def _oscillators(gains: Gains) -> dict[str, list[float]]:
    """Natural frequencies and damping ratios of joints with these gains, within the ranges of the law."""
    omega = np.sqrt(gains.position)
    found = {"natural_frequency": omega, "damping_ratio": 0.5 * np.asarray(gains.velocity) / omega}
    ranges = {p.name: (p.low, p.high) for p in hybrid.METHOD.parameters}
    return {name: np.clip(values, *ranges[name]).tolist() for name, values in found.items()}


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
