"""The parts of a motion between two rests."""

import numpy as np

RESTING = 1e-3  # [rad/s] within which all joints rest
SHORTEST = 0.2  # [s] of a part that counts


def parts_of_motion(time: np.ndarray, qd: np.ndarray) -> list[slice]:
    """Rows of a motion between two rests, of what moves for long enough.

    ``time`` (k,) [s], speeds ``qd`` (k, n) [rad/s].
    """
    moves = np.abs(qd).max(axis=1) > RESTING
    between_rests = np.concatenate([[0], moves.astype(int), [0]])
    edges = np.flatnonzero(np.diff(between_rests))
    rows = [slice(int(a), int(b)) for a, b in edges.reshape(-1, 2)]
    return [part for part in rows if np.ptp(time[part]) >= SHORTEST]
