"""Activation functions of the plain network, and its Lyapunov function (ragazzon2012, chapters 2 and 6).

As a planner the network needs two things of g. Its slope must stay below 1/lambda, else (6.12) does not
hold: the equilibrium is not unique and cells saturate. And g(0) must be 0, so that what the target
cannot reach stays dark; g(0) > 0 lights the whole map, and the ascent ends in that light.

The document prints the middle branch of the saturated linear function as v, which jumps at both ends;
here it is v + 1/2, with a slope that can be chosen. ``lyapunov`` is (6.4) with the sign that (6.5) uses.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dynamics import BadInput
from dynamics.kernels.decorators import inlined
from hopfield_nav.planning.neighbourhood import Neighbourhood, on_grid

LINEAR, TANH, THRESHOLD, SATURATED, SIGMOID = range(5)
NAMES = ("linear", "tanh", "threshold", "saturated", "sigmoid")


class Activation(NamedTuple):
    """One activation function."""

    # LINEAR, clamp(b v, 0, 1), the document's program; TANH, tanh(b v) above 0 and 0 below (Glasius et al.
    # 1995); THRESHOLD, 1 from v = 0 on; SATURATED, clamp(b v + 1/2, 0, 1); SIGMOID, 1/(1 + exp(-b v)).
    kind: int
    slope: float  # b; unused by THRESHOLD

    @property
    def steepest(self) -> float:
        """Largest slope g', the beta of ragazzon2012 (6.7)."""
        factor = {THRESHOLD: math.inf, SIGMOID: 0.25}.get(self.kind, 1.0)
        return math.inf if self.kind == THRESHOLD else factor * self.slope

    @property
    def at_rest(self) -> float:
        """g(0)."""
        return {LINEAR: 0.0, TANH: 0.0, THRESHOLD: 1.0}.get(self.kind, 0.5)

    def integral(self, activation: np.ndarray) -> np.ndarray:
        """G(sigma), the integral of the inverse of g from 0 to sigma in [0, 1], ragazzon2012 (6.4).

        It is zero for THRESHOLD, whose inverse is nowhere defined.
        """
        s, b = np.asarray(activation, dtype=float), self.slope
        if self.kind == LINEAR:
            return s * s / (2 * b)
        if self.kind == SATURATED:
            return s * (s - 1) / (2 * b)
        if self.kind == SIGMOID:
            return (_x_log_x(s) + _x_log_x(1 - s)) / b
        if self.kind == TANH:
            return (_x_log_x(1 + s) + _x_log_x(1 - s)) / (2 * b)
        return np.zeros_like(s)


def activation(name: str, slope: float = 0.1) -> Activation:
    """An activation function by its name, one of ``NAMES``, with a slope b above 0.

    Raises:
        BadInput: an unknown name, or a slope that is not positive.
    """
    if name not in NAMES:
        raise BadInput("activation function", found=name, allowed=", ".join(NAMES))
    if not (math.isfinite(slope) and slope > 0):
        raise BadInput("slope of the activation function", found=slope, allowed="positive")
    return Activation(NAMES.index(name), float(slope))


def check_activation(chosen: Activation, eigenvalue: float, shape: Sequence[int]) -> Activation:
    """The function, if its equilibrium is unique: ragazzon2012 (6.12) with beta the steepest slope.

    Raises:
        BadInput: it is too steep.
    """
    if not chosen.steepest * eigenvalue < 1:
        limit = 1 / eigenvalue if eigenvalue > 0 else math.inf
        allowed = f"below {limit:.6g} = 1/lambda_max for shape {tuple(shape)}"
        what = f"activation function {NAMES[chosen.kind]} breaks the condition of ragazzon2012 (6.12)"
        raise BadInput(what, found=f"steepest slope {chosen.steepest:g}", allowed=allowed)
    return chosen


@inlined
def respond(kind, slope, v):
    """g(v) of a neuron."""
    if kind == LINEAR:
        return min(max(slope * v, 0.0), 1.0)
    if kind == TANH:
        return math.tanh(slope * v) if v > 0.0 else 0.0
    if kind == THRESHOLD:
        return 1.0 if v >= 0.0 else 0.0
    if kind == SATURATED:
        return min(max(slope * v + 0.5, 0.0), 1.0)
    return 1.0 / (1.0 + math.exp(-slope * v))


def lyapunov(
    activation: np.ndarray, function: Activation, near: Neighbourhood | None = None, as_printed: bool = False
) -> float:
    """L(sigma) = -1/2 sum T_ij sigma_i sigma_j + sum G(sigma_i), ragazzon2012 (6.4).

    The inputs I act on clamped neurons alone, whose terms are constant and left out. In a synchronous sweep L
    does not increase if the steepest slope of g is below 1/|lambda_min| (6.8). ``as_printed`` has + in place
    of - before the first sum, as (6.4) is printed; that one rises too.

    Raises:
        BadInput: an activation outside [0, 1], or arguments that do not fit one another.
    """
    sigma = np.asarray(activation, dtype=float)
    if not ((sigma >= 0) & (sigma <= 1)).all():
        raise BadInput("activation", found="a value outside", allowed="0 to 1")
    table = on_grid(near, sigma.shape).plain.table
    flat = np.append(sigma.ravel(), 0.0)
    pairs = 0.5 * float(flat[:-1] @ flat[table].sum(axis=1))
    return (pairs if as_printed else -pairs) + float(function.integral(sigma).sum())


def _x_log_x(x: np.ndarray) -> np.ndarray:
    return x * np.log(np.where(x > 0, x, 1.0))
