"""From a log to the filtered, decimated equations Y x = tau that are solved for the parameters.

The unknowns x are the base parameters, then Coulomb and viscous friction of every joint if they are asked for. What
is known of the rotors is taken off the torque first: their inertia times the rotors' acceleration, and a friction law
of the user's. The rotors' motion is the log's ``rotor_q`` where it has one, else that of the links. Where a joint
turns round, the sign of its friction is not known for some milliseconds, which the parallel filter spreads over some
samples: those are marked and left out.

Source: madsen2020 3.1, (11), (12).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dynamics.arm import Arm
from dynamics.errors import BadInput, require_known
from dynamics.identification import filtering
from dynamics.identification.base_set import BaseParameters, base_regressor
from dynamics.identification.logs import MotionLog

ROTORS = ("known", "estimated", "ignored")
EDGE = 0.1  # [s] at both ends of a log, where the filters know one side only; not used for the fit
TURNING = 5.0  # times the rest speed: below it the sign of the friction is not sure
UNCLEAR = 0.02  # share of a filtered sample that comes from there, from which it is not used


@dataclass(frozen=True)
class Options:
    """How an arm is identified."""

    # ``known``: the arm's rotor inertias are taken off the torque; ``estimated``: they are among the
    # parameters; ``ignored``
    rotor: str = "known"
    friction: bool = True  # whether Coulomb and viscous friction are estimated
    # a law from rotor speeds (k, n) [rad/s] to friction torques (k, n) [N·m] that is taken off the torque;
    # with ``friction`` the estimate is of what it leaves
    known_friction: Callable[[np.ndarray], np.ndarray] | None = None
    # the sign of a speed is tanh(speed / this) [rad/s]: at rest there is none. Well above the noise of the
    # filtered speed, well below the speeds of the motion.
    rest_speed: float = 0.001
    dynamics_bandwidth: float = filtering.DYNAMICS_BANDWIDTH  # of the arm [Hz]; angles are filtered at 5 times this
    parallel_cutoff: float = filtering.PARALLEL_CUTOFF  # of the filter before decimation [Hz]
    unexcited: str = "refuse"  # ``refuse`` logs that leave parameters open, or ``keep`` the given arm's values for them
    level: float = 0.95  # of the confidence intervals

    def __post_init__(self) -> None:
        for name, allowed in (("rotor", ROTORS), ("unexcited", ("refuse", "keep"))):
            require_known(getattr(self, name), allowed, f"unknown value of {name}")
        for name in ("dynamics_bandwidth", "parallel_cutoff", "rest_speed"):
            if not getattr(self, name) > 0:
                raise BadInput(f"{name} must be positive", found=getattr(self, name))

    @property
    def lowest_rate(self) -> float:
        """Sampling rate that the filters need more than [Hz]."""
        return 2 * max(filtering.BANDWIDTH_FACTOR * self.dynamics_bandwidth, self.parallel_cutoff)


class Observations(NamedTuple):
    """Filtered and decimated equations of k samples."""

    Y: np.ndarray  # (k, n, u) observation matrix
    tau: np.ndarray  # (k, n) [N·m]
    # (k, n) whether the row is fit to be used: False where the joint turns round, so that the sign of its
    # friction is not known (always True without friction)
    clear: np.ndarray


def observations(arm: Arm, base: BaseParameters, log: MotionLog, options: Options) -> Observations:
    """Filtered and decimated equations of a log, without 0.1 s at its ends.

    The arm gives kinematics, gravity and, where rotors are known, their inertias; ``base`` comes from
    ``base_parameters(arm, options.rotor == "estimated")``.

    Raises ``BadInput``: too low a rate or too few samples.
    """

    def thinned(signal: np.ndarray) -> np.ndarray:
        out = filtering.decimate(signal, log.rate, options.parallel_cutoff)
        edge = round(EDGE * log.rate / filtering.decimation_factor(log.rate, options.parallel_cutoff))
        return out[edge : len(out) - edge]

    state = filtering.motion(log.q, log.rate, options.dynamics_bandwidth)
    rotors = rotor_motion(log, state, options)
    Y, tau = equations(arm, base, state, rotors, log.tau, options)
    tau = thinned(tau)
    out = np.zeros((len(tau), *Y.shape[1:]))
    for j in range(Y.shape[1]):
        felt = np.flatnonzero(Y[:, j].any(axis=0))  # no joint feels the links before it
        out[:, j, felt] = thinned(Y[:, j, felt])
    clear = np.ones(tau.shape, dtype=bool)
    if options.friction or options.known_friction is not None:
        turning = np.abs(rotors[1]) < TURNING * options.rest_speed
        clear = np.abs(thinned(turning.astype(np.float64))) < UNCLEAR
    return Observations(out, tau, clear)


def rotor_motion(log: MotionLog, state: tuple[np.ndarray, ...], options: Options) -> tuple[np.ndarray, ...]:
    """Angles, speeds and accelerations (k, n) of the rotors, seen from the links' side."""
    if log.rotor_q is None:
        return state
    return filtering.motion(log.rotor_q, log.rate, options.dynamics_bandwidth)


def equations(
    arm: Arm,
    base: BaseParameters,
    state: tuple[np.ndarray, ...],
    rotors: tuple[np.ndarray, ...],
    tau: np.ndarray,
    options: Options,
) -> tuple[np.ndarray, np.ndarray]:
    """Y (k, n, p) and tau (k, n) [N·m] before the parallel filter.

    ``state`` holds q, qd, qdd (k, n) of the links, ``rotors`` the same of the rotors.
    """
    _, rotor_qd, rotor_qdd = rotors
    Y = base_regressor(arm, base, *state)
    for column, k in enumerate(base.kept):
        if base.parameters[k].startswith("IA"):
            Y[:, :, column] *= 0
            joint = int(base.parameters[k][2:]) - 1
            Y[:, joint, column] = rotor_qdd[:, joint]
    if options.rotor == "known":
        tau = tau - arm.rotor_inertia * rotor_qdd
    if options.known_friction is not None:
        tau = tau - options.known_friction(rotor_qd)
    if options.friction:
        Y = np.concatenate([Y, friction_columns(rotor_qd, options.rest_speed)], axis=2)
    return Y, tau


def friction_columns(qd: np.ndarray, rest_speed: float) -> np.ndarray:
    """(k, n, 2 n): smoothed sign, then speed, of each joint in its own row, from qd (k, n) (madsen2020 3.1).

    At ``rest_speed`` [rad/s] the sign is 0.76.
    """
    own = np.eye(qd.shape[1])
    return np.concatenate([np.tanh(qd / rest_speed)[:, :, None] * own, qd[:, :, None] * own], axis=2)
