"""Link frames, forward kinematics and the geometric Jacobian, for any number of revolute joints.

Standard Denavit-Hartenberg frames (ragazzon2012 3.2.1, A.1, A.2): joint i turns about the z axis of
frame i - 1.
"""

from __future__ import annotations

import numpy as np

from dynamics.arm import Arm
from dynamics.kernels.decorators import inlined, packed
from dynamics.kernels.views import view
from dynamics.packed import arm_in, as_flat, is_row, numbers_of, scratch, work_in
from dynamics.sincos import cos_sin


def link_frames(arm: Arm, q: np.ndarray) -> np.ndarray:
    """Poses of all link frames.

    Args:
        arm: the arm.
        q: (..., n) joint angles [rad].

    Returns:
        (..., n + 1, 4, 4): T_base_i for i = 0 (identity) to n (the flange), without the tool frame.

    Raises:
        BadInput: wrong shape.

    Source: ragazzon2012 3.2.1.
    """
    numbers, n, room = numbers_of(arm)
    lead: tuple[int, ...] = ()
    if not is_row(n, q):
        (q,), lead = as_flat(n, q=q)
    out = np.zeros((*lead, n + 1, 4, 4))
    _link_frames.dispatcher(numbers, n, q, scratch(room), out.ravel())
    return out


def forward_kinematics(arm: Arm, q: np.ndarray) -> np.ndarray:
    """Pose of the tool, T_base_tool.

    Args:
        arm: the arm.
        q: (..., n) joint angles [rad].

    Returns:
        (..., 4, 4) homogeneous transformation, lengths in metres.

    Raises:
        BadInput: wrong shape.

    Source: ragazzon2012 3.2.1; kebria2016 (1), (2) with the missing s5.
    """
    numbers, n, room = numbers_of(arm)
    lead: tuple[int, ...] = ()
    if not is_row(n, q):
        (q,), lead = as_flat(n, q=q)
    out = np.empty((*lead, 4, 4))
    _forward_kinematics.dispatcher(numbers, n, q, scratch(room), out.ravel())
    return out


def jacobian(arm: Arm, q: np.ndarray) -> np.ndarray:
    """Geometric Jacobian at the tool point, in base axes.

    Args:
        arm: the arm.
        q: (..., n) joint angles [rad].

    Returns:
        (..., 6, n): rows [linear (m); angular (1)], so that [v; omega] = J qd.

    Raises:
        BadInput: wrong shape.

    Source: ragazzon2012 A.1.
    """
    numbers, n, room = numbers_of(arm)
    lead: tuple[int, ...] = ()
    if not is_row(n, q):
        (q,), lead = as_flat(n, q=q)
    out = np.empty((*lead, 6, n))
    _jacobian.dispatcher(numbers, n, q, scratch(room), out.ravel())
    return out


@inlined
def update_frames(arm, q, work):
    """Write ``work.turn``, ``work.rotation`` and ``work.origin`` for joint angles ``q``."""
    dh, twist, offset = arm.dh, arm.twist, arm.offset
    turn, rotation, origin = work.turn, work.rotation, work.origin
    r00, r01, r02 = 1.0, 0.0, 0.0
    r10, r11, r12 = 0.0, 1.0, 0.0
    r20, r21, r22 = 0.0, 0.0, 1.0
    x, y, z = 0.0, 0.0, 0.0
    origin[0, 0], origin[0, 1], origin[0, 2] = x, y, z
    for i in range(q.size):
        c, s = cos_sin(q[i] + dh[i, 0])
        turn[i, 0], turn[i, 1] = c, s
        ca, sa = twist[i, 0], twist[i, 1]
        # rows of R Rz(angle) Rx(alpha)
        p, t = c * r00 + s * r01, c * r01 - s * r00
        r00, r01, r02 = p, ca * t + sa * r02, ca * r02 - sa * t
        p, t = c * r10 + s * r11, c * r11 - s * r10
        r10, r11, r12 = p, ca * t + sa * r12, ca * r12 - sa * t
        p, t = c * r20 + s * r21, c * r21 - s * r20
        r20, r21, r22 = p, ca * t + sa * r22, ca * r22 - sa * t
        ox, oy, oz = offset[i, 0], offset[i, 1], offset[i, 2]
        x += r00 * ox + r01 * oy + r02 * oz
        y += r10 * ox + r11 * oy + r12 * oz
        z += r20 * ox + r21 * oy + r22 * oz
        rotation[i, 0, 0], rotation[i, 0, 1], rotation[i, 0, 2] = r00, r01, r02
        rotation[i, 1, 0], rotation[i, 1, 1], rotation[i, 1, 2] = r10, r11, r12
        rotation[i, 2, 0], rotation[i, 2, 1], rotation[i, 2, 2] = r20, r21, r22
        origin[i + 1, 0], origin[i + 1, 1], origin[i + 1, 2] = x, y, z


@inlined
def update_tool_position(arm, work):
    """Write the tool point to the last column of ``work.tool``, from the frames in ``work``."""
    offset, rotation, origin, tool = arm.tool, work.rotation, work.origin, work.tool
    last = rotation.shape[0] - 1
    for k in range(3):
        tool[k, 3] = (
            origin[last + 1, k]
            + rotation[last, k, 0] * offset[0, 3]
            + rotation[last, k, 1] * offset[1, 3]
            + rotation[last, k, 2] * offset[2, 3]
        )


@inlined
def update_tool(arm, work):
    """Write ``work.tool`` = T_base_tool, from the frames in ``work``."""
    update_tool_position(arm, work)
    offset, rotation, tool = arm.tool, work.rotation, work.tool
    last = rotation.shape[0] - 1
    for k in range(3):
        for m in range(3):
            tool[k, m] = (
                rotation[last, k, 0] * offset[0, m]
                + rotation[last, k, 1] * offset[1, m]
                + rotation[last, k, 2] * offset[2, m]
            )


@inlined
def update_jacobian(arm, work):
    """Write ``work.jacobian`` at the tool point in ``work.tool``, from the frames in ``work``."""
    rotation, origin, tool, columns = work.rotation, work.origin, work.tool, work.jacobian
    px, py, pz = tool[0, 3], tool[1, 3], tool[2, 3]
    zx, zy, zz = 0.0, 0.0, 1.0  # joint 1 turns about the base's z axis
    for i in range(rotation.shape[0]):
        rx, ry, rz = px - origin[i, 0], py - origin[i, 1], pz - origin[i, 2]
        columns[0, i] = zy * rz - zz * ry
        columns[1, i] = zz * rx - zx * rz
        columns[2, i] = zx * ry - zy * rx
        columns[3, i], columns[4, i], columns[5, i] = zx, zy, zz
        zx, zy, zz = rotation[i, 0, 2], rotation[i, 1, 2], rotation[i, 2, 2]


@inlined
def add_wrench_torque(work, wrench, tau):
    """Add J^T wrench to ``tau``; reads frames and tool point in ``work``."""
    rotation, origin, tool = work.rotation, work.origin, work.tool
    px, py, pz = tool[0, 3], tool[1, 3], tool[2, 3]
    fx, fy, fz = wrench[0], wrench[1], wrench[2]
    zx, zy, zz = 0.0, 0.0, 1.0
    for i in range(rotation.shape[0]):
        rx, ry, rz = px - origin[i, 0], py - origin[i, 1], pz - origin[i, 2]
        mx = ry * fz - rz * fy + wrench[3]
        my = rz * fx - rx * fz + wrench[4]
        mz = rx * fy - ry * fx + wrench[5]
        tau[i] += zx * mx + zy * my + zz * mz
        zx, zy, zz = rotation[i, 0, 2], rotation[i, 1, 2], rotation[i, 2, 2]


@inlined
def velocity_of_point(work, qd, link, px, py, pz):
    """Velocity [m/s] of the point of a link (from 1) that is at (px, py, pz), from the frames in ``work``."""
    rotation, origin = work.rotation, work.origin
    vx, vy, vz = 0.0, 0.0, 0.0
    zx, zy, zz = 0.0, 0.0, 1.0
    for i in range(link):
        rx, ry, rz = px - origin[i, 0], py - origin[i, 1], pz - origin[i, 2]
        vx += (zy * rz - zz * ry) * qd[i]
        vy += (zz * rx - zx * rz) * qd[i]
        vz += (zx * ry - zy * rx) * qd[i]
        zx, zy, zz = rotation[i, 0, 2], rotation[i, 1, 2], rotation[i, 2, 2]
    return vx, vy, vz


@inlined
def add_force_torque(work, link, px, py, pz, fx, fy, fz, tau):
    """Add J^T F of a force [N] on a link (from 1) at (px, py, pz) to ``tau``, from the frames in ``work``."""
    rotation, origin = work.rotation, work.origin
    zx, zy, zz = 0.0, 0.0, 1.0
    for i in range(link):
        rx, ry, rz = px - origin[i, 0], py - origin[i, 1], pz - origin[i, 2]
        tau[i] += zx * (ry * fz - rz * fy) + zy * (rz * fx - rx * fz) + zz * (rx * fy - ry * fx)
        zx, zy, zz = rotation[i, 0, 2], rotation[i, 1, 2], rotation[i, 2, 2]


@inlined
def copy_matrix(source, target):
    """Write the entries of ``source`` to ``target``.

    One by one: what ``target[:] = source`` would say of shapes that do not fit takes seconds to compile.
    """
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            target[i, j] = source[i, j]


@packed
def _link_frames(numbers: np.ndarray, n: int, q: np.ndarray, scratch: np.ndarray, out: np.ndarray) -> None:
    arm, work, q = arm_in(numbers, n), work_in(scratch, n), view(q, 0, (q.size // n, n))
    out = view(out, 0, (len(q), n + 1, 4, 4))
    for row in range(len(q)):
        update_frames(arm, q[row], work)
        out[row, 0, 0, 0] = out[row, 0, 1, 1] = out[row, 0, 2, 2] = out[row, 0, 3, 3] = 1.0
        for i in range(n):
            copy_matrix(work.rotation[i], out[row, i + 1])
            for k in range(3):
                out[row, i + 1, k, 3] = work.origin[i + 1, k]
            out[row, i + 1, 3, 3] = 1.0


@packed
def _forward_kinematics(
    numbers: np.ndarray, n: int, q: np.ndarray, scratch: np.ndarray, out: np.ndarray
) -> None:
    arm, work, q = arm_in(numbers, n), work_in(scratch, n), view(q, 0, (q.size // n, n))
    out = view(out, 0, (len(q), 4, 4))
    for row in range(len(q)):
        update_frames(arm, q[row], work)
        update_tool(arm, work)
        copy_matrix(work.tool, out[row])


@packed
def _jacobian(numbers: np.ndarray, n: int, q: np.ndarray, scratch: np.ndarray, out: np.ndarray) -> None:
    arm, work, q = arm_in(numbers, n), work_in(scratch, n), view(q, 0, (q.size // n, n))
    out = view(out, 0, (len(q), 6, n))
    for row in range(len(q)):
        update_frames(arm, q[row], work)
        update_tool_position(arm, work)
        update_jacobian(arm, work)
        copy_matrix(work.jacobian, out[row])
