"""Rigid poses at the border: checked, made orthonormal, flattened to rows."""

import math

import numpy as np

from dynamics.errors import BadInput
from dynamics.kernels.decorators import inlined, kernel
from dynamics.kernels.vectors import ZERO, along, column, cross, dot, put, vector

RIGID = 1e-6  # largest entry of R^T R - 1 and of the last row's difference from [0, 0, 0, 1]


def as_poses(value: object, name: str = "T_base_tool") -> tuple[np.ndarray, tuple[int, ...]]:
    """Homogeneous transformations (..., 4, 4) [m] as a copy (k, 4, 4), and their leading shape.

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
    """A copy of transformations, rigid or not, as a C-contiguous float64 array (..., 4, 4)."""
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
    """Correct the rotation of ``T`` (4, 4) in place.

    Returns False, and leaves ``T`` as it was, if it is not rigid.
    """
    if not is_rigid(T):
        return False
    _newton_step(T)
    _newton_step(T)
    put(T, 3, 0, ZERO)
    T[3, 3] = 1.0
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
    """R (3 - R^T R) / 2 in the place of R, the rotation of ``T``: R - R (R^T R - 1) / 2.

    Newton's iteration for the polar factor of R: it squares the distance from the nearest
    orthonormal matrix (Higham 2008, 8.3).
    """
    x = column(T, 0)
    y = column(T, 1)
    z = column(T, 2)
    xy = dot(x, y)
    xz = dot(x, z)
    yz = dot(y, z)
    # the rows of R^T R - 1, which is symmetric
    error_x = (dot(x, x) - 1.0, xy, xz)
    error_y = (xy, dot(y, y) - 1.0, yz)
    error_z = (xz, yz, dot(z, z) - 1.0)
    for i in range(3):
        row = vector(T, i, 0)
        error = (dot(row, error_x), dot(row, error_y), dot(row, error_z))
        put(T, i, 0, along(row, -0.5, error))
