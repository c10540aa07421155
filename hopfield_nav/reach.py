"""Cells of the map that the arm cannot reach: no solution, beyond its limits, or singular."""

from __future__ import annotations

import numpy as np

from dynamics.arm import Arm
from dynamics.joint_path import JointPath, follow_path
from dynamics.kinematics import jacobian

SINGULAR = 1e-3  # product of the Jacobian's singular values, m³ for six joints: joints run away below it
ANY_JUMP = 1e6  # [rad] a solution at any distance from the start is a solution


def follow_regular_path(arm: Arm, poses: np.ndarray, q: np.ndarray) -> JointPath:
    """As ``follow_path``, but the path also ends where the arm is singular.

    Args:
        arm: the arm.
        poses: (k, 4, 4).
        q: (n,) joint angles before the first pose [rad].

    Returns:
        The path; for a singular waypoint i its reason is "singular at waypoint i".
    """
    path = follow_path(arm, poses, q)
    bad = np.flatnonzero(manipulability(arm, path.q[: path.reached]) < SINGULAR)
    if bad.size == 0:
        return path
    first = int(bad[0])
    angles = path.q.copy()
    angles[first:] = np.nan
    return JointPath(angles, first, f"singular at waypoint {first}")


def manipulability(arm: Arm, q: np.ndarray) -> np.ndarray:
    """Product of the singular values of the Jacobian (k,); 0 in a singular pose (Yoshikawa 1985)."""
    if len(q) == 0:
        return np.zeros(0)
    return np.prod(np.linalg.svd(jacobian(arm, q), compute_uv=False), axis=-1)


def unreachable_places(arm: Arm, poses: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Which poses the arm cannot take, each asked for itself.

    Args:
        arm: the arm; without a closed form the numeric solver starts from ``q``.
        poses: (k, 4, 4).
        q: (n,) joint angles to which the solution shall be nearest [rad].

    Returns:
        (k,) bool: no solution within the limits, or the one nearest to ``q`` is singular.
    """
    out = np.ones(len(poses), dtype=bool)
    for k in range(len(poses)):
        path = follow_path(arm, poses[k : k + 1], q, ANY_JUMP)
        if not path.reason:
            out[k] = manipulability(arm, path.q)[0] < SINGULAR
    return out
