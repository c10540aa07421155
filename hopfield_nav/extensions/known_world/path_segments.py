"""The segments of a planned path: smooth, each between two corners at which the arm must stop.

A "direct" or "sampling" path is straight in joint space between corners, and proven free of
collision as such: a segment is that straight line and nothing else. On a "shortest" path, and on
one "around", the tool is on a straight line between corners and the rows are close together: a
segment is the cubic spline through its rows, with rows added where that leaves the tool's line.

``position_over_time`` says how far along a segment a motion is at every time, and ``along`` makes
the joints' trajectory of it.
"""

import itertools
from typing import NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline, PPoly

from dynamics import Arm, BadInput
from hopfield_nav.extensions.known_world.line import path_positions, rows_on_line
from hopfield_nav.extensions.known_world.task import AROUND, DIRECT, SAMPLING, SHORTEST, PlannedPath
from hopfield_nav.loop import Trajectory

KINDS = (SHORTEST, AROUND, DIRECT, SAMPLING)
_SAME = 1e-8  # [rad] rows no further apart are one
_OFF_LINE = 1e-6  # [rad] a row of a straight segment may lie this far beside it
_GRID = 200  # least number of intervals of a segment's grid


class PathSegment(NamedTuple):
    """A path of the joints from rest to rest."""

    # joint angles (n,) over the path position s, which begins at 0 [rad]; ``path(s, order)`` its
    # derivatives
    path: PPoly
    grid: np.ndarray  # (m,) path positions at which limits are put, from start to end
    straight: bool  # whether the joints move on a straight line


def checked_path(path: PlannedPath, n: int) -> PlannedPath:
    """The path with float64 angles and int corners."""
    q, corners = np.asarray(path.q, dtype=np.float64), np.asarray(path.corners)
    if path.kind not in KINDS:
        raise BadInput("unknown kind of path", found=path.kind, allowed=", ".join(KINDS))
    if q.ndim != 2 or len(q) == 0 or q.shape[1] != n or not np.all(np.isfinite(q)):
        raise BadInput(
            "a path holds finite joint angles", where="path.q", found=q.shape, allowed=f"(k, {n})"
        )
    fits = corners.ndim == 1 and len(corners) > 0 and np.issubdtype(corners.dtype, np.integer)
    if not fits or corners[0] != 0 or corners[-1] != len(q) - 1 or np.any(np.diff(corners) <= 0):
        what = "corners are rows in order, the first and the last included"
        raise BadInput(
            what, where="path.corners", found=corners.tolist(), allowed=f"0, …, {len(q) - 1}"
        )
    checked = path._replace(q=q, corners=corners.astype(np.int64))
    if not path.is_of_tool:
        _require_straight(checked)
    return checked


def segments_of_path(arm: Arm, path: PlannedPath) -> list[PathSegment]:
    """The segments of a checked path; a segment without motion is not among them."""
    rows = [path.q[first : last + 1] for first, last in itertools.pairwise(path.corners)]
    segments = [
        _curved_segment(arm, each) if path.is_of_tool else _straight_segment(each) for each in rows
    ]
    return [segment for segment in segments if segment is not None]


def _straight_segment(rows: np.ndarray) -> PathSegment | None:
    change = rows[-1] - rows[0]
    length = float(np.linalg.norm(change))
    if length <= _SAME:
        return None
    path = PPoly(np.stack([change / length, rows[0]])[:, None], [0.0, length])
    return PathSegment(path, np.linspace(0.0, length, _GRID + 1), True)


def _curved_segment(arm: Arm, rows: np.ndarray) -> PathSegment | None:
    rows = _different(rows)
    if len(rows) == 1:
        return None
    rows = rows_on_line(arm, rows)
    s = path_positions(rows)
    return PathSegment(CubicSpline(s, rows), divided(s, -(-_GRID // (len(rows) - 1))), False)


def _different(rows: np.ndarray) -> np.ndarray:
    """Rows without those that repeat the one before, the first and the last among them."""
    kept = [0]
    for i in range(1, len(rows)):
        if np.abs(rows[i] - rows[kept[-1]]).max() > _SAME:
            kept.append(i)
    if len(kept) > 1:
        kept[-1] = len(rows) - 1
    return rows[kept]


def divided(grid: np.ndarray, parts: int) -> np.ndarray:
    """A grid with every interval cut into ``parts``."""
    if parts == 1:
        return grid
    inner = grid[:-1, None] + np.diff(grid)[:, None] * np.arange(parts) / parts
    return np.append(inner.ravel(), grid[-1])


def _require_straight(path: PlannedPath) -> None:
    for first, last in itertools.pairwise(path.corners):
        rows, change = path.q[first : last + 1], path.q[last] - path.q[first]
        share = (rows - rows[0]) @ change / max(float(change @ change), 1e-300)
        off = np.abs(rows - rows[0] - np.clip(share, 0.0, 1.0)[:, None] * change).max(axis=1)
        if off.max() > _OFF_LINE:
            message = f"a {path.kind} path is straight between corners"
            where = f"path.q, row {first + int(np.argmax(off))}"
            found = f"{off.max():.3g} rad beside the line"
            raise BadInput(
                message, where=where, found=found, allowed="a corner there, or a row on the line"
            )


_LEAST_PIECE = 2.5e-4  # [s] shorter quintic pieces lose the acceleration in rounding


class PathTime(NamedTuple):
    """Path position over time."""

    knots: np.ndarray  # (k + 1,) from 0 on [s]
    coefficients: np.ndarray  # (k, 4) of t^0…t^3, t from the piece's start


def position_over_time(grid: np.ndarray, speed: np.ndarray, ramp: float) -> PathTime:
    """Path position over time, from rest to rest, of speeds (m,) at increasing path positions (m,).

    ``ramp`` is the time in which the acceleration may change from one grid interval's to another's
    [s]; 0: none.
    """
    steps = 2.0 * np.diff(grid) / (speed[:-1] + speed[1:])
    knots = np.concatenate([[0.0], np.cumsum(steps)])
    halves = 0.5 * np.diff(speed) / steps
    quadratic = np.stack([grid[:-1], speed[:-1], halves], axis=1)
    if ramp == 0.0:
        return PathTime(knots, np.column_stack([quadratic, np.zeros(len(halves))]))
    return _averaged(knots, quadratic, grid[-1], ramp)


def _averaged(knots: np.ndarray, quadratic: np.ndarray, end: float, ramp: float) -> PathTime:
    rests = [[quadratic[0, 0], 0.0, 0.0]], [[end, 0.0, 0.0]]
    around = np.concatenate([[-2.0 * ramp], knots, [knots[-1] + 2.0 * ramp]])
    position = PPoly(np.concatenate([rests[0], quadratic, rests[1]])[:, ::-1].T, around)
    area = position.antiderivative()
    times = np.union1d(knots, knots + ramp)
    start, middle = times[:-1], 0.5 * (times[:-1] + times[1:])
    terms = [
        area(start) - area(start - ramp),
        position(start) - position(start - ramp),
        0.5 * (position(start, 1) - position(start - ramp, 1)),
        (position(middle, 2) - position(middle - ramp, 2)) / 6.0,
    ]
    return PathTime(times, np.stack(terms, axis=1) / ramp)


def along(segment: PathSegment, times: PathTime) -> Trajectory:
    """The motion of the joints: exact on a straight line, quintic pieces through a curved segment."""
    if segment.straight:
        direction, start = segment.path.c[:, 0]
        coefficients = np.zeros((len(times.coefficients), 6, len(start)))
        coefficients[:, :4] = times.coefficients[:, :, None] * direction
        coefficients[:, 0] += start
        return Trajectory(times.knots, coefficients)
    kept, c, h = _spaced(times.knots), times.coefficients, np.diff(times.knots)
    # position, speed and acceleration from knots on, and acceleration towards them; at last rest
    s, sd = np.append(c[:, 0], c[-1] @ h[-1] ** np.arange(4.0))[kept], np.append(c[:, 1], 0.0)[kept]
    sdd, sdd_end = (
        np.append(2.0 * c[:, 2], 0.0)[kept],
        (2.0 * c[:, 2] + 6.0 * c[:, 3] * h)[kept[1:] - 1],
    )
    first, second = segment.path(s, 1), segment.path(s, 2)
    bend = second * (sd**2)[:, None]
    qdd, qdd_end = bend + first * sdd[:, None], bend[1:] + first[1:] * sdd_end[:, None]
    return quintic_pieces(times.knots[kept], segment.path(s), first * sd[:, None], qdd, qdd_end)


def _spaced(knots: np.ndarray) -> np.ndarray:
    """Rows of knots that are far enough apart, the first and the last among them."""
    rows = [0]
    for row in range(1, len(knots) - 1):
        if knots[row] - knots[rows[-1]] >= _LEAST_PIECE and knots[-1] - knots[row] >= _LEAST_PIECE:
            rows.append(row)
    return np.array([*rows, len(knots) - 1])


def quintic_pieces(
    knots: np.ndarray,
    q: np.ndarray,
    qd: np.ndarray,
    qdd: np.ndarray,
    qdd_end: np.ndarray | None = None,
) -> Trajectory:
    """The k polynomials of degree five with given position, velocity and acceleration at their ends.

    At increasing times ``knots`` (k + 1,) [s] there are ``q``, ``qd`` and, from each knot on,
    ``qdd`` (k + 1, n) [rad, rad/s, rad/s²]. ``qdd_end`` (k, n) is the acceleration towards the end
    of each piece; default that from the next knot on: no jump.

    Source: ragazzon2012 (6.14).
    """
    h = np.diff(knots)[:, None]
    first, last = qdd[:-1], qdd[1:] if qdd_end is None else qdd_end
    p = q[1:] - q[:-1] - (qd[:-1] + 0.5 * first * h) * h
    v = (qd[1:] - qd[:-1] - first * h) * h
    a = (last - first) * h * h
    high = (
        (10 * p - 4 * v + 0.5 * a) / h**3,
        (-15 * p + 7 * v - a) / h**4,
        (6 * p - 3 * v + 0.5 * a) / h**5,
    )
    coefficients = np.stack([q[:-1], qd[:-1], 0.5 * first, *high], axis=1)
    return Trajectory(np.array(knots, dtype=np.float64), np.ascontiguousarray(coefficients))
