"""The route of the whole arm, its waypoints, and the motion over them: straight lines of all joints.

It is at rest where the direction changes, or goes over a blend: a curve of degree five inside the
triangle that a corner cuts off two lines, which meets them without a jump of direction or
curvature.
"""

import itertools
from typing import NamedTuple

import numpy as np
from scipy.interpolate import PPoly

from dynamics import Arm, follow_path, forward_kinematics
from hopfield_nav.extensions.clearance import Scene, motion_is_free
from hopfield_nav.extensions.known_world import PathSegment, along, position_over_time
from hopfield_nav.extensions.whole_arm import numbers
from hopfield_nav.geometry import capsules_in_base
from hopfield_nav.loop import Trajectory, joined, quintic_trajectory, sample, values_at
from hopfield_nav.navigation.map import Cell, Step, step_between


class Waypoint(NamedTuple):
    """Where the arm was free, and may go back to."""

    row: np.ndarray  # (n,) joint angles [rad]
    cell: Cell | None  # whose centre it is, if it is one


class Route(NamedTuple):
    """The waypoints of a motion."""

    rows: np.ndarray  # (k + 1, n) joint angles [rad]
    cells: list[Cell | None]  # of each the cell whose centre it is, if it is one
    goal: int = -1  # number of the solution that it leads to; -1 for none
    turn: tuple[int, ...] = ()  # cells of the closed axes of the map, 0 of others
    # of each segment the cells that it joins, where it is a straight line or a blend of such lines;
    # none of others. Empty where there are no lines.
    joined: tuple[list[Cell], ...] = ()
    # (k + 1,) when the arm is at the waypoints [s]; None: at the knots of the trajectory
    times: np.ndarray | None = None
    on_tool_line: int = 0  # how many of the last segments are the tool's line to the goal

    def segment_at(self, trajectory: Trajectory, time: float) -> int:
        """Number of the segment on which the reference is at a time [s]."""
        knots = trajectory.knots if self.times is None else self.times
        number = int(np.searchsorted(knots, time, side="right")) - 1
        return min(max(number, 0), max(len(self.rows) - 2, 0))

    def ahead(self, number: int) -> Cell | None:
        """The first cell behind segment ``number``; None where it leads over no more."""
        return next(
            (
                c
                for c in (*self.joint_line(number)[-1:], *self.cells[number + 1 :])
                if c is not None
            ),
            None,
        )

    def joint_line(self, number: int) -> list[Cell]:
        """The cells that segment ``number`` joins as a straight line; none where it is no such line."""
        return self.joined[number] if self.joined else []

    def up_to(self, number: int, row: np.ndarray) -> "Route":
        """The segments before number ``number``, and this one as far as to joint angles (n,) [rad]."""
        rows = np.vstack([self.rows[: number + 1], row])
        return self._replace(rows=rows, cells=[*self.cells[: number + 1], None])

    def step(self, number: int) -> Step | None:
        """The step that a segment is; None where it is none."""
        begin, end = self.cells[number : number + 2]
        return None if begin is None or end is None else step_between(begin, end, self.turn)

    def passed(self, until: int) -> tuple[list[Cell], list[Step]]:
        """Centres and steps on the segments before number ``until``."""
        steps = [self.step(k) for k in range(until)]
        return [c for c in self.cells[1 : until + 1] if c is not None], [
            s for s in steps if s is not None
        ]

    def begin_of(self, trajectory: Trajectory, number: int) -> float:
        """When segment ``number`` begins, or the last one ends [s]."""
        knots = trajectory.knots if self.times is None else self.times
        return float(knots[number])

    def without_repeats(self) -> "Route":
        """The waypoints without those at which the one before is as well."""
        steps = np.abs(np.diff(self.rows, axis=0)).max(axis=1)
        new = np.flatnonzero(np.concatenate([[True], steps > numbers.SAME_ANGLE]))
        cells = [self.cells[k] or (self.cells[k + 1] if k + 1 < len(self.cells) and k + 1 not in new else None)
                 for k in new]  # fmt: skip
        return self._replace(rows=self.rows[new], cells=cells)


class BlendedPath(NamedTuple):
    """Lines and blends in turn."""

    rows: np.ndarray  # (k + 1, n) joint angles where a line or a blend ends [rad]
    trajectory: Trajectory  # of the joints
    times: np.ndarray  # (k + 1,) when the arm is there [s]


def joint_lines(
    arm: Arm, rows: np.ndarray, speed: float, time: float,
    qd: np.ndarray | None = None, qdd: np.ndarray | None = None, sample_time: float = 0.0,
) -> Trajectory:  # fmt: skip
    """The motion through joint waypoints along straight lines, no point of the arm faster than ``speed``.

    It rests where a line ends of the waypoints ``rows`` (k + 1, n) [rad], k at least 1. It begins
    at ``time`` [s] with ``qd`` and ``qdd`` (n,) [rad/s, rad/s²], default rest, which may exceed the
    speed [m/s]; its reference has this ``sample_time`` [s].
    """
    steps = np.diff(rows, axis=0)
    size, straight = np.linalg.norm(steps, axis=1), (steps[:-1] * steps[1:]).sum(axis=1)
    # whether the direction changes behind each line, as behind the last
    rest = np.ones(len(steps), dtype=bool)
    rest[:-1] = straight < numbers.STRAIGHT_COSINE * size[:-1] * size[1:]
    rest[:-1] |= np.abs(size[:-1] - size[1:]) > 1e-6 * np.maximum(size[:-1], size[1:])
    begin = np.concatenate([[0], np.flatnonzero(rest) + 1])
    times = np.maximum(_lengths(arm, rows) / speed, numbers.SHORTEST)
    for _ in range(numbers.SPEED_ROUNDS):
        trajectory = quintic_trajectory(
            rows, times, time, qd, qdd, arm.speed_limits, sample_time=sample_time, rest=rest
        )
        excess = _point_speeds(arm, trajectory) * numbers.SURFACE_SPEED / speed
        if qd is not None and np.any(qd):
            excess[0] = 1.0
        by_line = np.maximum.reduceat(excess, begin[:-1])
        if by_line.max() <= 1.0 + 1e-3:
            break
        times *= np.repeat(np.maximum(by_line, 1.0), np.diff(begin))
    return trajectory


def swept(trajectory: Trajectory, until: float) -> np.ndarray:
    """Joint angles (m, n) over a trajectory until a time [s], about ``SWEPT_APART`` from one to the next.

    It is the joint that turns the most between two of them that turns by so much. None where the
    trajectory begins later.
    """
    begin = float(trajectory.knots[0])
    if until <= begin:
        return np.zeros((0, trajectory.coefficients.shape[-1]))
    count = 1 + int(np.ceil((until - begin) / numbers.SWEPT_TIME))
    q, _, _ = values_at(trajectory, np.linspace(begin, until, count))
    turned = np.cumsum(np.abs(np.diff(q, axis=0, prepend=q[:1])).max(axis=1))
    first_of_each = np.diff(np.floor(turned / numbers.SWEPT_APART), prepend=-1.0) > 0.0
    first_of_each[-1] = True  # the last one counts
    return np.asarray(q[first_of_each])


def before_touch(arm: Arm, trajectory: Trajectory, time: float, distance: float) -> float | None:
    """The least while before a time at which some point of the arm was so far away [s].

    The arm follows the trajectory; the distance [m] is from where it is at ``time`` [s], that of
    the touch. None where it was never so far away.
    """
    times = np.linspace(
        time,
        trajectory.knots[0],
        1 + int(np.ceil((time - trajectory.knots[0]) / numbers.LOOK_BACK)),
    )
    q, _, _ = values_at(trajectory, times)
    ends = _axis_ends(arm, q)
    far = np.linalg.norm(ends - ends[0], axis=2).max(axis=1) >= distance
    return float(times[int(far.argmax())]) if far.any() else None


def _axis_ends(arm: Arm, q: np.ndarray) -> np.ndarray:
    """(..., m, 3) both ends of every axis of the arm at joint angles (..., n) [m]."""
    return capsules_in_base(arm, q)[..., :6].reshape(*q.shape[:-1], -1, 3)


def _point_speeds(arm: Arm, trajectory: Trajectory) -> np.ndarray:
    """(k,) greatest speed of the ends of the arm's axes in each segment [m/s]."""
    times, angles, _, _ = sample(trajectory, numbers.SPEED_SAMPLES)
    steps, lasting = (
        np.linalg.norm(np.diff(_axis_ends(arm, angles), axis=0), axis=2).max(axis=1),
        np.diff(times),
    )
    middle, count = 0.5 * (times[1:] + times[:-1]), len(trajectory.knots) - 1
    speeds = np.zeros(count)
    number = np.clip(np.searchsorted(trajectory.knots, middle) - 1, 0, count - 1)
    np.maximum.at(speeds, number, np.where(lasting > 1e-9, steps / np.maximum(lasting, 1e-9), 0.0))
    return speeds


def _lengths(arm: Arm, rows: np.ndarray) -> np.ndarray:
    """(k,) longest path of an end of an axis along each line [m]."""
    share = np.linspace(0.0, 1.0, numbers.SPEED_SAMPLES + 1)[:, None, None]
    ends = _axis_ends(arm, rows[:-1] + share * np.diff(rows, axis=0))
    return np.linalg.norm(np.diff(ends, axis=0), axis=3).sum(axis=0).max(axis=1)


def blended_path(
    arm: Arm,
    corners: np.ndarray,
    cut: np.ndarray,
    speed: float,
    time: float = 0.0,
    sample_time: float = 0.0,
) -> BlendedPath:
    """The motion over corners from rest to rest, no point of the arm faster than ``speed`` [m/s].

    Of ``corners`` (k + 1, n) [rad], k at least 1, no two in a row are alike; ``cut`` (k + 1,) is
    how much a blend cuts off both lines at a corner [rad], 0 for a rest, as at both ends. The arm's
    speed limits are kept, and ``ACCELERATION`` of the joints. The motion begins at ``time``, its
    reference has this ``sample_time`` [s]. Every corner with a blend gives two rows, others one.
    """
    parts, times, rows = list[Trajectory](), [np.array([time])], [corners[:1]]
    for first, last in itertools.pairwise(np.flatnonzero(cut == 0.0)):
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


def blend_points(corners: np.ndarray, cut: float, count: int) -> np.ndarray:
    """Joint angles (count, n) along the blend at the middle one of three corners (3, n) [rad]."""
    w, (before, behind) = np.linspace(0.0, 1.0, count)[:, None], _directions(corners)
    return np.asarray(sum(c * w**p for p, c in enumerate(_blend(corners[1], before, behind, cut))))


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
    pieces, sizes, counts = list[np.ndarray](), list[float](), list[int]()
    for k in range(len(unit)):
        if k > 0:
            sizes.append(numbers.BLEND_LENGTH * float(cut[k]))
            pieces.append(
                _blend(corners[k], unit[k - 1], unit[k], cut[k])
                / sizes[-1] ** np.arange(6.0)[:, None]
            )
            counts.append(numbers.BLEND_PARTS)
        line = np.zeros((6, corners.shape[1]))
        line[0], line[1] = corners[k] + cut[k] * unit[k], unit[k]
        pieces.append(line)
        sizes.append(float(length[k] - cut[k] - cut[k + 1]))
        counts.append(max(numbers.LINE_PARTS, int(sizes[-1] / numbers.LINE_GRID)))
    breaks = np.concatenate([[0.0], np.cumsum(sizes)])
    spans = zip(breaks[:-1], breaks[1:], counts, strict=True)
    grid = np.concatenate(
        [np.linspace(a, b, n, endpoint=False) for a, b, n in spans] + [breaks[-1:]]
    )
    return PathSegment(PPoly(np.array(pieces).swapaxes(0, 1)[::-1], breaks), grid, False), breaks


def _speeds(arm: Arm, segment: PathSegment, speed: float) -> np.ndarray:
    """(m,) highest path speeds on the grid of a segment, from rest to rest [rad/s].

    No more than is gained from the place before, and then than is lost until the place behind.
    """
    first, second = (np.abs(segment.path(segment.grid, order)) for order in (1, 2))
    with np.errstate(divide="ignore"):
        joints = (arm.speed_limits / first).min(axis=1)
        turning = np.sqrt((0.5 * numbers.ACCELERATION / second).min(axis=1))
    most = np.minimum.reduce([joints, turning, _point_limit(arm, segment, speed)])
    most[[0, -1]] = 0.0
    pairs = list(itertools.pairwise(range(len(most))))
    for beside, k in [*pairs, *(pair[::-1] for pair in pairs[::-1])]:
        left = numbers.ACCELERATION - second[beside] * most[beside] ** 2
        gain = float((left / np.maximum(first[beside], 1e-9)).min())
        reached = most[beside] ** 2 + 2.0 * gain * abs(segment.grid[k] - segment.grid[beside])
        most[k] = min(most[k], np.sqrt(reached))
    return most


def _point_limit(arm: Arm, segment: PathSegment, speed: float) -> np.ndarray:
    """(m,) path speed at which the fastest point of the arm is as fast as it may be, there and around."""
    between = 0.5 * (segment.grid[1:] + segment.grid[:-1])
    s = np.sort(np.concatenate([segment.grid, between]))
    q, nudge = segment.path(s), numbers.NUDGE * segment.path(s, 1)
    before, behind = _axis_ends(arm, np.stack([q - nudge, q + nudge]))
    rate = np.linalg.norm(behind - before, axis=2).max(axis=1) / (2.0 * numbers.NUDGE)
    around = np.lib.stride_tricks.sliding_window_view(np.pad(rate, 1), 3).max(axis=1)[::2]
    return np.asarray(numbers.PACE * speed / (numbers.SURFACE_SPEED * np.maximum(around, 1e-9)))


def tool_line(arm: Arm, scene: Scene, q: np.ndarray, distance: float) -> np.ndarray:
    """Joint angles (m, n) [rad] along the axis z of the tool from behind it to angles (n,), which are the last.

    It is as long as the arm comes past what is known, ``distance`` at most [m]; straight lines of
    the joints between keep the tool within a centimetre of it.
    """
    pose = forward_kinematics(arm, q)
    poses = np.tile(pose, (round(distance / numbers.LINE_STEP), 1, 1))
    poses[:, :3, 3] -= numbers.LINE_STEP * np.arange(1, len(poses) + 1)[:, None] * pose[:3, 2]
    path = follow_path(arm, poses, q, numbers.LINE_JUMP)
    rows = np.vstack([q, path.q[: path.reached]])
    free = motion_is_free(arm, scene, rows[:-1], rows[1:])
    rows, kept = rows[: int(np.argmin([*free, False])) + 1], [0]
    share = np.linspace(0.0, 1.0, 2 * len(rows))[:, None]
    while kept[-1] < len(rows) - 1:
        begin, there = rows[kept[-1]], len(rows) - 1
        while there > kept[-1] + 1:
            places = forward_kinematics(arm, begin + share * (rows[there] - begin))[:, :3, 3]
            off = np.linalg.norm(np.cross(places - pose[:3, 3], pose[:3, 2]), axis=1).max()
            if off < numbers.LINE_OFF and motion_is_free(arm, scene, begin, rows[there]):
                break
            there -= 1
        kept.append(there)
    return rows[kept][::-1].copy()
