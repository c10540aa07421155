"""Do the 95 % intervals of an identification cover the truth? Repeated noisy experiments.

A UR5e with rotors and friction, an optimised Fourier trajectory, noise on torques and angles; the
row ``deviations`` of madsen2020 in the ledger has what 200 of them say.
"""

from typing import NamedTuple

import numpy as np
from madsen2020.excitation import FourierTrajectory, excite, limits_of
from scipy.stats import norm

from dynamics import Arm, BadInput, inverse_dynamics, load_arm
from dynamics.identification import Identification, MotionLog, Options, identify

ROTORS = [1.9, 1.9, 1.9, 0.16, 0.16, 0.16]  # [kg·m²] as the UR5's controller has them
COULOMB = [5.0, 6.0, 4.0, 1.5, 1.2, 1.0]  # [N·m]
VISCOUS = [8.0, 9.0, 6.0, 2.0, 1.5, 1.2]  # [N·m·s/rad]
TORQUE_NOISE = [1.0, 1.0, 1.0, 0.2, 0.2, 0.2]  # [N·m] a sample, white
ANGLE_NOISE = 5e-6  # [rad] a sample, white
AT_REST = 1e-9  # [rad/s] slower is standing still: no friction


def simulated_log(
    torque: np.ndarray,
    time: np.ndarray,
    q: np.ndarray,
    rng: np.random.Generator,
    torque_noise: np.ndarray | float = 0.0,
    angle_noise: float = 0.0,
) -> MotionLog:
    """A log with white noise on exact samples: torque (k, n) [N·m] at times (k,) [s], angles (k, n) [rad].

    The standard deviation of the torque is one or (n,) [N·m], that of the angles one [rad].
    """
    tau = torque + rng.normal(size=q.shape) * torque_noise
    return MotionLog(
        np.asarray(time, float), q + rng.normal(size=q.shape) * angle_noise, tau, name="simulated"
    )


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
    """Repeated identifications: (repeats, unknowns) whether the 95 % interval held the truth."""

    inside: np.ndarray

    @property
    def pooled(self) -> float:
        """Share over all repeats and unknowns."""
        return float(self.inside.mean())

    def pooled_interval(self) -> tuple[float, float]:
        """95 % interval of the pooled share, from the spread of the repeats."""
        shares = self.inside.mean(axis=1)
        half = float(norm.ppf(0.975) * shares.std(ddof=1) / np.sqrt(len(shares)))
        return self.pooled - half, self.pooled + half


def coverage(
    experiment: Experiment,
    repeats: int,
    rng: np.random.Generator,
    given: Arm | None = None,
    options: Options | None = None,
) -> Coverage:
    """Identify the same arm again and again, two times or more, with new noise each time.

    ``given`` is handed to ``identify``, by default the true arm: only known rotors matter here.

    Raises ``BadInput``: too few repeats, or options without friction.
    """
    options = options or Options()
    if repeats < 2 or not options.friction:
        raise BadInput("coverage needs two repeats or more, and friction", found=repeats)
    time, q, tau = experiment.exact()
    inside = []
    for _ in range(repeats):
        log = simulated_log(tau, time, q, rng, experiment.torque_noise, experiment.angle_noise)
        found = identify(log, given or experiment.arm, options)
        low, high = found.estimate.intervals(found.options.level).T
        truth = experiment.truth(found)
        inside.append((low <= truth) & (truth <= high))
    return Coverage(np.array(inside))


def the_arm() -> Arm:
    """A UR5e with rotors."""
    return load_arm("ur5e")._replace(rotor_inertia=np.array(ROTORS))


def the_trajectory(arm: Arm, iterations: int = 15) -> FourierTrajectory:
    """An optimised trajectory of 10 s at half the arm's speed."""
    rng = np.random.default_rng(0)
    return excite(arm, limits_of(arm, 0.5), rng, period=10.0, iterations=iterations).trajectory


def experiment(motion: FourierTrajectory | None = None) -> Experiment:
    """The experiment that is repeated, along its optimised trajectory unless another is given."""
    arm = the_arm()
    friction = np.column_stack([COULOMB, VISCOUS])
    return Experiment(
        arm, motion or the_trajectory(arm), friction, np.array(TORQUE_NOISE), ANGLE_NOISE
    )
