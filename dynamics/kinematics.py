"""Link frames, forward kinematics and the geometric Jacobian, for any number of revolute joints.

Standard Denavit-Hartenberg frames (ragazzon2012 3.2.1, A.1, A.2): joint i turns about the z axis of
frame i - 1.
"""

import numpy as np

from dynamics.arm import Arm, joint_count
from dynamics.kernels.decorators import Room, Table, inlined, packed
from dynamics.kernels.vectors import (
    UNIT,
    UP,
    ZERO,
    add,
    along,
    column,
    cross,
    dot,
    matmul,
    put,
    sub,
    three,
    vector,
)
from dynamics.kernels.views import room_here, view
from dynamics.packed import arm_in, in_rows, row_count
from dynamics.sincos import cos_sin
from dynamics.work import work_in


def link_frames(arm: Arm, q: np.ndarray) -> np.ndarray:
    """Poses of all link frames.

    Args:
        arm: the arm.
        q: (..., n) joint angles [rad].

    Returns:
        (..., n + 1, 4, 4): T_base_i for i = 0 (identity) to n (the flange), without the tool frame.

    Source: ragazzon2012 3.2.1.
    """
    n = joint_count(arm)
    frames = in_rows(_link_frames, arm, (4 * n + 4, 4), None, q=q)
    return frames.reshape(*frames.shape[:-2], n + 1, 4, 4)


def forward_kinematics(arm: Arm, q: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """Pose of the tool, T_base_tool.

    Args:
        arm: the arm.
        q: (..., n) joint angles [rad].
        out: (..., 4, 4) takes the result: C-contiguous float64, else ``BadInput``; may overlap
            arguments.

    Returns:
        (..., 4, 4) homogeneous transformation, lengths in metres.

    Source: ragazzon2012 3.2.1; kebria2016 (1), (2) with the missing s5.
    """
    try:
        numbers, n = arm.dh.base, len(arm.dh)
        result = np.empty((4, 4)) if out is None else out
        if _forward_kinematics.entry(numbers, n, q, result, None):
            return result
    except (AttributeError, TypeError):  # of the arm, of an argument
        pass
    return in_rows(_forward_kinematics, arm, (4, 4), out, q=q)


def jacobian(arm: Arm, q: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """Geometric Jacobian at the tool point, in base axes.

    Args:
        arm: the arm.
        q: (..., n) joint angles [rad].
        out: (..., 6, n) takes the result: C-contiguous float64, else ``BadInput``; may overlap
            arguments.

    Returns:
        (..., 6, n): rows [linear (m); angular (1)], so that [v; omega] = J qd.

    Source: ragazzon2012 A.1.
    """
    try:
        numbers, n = arm.dh.base, len(arm.dh)
        result = np.empty((6, n)) if out is None else out
        if _jacobian.entry(numbers, n, q, result, None):
            return result
    except (AttributeError, TypeError):  # of the arm, of an argument
        pass
    return in_rows(_jacobian, arm, (6, joint_count(arm)), out, q=q)


@inlined
def update_frames(arm, q, work):
    """Write ``work.turn``, ``work.rotation`` and ``work.origin`` for joint angles ``q``."""
    rows = UNIT
    end = ZERO
    put(work.origin, 0, 0, end)
    for i in range(q.size):
        c, s = cos_sin(q[i] + arm.dh[i, 0])
        work.turn[i, 0] = c
        work.turn[i, 1] = s
        rows, end = write_frame(arm, work, i, (c, s), rows, end)


@inlined
def write_frame(arm, work, i, turn, rows, end):
    """Write frame i + 1 to ``work``; returns its rotation R_base_i+1 by rows, and its origin.

    ``turn``: cosine and sine of the angle of joint i; ``rows``, ``end``: R_base_i by rows, and the
    origin of frame i.
    """
    angles = (turn[0], turn[1], arm.twist[i, 0], arm.twist[i, 1])
    row_x = into_link(angles, rows[0])
    row_y = into_link(angles, rows[1])
    row_z = into_link(angles, rows[2])
    offset = vector(arm.offset, i, 0)
    end = add(end, (dot(row_x, offset), dot(row_y, offset), dot(row_z, offset)))
    put(work.rotation[i], 0, 0, row_x)
    put(work.rotation[i], 1, 0, row_y)
    put(work.rotation[i], 2, 0, row_z)
    put(work.origin, i + 1, 0, end)
    return (row_x, row_y, row_z), end


@inlined
def into_link(turn, a):
    """A vector of frame i-1 in frame i.

    ``turn`` is cosine and sine of the joint's angle, and of the twist.
    """
    c, s, ca, sa = turn
    t = c * a[1] - s * a[0]
    return c * a[0] + s * a[1], ca * t + sa * a[2], ca * a[2] - sa * t


@inlined
def update_tool_position(arm, work):
    """Write the tool point to the last column of ``work.tool``, from the frames in ``work``."""
    n, tool = work.rotation.shape[0], work.tool
    reach = matmul(work.rotation[n - 1], column(arm.tool, 3))
    tool[0, 3], tool[1, 3], tool[2, 3] = add(vector(work.origin, n, 0), reach)


@inlined
def update_tool(arm, work):
    """Write ``work.tool`` = T_base_tool, from the frames in ``work``."""
    update_tool_position(arm, work)
    tool, turn = work.tool, work.rotation[work.rotation.shape[0] - 1]
    for k in range(3):
        tool[0, k], tool[1, k], tool[2, k] = matmul(turn, column(arm.tool, k))


@inlined
def update_jacobian(arm, work):
    """Write ``work.jacobian`` at the tool point in ``work.tool``, from the frames in ``work``."""
    columns = work.jacobian
    point = column(work.tool, 3)
    axis = UP  # joint 1 turns about the base's z axis
    for i in range(work.rotation.shape[0]):
        columns[0, i], columns[1, i], columns[2, i] = cross(
            axis, sub(point, vector(work.origin, i, 0))
        )
        columns[3, i], columns[4, i], columns[5, i] = axis
        axis = column(work.rotation[i], 2)


@inlined
def add_wrench_torque(work, wrench, tau):
    """Add J^T wrench to ``tau``; reads frames and tool point in ``work``."""
    point, force, moment, axis = column(work.tool, 3), three(wrench, 0), three(wrench, 3), UP
    for i in range(work.rotation.shape[0]):
        tau[i] += dot(axis, add(cross(sub(point, vector(work.origin, i, 0)), force), moment))
        axis = column(work.rotation[i], 2)


@inlined
def velocity_of_point(work, qd, link, point):
    """Velocity [m/s] of the point (x, y, z) of a link (from 1), from the frames in ``work``."""
    velocity, axis = ZERO, UP
    for i in range(link):
        velocity = along(velocity, qd[i], cross(axis, sub(point, vector(work.origin, i, 0))))
        axis = column(work.rotation[i], 2)
    return velocity


@inlined
def add_force_torque(work, link, point, force, tau):
    """Add J^T F of a force [N] at a point of a link (from 1) to ``tau``, by ``work``'s frames."""
    axis = UP
    for i in range(link):
        tau[i] += dot(axis, cross(sub(point, vector(work.origin, i, 0)), force))
        axis = column(work.rotation[i], 2)


@inlined
def copy_matrix(source, target):
    """Write the entries of ``source`` to ``target``.

    One by one: what ``target[:] = source`` would say of shapes that do not fit takes seconds to
    compile.
    """
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            target[i, j] = source[i, j]


@packed
def _link_frames(numbers: np.ndarray, n: int, q: np.ndarray, out: Table, room: Room) -> None:
    rows = row_count(room, q, n)
    arm, work, q = arm_in(numbers, n), work_in(room_here(room), n), view(q, 0, (rows, n))
    for row in range(rows):
        update_frames(arm, q[row], work)
        for i in range(n + 1):
            first = 4 * (row * (n + 1) + i)
            for k in range(3):
                turn = UNIT[k] if i == 0 else vector(work.rotation[i - 1], k, 0)
                put(out, first + k, 0, turn)
                out[first + k, 3] = work.origin[i, k]
            put(out, first + 3, 0, ZERO)
            out[first + 3, 3] = 1.0


@packed
def _forward_kinematics(numbers: np.ndarray, n: int, q: np.ndarray, out: Table, room: Room) -> bool:
    rows = row_count(room, q, n)
    if q.size != rows * n or out.shape != (rows * 4, 4):
        return False
    arm, work, q = arm_in(numbers, n), work_in(room_here(room), n), view(q, 0, (rows, n))
    for row in range(rows):
        update_frames(arm, q[row], work)
        update_tool(arm, work)
        copy_matrix(work.tool, out[4 * row :])
    return True


@packed
def _jacobian(numbers: np.ndarray, n: int, q: np.ndarray, out: Table, room: Room) -> bool:
    rows = row_count(room, q, n)
    if q.size != rows * n or out.shape != (rows * 6, n):
        return False
    arm, work, q = arm_in(numbers, n), work_in(room_here(room), n), view(q, 0, (rows, n))
    for row in range(rows):
        update_frames(arm, q[row], work)
        update_tool_position(arm, work)
        update_jacobian(arm, work)
        copy_matrix(work.jacobian, out[6 * row :])
    return True
