"""Rotations as unit quaternions."""

import numpy as np


def quaternions(rotation: np.ndarray) -> np.ndarray:
    """Quaternions (..., 4), real part first, of rotations: the largest row of 4 q qᵀ, which never cancels."""
    R = np.moveaxis(np.asarray(rotation, dtype=float), (-2, -1), (0, 1))
    x, y, z = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    a, b, c = R[0, 1] + R[1, 0], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1]
    r, s, t = R[0, 0], R[1, 1], R[2, 2]
    rows = np.array(
        [[1 + r + s + t, x, y, z], [x, 1 + r - s - t, a, b], [y, a, 1 - r + s - t, c], [z, b, c, 1 - r - s + t]]
    )
    diagonal = np.array([rows[k, k] for k in range(4)])
    best = np.take_along_axis(rows, np.argmax(diagonal, axis=0)[None, None], axis=0)[0]
    return np.moveaxis(best / np.linalg.norm(best, axis=0), 0, -1)
