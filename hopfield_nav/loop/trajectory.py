"""Joint waypoints to quintic splines, and their values at a time (ragazzon2012 6.3.3).

One polynomial of degree five a segment (6.14), with position, velocity and acceleration given at
both ends: at inner waypoints the velocity of the neighbours' difference quotient and no
acceleration, at the start whatever the arm was told to do just before, at the end rest.
"""

import math
from typing import NamedTuple

import numpy as np

from dynamics import BadInput
from dynamics.kernels.decorators import inlined, kernel

SAMPLES = 32  # points a segment at which the speed limit is checked


class Trajectory(NamedTuple):
    """Reference motion of the joints."""

    knots: np.ndarray  # (k + 1,) times of the waypoints [s]
    coefficients: np.ndarray  # (k, 6, n) of t^0…t^5, t counted from the segment's start [rad, s]
    sample_time: float = 0.0  # the reference is held between multiples of it [s]; 0: continuous


def quintic_trajectory(
    waypoints: np.ndarray,
    segment_time: float | np.ndarray,
    start_time: float = 0.0,
    start_velocity: np.ndarray | None = None,
    start_acceleration: np.ndarray | None = None,
    speed_limits: np.ndarray | None = None,
    sample_time: float = 0.0,
    rest: np.ndarray | None = None,
) -> Trajectory:
    """Quintic splines through joint waypoints (k + 1, n) [rad]; through a single one, a rest there.

    They are continuous in position, velocity and acceleration. ``segment_time`` is that from
    waypoint to waypoint, one number or (k,) [s]; a segment that would exceed ``speed_limits`` (n,)
    [rad/s] takes longer, only the first exceeds them where the velocity and acceleration it is
    given at its start leave no choice, as little as they allow. At ``start_time`` [s] the arm has
    ``start_velocity`` and ``start_acceleration`` (n,) [rad/s, rad/s²], default none. ``rest`` (k,)
    says at which waypoint behind the first it stops, default the last one; for ``sample_time`` [s]
    see ``Trajectory``.

    Raises ``BadInput``: waypoints that are not (k + 1, n) finite numbers, times that are not
    positive and finite, or a start velocity, acceleration or speed limit that is not (n,).

    Source: ragazzon2012 (6.14).
    """
    points = np.asarray(waypoints, dtype=np.float64)
    if points.ndim != 2 or len(points) == 0 or not np.all(np.isfinite(points)):
        raise BadInput(
            "waypoints must be finite joint angles", found=points.shape, allowed="(k + 1, n)"
        )
    if len(points) == 1:
        points = np.repeat(points, 2, axis=0)
    count = len(points) - 1
    times = np.asarray(segment_time, dtype=np.float64)
    if times.shape not in {(), (count,)} or not np.all((times > 0) & (times < np.inf)):
        raise BadInput(
            "times must be positive", found=segment_time, allowed=f"one number, or {count} [s]"
        )
    durations = np.zeros(count) + times
    if not 0.0 <= sample_time < math.inf or not math.isfinite(start_time):
        raise BadInput(
            "times must be finite", found=(start_time, sample_time), allowed="sample_time 0 or more"
        )
    n = points.shape[1]
    first_velocity = _one_a_joint(start_velocity, "start_velocity", n, 0.0)
    first_acceleration = _one_a_joint(start_acceleration, "start_acceleration", n, 0.0)
    limits = _one_a_joint(speed_limits, "speed_limits", n, np.inf)
    if not np.all(limits > 0):
        raise BadInput("speed limits must be positive", found=limits.tolist())
    coefficients = np.empty((count, 6, n))
    still = np.zeros(count, dtype=bool) if rest is None else np.asarray(rest, dtype=bool)
    if still.shape != durations.shape:
        raise BadInput(
            "rest is of another length", found=still.shape, allowed=f"({count},) booleans"
        )
    _fit_within_limits(
        points, durations, still, first_velocity, first_acceleration, limits, coefficients
    )
    knots = start_time + np.concatenate([[0.0], np.cumsum(durations)])
    return Trajectory(knots, coefficients, float(sample_time))


def _one_a_joint(value: np.ndarray | None, name: str, n: int, default: float) -> np.ndarray:
    if value is None:
        return np.full(n, default)
    array = np.ascontiguousarray(value, dtype=np.float64)
    if array.shape != (n,) or np.any(np.isnan(array)):
        raise BadInput(
            f"{name} has the wrong shape or holds NaN", found=array.tolist(), allowed=f"({n},)"
        )
    return array


def evaluate(trajectory: Trajectory, time: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Position, velocity and acceleration, each (n,), at a time [s]; at rest after the end."""
    n = trajectory.coefficients.shape[2]
    q, qd, qdd = np.empty(n), np.empty(n), np.empty(n)
    _evaluate(trajectory, float(time), q, qd, qdd)
    return q, qd, qdd


@inlined
def evaluate_into(trajectory, time, segment, q, qd, qdd):
    """Write the reference at ``time``; returns its segment.

    ``segment`` is that of a time before.
    """
    knots, coefficients = trajectory.knots, trajectory.coefficients
    hold = trajectory.sample_time
    t = time
    if hold > 0.0:  # small share of a sample: times on the raster must not fall to the row before
        t = knots[0] + math.floor((time - knots[0]) / hold + 1e-6) * hold
    last = coefficients.shape[0] - 1
    k = segment
    while k < last and t >= knots[k + 1]:
        k += 1
    while k > 0 and t < knots[k]:
        k -= 1
    resting = t >= knots[last + 1]
    s = min(max(t, knots[0]), knots[last + 1]) - knots[k]
    for j in range(q.size):
        c0, c1, c2 = coefficients[k, 0, j], coefficients[k, 1, j], coefficients[k, 2, j]
        c3, c4, c5 = coefficients[k, 3, j], coefficients[k, 4, j], coefficients[k, 5, j]
        q[j] = c0 + s * (c1 + s * (c2 + s * (c3 + s * (c4 + s * c5))))
        qd[j] = 0.0 if resting else c1 + s * (2 * c2 + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)))
        qdd[j] = 0.0 if resting else 2 * c2 + s * (6 * c3 + s * (12 * c4 + s * 20 * c5))
    return k


@kernel
def _evaluate(trajectory, time, q, qd, qdd):
    evaluate_into(trajectory, time, 0, q, qd, qdd)


@kernel
def _fit(points, durations, rest, first_velocity, first_acceleration, out):
    """Coefficients of all segments for given durations."""
    count = durations.size
    n = points.shape[1]
    for j in range(n):
        v0, a0 = first_velocity[j], first_acceleration[j]
        for k in range(count):
            v1 = 0.0
            if k + 1 < count and not rest[k]:
                v1 = (points[k + 2, j] - points[k, j]) / (durations[k] + durations[k + 1])
            h = durations[k]
            step = points[k + 1, j] - points[k, j]
            p = step - (v0 + 0.5 * a0 * h) * h
            v = (v1 - v0 - a0 * h) * h
            a = -a0 * h * h
            out[k, 0, j], out[k, 1, j], out[k, 2, j] = points[k, j], v0, 0.5 * a0
            out[k, 3, j] = (10 * p - 4 * v + 0.5 * a) / h**3
            out[k, 4, j] = (-15 * p + 7 * v - a) / h**4
            out[k, 5, j] = (6 * p - 3 * v + 0.5 * a) / h**5
            v0, a0 = v1, 0.0


@kernel
def _fit_within_limits(points, durations, rest, first_velocity, first_acceleration, limits, out):
    """Fit, and lengthen the segments that are too fast, until none is (at most 50 rounds).

    Where the first segment gets no slower, its given start is to blame, and its best duration is
    kept.
    """
    best = durations[0]
    least = math.inf
    moving = False
    for j in range(limits.size):
        moving = moving or first_velocity[j] != 0.0 or first_acceleration[j] != 0.0
    for _ in range(50):
        _fit(points, durations, rest, first_velocity, first_acceleration, out)
        changed = False
        for k in range(durations.size):
            share = _largest_share(out[k], durations[k], limits, k == 0)
            if share <= 1.0 + 1e-9:
                continue
            if moving and k == 0 and share >= least:
                changed = changed or durations[0] != best
                durations[0] = best
                continue
            if k == 0:
                best = durations[0]
                least = share
            durations[k] *= min(max(share, 1.02), 2.0)
            changed = True
        if not changed:
            return
    _fit(points, durations, rest, first_velocity, first_acceleration, out)


@kernel
def _largest_share(coefficients, duration, limits, given_start):
    """Largest speed on a segment as a share of its joint's limit."""
    share = 0.0
    for j in range(limits.size):
        # no duration can mend the start speed
        if given_start and abs(coefficients[1, j]) > limits[j]:
            continue
        c1, c2, c3 = coefficients[1, j], coefficients[2, j], coefficients[3, j]
        c4, c5 = coefficients[4, j], coefficients[5, j]
        for m in range(SAMPLES + 1):
            s = duration * m / SAMPLES
            speed = c1 + s * (2 * c2 + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)))
            share = max(share, abs(speed) / limits[j])
    return share
