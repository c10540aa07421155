"""Inverse kinematics by Jacobian steps along a path: nowoczyn2023 (2.2), (2.3).

Each step adds J⁻¹ times the difference of two neighbouring poses to the joint angles. (2.3) prints
no J⁻¹, and takes the angular part as differences of Euler angles; these are no rotation, so the
tool's orientation is lost as soon as it turns. The rotation vector is right. The document takes the
difference between points of the path, so that what a step misses is missed for good
(``feedback=False``); taking it from the pose that was reached corrects it in the next step.
"""

import math
from typing import NamedTuple

import numpy as np

from dynamics.arm import Arm
from dynamics.errors import BadInput
from dynamics.inverse.numeric import checked_start, turn_between
from dynamics.inverse.poses import as_poses
from dynamics.kernels.decorators import inlined, kernel
from dynamics.kernels.vectors import length
from dynamics.kinematics import forward_kinematics, update_frames, update_jacobian, update_tool
from dynamics.work import make_work

ORIENTATIONS = ("rotation_vector", "euler")
_SINGULAR = 1e-9  # pivot of J below which a step is not taken [1, m]


class DifferentialPath(NamedTuple):
    """Configurations along a path of poses, and what they miss."""

    # (k, n) [rad]; NaN from the point on that a singular Jacobian kept it from reaching
    q: np.ndarray
    position_error: np.ndarray  # (k,) distance of the tool from the pose's origin [m]
    turn_error: np.ndarray  # (k,) angle between the tool's orientation and the pose's [rad]


def differential_inverse_kinematics(
    arm: Arm,
    T_base_tool: np.ndarray,
    q_start: np.ndarray,
    orientation: str = "rotation_vector",
    feedback: bool = False,
) -> DifferentialPath:
    """Follow a path of close poses by one Jacobian step from each to the next.

    Args:
        arm: an arm with six joints.
        T_base_tool: (k, 4, 4) the path, k at least 1, lengths in metres.
        q_start: (6,) joint angles at its first pose [rad]; taken as they are.
        orientation: "rotation_vector", or "euler" for differences of the roll, pitch and yaw angles
            about base axes as (2.3) has them (the document names no convention).
        feedback: take each difference from the pose that was reached instead of the last of the
            path.

    Raises ``BadInput``: malformed poses or start, an unknown orientation, or an arm without six
    joints.

    Source: nowoczyn2023 (2.2), (2.3), with the missing J⁻¹.
    """
    if len(arm.dh) != 6:
        raise BadInput("J is square for six joints only", found=len(arm.dh), allowed="6 joints")
    poses, lead = as_poses(T_base_tool)
    if len(lead) != 1 or not len(poses):
        raise BadInput("a path of poses is needed", found=(*lead, 4, 4), allowed="(k, 4, 4), k > 0")
    if orientation not in ORIENTATIONS:
        raise BadInput("unknown orientation", found=orientation, allowed=", ".join(ORIENTATIONS))
    start = checked_start(q_start, 6)
    q = _follow(arm, poses, start, orientation == "euler", bool(feedback), make_work(6))
    return DifferentialPath(q, *path_error(arm, poses, q))


def path_error(arm: Arm, T_base_tool: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distance [m] and angle [rad] between the tool at each ``q`` (k, n) and each pose (k, 4, 4)."""
    poses, lead = as_poses(T_base_tool)
    reached = forward_kinematics(arm, q)
    if reached.shape != (*lead, 4, 4) or len(lead) != 1:
        raise BadInput(
            "one joint position a pose is needed", found=reached.shape, allowed=f"{(*lead, 4, 4)}"
        )
    return np.linalg.norm(reached[:, :3, 3] - poses[:, :3, 3], axis=1), _angles(reached, poses)


@kernel
def _angles(reached, poses):
    out = np.empty(len(poses))
    for row in range(len(poses)):
        out[row] = length(turn_between(reached[row], poses[row]))
    return out


@kernel
def _follow(arm, poses, start, euler, feedback, work):
    q, step = np.full((len(poses), 6), np.nan), np.empty(6)
    q[0] = start
    for row in range(1, len(poses)):
        update_frames(arm, q[row - 1], work)
        update_tool(arm, work)
        update_jacobian(arm, work)
        before = work.tool if feedback else poses[row - 1]
        for k in range(3):
            step[k] = poses[row, k, 3] - before[k, 3]
        if euler:
            _euler_difference(before, poses[row], step)
        else:
            step[3], step[4], step[5] = turn_between(before, poses[row])
        if not _solve(work.jacobian, step):
            break
        q[row] = q[row - 1] + step
    return q


@kernel
def _euler_difference(before, after, step):
    """Differences of the angles about base x, y, z in entries 3 to 5, each in [−π, π]."""
    old, new = _euler_angles(before), _euler_angles(after)
    for k in range(3):
        apart = new[k] - old[k]
        step[3 + k] = apart - 2.0 * math.pi * np.round(apart / (2.0 * math.pi))


@kernel
def _euler_angles(T):
    """Roll, pitch, yaw: R = Rot_z(yaw) Rot_y(pitch) Rot_x(roll)."""
    pitch = math.atan2(-T[2, 0], math.hypot(T[0, 0], T[1, 0]))
    return math.atan2(T[2, 1], T[2, 2]), pitch, math.atan2(T[1, 0], T[0, 0])


@inlined
def _solve(matrix, vector):
    """Gauss with row pivots, in place; False where a pivot is too small."""
    n = vector.size
    for j in range(n):
        pivot = j
        for i in range(j + 1, n):
            if abs(matrix[i, j]) > abs(matrix[pivot, j]):
                pivot = i
        if not abs(matrix[pivot, j]) > _SINGULAR:
            return False
        for k in range(n):
            matrix[j, k], matrix[pivot, k] = matrix[pivot, k], matrix[j, k]
        vector[j], vector[pivot] = vector[pivot], vector[j]
        for i in range(j + 1, n):
            factor = matrix[i, j] / matrix[j, j]
            for k in range(j, n):
                matrix[i, k] -= factor * matrix[j, k]
            vector[i] -= factor * vector[j]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            vector[i] -= matrix[i, k] * vector[k]
        vector[i] /= matrix[i, i]
    return True
