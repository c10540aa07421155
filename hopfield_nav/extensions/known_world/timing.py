"""A path of the joints becomes a trajectory: as fast as speed, acceleration and torque allow.

Every segment of a path runs from rest to rest. TOPP-RA gives the highest speed along it that keeps the limits at grid
points; the trajectory that comes of it is measured between them too, and where it exceeds a limit by more than
``TOLERANCE`` the grid is refined, then the limits are tightened.
"""

import math

import numpy as np

from dynamics import Arm, BadInput, gravity_torque, joint_friction_torque
from hopfield_nav.extensions.known_world import path_segments
from hopfield_nav.extensions.known_world.speed import (
    ACCELERATION,
    TORQUE_SHARE,
    MotionLimits,
    Shares,
    fastest_speed,
    largest_shares,
    motion_limits,
)
from hopfield_nav.extensions.known_world.task import PlannedPath
from hopfield_nav.loop import Trajectory, joined, resting, slowed

TOLERANCE = 1e-3  # share of a limit by which a trajectory may exceed it
RAMP = 0.008  # [s] one period of the UR5's controller
_ATTEMPTS = 12
_FINEST = 1600  # intervals of a grid that is still refined
_SLOWER, _SLOWINGS = 1.02, 300  # factor of the duration, and how often it is tried


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
        arm: model that limits the motion: its ``speed_limits``, ``torque_limits``, masses, friction and payload; it
            need not be the arm that moves.
        path: "direct", "sampling": the joints stay on the straight lines between corners; "shortest": the joints run
            smoothly through the rows.
        acceleration: largest acceleration of the joints [rad/s²], one number or (n,).
        share: of the torque limits that may be used; ``inf``: torque is not limited.
        tool_speed: largest speed of the tool point [m/s]; default not limited.
        ramp: time in which the joints' acceleration builds up [s]; each segment takes that much longer. 0: the
            acceleration jumps.

    Returns:
        Quintic pieces from time 0, at rest at both ends; without duration for a path of length 0. No
        limit is exceeded by more than ``TOLERANCE``.

    Raises ``BadInput``: a malformed path or limit; joints that jump on a straight tool line; or a pose on the path at
    which the torque limits do not let the arm rest and creep.

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


def _time_segment(arm: Arm, segment: path_segments.PathSegment, limits: MotionLimits, ramp: float) -> Trajectory:
    _require_held(arm, segment, limits)
    tight, friction_speed, trajectory = limits, np.zeros(len(segment.grid)), None
    rubs = bool(np.any(arm.friction) and np.any(np.isfinite(limits.torque)))
    for attempt in range(_ATTEMPTS):
        speed = fastest_speed(arm, segment, tight, friction_speed)
        if speed is None:  # friction was taken at too high a speed, or the limits were tightened too far
            friction_speed, tight = 0.5 * friction_speed, limits
            continue
        if rubs and attempt == 0:
            friction_speed = speed
            continue
        trajectory = path_segments.along(segment, path_segments.position_over_time(segment.grid, speed, ramp))
        shares = largest_shares(arm, trajectory, limits)
        if max(shares) <= 1.0 + TOLERANCE:
            return trajectory
        friction_speed = 0.5 * (friction_speed + speed)
        if segment.straight and not rubs and len(segment.grid) <= _FINEST:
            grid = path_segments.divided(segment.grid, 2)
            segment, friction_speed = (segment._replace(grid=grid), np.interp(grid, segment.grid, friction_speed))
        else:
            tight = _tightened(tight, shares)
    if trajectory is None:
        speed = fastest_speed(arm, segment, limits._replace(torque=np.full_like(limits.torque, np.inf)), friction_speed)
        assert speed is not None  # where torque is not limited, there is always room
        trajectory = path_segments.along(segment, path_segments.position_over_time(segment.grid, speed, ramp))
    return _slowed_until_kept(arm, trajectory, limits)


def _tightened(limits: MotionLimits, shares: Shares) -> MotionLimits:
    """Every limit that was exceeded, lower by as much."""
    return MotionLimits(
        speed=limits.speed / max(1.0, shares.speed),
        acceleration=limits.acceleration / max(1.0, shares.acceleration),
        torque=limits.torque / max(1.0, shares.torque),
        tool_speed=limits.tool_speed / max(1.0, shares.tool_speed),
    )


def _slowed_until_kept(arm: Arm, trajectory: Trajectory, limits: MotionLimits) -> Trajectory:
    """The trajectory as a whole slower; the arm can creep along it, so some speed will do."""
    for _ in range(_SLOWINGS):
        if max(largest_shares(arm, trajectory, limits)) <= 1.0 + TOLERANCE:
            return trajectory
        trajectory = slowed(trajectory, _SLOWER)
    raise BadInput("no motion along the path keeps the limits", allowed="a larger share of the torque limits")


def _require_held(arm: Arm, segment: path_segments.PathSegment, limits: MotionLimits) -> None:
    """Refuse a segment with a pose where the motors cannot hold the arm, or not move it against friction."""
    q, creep = segment.path(segment.grid), 1e-6 * segment.path(segment.grid, 1)
    still = gravity_torque(arm, q)
    creeping = still + joint_friction_torque(arm, creep, smoothing=0.0)
    share = np.maximum(np.abs(still), np.abs(creeping)) / limits.torque
    row, joint = np.unravel_index(np.argmax(share), share.shape)
    if share[row, joint] >= 1.0:
        message = "the torque limits do not let the arm rest and creep everywhere on the path"
        where = f"joints {np.round(q[row], 3).tolist()}"
        found = f"joint {joint + 1} needs {share[row, joint] * limits.torque[joint]:.1f} N·m"
        raise BadInput(message, where=where, found=found, allowed=f"less than {limits.torque[joint]:.1f} N·m")
