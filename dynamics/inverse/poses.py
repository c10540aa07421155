"""Rigid poses at the border: checked, made orthonormal, flattened to rows."""

import math

import numpy as np

from dynamics.errors import BadInput
from dynamics.kernels.decorators import inlined, kernel
from dynamics.kernels.vectors import along, column, cross, dot, put, vector

RIGID = 1e-6  # largest entry of R^T R - 1 and of the last row's difference from [0, 0, 0, 1]


def as_poses(value: object, name: str = "T_base_tool") -> tuple[np.ndarray, tuple[int, ...]]:
    """Homogeneous transformations (..., 4, 4) [m] as rows (k, 4, 4), a copy, and their leading shape.

    A rotation that is orthonormal to ``RIGID`` is replaced by the nearest orthonormal one, so that
    poses written with seven digits can be used.

    Raises ``BadInput``: wrong shape, no numbers, NaN or infinite entries, or not a rigid motion.
    """
    poses = copied_poses(value, name)
    rows = poses.reshape(-1, 4, 4)
    bad = _make_orthonormal(rows)
    if bad >= 0:
        allowed = f"finite, R^T R = 1 and det R = 1 to {RIGID:g}, last row [0, 0, 0, 1]"
        raise BadInput(f"{name} is not a rigid motion", found=rows[bad].tolist(), allowed=allowed)
    return rows, poses.shape[:-2]


def copied_poses(value: object, name: str = "T_base_tool") -> np.ndarray:
    """A copy of homogeneous transformations as a C-contiguous float64 array (..., 4, 4), rigid or not."""
    try:
        poses = np.array(value, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError):
        raise BadInput(f"{name} must hold numbers", found=value) from None
    if poses.ndim < 2 or poses.shape[-2:] != (4, 4):
        raise BadInput(f"{name} has the wrong shape", found=poses.shape, allowed="(…, 4, 4)")
    return poses


@kernel
def _make_orthonormal(poses):
    """Correct every rotation in place; the index of the first pose that is not rigid, or -1."""
    for row in range(poses.shape[0]):
        if not make_rigid(poses[row]):
            return row
    return -1


@inlined
def make_rigid(T):
    """Correct the rotation of ``T`` (4, 4) in place; False, and ``T`` as it was, if it is not rigid."""
    if not is_rigid(T):
        return False
    _newton_step(T)
    _newton_step(T)
    T[3, 0], T[3, 1], T[3, 2], T[3, 3] = 0.0, 0.0, 0.0, 1.0
    return True


@inlined
def is_rigid(T):
    """Whether ``T`` (4, 4) is a rigid motion to ``RIGID``; not if an entry is not finite."""
    for i in range(3):
        if not (math.isfinite(T[i, 3]) and abs(T[3, i]) <= RIGID):
            return False
        for j in range(3):
            # false for NaN
            if not abs(dot(column(T, i), column(T, j)) - (1.0 if i == j else 0.0)) <= RIGID:
                return False
    determinant = dot(vector(T, 0, 0), cross(vector(T, 1, 0), vector(T, 2, 0)))
    return abs(T[3, 3] - 1.0) <= RIGID and determinant > 0.0


@inlined
def _newton_step(T):
    """R (3 - R^T R) / 2: squares the distance from the nearest orthonormal matrix."""
    x, y, z = column(T, 0), column(T, 1), column(T, 2)
    xy, xz, yz = dot(x, y), dot(x, z), dot(y, z)
    off = (dot(x, x) - 1.0, xy, xz), (xy, dot(y, y) - 1.0, yz), (xz, yz, dot(z, z) - 1.0)
    for i in range(3):
        row = vector(T, i, 0)
        put(T, i, 0, along(row, -0.5, (dot(row, off[0]), dot(row, off[1]), dot(row, off[2]))))
