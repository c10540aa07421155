"""Recursive Newton-Euler inverse dynamics, in link frames (ragazzon2012 3.1.2).

The equations are (3.9) to (3.15) of the document, with the missing index of (3.12), and gravity as an
acceleration of the base, which is the same as (3.13), (3.14). They cost O(n).
"""

from __future__ import annotations

import math

import numpy as np

from dynamics.arm import Arm
from dynamics.batches import as_rows, rows_like
from dynamics.compiled import kernel
from dynamics.kinematics import add_wrench_torque, update_frames, update_tool_position
from dynamics.work import Work, make_work


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
    n = len(arm.dh)
    (q, qd, qdd), lead = as_rows(n, q=q, qd=qd, qdd=qdd)
    outside = np.zeros((len(q), 6)) if wrench is None else rows_like(wrench, 6, "wrench", lead)
    return _inverse_dynamics_batch(arm, q, qd, qdd, outside, make_work(n)).reshape(*lead, n)


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
    zero = np.zeros(len(arm.dh))
    return inverse_dynamics(arm, q, zero, zero)


@kernel
def newton_euler(arm, gravity, q, qd, qdd, work, tau):
    """Write ``tau`` = M qdd + C qd + g for the acceleration of gravity ``gravity`` (3,).

    Uses ``work.link`` and ``work.vector[0:2]``.
    """
    n = q.size
    wx, wy, wz = 0.0, 0.0, 0.0  # angular velocity
    dx, dy, dz = 0.0, 0.0, 0.0  # angular acceleration
    ax, ay, az = -gravity[0], -gravity[1], -gravity[2]  # acceleration of the link's end
    for i in range(n):
        angle = q[i] + arm.dh[i, 0]
        c, s = math.cos(angle), math.sin(angle)
        work.vector[0, i], work.vector[1, i] = c, s
        ca, sa = arm.twist[i, 0], arm.twist[i, 1]
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
        rx, ry, rz = arm.dynamics_offset[i, 0], arm.dynamics_offset[i, 1], arm.dynamics_offset[i, 2]
        ax += bxx * rx + (bxy - dz) * ry + (bxz + dy) * rz
        ay += (bxy + dz) * rx + byy * ry + (byz - dx) * rz
        az += (bxz - dy) * rx + (byz + dx) * ry + bzz * rz
        # (3.12) centre of mass, and the force and moment that accelerate the link
        cx, cy, cz = arm.center_of_mass[i, 0], arm.center_of_mass[i, 1], arm.center_of_mass[i, 2]
        m = arm.mass[i]
        fx = m * (ax + bxx * cx + (bxy - dz) * cy + (bxz + dy) * cz)
        fy = m * (ay + (bxy + dz) * cx + byy * cy + (byz - dx) * cz)
        fz = m * (az + (bxz - dy) * cx + (byz + dx) * cy + bzz * cz)
        inertia = arm.inertia[i]
        hx = inertia[0, 0] * wx + inertia[0, 1] * wy + inertia[0, 2] * wz
        hy = inertia[1, 0] * wx + inertia[1, 1] * wy + inertia[1, 2] * wz
        hz = inertia[2, 0] * wx + inertia[2, 1] * wy + inertia[2, 2] * wz
        link = work.link[i]
        link[0], link[1], link[2] = fx, fy, fz
        link[3] = inertia[0, 0] * dx + inertia[0, 1] * dy + inertia[0, 2] * dz + wy * hz - wz * hy + cy * fz - cz * fy
        link[4] = inertia[1, 0] * dx + inertia[1, 1] * dy + inertia[1, 2] * dz + wz * hx - wx * hz + cz * fx - cx * fz
        link[5] = inertia[2, 0] * dx + inertia[2, 1] * dy + inertia[2, 2] * dz + wx * hy - wy * hx + cx * fy - cy * fx
    fx, fy, fz, nx, ny, nz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(n - 1, -1, -1):
        link = work.link[i]
        rx, ry, rz = arm.dynamics_offset[i, 0], arm.dynamics_offset[i, 1], arm.dynamics_offset[i, 2]
        fx, fy, fz = fx + link[0], fy + link[1], fz + link[2]  # (3.14)
        nx += link[3] + ry * fz - rz * fy  # (3.15), about the origin of frame i-1
        ny += link[4] + rz * fx - rx * fz
        nz += link[5] + rx * fy - ry * fx
        c, s = work.vector[0, i], work.vector[1, i]
        ca, sa = arm.twist[i, 0], arm.twist[i, 1]
        fx, fy, fz = _out_of(c, s, ca, sa, fx, fy, fz)
        nx, ny, nz = _out_of(c, s, ca, sa, nx, ny, nz)
        tau[i] = nz + arm.rotor_inertia[i] * qdd[i]


@kernel
def _into(c, s, ca, sa, x, y, z):
    """A vector of frame i-1 written in frame i."""
    t = c * y - s * x
    return c * x + s * y, ca * t + sa * z, ca * z - sa * t


@kernel
def _out_of(c, s, ca, sa, x, y, z):
    """A vector of frame i written in frame i-1."""
    t = ca * y - sa * z
    return c * x - s * t, s * x + c * t, sa * y + ca * z


@kernel
def _inverse_dynamics_batch(
    arm: Arm, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, wrench: np.ndarray, work: Work
) -> np.ndarray:
    out = np.empty_like(q)
    outside = np.zeros(q.shape[1])
    for row in range(q.shape[0]):
        newton_euler(arm, arm.gravity, q[row], qd[row], qdd[row], work, out[row])
        update_frames(arm, q[row], work)
        update_tool_position(arm, work)
        outside[:] = 0.0
        add_wrench_torque(work, wrench[row], outside)
        out[row] -= outside
    return out
