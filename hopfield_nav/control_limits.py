"""How fast a sampled and delayed control loop may be made.

The inverse-dynamics law turns each joint into a double integrator under critically damped feedback,
a = -omega² q - 2 omega q'. A computer samples it, holds the torque for a period and applies it some
periods later; from some omega · period on that loop is unstable whatever the arm. ``simulation`` asks
it for a warning.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

_BISECTIONS = 60


def largest_stable_omega(period: float, delay: int = 0) -> float:
    """Natural frequency from which the sampled loop is unstable, for a perfect model [rad/s].

    Args:
        period: of the control loop [s].
        delay: whole periods from sensing to torque.

    Returns:
        [rad/s]: 1/period without delay, 0.424/period with one period of it, falling further.

    Source: discrete-time form of ragazzon2012 (4.4) under zero-order hold.
    """
    return _stable_product(delay) / period


@lru_cache(maxsize=128)
def _stable_product(delay: int) -> float:
    """Largest omega · period with all eigenvalues inside the unit circle."""
    low, high = 0.0, 2.0
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if spectral_radius(middle, delay) < 1.0 else (low, middle)
    return low


def spectral_radius(product: float, delay: int) -> float:
    """Largest |eigenvalue| of one period, for ``product`` = omega · period and a delay in periods."""
    size = 2 + delay
    step = np.zeros((size, size))
    step[:2, :2] = [[1.0, 1.0], [0.0, 1.0]]  # angle, and velocity times the period
    law = np.array([-(product**2), -2.0 * product])
    pushed = np.array([0.5, 1.0])
    if delay == 0:
        step[:2, :2] += np.outer(pushed, law)
    else:
        step[:2, 2] = pushed  # the oldest acceleration under way acts now
        for k in range(2, size - 1):
            step[k, k + 1] = 1.0
        step[size - 1, :2] = law
    return float(np.abs(np.linalg.eigvals(step)).max())


def omega_warning(omega: np.ndarray, period: float, delay: int) -> str | None:
    """A sentence where a joint is faster than its sampled loop allows, or None.

    Args:
        omega: (n,) natural frequencies [rad/s].
        period: of the control loop [s].
        delay: whole periods from sensing to torque.
    """
    limit = largest_stable_omega(period, delay)
    fast = np.flatnonzero(omega > limit)
    if not fast.size:
        return None
    joints = ", ".join(str(i + 1) for i in fast)
    behind = "" if delay == 0 else f" and a delay of {delay} period{'s' if delay > 1 else ''}"
    return (
        f"controller.omega of joint {joints} is beyond {limit:.3g} rad/s, from which a loop with a period of "
        f"{1e3 * period:g} ms{behind} is unstable"
    )
