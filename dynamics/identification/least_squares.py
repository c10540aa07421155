"""Ordinary and joint-wise weighted least squares, with standard deviations for correlated noise.

The rows of a joint are divided by the standard deviation of that joint's residual in an ordinary
fit, sqrt(sum of squares / (samples - parameters named after the joint's link)) (madsen2020 (15),
(16)); then twice more with the residual of the weighted fit.

After the parallel filter the residual is no longer white: with it, the usual (XᵀX)⁻¹ is too small.
The covariance here is that of the same estimate under stationary noise with the autocovariances,
and cross-covariances between joints, that the residual shows,

    V = (XᵀX)⁻¹ [ sum over lags l of h(l) sum over t of X_tᵀ C(l) X_(t-l) ] (XᵀX)⁻¹,

with a flat-topped window h. A fit swallows the part of the noise that looks like its columns, which
are as slow as the motion, so the residual shows too little just where it matters: X_t V X_(t-l)ᵀ is
added to the products behind C(l), and V computed again. It counts what noise of any colour up to
the longest lag does; it cannot count errors of the model that repeat with the motion, nor the bias
from noise in the regressor.

Sources: madsen2020 4.3; Politis and Romano 1995 for the window.
"""

from typing import NamedTuple

import numpy as np
from scipy.stats import norm

from dynamics.errors import BadInput

# samples after decimation; the 20 Hz filter's own correlation is below 1 % from lag 12
LONGEST_LAG = 24

# passes of the covariance, whose change falls off as the share of parameters in samples
SWALLOWED = 4
# the document's one, and two more: a noisy joint spoils the first residual of the others
REWEIGHTINGS = 3


class Estimate(NamedTuple):
    """A least-squares estimate of p parameters from k samples of n joints."""

    values: np.ndarray  # (p,)
    covariance: np.ndarray  # (p, p) for the noise that the residual shows
    residual: np.ndarray  # (k, n) torque less prediction, 0 in rows that were not used [N·m]
    noise: np.ndarray  # (n,) standard deviation of the residual [N·m]; its inverse is the weight
    # (p, p) R with |X (b - values)| = |R (b - values)| for the weighted observations X
    factor: np.ndarray
    condition_number: float  # of the weighted observation matrix, columns scaled to unit length

    @property
    def deviations(self) -> np.ndarray:
        """(p,) standard deviations."""
        return np.sqrt(np.diag(self.covariance))

    def intervals(self, level: float = 0.95) -> np.ndarray:
        """(p, 2) confidence intervals."""
        half = norm.ppf(0.5 + level / 2) * self.deviations
        return np.column_stack([self.values - half, self.values + half])


def ordinary(Y: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """Parameters (p,) of least squared torque error.

    Of observations (k, n, p) and torques (k, n) [N·m].

    Raises ``BadInput``: fewer equations than parameters, or shapes that do not fit.
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
    """Joint-wise weighted least squares of ``tau`` (k, n) [N·m].

    The observation matrix ``Y`` is (k, n, p). Both are filtered and decimated. ``owned`` (n,) is
    the number of parameters named after each joint's link, ``segments`` the lengths of the logs
    that follow each other in the rows, default one; ``clear`` (k, n) says which rows to use,
    default all.

    Raises ``BadInput``: fewer equations than parameters, or shapes that do not fit.

    Source: madsen2020 4.3.
    """
    _check(Y, tau)
    used = np.ones(tau.shape, dtype=bool) if clear is None else clear
    Y, tau = Y * used[:, :, None], tau * used
    values = ordinary(Y, tau)
    floor = 1e-14 * max(1.0, float(np.abs(tau).max()))  # exact data leave no residual
    for _ in range(REWEIGHTINGS):
        scale = np.maximum(residual_deviation(tau - Y @ values, owned, used), floor)
        values = _solve((Y / scale[:, None]).reshape(-1, Y.shape[-1]), (tau / scale).ravel())
    X = Y / scale[:, None]
    flat = X.reshape(-1, X.shape[-1])
    residual = tau - Y @ values
    covariance = _covariance(X, residual / scale, _inverse(flat), used, segments or (len(tau),))
    noise = residual_deviation(residual, owned, used)
    factor = np.asarray(np.linalg.qr(flat, mode="r"))
    return Estimate(values, covariance, residual, noise, factor, condition_number(flat))


def residual_deviation(residual: np.ndarray, owned: np.ndarray, used: np.ndarray) -> np.ndarray:
    """(n,) standard deviation of each joint's residual over the rows used [N·m].

    Source: madsen2020 (16).
    """
    freedom = np.maximum(used.sum(axis=0) - np.asarray(owned), 1)
    return np.sqrt((residual**2).sum(axis=0) / freedom)


def condition_number(flat: np.ndarray) -> float:
    """Of a matrix whose columns are first scaled to unit length, so that units do not matter."""
    return float(np.linalg.cond(flat / _lengths(flat)))


def autocorrelation(residual: np.ndarray, lags: int = LONGEST_LAG) -> np.ndarray:
    """(lags + 1, n) autocorrelation of each joint's residual; 1 at lag 0."""
    products = [
        (residual[lag:] * residual[: len(residual) - lag]).sum(axis=0) for lag in range(lags + 1)
    ]
    return np.array(products) / np.maximum(products[0], 1e-300)


def _covariance(
    X: np.ndarray,
    residual: np.ndarray,
    bread: np.ndarray,
    used: np.ndarray,
    segments: tuple[int, ...],
) -> np.ndarray:
    """The covariance (p, p) of the estimate.

    It is for the noise that the residual shows and the part that the fit swallowed.
    """
    lags = min(LONGEST_LAG, min(segments) - 1)
    place = np.concatenate([np.arange(length) for length in segments])  # of each row in its segment
    later = (np.flatnonzero(place >= lag) for lag in range(lags + 1))
    pairs = [(rows, rows - lag) for lag, rows in enumerate(later)]
    counts = [np.maximum(used[a].T.astype(float) @ used[b], 1.0) for a, b in pairs]
    shown = [residual[a].T @ residual[b] for a, b in pairs]
    V = np.zeros_like(bread)
    for _ in range(SWALLOWED):
        XV = X @ V
        meat = np.zeros_like(V)
        for lag, (a, b) in enumerate(pairs):
            window = min(1.0, 2 * (1 - lag / (lags + 1)))
            swallowed = np.einsum("tjp,tkp->jk", XV[a], X[b], optimize=True)
            C = (shown[lag] + swallowed) / counts[lag]
            one_side = np.einsum("tjp,tjr->pr", X[a], C @ X[b], optimize=True)
            meat += window * (one_side if lag == 0 else one_side + one_side.T)
        V = bread @ (meat + meat.T) / 2 @ bread
    return V


def _solve(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Least squares with columns of unit length, which costs less precision."""
    scale = _lengths(X)
    return np.linalg.lstsq(X / scale, y, rcond=1e-13)[0] / scale


def _inverse(X: np.ndarray) -> np.ndarray:
    scale = _lengths(X)
    inverse = np.linalg.pinv(np.linalg.qr(X / scale, mode="r"), rcond=1e-13)
    return inverse @ inverse.T / np.outer(scale, scale)


def _lengths(X: np.ndarray) -> np.ndarray:
    """Of the columns, 1 where a column is zero."""
    lengths = np.linalg.norm(X, axis=0)
    return np.where(lengths > 0, lengths, 1.0)


def _check(Y: np.ndarray, tau: np.ndarray) -> None:
    if Y.ndim != 3 or tau.shape != Y.shape[:2]:
        raise BadInput(
            "observations do not fit the torques",
            found=(Y.shape, tau.shape),
            allowed="(k, n, p), (k, n)",
        )
    if tau.size < Y.shape[-1]:
        raise BadInput(
            "fewer equations than parameters", found=tau.size, allowed=f"at least {Y.shape[-1]}"
        )
