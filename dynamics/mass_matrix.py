"""The joint-space mass matrix M(q)."""

from __future__ import annotations

import numpy as np

from dynamics.arm import Arm
from dynamics.batches import as_rows
from dynamics.compiled import kernel
from dynamics.composite import update_mass_and_bias
from dynamics.kinematics import update_frames
from dynamics.work import Work, make_work


def mass_matrix(arm: Arm, q: np.ndarray) -> np.ndarray:
    """Mass matrix, rotor inertia included.

    Args:
        arm: the arm.
        q: (..., n) joint angles [rad].

    Returns:
        (..., n, n) symmetric positive definite [kg·m²].

    Raises:
        BadInput: wrong shape.

    Source: ragazzon2012 (3.5); kebria2016 (7).
    """
    n = len(arm.dh)
    (rows,), lead = as_rows(n, q=q)
    return _mass_matrix_batch(arm, rows, make_work(n)).reshape(*lead, n, n)


@kernel
def _mass_matrix_batch(arm: Arm, q: np.ndarray, work: Work) -> np.ndarray:
    n = q.shape[1]
    out = np.empty((q.shape[0], n, n))
    still = np.zeros(n)
    for row in range(q.shape[0]):
        update_frames(arm, q[row], work)
        update_mass_and_bias(arm, arm.gravity, still, work)
        out[row] = work.mass_matrix
    return out
