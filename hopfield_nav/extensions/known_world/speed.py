"""Speeds along a path that keep the limits of speed, acceleration and torque.

With q(s) the joint rates are q' sd and q' sdd + q'' sd², and the torque is linear in sdd and sd² too: M q' sdd + (M
q'' + C(q, q') q') sd² + g. ``limit_rows`` gives these terms at the points of a grid, ``kept_speed`` a speed that keeps
them, ``time_optimal.fastest_speed`` the highest one; what happens between the points is for the caller to check.
``position_over_time`` makes a motion of these speeds.
"""

from typing import NamedTuple

import numpy as np

from dynamics import Arm, inverse_dynamics, jacobian, joint_friction_torque
from hopfield_nav.extensions.known_world.limits import MotionLimits
from hopfield_nav.extensions.known_world.path_segments import PathSegment


class LimitRows(NamedTuple):
    """All limits at m points of a grid: a sdd + b sd² + c within ±1, and a bound of sd²."""

    # a, b, c: (m, k) shares of the limits of acceleration and torque, of those that there are
    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    square_speed: np.ndarray  # (m,) upper bound of sd² by the speeds of joints and tool


def limit_rows(arm: Arm, segment: PathSegment, limits: MotionLimits, friction_speed: np.ndarray) -> LimitRows:
    """The limits at a segment's grid; friction in the joints is taken at ``friction_speed`` (m,) [rad/s]."""
    q, first, second = (segment.path(segment.grid, order) for order in range(3))
    zero = np.zeros_like(q)
    gravity = inverse_dynamics(arm, q, zero, zero)
    friction = joint_friction_torque(arm, first * friction_speed[:, None])
    a = inverse_dynamics(arm, q, zero, first) - gravity
    b = inverse_dynamics(arm, q, first, second) - gravity
    terms = np.stack([[first, second, zero], [a, b, gravity + friction]])
    bounds = np.stack([limits.acceleration, limits.torque])
    kept = np.isfinite(bounds)
    a, b, c = (terms[:, k].transpose(1, 0, 2)[:, kept] / bounds[kept] for k in range(3))
    return LimitRows(a, b, c, _square_speed(arm, q, first, limits))


def _square_speed(arm: Arm, q: np.ndarray, first: np.ndarray, limits: MotionLimits) -> np.ndarray:
    tool = np.linalg.norm(np.einsum("kij,kj->ki", jacobian(arm, q)[:, :3], first), axis=1)
    with np.errstate(divide="ignore"):
        joints = np.min(limits.speed / np.abs(first), axis=1)
        return np.minimum(joints, limits.tool_speed / tool) ** 2


def kept_speed(arm: Arm, segment: PathSegment, limits: MotionLimits, friction_speed: np.ndarray) -> np.ndarray | None:
    """A path speed (m,) [rad/s] at a segment's grid, rest to rest; None where friction and gravity leave no room.

    On a straight segment whose torque is not at its limit it is the trapezoid, and the highest one. Else at most half
    of what gravity and friction leave goes into sd², and the rest into sdd of either sign.
    """
    rows = limit_rows(arm, segment, limits, friction_speed)
    a, b, room = np.abs(rows.a), np.abs(rows.b), 1.0 - np.abs(rows.c)
    if not np.all(room > 0.0):
        return None
    with np.errstate(divide="ignore"):
        square = np.minimum(rows.square_speed, (0.5 * room / b).min(axis=1))
    square[[0, -1]] = 0.0
    steps = np.diff(segment.grid)
    for order in (slice(None), slice(None, None, -1)):  # speeding up from the start, slowing down to the end
        _climb(square[order], a[order], b[order], room[order], steps[order])
    return np.sqrt(square)


def _climb(square: np.ndarray, a: np.ndarray, b: np.ndarray, room: np.ndarray, steps: np.ndarray) -> None:
    """Lower every sd² to what is reached from the one before."""
    for i, step in enumerate(steps):
        with np.errstate(divide="ignore"):
            gain = ((room[i] - b[i] * square[i]) / a[i]).min()
        square[i + 1] = min(square[i + 1], square[i] + 2.0 * gain * step)
