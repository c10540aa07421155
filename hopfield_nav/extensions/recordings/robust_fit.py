"""Huber's estimator of a linear model, and its covariance where what is left is correlated in time."""

import numpy as np

_TUNING = 1.345  # standard deviations beyond which Huber's estimator counts a residual less
_ROUNDS = 30


def scale_of(left: np.ndarray) -> float:
    """Standard deviation of the bulk of the residuals, from their median absolute size."""
    return max(1.4826 * float(np.median(np.abs(left))), 1e-12)


def huber(table: np.ndarray, current: np.ndarray) -> np.ndarray:
    """Huber's estimate (m,) by weighted least squares, again until the weights settle."""
    beta = np.linalg.lstsq(table, current, rcond=None)[0]
    for _ in range(_ROUNDS):
        left = current - table @ beta
        limit = _TUNING * scale_of(left)
        root = np.sqrt(np.minimum(1.0, limit / np.maximum(np.abs(left), limit)))  # of the weights
        before = beta
        beta = np.linalg.lstsq(table * root[:, None], current * root, rcond=None)[0]
        if np.allclose(before, beta, rtol=1e-9, atol=1e-12):
            break
    return beta


def covariance_of(table: np.ndarray, left: np.ndarray, block: np.ndarray) -> np.ndarray:
    """Covariance of Huber's estimate where residuals of one block may be correlated in any way."""
    limit = _TUNING * scale_of(left)
    influence = np.clip(left, -limit, limit)
    bulk = table[np.abs(left) <= limit]
    bread = np.linalg.pinv(bulk.T @ bulk)
    _, number = np.unique(block, return_inverse=True)
    count = int(number.max()) + 1
    sums = np.zeros((count, table.shape[1]))
    np.add.at(sums, number, table * influence[:, None])
    few_blocks = count / max(count - table.shape[1], 1)
    return few_blocks * bread @ (sums.T @ sums) @ bread
