"""The highest speed along a path that keeps speed, acceleration and torque limits (TOPP-RA).

With q(s) the joint rates are q' sd and q' sdd + q'' sd², and the torque is linear in sdd and sd² too:
M q' sdd + (M q'' + C(q, q') q') sd² + g. The library ``toppra`` finds the highest sd that keeps all
of it at the points of a grid; what happens between them is for the caller to check.

Source: Pham and Pham 2018, "A new approach to time-optimal path parameterization based on reachability
analysis" (TOPP-RA).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import toppra
from toppra.constraint.linear_constraint import LinearConstraint, canlinear_colloc_to_interpolate
from toppra.interpolator import AbstractGeometricPath

from dynamics.arm import Arm
from dynamics.joint_friction import joint_friction_torque
from dynamics.kinematics import jacobian
from dynamics.newton_euler import inverse_dynamics
from hopfield_nav.known_world.legs import Leg
from hopfield_nav.known_world.motion_limits import MotionLimits


def fastest_speed(
    arm: Arm, leg: Leg, limits: MotionLimits, friction_speed: np.ndarray | None = None
) -> np.ndarray | None:
    """Highest path speed from rest to rest.

    Args:
        arm: whose torque and tool.
        leg: path and grid.
        limits: to keep at the grid.
        friction_speed: (m,) path speed [rad/s] at which the friction in the joints is taken; default 0.

    Returns:
        (m,) path speed at the grid [rad/s], or None where no motion keeps the limits.
    """
    path = _Path(leg)
    constraint = _Constraint(
        arm, limits, np.zeros(len(leg.grid)) if friction_speed is None else friction_speed
    )
    solver = toppra.algorithm.TOPPRA([constraint], path, leg.grid, solver_wrapper="seidel")
    _, speed, _ = solver.compute_parameterization(0.0, 0.0)
    return None if speed is None or not np.all(np.isfinite(speed)) else speed


class _Path(AbstractGeometricPath):
    """A leg as the library wants it."""

    def __init__(self, leg: Leg) -> None:
        self.leg = leg

    def __call__(self, path_positions: Any, order: int = 0) -> np.ndarray:
        return self.leg.path(path_positions, order)

    @property
    def dof(self) -> int:
        return self.leg.path.c.shape[2]

    @property
    def path_interval(self) -> np.ndarray:
        return self.leg.grid[[0, -1]]


class _Constraint(LinearConstraint):
    """All limits as a sdd + b sd² + c, each row as a share of its limit, and a bound of sd²."""

    def __init__(self, arm: Arm, limits: MotionLimits, friction_speed: np.ndarray) -> None:
        super().__init__()
        self.arm, self.limits, self.friction_speed = arm, limits, friction_speed
        self.identical = True

    def compute_constraint_params(self, path: Any, gridpoints: np.ndarray, *args: Any, **named: Any) -> tuple:
        q, first, second = (path(gridpoints, order) for order in range(3))
        terms = np.stack([_acceleration_rows(first, second), self._torque_rows(q, first, second)])
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


def _acceleration_rows(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return np.stack([first, second, np.zeros_like(first)])
