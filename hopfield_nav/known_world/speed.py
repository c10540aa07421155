"""The fastest motion along a path that keeps speed, acceleration and torque limits (TOPP-RA).

With q(s) the joint rates are q' sd and q' sdd + q'' sd², and the torque is linear in sdd and sd² too: M q' sdd + (M
q'' + C(q, q') q') sd² + g. The library ``toppra`` finds the highest sd that keeps all of it at the points of a grid;
what happens between them is for the caller to check. ``position_over_time`` makes a motion of these speeds.

Source: Pham and Pham 2018, "A new approach to time-optimal path parameterization based on reachability analysis"
(TOPP-RA).
"""

from typing import Any

import numpy as np

from dynamics import Arm, inverse_dynamics, jacobian, joint_friction_torque
from dynamics.kernels.settings_here import matplotlib_as_it_comes
from hopfield_nav.known_world.limits import MotionLimits
from hopfield_nav.known_world.path_segments import PathSegment

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
    path = _Path(segment)
    constraint = _Constraint(arm, limits, friction_speed)
    solver = toppra.algorithm.TOPPRA([constraint], path, segment.grid, solver_wrapper="seidel")
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
    """All limits as a sdd + b sd² + c, each row as a share of its limit, and a bound of sd²."""

    def __init__(self, arm: Arm, limits: MotionLimits, friction_speed: np.ndarray) -> None:
        super().__init__()
        self.arm, self.limits, self.friction_speed = arm, limits, friction_speed
        self.identical = True

    def compute_constraint_params(self, path: Any, gridpoints: np.ndarray, *args: Any, **named: Any) -> tuple:
        q, first, second = (path(gridpoints, order) for order in range(3))
        terms = np.stack([[first, second, np.zeros_like(q)], self._torque_rows(q, first, second)])
        bounds = np.stack([self.limits.acceleration, self.limits.torque])
        kept = np.isfinite(bounds)
        a, b, c = (terms[:, k].transpose(1, 0, 2)[:, kept] / bounds[kept] for k in range(3))
        count = int(kept.sum())
        both = np.vstack([np.eye(count), -np.eye(count)])
        rows = canlinear_colloc_to_interpolate(
            a, b, c, both, np.ones(2 * count), None, None, gridpoints, identical=True
        )[:5]
        return *rows, None, self._square_speed(q, first)

    def _torque_rows(self, q: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        zero = np.zeros_like(q)
        gravity = inverse_dynamics(self.arm, q, zero, zero)
        friction = joint_friction_torque(self.arm, first * self.friction_speed[:, None])
        a = inverse_dynamics(self.arm, q, zero, first) - gravity
        b = inverse_dynamics(self.arm, q, first, second) - gravity
        return np.stack([a, b, gravity + friction])

    def _square_speed(self, q: np.ndarray, first: np.ndarray) -> np.ndarray:
        """(m, 2) bounds of sd²."""
        tool = np.linalg.norm(np.einsum("kij,kj->ki", jacobian(self.arm, q)[:, :3], first), axis=1)
        with np.errstate(divide="ignore"):
            joints = np.min(self.limits.speed / np.abs(first), axis=1)
            highest = np.minimum(joints, self.limits.tool_speed / tool)
        return np.column_stack([np.zeros(len(q)), highest**2])
