"""Motion along joint lines: straight from waypoint to waypoint, at rest where the direction changes."""

import numpy as np

from dynamics import Arm
from hopfield_nav.geometry import capsules_in_base
from hopfield_nav.loop import Trajectory, quintic_trajectory, sample, values_at

_SAMPLES = 20  # a segment, at which the speed of the arm's points is looked at
SURFACE = 1.15  # by how much a point of the surface may be faster than the ends of the links' axes
_STRAIGHT = 1.0 - 1e-6  # cosine between two steps above which they are one line
_MIN_TIME = 0.02  # [s] shortest segment
_ROUNDS = 6
_LOOK = 0.02  # [s] between two looks back


def joint_lines(
    arm: Arm,
    rows: np.ndarray,
    speed: float,
    time: float,
    qd: np.ndarray | None = None,
    qdd: np.ndarray | None = None,
    sample_time: float = 0.0,
) -> Trajectory:
    """The motion through joint waypoints along straight lines, no point of the arm faster than ``speed``.

    It rests where a line ends of the waypoints ``rows`` (k + 1, n) [rad], k at least 1. It begins at ``time`` [s]
    with ``qd`` and ``qdd`` (n,) [rad/s, rad/s²], default rest, which may exceed the speed [m/s]; its reference has
    this ``sample_time`` [s].
    """
    rest = _corners(rows)
    begin = np.concatenate([[0], np.flatnonzero(rest) + 1])
    times = np.maximum(paths(arm, rows) / speed, _MIN_TIME)
    for _ in range(_ROUNDS):
        trajectory = quintic_trajectory(
            rows, times, time, qd, qdd, arm.speed_limits, sample_time=sample_time, rest=rest
        )
        excess = point_speeds(arm, trajectory) * SURFACE / speed
        if qd is not None and np.any(qd):
            excess[0] = 1.0
        by_line = np.maximum.reduceat(excess, begin[:-1])
        if by_line.max() <= 1.0 + 1e-3:
            break
        times *= np.repeat(np.maximum(by_line, 1.0), np.diff(begin))
    return trajectory


def point_speeds(arm: Arm, trajectory: Trajectory) -> np.ndarray:
    """(k,) greatest speed of the ends of the arm's axes in each segment [m/s]."""
    times, angles, _, _ = sample(trajectory, _SAMPLES)
    axes = capsules_in_base(arm, angles)[..., :6].reshape(len(times), -1, 3)
    steps = np.linalg.norm(np.diff(axes, axis=0), axis=2).max(axis=1)
    lasting = np.maximum(np.diff(times), 1e-9)
    number = np.clip(
        np.searchsorted(trajectory.knots, 0.5 * (times[1:] + times[:-1])) - 1, 0, len(trajectory.knots) - 2
    )
    speeds = np.zeros(len(trajectory.knots) - 1)
    np.maximum.at(speeds, number, np.where(np.diff(times) > 1e-9, steps / lasting, 0.0))
    return speeds


def before_touch(arm: Arm, trajectory: Trajectory, time: float, distance: float) -> np.ndarray | None:
    """Joint angles (n,) the least while before a time at which some point of the arm was so far away [rad].

    The arm follows the trajectory; the distance [m] is from where it is at ``time`` [s], that of the touch. None
    where it was never so far away.
    """
    times = np.linspace(time, trajectory.knots[0], 1 + int(np.ceil((time - trajectory.knots[0]) / _LOOK)))
    q, _, _ = values_at(trajectory, times)
    axes = capsules_in_base(arm, q)[..., :6].reshape(len(q), -1, 3)
    far = np.linalg.norm(axes - axes[0], axis=2).max(axis=1) >= distance
    return np.asarray(q[int(far.argmax())]) if far.any() else None


def paths(arm: Arm, rows: np.ndarray) -> np.ndarray:
    """(k,) longest path of an end of an axis along each line [m]."""
    share = np.linspace(0.0, 1.0, _SAMPLES + 1)[:, None, None]
    angles = rows[:-1] + share * np.diff(rows, axis=0)
    axes = capsules_in_base(arm, angles)[..., :6].reshape(*angles.shape[:2], -1, 3)
    return np.linalg.norm(np.diff(axes, axis=0), axis=3).sum(axis=0).max(axis=1)


def _corners(rows: np.ndarray) -> np.ndarray:
    """(k,) bool: whether the direction changes behind each line, as it does behind the last."""
    steps = np.diff(rows, axis=0)
    size = np.linalg.norm(steps, axis=1)
    rest = np.ones(len(steps), dtype=bool)
    along = (steps[:-1] * steps[1:]).sum(axis=1)
    rest[:-1] = along < _STRAIGHT * size[:-1] * size[1:]
    alike = np.abs(size[:-1] - size[1:]) <= 1e-6 * np.maximum(size[:-1], size[1:])
    rest[:-1] |= ~alike
    return rest
