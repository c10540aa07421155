"""Do the confidence intervals hold? Repeated experiments on an arm whose parameters are known."""

from typing import NamedTuple

import numpy as np
from scipy.stats import norm

from dynamics.arm import Arm
from dynamics.errors import BadInput
from dynamics.identification.equations import Options
from dynamics.identification.fourier import FourierTrajectory
from dynamics.identification.procedure import Identification, identify
from dynamics.identification.validation import simulated_log
from dynamics.newton_euler import inverse_dynamics

AT_REST = 1e-9  # [rad/s] slower is standing still: no friction


class Experiment(NamedTuple):
    """A simulated rigid arm with Coulomb and viscous friction, moved along a periodic trajectory."""

    arm: Arm  # the truth
    trajectory: FourierTrajectory  # its motion
    friction: np.ndarray  # (n, 2) Coulomb [N·m] and viscous friction [N·m·s/rad]
    torque_noise: np.ndarray  # (n,) standard deviation a sample [N·m]
    angle_noise: float  # standard deviation a sample [rad]
    duration: float = 31.0  # [s]
    rate: float = 1000.0  # [Hz]

    def exact(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Times (k,), angles and torques (k, n) without noise."""
        time = np.arange(round(self.duration * self.rate)) / self.rate
        q, qd, qdd = self.trajectory(time)
        turning = np.where(np.abs(qd) < AT_REST, 0.0, np.sign(qd))
        friction = self.friction[:, 0] * turning + self.friction[:, 1] * qd
        return time, q, inverse_dynamics(self.arm, q, qd, qdd) + friction

    def truth(self, found: Identification) -> np.ndarray:
        """(u,) true values of the unknowns of an identification."""
        return np.concatenate([found.base.of(self.arm), self.friction.T.ravel()])


class Coverage(NamedTuple):
    """Repeated identifications."""

    names: tuple[str, ...]  # (u,) of the unknowns
    errors: np.ndarray  # (repeats, u) estimate less truth
    deviations: np.ndarray  # (repeats, u) standard deviations as estimated
    inside: np.ndarray  # (repeats, u) whether the interval held the truth
    white_inside: np.ndarray  # (repeats, u) the same had the residual been taken as white

    @property
    def pooled(self) -> float:
        """Share over all repeats and unknowns."""
        return float(self.inside.mean())

    def pooled_interval(self) -> tuple[float, float]:
        """95 % interval of the pooled share, from the spread of the repeats."""
        shares = self.inside.mean(axis=1)
        half = float(norm.ppf(0.975) * shares.std(ddof=1) / np.sqrt(len(shares)))
        return self.pooled - half, self.pooled + half

    def outliers(self, low: float = 0.85, high: float = 0.99) -> dict[str, tuple[float, float]]:
        """Share inside and bias in standard deviations of each unknown whose share is out of bounds."""
        shares = self.inside.mean(axis=0)
        bias = self.errors.mean(axis=0) / self.deviations.mean(axis=0)
        return {
            name: (float(share), float(b))
            for name, share, b in zip(self.names, shares, bias, strict=True)
            if not low <= share <= high
        }


def coverage(
    experiment: Experiment,
    repeats: int,
    rng: np.random.Generator,
    given: Arm | None = None,
    options: Options | None = None,
) -> Coverage:
    """Identify the same arm again and again, two times or more, with new noise each time.

    ``given`` is handed to ``identify``, by default the true arm: only known rotors matter here.

    Raises:
        BadInput: too few repeats, or options without friction.
    """
    options = options or Options()
    if repeats < 2 or not options.friction:
        raise BadInput("coverage needs two repeats or more, and friction", found=repeats)
    time, q, tau = experiment.exact()
    rows = []
    for _ in range(repeats):
        log = simulated_log(tau, time, q, rng, experiment.torque_noise, experiment.angle_noise)
        rows.append(_one(experiment, identify(log, given or experiment.arm, options)))
    errors, deviations, inside, white = (
        np.array(column) for column in zip(*(r[1:] for r in rows), strict=True)
    )
    return Coverage(rows[0][0], errors, deviations, inside, white)


def _one(experiment: Experiment, found: Identification) -> tuple:
    truth, estimate = experiment.truth(found), found.estimate
    low, high = estimate.intervals(found.options.level).T
    white = estimate._replace(covariance=estimate.white_covariance).intervals(found.options.level).T
    inside = (low <= truth) & (truth <= high)
    white_inside = (white[0] <= truth) & (truth <= white[1])
    return found.names, estimate.values - truth, estimate.deviations, inside, white_inside
