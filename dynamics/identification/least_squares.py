"""Ordinary and joint-wise weighted least squares, with standard deviations for correlated noise.

The rows of a joint are divided by the standard deviation of that joint's residual in an ordinary fit,
sqrt(sum of squares / (samples - parameters named after the joint's link)) (madsen2020 (15), (16)).

After the parallel filter the residual is no longer white: with it, the usual (XᵀX)⁻¹ is too small. The
covariance here is that of the same estimate under stationary noise with the autocovariances, and
cross-covariances between joints, that the residual shows,

    V = (XᵀX)⁻¹ [ sum over lags l of h(l) sum over t of X_tᵀ C(l) X_(t-l) ] (XᵀX)⁻¹,

with a flat-topped window h. It counts what noise of any colour up to the longest lag does; it cannot
count errors of the model that repeat with the motion, nor the bias from noise in the regressor.

Sources: madsen2020 4.3; Politis and Romano 1995 for the window.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import norm

from dynamics.errors import BadInput

LONGEST_LAG = 24  # samples after decimation; the 20 Hz filter's own correlation is below 1 % from lag 12


class Estimate(NamedTuple):
    """A least-squares estimate of p parameters from k samples of n joints.

    Attributes:
        values: (p,).
        covariance: (p, p) for the noise that the residual shows.
        white_covariance: (p, p) as if the samples were independent.
        residual: (k, n) torque less prediction, 0 in rows that were not used [N·m].
        noise: (n,) standard deviation of the residual [N·m]; its inverse is the weight.
        factor: (p, p) R with |X (b - values)| = |R (b - values)| for the weighted observations X.
        condition_number: of the weighted observation matrix, columns scaled to unit length.
    """

    values: np.ndarray
    covariance: np.ndarray
    white_covariance: np.ndarray
    residual: np.ndarray
    noise: np.ndarray
    factor: np.ndarray
    condition_number: float

    @property
    def deviations(self) -> np.ndarray:
        """(p,) standard deviations."""
        return np.sqrt(np.diag(self.covariance))

    def intervals(self, level: float = 0.95) -> np.ndarray:
        """(p, 2) confidence intervals."""
        half = norm.ppf(0.5 + level / 2) * self.deviations
        return np.column_stack([self.values - half, self.values + half])


def ordinary(Y: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """(p,) parameters of least squared torque error.

    Args:
        Y: (k, n, p) observation matrix.
        tau: (k, n) [N·m].

    Raises:
        BadInput: fewer equations than parameters, or shapes that do not fit.
    """
    _check(Y, tau)
    return _solve(Y.reshape(-1, Y.shape[-1]), tau.ravel())


def weighted(
    Y: np.ndarray,
    tau: np.ndarray,
    owned: np.ndarray,
    segments: tuple[int, ...] | None = None,
    clear: np.ndarray | None = None,
) -> Estimate:
    """Joint-wise weighted least squares.

    Args:
        Y: (k, n, p) observation matrix, filtered and decimated.
        tau: (k, n) [N·m], the same.
        owned: (n,) number of parameters named after each joint's link.
        segments: lengths of the logs that follow each other in the rows; default one.
        clear: (k, n) which rows to use; default all.

    Raises:
        BadInput: fewer equations than parameters, or shapes that do not fit.

    Source: madsen2020 4.3.
    """
    used = np.ones(tau.shape, dtype=bool) if clear is None else clear
    Y, tau = Y * used[:, :, None], tau * used
    noise = residual_deviation(tau - Y @ ordinary(Y, tau), owned, used)
    scale = np.maximum(noise, 1e-14 * max(1.0, float(np.abs(tau).max())))  # exact data leave no residual
    X = Y / scale[:, None]
    flat = X.reshape(-1, X.shape[-1])
    values = _solve(flat, (tau / scale).ravel())
    residual = tau - Y @ values
    bread = _inverse(flat)
    meat = _noise_product(X, residual / scale, np.asarray(owned), used, segments or (len(tau),))
    return Estimate(
        values,
        bread @ meat @ bread,
        bread,
        residual,
        residual_deviation(residual, owned, used),
        np.asarray(np.linalg.qr(flat, mode="r")),
        condition_number(flat),
    )


def residual_deviation(residual: np.ndarray, owned: np.ndarray, used: np.ndarray) -> np.ndarray:
    """(n,) standard deviation of each joint's residual over the rows used (madsen2020 (16)) [N·m]."""
    freedom = np.maximum(used.sum(axis=0) - np.asarray(owned), 1)
    return np.sqrt((residual**2).sum(axis=0) / freedom)


def condition_number(flat: np.ndarray) -> float:
    """Of a matrix whose columns are first scaled to unit length, so that units do not matter."""
    lengths = np.linalg.norm(flat, axis=0)
    values = np.linalg.svd(flat / np.where(lengths > 0, lengths, 1.0), compute_uv=False)
    return float(values[0] / values[-1]) if values[-1] > 0 else float("inf")


def autocorrelation(residual: np.ndarray, lags: int = LONGEST_LAG) -> np.ndarray:
    """(lags + 1, n) autocorrelation of each joint's residual; 1 at lag 0."""
    products = [(residual[lag:] * residual[: len(residual) - lag]).sum(axis=0) for lag in range(lags + 1)]
    return np.array(products) / np.maximum(products[0], 1e-300)


def _noise_product(
    X: np.ndarray, residual: np.ndarray, owned: np.ndarray, used: np.ndarray, segments: tuple[int, ...]
) -> np.ndarray:
    """(p, p) Xᵀ Omega X for the noise that the residual shows, no correlation across segments."""
    lags = min(LONGEST_LAG, min(segments) - 1)
    counts = used.astype(np.float64)
    scaled = residual / np.sqrt(1 - owned / np.maximum(counts.sum(axis=0), owned + 1))
    total = np.zeros((X.shape[-1],) * 2)
    for lag in range(lags + 1):
        window = min(1.0, 2 * (1 - lag / (lags + 1)))
        pairs = _pairs(segments, lag)
        later, earlier = (np.concatenate(part) for part in zip(*pairs, strict=True))
        C = scaled[later].T @ scaled[earlier] / np.maximum(counts[later].T @ counts[earlier], 1.0)
        one_side = np.einsum("tjp,tjr->pr", X[later], C @ X[earlier], optimize=True)
        total += window * (one_side if lag == 0 else one_side + one_side.T)
    return (total + total.T) / 2


def _pairs(segments: tuple[int, ...], lag: int) -> list[tuple[np.ndarray, np.ndarray]]:
    ends = np.cumsum(segments)
    starts = ends - np.array(segments)
    return [
        (np.arange(a + lag, b), np.arange(a, b - lag))
        for a, b in zip(starts, ends, strict=True)
        if b - a > lag
    ]


def _solve(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Least squares with columns of unit length, which costs less precision."""
    lengths = np.linalg.norm(X, axis=0)
    scale = np.where(lengths > 0, lengths, 1.0)
    return np.linalg.lstsq(X / scale, y, rcond=1e-13)[0] / scale


def _inverse(X: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(X, axis=0)
    scale = np.where(lengths > 0, lengths, 1.0)
    R = np.linalg.qr(X / scale, mode="r")
    inverse = np.linalg.pinv(R, rcond=1e-13)
    return inverse @ inverse.T / np.outer(scale, scale)


def _check(Y: np.ndarray, tau: np.ndarray) -> None:
    if Y.ndim != 3 or tau.shape != Y.shape[:2]:
        raise BadInput(
            "observations do not fit the torques", found=(Y.shape, tau.shape), allowed="(k, n, p), (k, n)"
        )
    if tau.size < Y.shape[-1]:
        raise BadInput("fewer equations than parameters", found=tau.size, allowed=f"at least {Y.shape[-1]}")
