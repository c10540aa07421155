"""A path of the joints becomes a trajectory, as fast as its limits allow (TOPP-RA).

Every segment of a path runs from rest to rest. With q(s) the joint rates are q' sd and q' sdd + q''
sd², and the torque is linear in sdd and sd² too: M q' sdd + (M q'' + C(q, q') q') sd² + g.
``limit_rows`` gives these terms at the points of a grid.

Over a step of the grid sdd is constant, so that sd² grows by 2 sdd times the step, and the limits
at both of its ends are linear in the two. At a given sd² each of them leaves a range of sdd. From
the end of the path backwards the largest sd² is found from which the next point's range can be
reached, then forwards the largest sdd is taken. The trajectory that comes of it is measured between
the points too, and where it exceeds a limit by more than ``TOLERANCE`` the grid is refined, then
the limits are tightened.

Source: Pham and Pham 2018, "A new approach to time-optimal path parameterization based on
reachability analysis" (TOPP-RA). Rest is taken to be possible everywhere, so that 0 is the least
sd² of every range.
"""

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from dynamics import (
    Arm,
    BadInput,
    gravity_torque,
    inverse_dynamics,
    jacobian,
    joint_friction_torque,
)
from hopfield_nav.extensions.known_world import path_segments
from hopfield_nav.extensions.known_world.path_segments import PathSegment
from hopfield_nav.extensions.known_world.task import PlannedPath
from hopfield_nav.loop import Trajectory, joined, resting, sample, slowed

ACCELERATION = 1.4  # [rad/s²] what movej takes when it is told nothing (URScript manual)
TORQUE_SHARE = 0.9  # of the torque limits; the rest is left to the controller
TOLERANCE = 1e-3  # share of a limit by which a trajectory may exceed it
RAMP = 0.008  # [s] one period of the UR5's controller
_ATTEMPTS = 12
_FINEST = 1600  # intervals of a grid that is still refined
_SLOWER, _SLOWINGS = 1.02, 300  # factor of the duration, and how often it is tried
_INSIDE = 8  # samples a piece at which a trajectory is measured
_NOTHING = 1e-12  # share of a limit for 1 rad/s² along the path


class MotionLimits(NamedTuple):
    """Upper limits of the amounts, infinite where there is none."""

    speed: np.ndarray  # (n,) of the joints [rad/s]
    acceleration: np.ndarray  # (n,) of the joints [rad/s²]
    torque: np.ndarray  # (n,) of the motors at the joints, friction included [N·m]
    tool_speed: float  # of the tool point [m/s]


def time_path(
    arm: Arm,
    path: PlannedPath,
    acceleration: float | np.ndarray = ACCELERATION,
    share: float = TORQUE_SHARE,
    tool_speed: float | None = None,
    ramp: float = RAMP,
) -> Trajectory:
    """A motion along a path that keeps the limits, at rest at every corner, and the fastest.

    Args:
        arm: model that limits the motion: its ``speed_limits``, ``torque_limits``, masses, friction
            and payload; it need not be the arm that moves.
        path: "direct", "sampling": the joints stay on the straight lines between corners;
            "shortest": the joints run smoothly through the rows.
        acceleration: largest acceleration of the joints [rad/s²], one number or (n,).
        share: of the torque limits that may be used; ``inf``: torque is not limited.
        tool_speed: largest speed of the tool point [m/s]; default not limited.
        ramp: time in which the joints' acceleration builds up [s]; each segment takes that much
            longer. 0: the acceleration jumps.

    Returns:
        Quintic pieces from time 0, at rest at both ends; without duration for a path of length 0.
        No limit is exceeded by more than ``TOLERANCE``.

    Raises ``BadInput``: a malformed path or limit; joints that jump on a straight tool line; or a
    pose on the path at which the torque limits do not let the arm rest and creep.

    Source: Pham and Pham 2018 (TOPP-RA); the acceleration is movej's (URScript manual).
    """
    limits = motion_limits(arm, acceleration, share, tool_speed)
    if not 0.0 <= ramp < math.inf:
        raise BadInput("ramp must be a time", found=ramp, allowed="0 or more [s]")
    path = path_segments.checked_path(path, len(arm.dh))
    segments = path_segments.segments_of_path(arm, path)
    if not segments:
        return resting(path.q[0])
    return joined([_time_segment(arm, segment, limits, float(ramp)) for segment in segments])


def _time_segment(arm: Arm, segment: PathSegment, limits: MotionLimits, ramp: float) -> Trajectory:
    _require_held(arm, segment, limits)
    tight, friction_speed, trajectory = limits, np.zeros(len(segment.grid)), None
    rubs = bool(np.any(arm.friction) and np.any(np.isfinite(limits.torque)))
    for attempt in range(_ATTEMPTS):
        speed = fastest_speed(arm, segment, tight, friction_speed)
        # friction was taken at too high a speed, or the limits were tightened too far
        if speed is None:
            friction_speed, tight = 0.5 * friction_speed, limits
            continue
        if rubs and attempt == 0:
            friction_speed = speed
            continue
        trajectory = path_segments.along(
            segment, path_segments.position_over_time(segment.grid, speed, ramp)
        )
        shares = largest_shares(arm, trajectory, limits)
        if max(shares) <= 1.0 + TOLERANCE:
            return trajectory
        friction_speed = 0.5 * (friction_speed + speed)
        if segment.straight and not rubs and len(segment.grid) <= _FINEST:
            grid = path_segments.divided(segment.grid, 2)
            segment, friction_speed = (
                segment._replace(grid=grid),
                np.interp(grid, segment.grid, friction_speed),
            )
        else:
            tight = _tightened(tight, shares)
    if trajectory is None:
        speed = fastest_speed(
            arm,
            segment,
            limits._replace(torque=np.full_like(limits.torque, np.inf)),
            friction_speed,
        )
        assert speed is not None  # where torque is not limited, there is always room
        trajectory = path_segments.along(
            segment, path_segments.position_over_time(segment.grid, speed, ramp)
        )
    for _ in range(_SLOWINGS):  # the arm can creep along it, so some speed will do
        if max(largest_shares(arm, trajectory, limits)) <= 1.0 + TOLERANCE:
            return trajectory
        trajectory = slowed(trajectory, _SLOWER)
    raise BadInput(
        "no motion along the path keeps the limits", allowed="a larger share of the torque limits"
    )


def _tightened(limits: MotionLimits, shares: list[float]) -> MotionLimits:
    """Every limit that was exceeded, lower by as much."""
    pairs: Iterable[tuple[Any, float]] = zip(limits, shares, strict=True)
    return MotionLimits(*(limit / max(1.0, share) for limit, share in pairs))


def _require_held(arm: Arm, segment: PathSegment, limits: MotionLimits) -> None:
    """Refuse a segment where the motors cannot hold the arm, or not move it against friction."""
    q, creep = segment.path(segment.grid), 1e-6 * segment.path(segment.grid, 1)
    still = gravity_torque(arm, q)
    creeping = still + joint_friction_torque(arm, creep, smoothing=0.0)
    share = np.maximum(np.abs(still), np.abs(creeping)) / limits.torque
    row, joint = np.unravel_index(np.argmax(share), share.shape)
    if share[row, joint] >= 1.0:
        message = "the torque limits do not let the arm rest and creep everywhere on the path"
        where = f"joints {np.round(q[row], 3).tolist()}"
        found = f"joint {joint + 1} needs {share[row, joint] * limits.torque[joint]:.1f} N·m"
        raise BadInput(
            message, where=where, found=found, allowed=f"less than {limits.torque[joint]:.1f} N·m"
        )


def motion_limits(
    arm: Arm,
    acceleration: float | np.ndarray = ACCELERATION,
    share: float = TORQUE_SHARE,
    tool_speed: float | None = None,
) -> MotionLimits:
    """Limits of an arm's motion: its own of speed, a share of those of torque, and what is given.

    ``acceleration`` [rad/s²] is one number or (n,); with the share ``inf`` torque is not limited,
    with None the tool's speed [m/s].
    """
    n = len(arm.dh)
    try:
        each = np.asarray(acceleration, dtype=np.float64)
        shared, tool = float(share), math.inf if tool_speed is None else float(tool_speed)
    except (TypeError, ValueError, OverflowError):
        raise BadInput("limits are numbers", found=(acceleration, share, tool_speed)) from None
    if each.shape not in {(), (n,)} or not np.all((each > 0) & (each < np.inf)):
        raise BadInput(
            "acceleration must be positive",
            found=acceleration,
            allowed=f"one number, or {n} [rad/s²]",
        )
    for name, value in (("share", shared), ("tool_speed", tool)):
        if not value > 0:
            raise BadInput(f"{name} must be positive", found=value)
    torque = arm.torque_limits * shared if shared < math.inf else np.full(n, np.inf)
    return MotionLimits(arm.speed_limits.copy(), np.zeros(n) + each, torque, tool)


def motor_torque(arm: Arm, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
    """Torque of the motors, (..., n) [N·m], friction of the arm's joints included."""
    return inverse_dynamics(arm, q, qd, qdd) + joint_friction_torque(arm, qd)


def largest_shares(arm: Arm, trajectory: Trajectory, limits: MotionLimits) -> list[float]:
    """Largest amounts of a trajectory as shares of its limits, in their order.

    1 is at the limit, 0 is without one. They come from samples inside every piece and at its ends.
    """
    _, q, qd, qdd = sample(trajectory, _INSIDE)
    torque = motor_torque(arm, q, qd, qdd)
    tool = np.linalg.norm(np.einsum("kij,kj->ki", jacobian(arm, q)[:, :3], qd), axis=1)
    return [
        _largest_share(qd, limits.speed),
        _largest_share(qdd, limits.acceleration),
        _largest_share(torque, limits.torque),
        _largest_share(tool, limits.tool_speed),
    ]


def _largest_share(amount: np.ndarray, limit: np.ndarray | float) -> float:
    return float(np.max(np.abs(amount) / limit))


class LimitRows(NamedTuple):
    """All limits at m points of a grid: a sdd + b sd² + c within ±1, and a bound of sd²."""

    # a, b, c: (m, k) shares of the limits of acceleration and torque, of those that there are
    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    square_speed: np.ndarray  # (m,) upper bound of sd² by the speeds of joints and tool


def limit_rows(
    arm: Arm, segment: PathSegment, limits: MotionLimits, friction_speed: np.ndarray
) -> LimitRows:
    """The limits at a segment's grid, friction taken at ``friction_speed`` (m,) [rad/s].

    With q(s) is qd = q' sd and qdd = q' sdd + q'' sd², so that accelerations and torques are linear
    in sdd and sd².
    """
    q = segment.path(segment.grid, 0)
    first = segment.path(segment.grid, 1)
    second = segment.path(segment.grid, 2)
    zero = np.zeros_like(q)
    gravity = inverse_dynamics(arm, q, zero, zero)
    friction = joint_friction_torque(arm, first * friction_speed[:, None])
    a = inverse_dynamics(arm, q, zero, first) - gravity
    b = inverse_dynamics(arm, q, first, second) - gravity
    terms = np.stack([[first, second, zero], [a, b, gravity + friction]])
    bounds = np.stack([limits.acceleration, limits.torque])
    kept = np.isfinite(bounds)
    a, b, c = (terms[:, k].transpose(1, 0, 2)[:, kept] / bounds[kept] for k in range(3))
    tool = np.linalg.norm(np.einsum("kij,kj->ki", jacobian(arm, q)[:, :3], first), axis=1)
    with np.errstate(divide="ignore"):
        fastest = np.minimum(np.min(limits.speed / np.abs(first), axis=1), limits.tool_speed / tool)
    return LimitRows(a, b, c, fastest**2)


def fastest_speed(
    arm: Arm, segment: PathSegment, limits: MotionLimits, friction_speed: np.ndarray
) -> np.ndarray | None:
    """Highest path speed (m,) [rad/s] at a segment's grid, rest to rest.

    None where the arm could not rest on it. Friction in the joints is taken at ``friction_speed``
    (m,) [rad/s].
    """
    rows = limit_rows(arm, segment, limits, friction_speed)
    if np.any(np.abs(rows.c) >= 1.0):
        return None
    twice = 2.0 * np.diff(segment.grid)[:, None]
    slope, low, high, alone = _ranges(rows, twice)
    largest = np.append(np.minimum(rows.square_speed[:-1], alone), 0.0)
    for i in reversed(range(len(twice))):
        high[i, -1] = largest[i + 1] / twice[i, 0]
        largest[i] = _largest_square(slope[i], low[i], high[i], largest[i])
    square = np.zeros(len(largest))
    for i in range(len(twice)):
        reached = square[i] + twice[i, 0] * np.min(slope[i] * square[i] + high[i])
        square[i + 1] = min(max(reached, 0.0), largest[i + 1])
    return np.sqrt(square)


def _ranges(
    rows: LimitRows, twice: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The range of sdd that each limit leaves over each step.

    It reaches from slope sd² + low to slope sd² + high, (m - 1, k) each, with sd at the beginning
    of the step. Limits hold at both ends, and at the end of a step of the length ds the square
    speed is sd² + 2 ds sdd (``twice`` is 2 ds, (m - 1, 1)). The last column is that of sd² at the
    next point, whose ``high`` is left to the caller. And (m - 1,) the largest sd² by the limits
    that do not ask for sdd.
    """
    at_end = rows.a[1:] + twice * rows.b[1:]
    a = np.hstack([rows.a[:-1], at_end, twice])
    b = np.hstack([rows.b[:-1], rows.b[1:], np.ones_like(twice)])
    c = np.hstack([rows.c[:-1], rows.c[1:], np.zeros_like(twice)])
    leaves_free = np.abs(a) < _NOTHING  # which limits say nothing of sdd
    with np.errstate(divide="ignore", invalid="ignore"):
        square_speed = (1.0 - np.sign(b) * c) / np.abs(b)
        slope = np.where(leaves_free, 0.0, -b / a)
        middle = -c / a
        half = 1.0 / np.abs(a)
    alone = np.where(leaves_free, square_speed, np.inf).min(axis=1)
    low = np.where(leaves_free, -np.inf, middle - half)
    high = np.where(leaves_free, np.inf, middle + half)
    low[:, -1] = 0.0
    return slope, low, high, alone


def _largest_square(slope: np.ndarray, low: np.ndarray, high: np.ndarray, bound: float) -> float:
    """The largest sd² up to a bound at which all ranges have an sdd in common; at 0 they have.

    What they have in common is a concave function of sd², made of lines: Newton's method ends after
    a few of them.
    """
    square = bound
    while True:
        least, most = np.argmin(slope * square + high), np.argmax(slope * square + low)
        fall = slope[most] - slope[least]
        if fall * square <= high[least] - low[most]:
            return square
        lower = (high[least] - low[most]) / fall
        if not lower < square:  # rounding
            return square
        square = max(lower, 0.0)
