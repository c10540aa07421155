"""Activation functions of the plain network (ragazzon2012, chapters 2 and 6).

As a planner the network needs two things of g. Its slope must stay below 1/lambda, else (6.12) does not hold: the
equilibrium is not unique and cells saturate. And g(0) must be 0, so that what the target cannot reach stays dark;
g(0) > 0 lights the whole map, and the ascent ends in that light.

The document prints the middle branch of the saturated linear function as v, which jumps at both ends; here it is v +
1/2, with a slope that can be chosen.
"""

import math
from typing import NamedTuple

import numpy as np

from dynamics import BadInput
from dynamics.kernels.decorators import inlined

LINEAR, TANH, THRESHOLD, SATURATED, SIGMOID, SHUNTING = range(6)
NAMES = ("linear", "tanh", "threshold", "saturated", "sigmoid", "shunting")


class Activation(NamedTuple):
    """One activation function."""

    # LINEAR, clamp(b v, 0, 1), the document's program; TANH, tanh(b v) above 0 and 0 below (Glasius et al.
    # 1995); THRESHOLD, 1 from v = 0 on; SATURATED, clamp(b v + 1/2, 0, 1); SIGMOID, 1/(1 + exp(-b v));
    # SHUNTING, b v/(1 + b v) above 0 and 0 below: where the shunting equation of Yang and Meng (2000) settles, b being
    # their B mu/A in units of B, the target held by a strong input; a longer step weighs 1/length in v.
    kind: int
    slope: float  # b; unused by THRESHOLD

    @property
    def steepest(self) -> float:
        """Largest slope g', the beta of ragazzon2012 (6.7)."""
        return {THRESHOLD: math.inf, SIGMOID: 0.25 * self.slope}.get(self.kind, self.slope)

    def integral(self, sigma: np.ndarray) -> np.ndarray:
        """G(sigma), the integral of the inverse of g from 0 on, in the Lyapunov function (6.4) of ragazzon2012.

        A neuron clamped at 1 has a constant term, which may be any.
        """
        s, b = np.asarray(sigma, float), self.slope
        if self.kind == LINEAR:
            return s * s / (2 * b)
        if self.kind == SATURATED:
            return s * (s - 1) / (2 * b)
        if self.kind == SHUNTING:
            return (-s - np.log1p(-np.where(s < 1, s, 0.0))) / b
        if self.kind == SIGMOID:
            return (_x_log_x(s) + _x_log_x(1 - s)) / b
        return (_x_log_x(1 + s) + _x_log_x(1 - s)) / (2 * b)  # TANH


def _x_log_x(x: np.ndarray) -> np.ndarray:
    return x * np.log(np.where(x > 0, x, 1.0))


def activation(name: str, slope: float = 0.1) -> Activation:
    """An activation function by its name, one of ``NAMES``, with a slope b above 0."""
    if name not in NAMES:
        raise BadInput("activation function", found=name, allowed=", ".join(NAMES))
    if not (math.isfinite(slope) and slope > 0):
        raise BadInput("slope of the activation function", found=slope, allowed="positive")
    return Activation(NAMES.index(name), float(slope))


@inlined
def respond(kind, slope, v):
    """g(v) of a neuron."""
    if kind == LINEAR:
        return min(max(slope * v, 0.0), 1.0)
    if kind == TANH:
        return math.tanh(slope * v) if v > 0.0 else 0.0
    if kind == THRESHOLD:
        return 1.0 if v >= 0.0 else 0.0
    if kind == SHUNTING:
        return slope * v / (1.0 + slope * v) if v > 0.0 else 0.0
    if kind == SATURATED:
        return min(max(slope * v + 0.5, 0.0), 1.0)
    return 1.0 / (1.0 + math.exp(-slope * v))
