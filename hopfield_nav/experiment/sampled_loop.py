"""With which gains a control loop that is sampled by a computer stays stable.

A law of the form of ``Gains`` turns each joint into a double integrator under the feedback a = -K0
q - K1 q'. A computer samples it, holds the torque for a period and applies it some periods later:
one period is a matrix, and where that has an eigenvalue outside the unit circle the loop is
unstable whatever the arm.
"""

import math
from functools import lru_cache

import numpy as np

from hopfield_nav.plugin import Gains

_BISECTIONS = 60
_ROUNDING = 1e-9  # of an eigenvalue: without K0 one is 1


@lru_cache(maxsize=128)
def largest_factor(position: float, velocity: float, delay: int) -> float:
    """Largest factor on K1, and squared on K0, with which the sampled loop is stable.

    The model is perfect. K0 is given as K0 · period², K1 as K1 · period, the delay from sensing to
    torque in periods.

    Source: discrete-time form of ragazzon2012 (4.4) under zero-order hold.
    """
    low, high = 0.0, 2.0 / max(velocity, math.sqrt(position))
    for _ in range(_BISECTIONS):
        factor = 0.5 * (low + high)
        radius = _spectral_radius(factor**2 * position, factor * velocity, delay)
        if radius <= 1.0 + _ROUNDING:
            low = factor
        else:
            high = factor
    return low


def _spectral_radius(position: float, velocity: float, delay: int) -> float:
    """Largest |eigenvalue| of one period; arguments as ``largest_factor``."""
    size = 2 + delay
    step = np.zeros((size, size))
    step[:2, :2] = [[1.0, 1.0], [0.0, 1.0]]  # angle, and velocity times the period
    law = np.array([-position, -velocity])
    pushed = np.array([0.5, 1.0])
    if delay == 0:
        step[:2, :2] += np.outer(pushed, law)
    else:
        step[:2, 2] = pushed  # the oldest acceleration under way acts now
        for k in range(2, size - 1):
            step[k, k + 1] = 1.0
        step[size - 1, :2] = law
    return float(np.abs(np.linalg.eigvals(step)).max())


def warn_of_gains(gains: Gains, source: str, period: float, delay: int) -> list[str]:
    """A sentence for each limit that gains, (n,) each, are beyond in their sampled loop.

    ``source`` says where they come from; the period is in seconds, the delay from sensing to torque
    in whole periods.
    """
    beyond: dict[str, list[str]] = {}
    for joint, (position, velocity) in enumerate(np.column_stack(gains), 1):
        if position == velocity == 0.0:
            continue
        factor = largest_factor(position * period**2, velocity * period, delay)
        if factor < 1.0:
            k0, k1 = factor**2 * position, factor * velocity
            limit = f"{math.sqrt(k0):.3g} rad/s (K0 {k0:.3g} 1/s², K1 {k1:.3g} 1/s)"
            beyond.setdefault(limit, []).append(str(joint))
    behind = "" if delay == 0 else f" and a delay of {delay} period{'s' if delay > 1 else ''}"
    return [
        f"{source} of joint {', '.join(fast)}: the natural frequency is beyond {limit}, from which a loop with a "
        f"period of {1e3 * period:g} ms{behind} is unstable with this damping"
        for limit, fast in beyond.items()
    ]
