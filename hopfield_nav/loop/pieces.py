"""Trajectories from values at knots: quintic pieces, joined, slowed down, sampled."""

from collections.abc import Sequence

import numpy as np

from dynamics import BadInput
from hopfield_nav.loop.trajectory import SAMPLES, Trajectory

_ORDERS = np.arange(6.0)


def quintic_pieces(
    knots: np.ndarray, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, qdd_end: np.ndarray | None = None
) -> Trajectory:
    """The k polynomials of degree five with given position, velocity and acceleration at their ends.

    At increasing times ``knots`` (k + 1,) [s] there are ``q``, ``qd`` and, from each knot on, ``qdd`` (k + 1, n)
    [rad, rad/s, rad/s²]. ``qdd_end`` (k, n) is the acceleration towards the end of each piece; default that from the
    next knot on: no jump.

    Source: ragazzon2012 (6.14).
    """
    h = np.diff(knots)[:, None]
    first, last = qdd[:-1], qdd[1:] if qdd_end is None else qdd_end
    p = q[1:] - q[:-1] - (qd[:-1] + 0.5 * first * h) * h
    v = (qd[1:] - qd[:-1] - first * h) * h
    a = (last - first) * h * h
    high = ((10 * p - 4 * v + 0.5 * a) / h**3, (-15 * p + 7 * v - a) / h**4, (6 * p - 3 * v + 0.5 * a) / h**5)
    coefficients = np.stack([q[:-1], qd[:-1], 0.5 * first, *high], axis=1)
    return Trajectory(np.array(knots, dtype=np.float64), np.ascontiguousarray(coefficients))


RESTING, SHORTEST = 1e-3, 0.2  # [rad/s] within which all joints rest; [s] of a part that counts


def parts_of_motion(time: np.ndarray, qd: np.ndarray) -> list[slice]:
    """Rows (k,) [s], (k, n) [rad/s] of a motion between two rests, of what moves for long enough."""
    moves = np.abs(qd).max(axis=1) > RESTING
    edges = np.flatnonzero(np.diff(np.concatenate([[0], moves.astype(int), [0]])))
    rows = [slice(int(a), int(b)) for a, b in edges.reshape(-1, 2)]
    return [part for part in rows if np.ptp(time[part]) >= SHORTEST]


def shares_of_segments(trajectory: Trajectory, shares: Sequence[float]) -> np.ndarray:
    """A share for each segment of a trajectory (k,), of one for each part of it.

    Raises ``BadInput``: another number of parts.
    """
    time, _, qd, _ = sample(trajectory, SAMPLES)
    begins = [time[part.start] for part in parts_of_motion(time, qd)]
    if len(begins) != len(shares):
        allowed = f"{len(begins)}, one for each part between two rests of this motion"
        raise BadInput("wrong number of shares", where="detection.by_segment", found=len(shares), allowed=allowed)
    middle = (trajectory.knots[1:] + trajectory.knots[:-1]) / 2
    return np.asarray(shares, dtype=np.float64)[np.maximum(np.searchsorted(begins, middle) - 1, 0)]


def resting(q: np.ndarray) -> Trajectory:
    """A trajectory without duration that rests at ``q`` (n,) [rad]."""
    coefficients = np.zeros((1, 6, len(q)))
    coefficients[0, 0] = q
    return Trajectory(np.zeros(2), coefficients)


def joined(parts: Sequence[Trajectory]) -> Trajectory:
    """Trajectories one after the other, from time 0 on."""
    knots, now = [np.zeros(1)], 0.0
    for part in parts:
        knots.append(part.knots[1:] - part.knots[0] + now)
        now = knots[-1][-1]
    return Trajectory(np.concatenate(knots), np.concatenate([p.coefficients for p in parts]))


def slowed(trajectory: Trajectory, factor: float) -> Trajectory:
    """The same motion, taking ``factor`` times as long."""
    scale = factor ** -_ORDERS[:, None]
    return trajectory._replace(knots=trajectory.knots * factor, coefficients=trajectory.coefficients * scale)


def sample(trajectory: Trajectory, inside: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Times (m,) and position, velocity, acceleration (m, n) at ``inside`` + 1 instants of every piece.

    Both ends of a piece are among them, each with the piece's own polynomial: where the acceleration jumps, both
    values are seen.
    """
    h = np.diff(trajectory.knots)
    t = h[:, None] * np.linspace(0.0, 1.0, inside + 1)
    values = [_polynomials(trajectory.coefficients, t, order) for order in range(3)]
    n = trajectory.coefficients.shape[2]
    time = trajectory.knots[:-1, None] + t
    return time.ravel(), values[0].reshape(-1, n), values[1].reshape(-1, n), values[2].reshape(-1, n)


def values_at(trajectory: Trajectory, times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Position, velocity and acceleration, each (m, n), at times (m,) [s]; at rest from the end on."""
    clipped = np.clip(times, trajectory.knots[0], trajectory.knots[-1])
    last = len(trajectory.coefficients) - 1
    piece = np.clip(np.searchsorted(trajectory.knots, clipped, side="right") - 1, 0, last)
    local = (clipped - trajectory.knots[piece])[:, None]
    q, qd, qdd = (_polynomials(trajectory.coefficients[piece], local, order)[:, 0] for order in range(3))
    ended = np.asarray(times) >= trajectory.knots[-1]
    qd[ended], qdd[ended] = 0.0, 0.0
    return q, qd, qdd


def _polynomials(coefficients: np.ndarray, t: np.ndarray, order: int) -> np.ndarray:
    """(k, m, n) derivative of the pieces at local times ``t`` (k, m)."""
    for _ in range(order):
        degree = np.arange(1.0, coefficients.shape[1])
        coefficients = coefficients[:, 1:] * degree[:, None]
    value = np.zeros((*t.shape, coefficients.shape[2]))
    for k in range(coefficients.shape[1] - 1, -1, -1):
        value = value * t[..., None] + coefficients[:, None, k]
    return value
