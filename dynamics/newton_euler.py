"""Recursive Newton-Euler inverse dynamics, in link frames (ragazzon2012 3.1.2).

The equations are (3.9) to (3.15) of the document, with the missing index of (3.12), and gravity as an
acceleration of the base, which is the same as (3.13), (3.14). They cost O(n).
"""

from __future__ import annotations

import numpy as np

from dynamics.arm import Arm
from dynamics.kernels.decorators import inlined, packed
from dynamics.kernels.views import view
from dynamics.kinematics import add_wrench_torque, update_frames, update_tool_position
from dynamics.packed import are_rows, arm_in, as_flat, flat_wrench, numbers_of, scratch, work_in


def inverse_dynamics(
    arm: Arm, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, wrench: np.ndarray | None = None
) -> np.ndarray:
    """Torque that gives the arm an acceleration.

    Args:
        arm: the arm.
        q: (..., n) joint angles [rad].
        qd: (..., n) joint velocities [rad/s].
        qdd: (..., n) joint accelerations [rad/s²].
        wrench: (..., 6) [N, N·m] what the world exerts on the tool, base axes; default none.

    Returns:
        (..., n) tau = M qdd + C qd + g - J^T wrench [N·m].

    Raises:
        BadInput: wrong shapes.

    Source: ragazzon2012 (3.9)-(3.15), (5.1); tu2023 (34)-(47).
    """
    numbers, n, room = numbers_of(arm)
    lead: tuple[int, ...] = ()
    if not are_rows(n, q, qd, qdd):
        (q, qd, qdd), lead = as_flat(n, q=q, qd=qd, qdd=qdd)
    out = np.empty(q.size)
    _inverse_dynamics.dispatcher(numbers, n, q, qd, qdd, flat_wrench(wrench, lead), scratch(room), out)
    return out.reshape(*lead, n) if lead else out


def gravity_torque(arm: Arm, q: np.ndarray) -> np.ndarray:
    """Torque that holds the arm at rest against gravity, g(q).

    Args:
        arm: the arm.
        q: (..., n) joint angles [rad].

    Returns:
        (..., n) [N·m].

    Raises:
        BadInput: wrong shape.

    Source: ragazzon2012 (3.8), (3.14) with the sign of (3.4) corrected.
    """
    zero = np.zeros(numbers_of(arm).n)
    return inverse_dynamics(arm, q, zero, zero)


@inlined
def newton_euler(arm, gravity, qd, qdd, work, tau):
    """Write ``tau`` = M qdd + C qd + g for the acceleration of gravity ``gravity`` (3,).

    Reads the joint angles' ``work.turn`` (``update_frames`` writes it), uses ``work.link``.
    """
    n = qd.size
    twist, offset, mass, turn = arm.twist, arm.dynamics_offset, arm.mass, work.turn
    center, inertia, rotor, link = arm.center_of_mass, arm.inertia, arm.rotor_inertia, work.link
    wx, wy, wz = 0.0, 0.0, 0.0  # angular velocity
    dx, dy, dz = 0.0, 0.0, 0.0  # angular acceleration
    ax, ay, az = -gravity[0], -gravity[1], -gravity[2]  # acceleration of the link's end
    for i in range(n):
        c, s = turn[i, 0], turn[i, 1]
        ca, sa = twist[i, 0], twist[i, 1]
        # (3.9), (3.10): the joint turns about z of frame i-1, then all into frame i
        dx, dy, dz = dx + wy * qd[i], dy - wx * qd[i], dz + qdd[i]
        wz += qd[i]
        wx, wy, wz = _into(c, s, ca, sa, wx, wy, wz)
        dx, dy, dz = _into(c, s, ca, sa, dx, dy, dz)
        ax, ay, az = _into(c, s, ca, sa, ax, ay, az)
        # matrix of rotation: acceleration of a point r fixed to the link is a + B r
        bxx, byy, bzz = -wy * wy - wz * wz, -wx * wx - wz * wz, -wx * wx - wy * wy
        bxy, bxz, byz = wx * wy, wx * wz, wy * wz
        # (3.11) end of the link
        rx, ry, rz = offset[i, 0], offset[i, 1], offset[i, 2]
        ax += bxx * rx + (bxy - dz) * ry + (bxz + dy) * rz
        ay += (bxy + dz) * rx + byy * ry + (byz - dx) * rz
        az += (bxz - dy) * rx + (byz + dx) * ry + bzz * rz
        # (3.12) centre of mass, and the force and moment that accelerate the link
        cx, cy, cz = center[i, 0], center[i, 1], center[i, 2]
        m = mass[i]
        fx = m * (ax + bxx * cx + (bxy - dz) * cy + (bxz + dy) * cz)
        fy = m * (ay + (bxy + dz) * cx + byy * cy + (byz - dx) * cz)
        fz = m * (az + (bxz - dy) * cx + (byz + dx) * cy + bzz * cz)
        hx = inertia[i, 0, 0] * wx + inertia[i, 0, 1] * wy + inertia[i, 0, 2] * wz
        hy = inertia[i, 1, 0] * wx + inertia[i, 1, 1] * wy + inertia[i, 1, 2] * wz
        hz = inertia[i, 2, 0] * wx + inertia[i, 2, 1] * wy + inertia[i, 2, 2] * wz
        link[i, 0], link[i, 1], link[i, 2] = fx, fy, fz
        link[i, 3] = (
            inertia[i, 0, 0] * dx
            + inertia[i, 0, 1] * dy
            + inertia[i, 0, 2] * dz
            + wy * hz
            - wz * hy
            + cy * fz
            - cz * fy
        )
        link[i, 4] = (
            inertia[i, 1, 0] * dx
            + inertia[i, 1, 1] * dy
            + inertia[i, 1, 2] * dz
            + wz * hx
            - wx * hz
            + cz * fx
            - cx * fz
        )
        link[i, 5] = (
            inertia[i, 2, 0] * dx
            + inertia[i, 2, 1] * dy
            + inertia[i, 2, 2] * dz
            + wx * hy
            - wy * hx
            + cx * fy
            - cy * fx
        )
    fx, fy, fz, nx, ny, nz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(n - 1, -1, -1):
        rx, ry, rz = offset[i, 0], offset[i, 1], offset[i, 2]
        fx, fy, fz = fx + link[i, 0], fy + link[i, 1], fz + link[i, 2]  # (3.14)
        nx += link[i, 3] + ry * fz - rz * fy  # (3.15), about the origin of frame i-1
        ny += link[i, 4] + rz * fx - rx * fz
        nz += link[i, 5] + rx * fy - ry * fx
        c, s = turn[i, 0], turn[i, 1]
        ca, sa = twist[i, 0], twist[i, 1]
        fx, fy, fz = _out_of(c, s, ca, sa, fx, fy, fz)
        nx, ny, nz = _out_of(c, s, ca, sa, nx, ny, nz)
        tau[i] = nz + rotor[i] * qdd[i]


@inlined
def _into(c, s, ca, sa, x, y, z):
    """A vector of frame i-1 written in frame i."""
    t = c * y - s * x
    return c * x + s * y, ca * t + sa * z, ca * z - sa * t


@inlined
def _out_of(c, s, ca, sa, x, y, z):
    """A vector of frame i written in frame i-1."""
    t = ca * y - sa * z
    return c * x - s * t, s * x + c * t, sa * y + ca * z


@packed
def _inverse_dynamics(
    numbers: np.ndarray, n: int, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, wrench: np.ndarray,
    scratch: np.ndarray, out: np.ndarray,
) -> None:  # fmt: skip
    arm, work = arm_in(numbers, n), work_in(scratch, n)
    rows = (q.size // n, n)
    q, qd, qdd, out = view(q, 0, rows), view(qd, 0, rows), view(qdd, 0, rows), view(out, 0, rows)
    wrench = view(wrench, 0, (wrench.size // 6, 6))
    outside = work.bias
    for row in range(len(q)):
        update_frames(arm, q[row], work)
        newton_euler(arm, arm.gravity, qd[row], qdd[row], work, out[row])
        if len(wrench) == 0:
            continue
        update_tool_position(arm, work)
        for i in range(n):
            outside[i] = 0.0
        add_wrench_torque(work, wrench[row], outside)
        for i in range(n):
            out[row, i] -= outside[i]
