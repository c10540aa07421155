"""Fourier trajectories: periodic joint motions that start and end at rest.

    q_j(t) = q0_j + sum over l of a_jl sin(l w t) + b_jl (1 - cos(l w t)),   w = 2 pi / period,

with sum l a_jl = 0 (no speed at t = 0) and sum l² b_jl = 0 (no acceleration there). Both conditions are
met by construction: the free numbers are coordinates in the null space of each, so that any optimiser
can change them as it likes.

Source: Swevers, Ganseman, Tukel, de Schutter and Van Brussel 1997 (reference [26] of madsen2020).
"""

from typing import NamedTuple, Self

import numpy as np
from scipy.linalg import null_space

from dynamics.errors import BadInput


class FourierTrajectory(NamedTuple):
    """A periodic motion of n joints."""

    period: float  # [s]
    start: np.ndarray  # (n,) joint angles at t = 0 [rad]
    sine: np.ndarray  # (n, harmonics) [rad]
    cosine: np.ndarray  # (n, harmonics) [rad]

    def __call__(self, time: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """q, qd, qdd (k, n) at times (k,) [s]."""
        w = 2 * np.pi / self.period * np.arange(1, self.sine.shape[1] + 1)
        phase = np.outer(np.asarray(time, dtype=np.float64), w)
        s, c = np.sin(phase), np.cos(phase)
        q = self.start + s @ self.sine.T + (1 - c) @ self.cosine.T
        qd = (c * w) @ self.sine.T + (s * w) @ self.cosine.T
        qdd = -(s * w**2) @ self.sine.T + (c * w**2) @ self.cosine.T
        return q, qd, qdd

    def scaled(self, share: np.ndarray) -> Self:
        """The same about the same start, each joint's excursion times ``share`` (n,)."""
        factor = np.asarray(share)[:, None]
        return self._replace(sine=self.sine * factor, cosine=self.cosine * factor)


def free_count(n: int, harmonics: int) -> int:
    """How many numbers a trajectory has that ends and starts at rest."""
    return n * (2 * (harmonics - 1) + 1)


def from_free(free: np.ndarray, n: int, harmonics: int, period: float) -> FourierTrajectory:
    """A trajectory of n joints that starts at rest, from ``free_count`` numbers, in a period [s].

    These are start angles, then coordinates of the sine and cosine coefficients [rad].

    Raises:
        BadInput: fewer than two harmonics, no positive period, or a wrong number of values.
    """
    if harmonics < 2 or not period > 0:
        allowed = "at least 2 harmonics, a positive period"
        found = {"harmonics": harmonics, "period": period}
        raise BadInput("no such Fourier trajectory", found=found, allowed=allowed)
    if np.shape(free) != (free_count(n, harmonics),):
        raise BadInput("wrong number of values", found=np.shape(free), allowed=f"{free_count(n, harmonics)}")
    orders = np.arange(1.0, harmonics + 1)
    parts = np.asarray(free, dtype=np.float64)[n:].reshape(2, n, harmonics - 1)
    sine = parts[0] @ null_space(orders[None]).T
    cosine = parts[1] @ null_space(orders[None] ** 2).T
    return FourierTrajectory(float(period), np.array(free[:n], dtype=np.float64), sine, cosine)


def random_free(n: int, harmonics: int, rng: np.random.Generator) -> np.ndarray:
    """Random numbers for ``from_free``: start angles within ±pi, normal coefficients of 0.5 rad."""
    free = rng.normal(0.0, 0.5, free_count(n, harmonics))
    free[:n] = rng.uniform(-np.pi, np.pi, n)
    return free
