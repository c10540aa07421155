"""Modified Denavit-Hartenberg parameters, and that they describe the same arm as the standard ones.

Standard (nowoczyn2023 (1.8)): Rot_z(theta_i) Trans_z(d_i) Trans_x(a_i) Rot_x(alpha_i); frame i sits
at the far end of link i. Modified (1.9): Trans_x(a_i-1) Rot_x(alpha_i-1) Rot_z(theta_i)
Trans_z(d_i); frame i sits on joint i. Both are the same product with its brackets set elsewhere, so
that

    T_base_standard_i = T_base_modified_i · Trans_x(a_i) Rot_x(alpha_i),

and the last factor, here ``change``, is fixed to link i. Only the frames' names differ: at i = n
the modified chain needs ``change[n - 1]`` to reach the flange; for the UR5 it is the identity.
"""

from typing import NamedTuple

import numpy as np

from dynamics.arm import Arm, joint_count
from dynamics.batches import as_rows


class ModifiedDH(NamedTuple):
    """An arm's modified Denavit-Hartenberg table."""

    rows: np.ndarray  # (n, 4) [theta offset (rad), d_i (m), a_i-1 (m), alpha_i-1 (rad)]
    # (n, 4, 4) T_modified_standard of each link: constant, whatever the joint angles
    change: np.ndarray


def modified_dh(arm: Arm) -> ModifiedDH:
    """The modified table of an arm, whose own table is standard.

    Source: nowoczyn2023 1.1.
    """
    rows = arm.dh.copy()
    rows[:, 2:] = np.vstack([np.zeros((1, 2)), arm.dh[:-1, 2:]])
    still = np.zeros(len(rows))
    return ModifiedDH(rows, standard_transform(still, still, arm.dh[:, 2], arm.dh[:, 3]))


def modified_link_frames(arm: Arm, q: np.ndarray) -> np.ndarray:
    """Poses (..., n + 1, 4, 4) of all modified frames, each on the axis of its joint, at q (..., n) [rad].

    Times ``modified_dh(arm).change`` they are the frames 1 to n of ``link_frames``.

    Source: nowoczyn2023 (1.9).
    """
    n = joint_count(arm)
    (q,), lead = as_rows(n, q=q)
    theta, d, a, alpha = modified_dh(arm).rows.T
    steps = modified_transform(theta + q, *np.broadcast_arrays(d, a, alpha))
    frames = np.empty((len(q), n + 1, 4, 4))
    frames[:, 0] = np.eye(4)
    for i in range(n):
        frames[:, i + 1] = frames[:, i] @ steps[:, i]
    return frames.reshape(*lead, n + 1, 4, 4)


def standard_transform(
    theta: np.ndarray, d: np.ndarray, a: np.ndarray, alpha: np.ndarray
) -> np.ndarray:
    """(..., 4, 4) from frame i to i - 1, standard: d along z of i - 1 (nowoczyn2023 (1.8), tu2023 (1))."""
    c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    return _rigid([[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0.0 * c, sa, ca, d]])


def modified_transform(
    theta: np.ndarray, d: np.ndarray, a: np.ndarray, alpha: np.ndarray
) -> np.ndarray:
    """(..., 4, 4) from frame i to i - 1, modified: ``a`` and ``alpha`` of i - 1 (nowoczyn2023 (1.9))."""
    c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    return _rigid(
        [[c, -s, 0.0 * c, a], [s * ca, c * ca, -sa, -d * sa], [s * sa, c * sa, ca, d * ca]]
    )


def _rigid(entries: list[list[np.ndarray]]) -> np.ndarray:
    lead = np.broadcast_shapes(*(np.shape(x) for row in entries for x in row))
    out = np.zeros((*lead, 4, 4))
    out[..., 3, 3] = 1.0
    for i, row in enumerate(entries):
        for j, value in enumerate(row):
            out[..., i, j] = value
    return out
