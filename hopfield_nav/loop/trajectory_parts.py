"""Trajectories made of others, and their values at many times at once.

Joined and slowed down; and one at rest. ``trajectory.py`` has the value at one time.
"""

from collections.abc import Sequence

import numpy as np
from numpy.polynomial import polynomial

from hopfield_nav.loop.trajectory import Trajectory


def joined(parts: Sequence[Trajectory]) -> Trajectory:
    """Trajectories one after the other, from time 0 on."""
    knots = [np.zeros(1)]
    now = 0.0
    for part in parts:
        knots.append(part.knots[1:] - part.knots[0] + now)
        now = knots[-1][-1]
    coefficients = [part.coefficients for part in parts]
    return Trajectory(np.concatenate(knots), np.concatenate(coefficients))


def slowed(trajectory: Trajectory, factor: float) -> Trajectory:
    """The same motion, taking ``factor`` times as long."""
    scale = factor ** -np.arange(6.0)[:, None]
    return trajectory._replace(
        knots=trajectory.knots * factor, coefficients=trajectory.coefficients * scale
    )


def sample(
    trajectory: Trajectory, inside: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Times (m,) and position, velocity, acceleration (m, n) at instants of every piece.

    There are ``inside`` + 1 of a piece. Both ends of it are among them, each with the piece's own
    polynomial: where the acceleration jumps, both values are seen.
    """
    h = np.diff(trajectory.knots)
    t = h[:, None] * np.linspace(0.0, 1.0, inside + 1)
    values = [_polynomials(trajectory.coefficients, t, order) for order in range(3)]
    n = trajectory.coefficients.shape[2]
    time = trajectory.knots[:-1, None] + t
    return (
        time.ravel(),
        values[0].reshape(-1, n),
        values[1].reshape(-1, n),
        values[2].reshape(-1, n),
    )


def values_at(
    trajectory: Trajectory, times: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Position, velocity and acceleration, each (m, n), at times (m,) [s].

    Units are those of the trajectory. From its last knot on it rests; a time before its first knot
    counts as that knot.
    """
    clipped = np.clip(times, trajectory.knots[0], trajectory.knots[-1])
    last = len(trajectory.coefficients) - 1
    piece = np.clip(np.searchsorted(trajectory.knots, clipped, side="right") - 1, 0, last)
    local = (clipped - trajectory.knots[piece])[:, None]
    coefficients = trajectory.coefficients[piece]
    q, qd, qdd = (_polynomials(coefficients, local, order)[:, 0] for order in range(3))
    ended = np.asarray(times) >= trajectory.knots[-1]
    qd[ended] = 0.0
    qdd[ended] = 0.0
    return q, qd, qdd


def _polynomials(coefficients: np.ndarray, t: np.ndarray, order: int) -> np.ndarray:
    """(k, m, n) derivative of the pieces at local times ``t`` (k, m)."""
    rows = polynomial.polyder(np.moveaxis(coefficients, 1, 0), order)
    return np.asarray(polynomial.polyval(t[..., None], rows[:, :, None], tensor=False))


def resting(q: np.ndarray) -> Trajectory:
    """A trajectory without duration that rests at ``q`` (n,) [rad]."""
    coefficients = np.zeros((1, 6, len(q)))
    coefficients[0, 0] = q
    return Trajectory(np.zeros(2), coefficients)
