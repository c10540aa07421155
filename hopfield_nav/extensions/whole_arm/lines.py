"""Motion along straight lines of all joints: at rest where the direction changes, or with blended corners.

A blend is a curve of degree five inside the triangle that a corner cuts off two lines; it meets them without a jump
of direction or curvature.
"""

import itertools
from typing import NamedTuple

import numpy as np
from scipy.interpolate import PPoly

from dynamics import Arm
from hopfield_nav.extensions.known_world import PathSegment, along, position_over_time
from hopfield_nav.extensions.whole_arm import numbers
from hopfield_nav.geometry import capsules_in_base
from hopfield_nav.loop import Trajectory, joined, quintic_trajectory, sample, values_at


def joint_lines(
    arm: Arm, rows: np.ndarray, speed: float, time: float,
    qd: np.ndarray | None = None, qdd: np.ndarray | None = None, sample_time: float = 0.0,
) -> Trajectory:  # fmt: skip
    """The motion through joint waypoints along straight lines, no point of the arm faster than ``speed``.

    It rests where a line ends of the waypoints ``rows`` (k + 1, n) [rad], k at least 1. It begins at ``time`` [s]
    with ``qd`` and ``qdd`` (n,) [rad/s, rad/s²], default rest, which may exceed the speed [m/s]; its reference has
    this ``sample_time`` [s].
    """
    steps = np.diff(rows, axis=0)
    size, straight = np.linalg.norm(steps, axis=1), (steps[:-1] * steps[1:]).sum(axis=1)
    rest = np.ones(len(steps), dtype=bool)  # whether the direction changes behind each line, as behind the last
    rest[:-1] = straight < numbers.STRAIGHT_COSINE * size[:-1] * size[1:]
    rest[:-1] |= np.abs(size[:-1] - size[1:]) > 1e-6 * np.maximum(size[:-1], size[1:])
    begin = np.concatenate([[0], np.flatnonzero(rest) + 1])
    times = np.maximum(paths(arm, rows) / speed, numbers.SHORTEST)
    for _ in range(numbers.SPEED_ROUNDS):
        trajectory = quintic_trajectory(
            rows, times, time, qd, qdd, arm.speed_limits, sample_time=sample_time, rest=rest
        )
        excess = point_speeds(arm, trajectory) * numbers.SURFACE_SPEED / speed
        if qd is not None and np.any(qd):
            excess[0] = 1.0
        by_line = np.maximum.reduceat(excess, begin[:-1])
        if by_line.max() <= 1.0 + 1e-3:
            break
        times *= np.repeat(np.maximum(by_line, 1.0), np.diff(begin))
    return trajectory


def point_speeds(arm: Arm, trajectory: Trajectory) -> np.ndarray:
    """(k,) greatest speed of the ends of the arm's axes in each segment [m/s]."""
    times, angles, _, _ = sample(trajectory, numbers.SPEED_SAMPLES)
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
    times = np.linspace(time, trajectory.knots[0], 1 + int(np.ceil((time - trajectory.knots[0]) / numbers.LOOK_BACK)))
    q, _, _ = values_at(trajectory, times)
    axes = capsules_in_base(arm, q)[..., :6].reshape(len(q), -1, 3)
    far = np.linalg.norm(axes - axes[0], axis=2).max(axis=1) >= distance
    return np.asarray(q[int(far.argmax())]) if far.any() else None


def paths(arm: Arm, rows: np.ndarray) -> np.ndarray:
    """(k,) longest path of an end of an axis along each line [m]."""
    share = np.linspace(0.0, 1.0, numbers.SPEED_SAMPLES + 1)[:, None, None]
    angles = rows[:-1] + share * np.diff(rows, axis=0)
    axes = capsules_in_base(arm, angles)[..., :6].reshape(*angles.shape[:2], -1, 3)
    return np.linalg.norm(np.diff(axes, axis=0), axis=3).sum(axis=0).max(axis=1)


class BlendedPath(NamedTuple):
    """Lines and blends in turn."""

    rows: np.ndarray  # (k + 1, n) joint angles where a line or a blend ends [rad]
    trajectory: Trajectory  # of the joints
    times: np.ndarray  # (k + 1,) when the arm is there [s]


def blended_path(
    arm: Arm, corners: np.ndarray, cut: np.ndarray, speed: float, time: float = 0.0, sample_time: float = 0.0
) -> BlendedPath:
    """The motion over corners from rest to rest, no point of the arm faster than ``speed`` [m/s].

    Of ``corners`` (k + 1, n) [rad], k at least 1, no two in a row are alike; ``cut`` (k + 1,) is how much a blend
    cuts off both lines at a corner [rad], 0 for a rest, as at both ends. The arm's speed limits are kept, and
    ``ACCELERATION`` of the joints. The motion begins at ``time``, its reference has this ``sample_time`` [s]. Every
    corner with a blend gives two rows, others one.
    """
    rests = np.flatnonzero(cut == 0.0)
    parts, times, rows = list[Trajectory](), [np.array([time])], [corners[:1]]
    for first, last in itertools.pairwise(rests):
        segment, breaks = _segment(corners[first : last + 1], cut[first : last + 1])
        passed = position_over_time(segment.grid, _speeds(arm, segment, speed), numbers.RAMP)
        parts.append(along(segment, passed))
        t = np.linspace(0.0, passed.knots[-1], 20 * len(passed.knots))
        ends = np.interp(breaks[1:], PPoly(passed.coefficients[:, ::-1].T, passed.knots)(t), t)
        ends[-1] = passed.knots[-1]
        times.append(times[-1][-1] + ends)
        rows.append(segment.path(breaks[1:]))
    whole = joined(parts)
    trajectory = Trajectory(whole.knots + time, whole.coefficients, sample_time)
    return BlendedPath(np.vstack(rows), trajectory, np.concatenate(times))


def blend_points(corners: np.ndarray, cut: np.ndarray, count: int) -> np.ndarray:
    """Joint angles (k - 1, count, n) along the blends at the inner ones of corners (k + 1, n) [rad]."""
    unit = _directions(corners)
    w = np.linspace(0.0, 1.0, count)[:, None]
    curves = [_blend(corners[k], unit[k - 1], unit[k], cut[k]) for k in range(1, len(corners) - 1)]
    return np.array([sum(c * w**p for p, c in enumerate(curve)) for curve in curves])


def _directions(corners: np.ndarray) -> np.ndarray:
    steps = np.diff(corners, axis=0)
    return steps / np.linalg.norm(steps, axis=1)[:, None]


def _blend(corner: np.ndarray, before: np.ndarray, behind: np.ndarray, cut: float) -> np.ndarray:
    """Coefficients (6, n) of the powers of a parameter from 0 to 1; Bézier points lie on the two lines."""
    a, b = cut * before, cut * behind
    return np.array([corner - a, 2.5 * a, 0.0 * a, -5.0 * a, 5.0 * a + 2.5 * b, -1.5 * (a + b)])


def _segment(corners: np.ndarray, cut: np.ndarray) -> tuple[PathSegment, np.ndarray]:
    """Lines and blends between two rests as one path, and the positions at which each of them ends."""
    unit, length = _directions(corners), np.linalg.norm(np.diff(corners, axis=0), axis=1)
    pieces, sizes = list[np.ndarray](), list[float]()
    for k in range(len(unit)):
        line = np.zeros((6, corners.shape[1]))
        line[0], line[1] = corners[k] + cut[k] * unit[k], unit[k]
        pieces.append(line)
        sizes.append(float(length[k] - cut[k] - cut[k + 1]))
        if k + 1 < len(unit):
            size = numbers.BLEND_LENGTH * float(cut[k + 1])
            curve = _blend(corners[k + 1], unit[k], unit[k + 1], cut[k + 1])
            pieces.append(curve / size ** np.arange(6.0)[:, None])
            sizes.append(size)
    breaks = np.concatenate([[0.0], np.cumsum(sizes)])
    least = numbers.LINE_PARTS
    counts = [numbers.BLEND_PARTS if k % 2 else max(least, int(size / numbers.LINE_GRID))
              for k, size in enumerate(sizes)]  # fmt: skip
    spans = zip(breaks[:-1], breaks[1:], counts, strict=True)
    grid = np.concatenate([np.linspace(a, b, n, endpoint=False) for a, b, n in spans] + [breaks[-1:]])
    return PathSegment(PPoly(np.array(pieces).swapaxes(0, 1)[::-1], breaks), grid, False), breaks


def _speeds(arm: Arm, segment: PathSegment, speed: float) -> np.ndarray:
    """(m,) highest path speeds on the grid of a segment, from rest to rest [rad/s]."""
    first, second = segment.path(segment.grid, 1), segment.path(segment.grid, 2)
    with np.errstate(divide="ignore"):
        joints = (arm.speed_limits / np.abs(first)).min(axis=1)
        turning = np.sqrt((0.5 * numbers.ACCELERATION / np.abs(second)).min(axis=1))
    most = np.minimum.reduce([joints, turning, _point_limit(arm, segment, speed)])
    most[[0, -1]] = 0.0
    for order in (range(1, len(most)), range(len(most) - 2, -1, -1)):
        ahead = 1 if order.step < 0 else -1
        for k in order:
            from_ = k + ahead
            left = numbers.ACCELERATION - np.abs(second[from_]) * most[from_] ** 2
            gain = float((left / np.maximum(np.abs(first[from_]), 1e-9)).min())
            reached = most[from_] ** 2 + 2.0 * gain * abs(segment.grid[k] - segment.grid[from_])
            most[k] = min(most[k], np.sqrt(reached))
    return most


def _point_limit(arm: Arm, segment: PathSegment, speed: float) -> np.ndarray:
    """(m,) path speed at which the fastest point of the arm is as fast as it may be, there and around."""
    between = 0.5 * (segment.grid[1:] + segment.grid[:-1])
    s = np.sort(np.concatenate([segment.grid, between]))
    q = segment.path(s)
    ends = np.stack([q - numbers.NUDGE * segment.path(s, 1), q + numbers.NUDGE * segment.path(s, 1)])
    axes = capsules_in_base(arm, ends.reshape(-1, q.shape[1]))[..., :6].reshape(2, len(s), -1, 3)
    rate = np.linalg.norm(axes[1] - axes[0], axis=2).max(axis=1) / (2.0 * numbers.NUDGE)
    around = np.maximum(np.maximum(np.append(rate[1:], 0.0), np.append(0.0, rate[:-1])), rate)[::2]
    return np.asarray(numbers.PACE * speed / (numbers.SURFACE_SPEED * np.maximum(around, 1e-9)))
