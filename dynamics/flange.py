"""The wrench at the flange: what everything beyond it exerts on the arm, as a sensor there feels it.

Beyond the flange are a tool without mass and a ``Load`` that is fixed to it. The flange exerts -(f, n) on
them, so Newton's and Euler's equations of that body, with the wrench (F, N) of the world on it, are

    m a_c = F + m g - f,    I alpha + omega x I omega + c x m (a_c - g) = N - n

about the origin of the flange frame, c from there to the centre of mass. At rest without contact (f, n) is
the weight; of an arm at rest with a tool without mass it is what the world exerts.

Source: Newton-Euler of the last body, ragazzon2012 (3.9)-(3.15), cut at the flange instead of at joint n.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.arm import Arm, joint_count
from dynamics.batches import as_rows, rows_like
from dynamics.kernels.decorators import inlined, kernel
from dynamics.kinematics import update_frames, update_tool_position
from dynamics.work import Work, make_work


class Load(NamedTuple):
    """A body that is fixed to the flange.

    Attributes:
        mass: [kg].
        center_of_mass: (3,) in the flange frame [m].
        inertia: (3, 3) about the centre of mass, flange axes [kg·m²].
    """

    mass: float
    center_of_mass: np.ndarray
    inertia: np.ndarray


def make_load(mass: float = 0.0, center_of_mass: object = 0.0, inertia: object = 0.0) -> Load:
    """A load from its numbers; by default none."""
    center = np.zeros(3) + np.asarray(center_of_mass, dtype=np.float64)
    return Load(float(mass), center, np.zeros((3, 3)) + np.asarray(inertia, dtype=np.float64))


def flange_wrench(
    arm: Arm,
    q: np.ndarray,
    qd: np.ndarray,
    qdd: np.ndarray,
    load: Load | None = None,
    wrench: np.ndarray | None = None,
) -> np.ndarray:
    """What tool and load exert on the flange while the arm moves.

    Args:
        arm: the arm, whose own masses do not matter here.
        q: (..., n) joint angles [rad].
        qd: (..., n) joint velocities [rad/s].
        qdd: (..., n) joint accelerations [rad/s²].
        load: beyond the flange; default none.
        wrench: (..., 6) [N, N·m] what the world exerts on the tool, at its point, base axes; default none.

    Returns:
        (..., 6) force [N] and moment about the origin of the flange frame [N·m], in flange axes.

    Raises:
        BadInput: wrong shapes.

    Source: the equations above.
    """
    n = joint_count(arm)
    (q, qd, qdd), lead = as_rows(n, q=q, qd=qd, qdd=qdd)
    outside = np.zeros((len(q), 6)) if wrench is None else rows_like(wrench, 6, "wrench", lead)
    given = make_load() if load is None else make_load(*load)
    return _flange_wrench_batch(arm, given, q, qd, qdd, outside, make_work(n)).reshape(*lead, 6)


@inlined
def add_load_wrench(load, gravity, qd, qdd, work, share, wrench):
    """Add ``share`` times the wrench (6,) of the load's weight and inertia on the flange, flange axes.

    Reads the frames in ``work``.
    """
    mass, inertia, center = load.mass, load.inertia, load.center_of_mass
    if mass == 0.0 and inertia[0, 0] + inertia[1, 1] + inertia[2, 2] == 0.0:
        return
    rotation, origin, n = work.rotation, work.origin, qd.size
    wx, wy, wz = 0.0, 0.0, 0.0  # angular velocity, base axes
    dx, dy, dz = 0.0, 0.0, 0.0  # angular acceleration
    ax, ay, az = -gravity[0], -gravity[1], -gravity[2]  # acceleration of the frame's origin, less gravity
    zx, zy, zz = 0.0, 0.0, 1.0
    for i in range(n):
        dx += zx * qdd[i] + (wy * zz - wz * zy) * qd[i]
        dy += zy * qdd[i] + (wz * zx - wx * zz) * qd[i]
        dz += zz * qdd[i] + (wx * zy - wy * zx) * qd[i]
        wx, wy, wz = wx + zx * qd[i], wy + zy * qd[i], wz + zz * qd[i]
        rx, ry = origin[i + 1, 0] - origin[i, 0], origin[i + 1, 1] - origin[i, 1]
        rz = origin[i + 1, 2] - origin[i, 2]
        sx, sy, sz = _carried(wx, wy, wz, dx, dy, dz, rx, ry, rz)
        ax, ay, az = ax + sx, ay + sy, az + sz
        zx, zy, zz = rotation[i, 0, 2], rotation[i, 1, 2], rotation[i, 2, 2]
    turn = rotation[n - 1]
    wx, wy, wz = into_axes(turn, wx, wy, wz)
    dx, dy, dz = into_axes(turn, dx, dy, dz)
    ax, ay, az = into_axes(turn, ax, ay, az)
    cx, cy, cz = center[0], center[1], center[2]
    sx, sy, sz = _carried(wx, wy, wz, dx, dy, dz, cx, cy, cz)
    fx, fy, fz = mass * (ax + sx), mass * (ay + sy), mass * (az + sz)
    hx, hy, hz = _times(inertia, wx, wy, wz)
    ex, ey, ez = _times(inertia, dx, dy, dz)
    wrench[0] -= share * fx
    wrench[1] -= share * fy
    wrench[2] -= share * fz
    wrench[3] -= share * (ex + wy * hz - wz * hy + cy * fz - cz * fy)
    wrench[4] -= share * (ey + wz * hx - wx * hz + cz * fx - cx * fz)
    wrench[5] -= share * (ez + wx * hy - wy * hx + cx * fy - cy * fx)


@inlined
def add_outer_wrench(work, fx, fy, fz, mx, my, mz, wrench):
    """Add a force and its moment about the base origin, both in base axes, to a flange ``wrench`` (6,)."""
    last = work.rotation.shape[0]
    turn, x, y, z = work.rotation[last - 1], work.origin[last, 0], work.origin[last, 1], work.origin[last, 2]
    mx, my, mz = mx - (y * fz - z * fy), my - (z * fx - x * fz), mz - (x * fy - y * fx)
    fx, fy, fz = into_axes(turn, fx, fy, fz)
    mx, my, mz = into_axes(turn, mx, my, mz)
    wrench[0] += fx
    wrench[1] += fy
    wrench[2] += fz
    wrench[3] += mx
    wrench[4] += my
    wrench[5] += mz


@inlined
def into_axes(turn, x, y, z):
    """A vector of base axes in the axes of the frame that ``turn`` (3, 3) leads out of."""
    return (
        turn[0, 0] * x + turn[1, 0] * y + turn[2, 0] * z,
        turn[0, 1] * x + turn[1, 1] * y + turn[2, 1] * z,
        turn[0, 2] * x + turn[1, 2] * y + turn[2, 2] * z,
    )


@inlined
def _carried(wx, wy, wz, dx, dy, dz, rx, ry, rz):
    """D x r + w x (w x r): what rotation adds to the acceleration at a point r off the origin."""
    ux, uy, uz = wy * rz - wz * ry, wz * rx - wx * rz, wx * ry - wy * rx
    return (
        dy * rz - dz * ry + wy * uz - wz * uy,
        dz * rx - dx * rz + wz * ux - wx * uz,
        dx * ry - dy * rx + wx * uy - wy * ux,
    )


@inlined
def _times(matrix, x, y, z):
    return (
        matrix[0, 0] * x + matrix[0, 1] * y + matrix[0, 2] * z,
        matrix[1, 0] * x + matrix[1, 1] * y + matrix[1, 2] * z,
        matrix[2, 0] * x + matrix[2, 1] * y + matrix[2, 2] * z,
    )


@kernel
def _flange_wrench_batch(
    arm: Arm, load: Load, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, outside: np.ndarray, work: Work
) -> np.ndarray:
    out = np.zeros((q.shape[0], 6))
    for row in range(q.shape[0]):
        update_frames(arm, q[row], work)
        update_tool_position(arm, work)
        add_load_wrench(load, arm.gravity, qd[row], qdd[row], work, 1.0, out[row])
        x, y, z = work.tool[0, 3], work.tool[1, 3], work.tool[2, 3]
        fx, fy, fz = outside[row, 0], outside[row, 1], outside[row, 2]
        mx, my, mz = outside[row, 3], outside[row, 4], outside[row, 5]
        mx, my, mz = mx + y * fz - z * fy, my + z * fx - x * fz, mz + x * fy - y * fx
        add_outer_wrench(work, fx, fy, fz, mx, my, mz, out[row])
    return out
