"""Exciting trajectories: Fourier series optimised for identification, within limits.

The measure is the logarithm of the condition number of the base regressor, its rows weighted by the
torque limits. Position and speed limits hold by construction: each joint's excursion is scaled, and
its start moved, until they do. Torque limits and collisions cannot be had that way: a trajectory
that breaks them is never returned, and inside the optimiser costs the more the more samples break
them.

Source: madsen2020 4.4 and future work (2); Swevers et al. 1997.

A Fourier trajectory is a periodic motion of the joints that starts and ends at rest:

    q_j(t) = q0_j + sum over l of a_jl sin(l w t) + b_jl (1 - cos(l w t)),   w = 2 pi / period,

with sum l a_jl = 0 (no speed at t = 0) and sum l² b_jl = 0 (no acceleration there). Both conditions
are met by construction: the free numbers are coordinates in the null space of each, so that any
optimiser can change them as it likes.

Source: Swevers, Ganseman, Tukel, de Schutter and Van Brussel 1997 (reference [26] of madsen2020).
"""

from collections.abc import Callable
from typing import NamedTuple, Self

import numpy as np
from scipy.linalg import null_space
from scipy.optimize import minimize

from dynamics import Arm, BadInput, HopfieldNavError, inverse_dynamics
from dynamics.identification import BaseParameters, base_parameters, base_regressor


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


def from_free(free: np.ndarray, n: int, harmonics: int, period: float) -> FourierTrajectory:
    """A trajectory of n joints that starts at rest, from n (2 harmonics - 1) numbers, in a period [s].

    These are start angles, then coordinates of the sine and cosine coefficients [rad].

    Raises ``BadInput``: fewer than two harmonics, no positive period, or a wrong number of values.
    """
    if harmonics < 2 or not period > 0:
        allowed = "at least 2 harmonics, a positive period"
        found = {"harmonics": harmonics, "period": period}
        raise BadInput("no such Fourier trajectory", found=found, allowed=allowed)
    if np.shape(free) != (n * (2 * harmonics - 1),):
        raise BadInput(
            "wrong number of values", found=np.shape(free), allowed=f"{n * (2 * harmonics - 1)}"
        )
    orders = np.arange(1.0, harmonics + 1)
    parts = np.asarray(free, dtype=np.float64)[n:].reshape(2, n, harmonics - 1)
    sine = parts[0] @ null_space(orders[None]).T
    cosine = parts[1] @ null_space(orders[None] ** 2).T
    return FourierTrajectory(float(period), np.array(free[:n], dtype=np.float64), sine, cosine)


def random_free(n: int, harmonics: int, rng: np.random.Generator) -> np.ndarray:
    """Random numbers for ``from_free``: start angles within ±pi, normal coefficients of 0.5 rad."""
    free = rng.normal(0.0, 0.5, n * (2 * harmonics - 1))
    free[:n] = rng.uniform(-np.pi, np.pi, n)
    return free


_SAMPLES = 120  # a period, in the search
_CHECKED = 1000  # a period, of what is returned
_MARGIN = 0.98  # of the limits, for what happens between the samples
_PENALTY = 20.0  # added for a share of 1 of samples outside


class ExcitationLimits(NamedTuple):
    """What a trajectory may use."""

    position: np.ndarray  # (n, 2) lowest and highest angle [rad]
    speed: np.ndarray  # (n,) [rad/s]
    torque: np.ndarray  # (n,) [N·m], of the arm that is handed in; infinite: none
    # from angles (n,) to whether the arm touches nothing there; None: it never does
    is_free: Callable[[np.ndarray], bool] | None = None


class Excitation(NamedTuple):
    """An optimised trajectory beside random ones within the same limits."""

    trajectory: FourierTrajectory  # the motion
    condition_number: float  # of the weighted base regressor along it
    random_condition_numbers: np.ndarray  # (r,) of the random trajectories, from the best up


class NoExcitation(HopfieldNavError):
    """No random trajectory kept to the limits."""


def limits_of(
    arm: Arm, share: float = 0.8, is_free: Callable[[np.ndarray], bool] | None = None
) -> ExcitationLimits:
    """A share of an arm's own limits, its full range of positions up to half a turn either way."""
    position = np.clip(arm.position_limits, -np.pi, np.pi)
    return ExcitationLimits(position, share * arm.speed_limits, share * arm.torque_limits, is_free)


def excite(
    arm: Arm,
    limits: ExcitationLimits,
    rng: np.random.Generator,
    period: float = 10.0,
    harmonics: int = 5,
    rotor: bool = False,
    random: int = 20,
    iterations: int = 40,
) -> Excitation:
    """A trajectory that excites the base parameters of an arm; its masses matter for the torque limits only.

    It keeps to ``limits``, see ``limits_of``, and is a Fourier series of so many ``harmonics`` and
    this ``period`` [s]. The best of as many trajectories as ``random`` says, drawn with ``rng``
    within the limits, is the start; the optimiser takes so many ``iterations``. With ``rotor``,
    rotor inertias are among the parameters.

    Raises ``BadInput``: impossible limits; ``NoExcitation``: no random trajectory kept to the
    limits.
    """
    _check(limits, len(arm.dh))
    search = _Search(arm, limits, base_parameters(arm, rotor), period, harmonics)
    tried = sorted(_random_starts(search, rng, random), key=lambda pair: pair[0])
    start = tried[0][1]
    best = search.improve(start, iterations)
    trajectory = search.trajectory(best)
    numbers = np.sort([search.condition_number(search.trajectory(free)) for _, free in tried])
    return Excitation(trajectory, search.condition_number(trajectory), numbers)


def within_limits(arm: Arm, trajectory: FourierTrajectory, limits: ExcitationLimits) -> bool:
    """Whether a trajectory keeps to the limits at every one of its samples."""
    q, qd, qdd = trajectory(np.linspace(0, trajectory.period, _CHECKED))
    inside = np.all((q >= limits.position[:, 0]) & (q <= limits.position[:, 1]))
    slow = np.all(np.abs(qd) <= limits.speed)
    return bool(inside and slow and not _broken(arm, limits, q, qd, qdd).any())


class _Search:
    """The cost of a trajectory, and the best one seen that keeps to the limits."""

    def __init__(
        self,
        arm: Arm,
        limits: ExcitationLimits,
        base: BaseParameters,
        period: float,
        harmonics: int,
    ) -> None:
        self.arm, self.limits, self.base, self.period, self.harmonics = (
            arm,
            limits,
            base,
            period,
            harmonics,
        )
        self.time = np.linspace(0, period, _SAMPLES, endpoint=False)
        finite = np.isfinite(limits.torque)
        self.weights = 1 / np.where(
            finite, limits.torque, np.max(limits.torque[finite], initial=1.0)
        )

    def trajectory(self, free: np.ndarray) -> FourierTrajectory:
        raw = from_free(free, len(self.arm.dh), self.harmonics, self.period)
        return _fitted(raw, self.limits, self.time)

    def condition_number(self, trajectory: FourierTrajectory) -> float:
        Y = base_regressor(self.arm, self.base, *trajectory(self.time)) * self.weights[:, None]
        Y = Y.reshape(-1, Y.shape[-1])
        # condition numbers here are below 1e4
        squared = np.linalg.eigvalsh(Y.T @ Y / len(self.time))[::-1]
        values = np.sqrt(np.maximum(squared, 1e-300))
        return float(values[0] / values[-1])

    def cost(self, free: np.ndarray) -> float:
        trajectory = self.trajectory(free)
        cost = np.log(self.condition_number(trajectory))
        return cost + _PENALTY * float(
            _broken(self.arm, self.limits, *trajectory(self.time)).mean()
        )

    def allowed(self, free: np.ndarray) -> bool:
        return within_limits(self.arm, self.trajectory(free), self.limits)

    def improve(self, start: np.ndarray, iterations: int) -> np.ndarray:
        best, lowest = start, self.cost(start)

        def keep(free: np.ndarray) -> None:
            nonlocal best, lowest
            cost = self.cost(free)
            if cost < lowest and self.allowed(free):
                best, lowest = free.copy(), cost

        minimize(
            self.cost, start, method="L-BFGS-B", callback=keep, options={"maxiter": iterations}
        )
        return best


def _random_starts(
    search: _Search, rng: np.random.Generator, count: int
) -> list[tuple[float, np.ndarray]]:
    n, found = len(search.arm.dh), []
    for _ in range(50 * count):
        free = random_free(n, search.harmonics, rng)
        if search.allowed(free):
            found.append((search.cost(free), free))
        if len(found) == count:
            return found
    if not found:
        raise NoExcitation(f"none of {50 * count} random trajectories kept to the limits")
    return found


def _fitted(
    raw: FourierTrajectory, limits: ExcitationLimits, time: np.ndarray
) -> FourierTrajectory:
    """Scaled until speeds and ranges fit, and moved between the position limits."""
    q, qd, _ = raw(time)
    low, high = limits.position.T
    fastest = np.abs(qd).max(axis=0) / (_MARGIN * limits.speed)
    widest = np.ptp(q, axis=0) / (_MARGIN * (high - low))
    scaled = raw.scaled(1 / np.maximum(1.0, np.maximum(fastest, widest)))
    q, _, _ = scaled(time)
    slack = (1 - _MARGIN) / 2 * (high - low)
    moved = np.clip(0.0, low + slack - q.min(axis=0), None) + np.clip(
        0.0, None, high - slack - q.max(axis=0)
    )
    return scaled._replace(start=scaled.start + moved)


def _broken(
    arm: Arm, limits: ExcitationLimits, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray
) -> np.ndarray:
    """(k,) samples with too much torque, or in collision."""
    broken = np.any(np.abs(inverse_dynamics(arm, q, qd, qdd)) > limits.torque, axis=1)
    if limits.is_free is not None:
        broken |= ~np.array([bool(limits.is_free(row)) for row in q])
    return broken


def _check(limits: ExcitationLimits, n: int) -> None:
    shapes = [np.shape(limits.position), np.shape(limits.speed), np.shape(limits.torque)]
    if shapes != [(n, 2), (n,), (n,)]:
        raise BadInput(
            "limits of the wrong shape", found=shapes, allowed=f"({n}, 2), ({n},), ({n},)"
        )
    if np.any(limits.position[:, 0] >= limits.position[:, 1]) or np.any(limits.speed <= 0):
        raise BadInput("limits leave no room", found=limits.position.tolist())
