"""The fastest motion along a path that keeps the limits (TOPP-RA), by the library ``toppra``.

The library finds the highest speed that keeps all limits at the points of a grid.

Source: Pham and Pham 2018, "A new approach to time-optimal path parameterization based on reachability analysis"
(TOPP-RA).
"""

from typing import Any

import numpy as np

from dynamics import Arm
from dynamics.kernels.settings_here import matplotlib_as_it_comes
from hopfield_nav.extensions.known_world.limits import MotionLimits
from hopfield_nav.extensions.known_world.path_segments import PathSegment
from hopfield_nav.extensions.known_world.speed import LimitRows, limit_rows

with matplotlib_as_it_comes():  # which the library loads
    import toppra
    from toppra.constraint.linear_constraint import LinearConstraint, canlinear_colloc_to_interpolate
    from toppra.interpolator import AbstractGeometricPath


def fastest_speed(
    arm: Arm, segment: PathSegment, limits: MotionLimits, friction_speed: np.ndarray
) -> np.ndarray | None:
    """Highest path speed (m,) [rad/s] at a segment's grid, rest to rest; None where nothing keeps the limits.

    Friction in the joints is taken at ``friction_speed`` (m,) [rad/s].
    """
    constraint = _Constraint(limit_rows(arm, segment, limits, friction_speed))
    solver = toppra.algorithm.TOPPRA([constraint], _Path(segment), segment.grid, solver_wrapper="seidel")
    _, speed, _ = solver.compute_parameterization(0.0, 0.0)
    return None if speed is None or not np.all(np.isfinite(speed)) else speed


class _Path(AbstractGeometricPath):
    """A segment as the library wants it."""

    def __init__(self, segment: PathSegment) -> None:
        self.segment = segment

    def __call__(self, path_positions: Any, order: int = 0) -> np.ndarray:
        return self.segment.path(path_positions, order)

    @property
    def dof(self) -> int:
        return self.segment.path.c.shape[2]

    @property
    def path_interval(self) -> np.ndarray:
        return self.segment.grid[[0, -1]]


class _Constraint(LinearConstraint):
    """The limits as the library wants them: at a point, and at the next with the same sdd."""

    def __init__(self, rows: LimitRows) -> None:
        super().__init__()
        self.rows = rows
        self.identical = True

    def compute_constraint_params(self, path: Any, gridpoints: np.ndarray, *args: Any, **named: Any) -> tuple:
        count = self.rows.a.shape[1]
        both = np.vstack([np.eye(count), -np.eye(count)])
        rows = canlinear_colloc_to_interpolate(
            *self.rows[:3], both, np.ones(2 * count), None, None, gridpoints, identical=True
        )[:5]
        square = self.rows.square_speed
        return *rows, None, np.column_stack([np.zeros(len(square)), square])
