"""How far along its path a motion is at every time, and the trajectory of the joints that comes of it."""

from typing import NamedTuple

import numpy as np
from scipy.interpolate import PPoly

from hopfield_nav.known_world.path_segments import PathSegment
from hopfield_nav.loop import Trajectory, quintic_pieces

_LEAST_PIECE = 2.5e-4  # [s] shorter quintic pieces lose the acceleration in rounding


class PathTime(NamedTuple):
    """Path position over time."""

    knots: np.ndarray  # (k + 1,) from 0 on [s]
    coefficients: np.ndarray  # (k, 4) of t^0…t^3, t from the piece's start


def position_over_time(grid: np.ndarray, speed: np.ndarray, ramp: float) -> PathTime:
    """Path position over time, from rest to rest, of speeds (m,) at increasing path positions (m,).

    ``ramp`` is the time in which the acceleration may change from one grid interval's to another's [s]; 0:
    none.
    """
    steps = 2.0 * np.diff(grid) / (speed[:-1] + speed[1:])
    knots = np.concatenate([[0.0], np.cumsum(steps)])
    halves = 0.5 * np.diff(speed) / steps
    quadratic = np.stack([grid[:-1], speed[:-1], halves], axis=1)
    if ramp == 0.0:
        return PathTime(knots, np.column_stack([quadratic, np.zeros(len(halves))]))
    return _averaged(knots, quadratic, grid[-1], ramp)


def _averaged(knots: np.ndarray, quadratic: np.ndarray, end: float, ramp: float) -> PathTime:
    rest = np.array([[quadratic[0, 0], 0.0, 0.0]]), np.array([[end, 0.0, 0.0]])
    around = np.concatenate([[-2.0 * ramp], knots, [knots[-1] + 2.0 * ramp]])
    position = PPoly(np.concatenate([rest[0], quadratic, rest[1]])[:, ::-1].T, around)
    area = position.antiderivative()
    times = np.union1d(knots, knots + ramp)
    middle = 0.5 * (times[:-1] + times[1:])
    start = times[:-1]
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
    kept = _spaced(times.knots)
    s, sd, sdd, sdd_end = _at_knots(times, kept)
    first, second = segment.path(s, 1), segment.path(s, 2)
    bend = second * (sd**2)[:, None]
    qdd, qdd_end = bend + first * sdd[:, None], bend[1:] + first[1:] * sdd_end[:, None]
    return quintic_pieces(times.knots[kept], segment.path(s), first * sd[:, None], qdd, qdd_end)


def _at_knots(times: PathTime, kept: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Path position, speed and acceleration from knots on, and acceleration towards them; at last rest."""
    c, h = times.coefficients, np.diff(times.knots)
    end = c[-1] @ h[-1] ** np.arange(4.0)
    before = 2.0 * c[:, 2] + 6.0 * c[:, 3] * h
    s, sd = np.append(c[:, 0], end)[kept], np.append(c[:, 1], 0.0)[kept]
    return s, sd, np.append(2.0 * c[:, 2], 0.0)[kept], before[kept[1:] - 1]


def _spaced(knots: np.ndarray) -> np.ndarray:
    """Rows of knots that are far enough apart, the first and the last among them."""
    rows = [0]
    for row in range(1, len(knots) - 1):
        if knots[row] - knots[rows[-1]] >= _LEAST_PIECE and knots[-1] - knots[row] >= _LEAST_PIECE:
            rows.append(row)
    return np.array([*rows, len(knots) - 1])
