"""From the speed at grid points to the path position over time, the acceleration without jumps.

Between grid points the path acceleration is constant, so the position is piecewise quadratic in time.
Its mean over a sliding window of length ``ramp`` is piecewise cubic: the acceleration now rises and
falls within ``ramp`` instead of jumping, bounds of speed and acceleration still hold, and the motion
takes ``ramp`` longer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.interpolate import PPoly


class PathTime(NamedTuple):
    """Path position over time.

    Attributes:
        knots: (k + 1,) from 0 on [s].
        coefficients: (k, 4) of t^0…t^3, t from the piece's start.
    """

    knots: np.ndarray
    coefficients: np.ndarray


def path_time(grid: np.ndarray, speed: np.ndarray, ramp: float) -> PathTime:
    """Path position over time, from rest to rest.

    Args:
        grid: (m,) path positions, increasing.
        speed: (m,) there, 0 at both ends and nowhere else twice in a row.
        ramp: time in which the acceleration may change from one grid interval's to another's [s]; 0: none.
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
