"""The Lyapunov function of the network, ragazzon2012 (6.4), with the sign that (6.5) uses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynamics.errors import BadInput
from hopfield_nav.activations import Activation
from hopfield_nav.neighbours import neighbours


def lyapunov(
    activation: np.ndarray,
    function: Activation,
    radius: float = 1.0,
    periodic: Sequence[bool] | None = None,
    as_printed: bool = False,
) -> float:
    """L(sigma) = -1/2 sum T_ij sigma_i sigma_j + sum G(sigma_i), ragazzon2012 (6.4).

    The inputs I act on clamped neurons alone, whose terms are constant and left out. In a synchronous
    sweep L does not increase if the steepest slope of g is below 1/|lambda_min| (6.8).

    Args:
        activation: sigma, any shape, obstacles and target clamped.
        function: g.
        radius: of the neighbourhood, in cells.
        periodic: for each axis, whether it is closed.
        as_printed: with + in place of - before the first sum, as (6.4) is printed. That one rises too.

    Returns:
        L.

    Raises:
        BadInput: an activation outside [0, 1], or arguments that do not fit one another.
    """
    sigma = np.asarray(activation, dtype=float)
    if not ((sigma >= 0) & (sigma <= 1)).all():
        raise BadInput("activation", found="a value outside", allowed="0 to 1")
    table = neighbours(sigma.shape, radius, periodic=periodic).table
    flat = np.append(sigma.ravel(), 0.0)
    pairs = 0.5 * float(flat[:-1] @ flat[table].sum(axis=1))
    return (pairs if as_printed else -pairs) + float(function.integral(sigma).sum())
