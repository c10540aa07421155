"""From a log to the filtered, decimated equations Y x = tau that are solved for the parameters.

The unknowns x are the base parameters, then Coulomb and viscous friction of every joint if they are
asked for. What is known of the rotors is taken off the torque first: their inertia times the
rotors' acceleration, and a friction law of the user's. The rotors' motion is the log's ``rotor_q``
where it has one, else that of the links. Where a joint turns round, the sign of its friction is not
known for some milliseconds, which the parallel filter spreads over some samples: those are marked
and left out.

Bandpass (madsen2020 4.1): angles through a Butterworth filter forwards and backwards, so without
lag, then central differences. Its cutoff is 5 times the bandwidth of the dynamics; the document's
bandwidth is lost, and 10 Hz is assumed, hence 50 Hz. Parallel filter (4.2): torques and every
column of the observation matrix through one and the same filter, which leaves Y pi = tau as it is,
then every 20th sample.

Ends: forward-backward filtering continues the signal by reflection at a point, and differences at
the first and last sample are one-sided. The first of each block would be one of them, so decimation
takes the middle of each block: 31 s at 1 kHz give 1550 samples, none nearer than 10 ms to an end.

Source: madsen2020 3.1, (11), (12), 4.1, 4.2.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.signal import butter, sosfiltfilt

from dynamics.arm import Arm
from dynamics.errors import BadInput, require_known
from dynamics.identification.base_set import BaseParameters, base_regressor
from dynamics.identification.logs import MotionLog

ORDER = 4
DYNAMICS_BANDWIDTH = 10.0  # [Hz] assumed, the document's is lost
BANDWIDTH_FACTOR = 5.0  # madsen2020 4.1
PARALLEL_CUTOFF = 20.0  # [Hz] assumed, the document's is lost
DECIMATED_RATE_FACTOR = 2.5  # samples a period of the parallel cutoff: 50 Hz, 20 at 1 kHz
ROTORS = ("known", "estimated", "ignored")
EDGE = 0.1  # [s] at both ends of a log, where the filters know one side only; not used for the fit
TURNING = 5.0  # times the rest speed: below it the sign of the friction is not sure
UNCLEAR = 0.02  # share of a filtered sample that comes from there, from which it is not used


@dataclass(frozen=True)
class Options:
    """How an arm is identified."""

    # ``known``: the arm's rotor inertias are taken off the torque; ``estimated``: they are among
    # the parameters; ``ignored``
    rotor: str = "known"
    friction: bool = True  # whether Coulomb and viscous friction are estimated
    # a law from rotor speeds (k, n) [rad/s] to friction torques (k, n) [N·m] that is taken off the
    # torque; with ``friction`` the estimate is of what it leaves
    known_friction: Callable[[np.ndarray], np.ndarray] | None = None
    # the sign of a speed is tanh(speed / this) [rad/s]: at rest there is none. Well above the noise
    # of the filtered speed, well below the speeds of the motion.
    rest_speed: float = 0.001
    # of the arm [Hz]; angles are filtered at 5 times this
    dynamics_bandwidth: float = DYNAMICS_BANDWIDTH
    parallel_cutoff: float = PARALLEL_CUTOFF  # of the filter before decimation [Hz]
    # ``refuse`` logs that leave parameters open, or ``keep`` the given arm's values for them
    unexcited: str = "refuse"
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
        return 2 * max(BANDWIDTH_FACTOR * self.dynamics_bandwidth, self.parallel_cutoff)


class Observations(NamedTuple):
    """Filtered and decimated equations of k samples."""

    Y: np.ndarray  # (k, n, u) observation matrix
    tau: np.ndarray  # (k, n) [N·m]
    # (k, n) whether the row is fit to be used: False where the joint turns round, so that the sign
    # of its friction is not known (always True without friction)
    clear: np.ndarray


def observations(arm: Arm, base: BaseParameters, log: MotionLog, options: Options) -> Observations:
    """Filtered and decimated equations of a log, without 0.1 s at its ends.

    The arm gives kinematics, gravity and, where rotors are known, their inertias; ``base`` comes
    from ``base_parameters(arm, options.rotor == "estimated")``.

    Raises ``BadInput``: too low a rate or too few samples.
    """

    def thinned(signal: np.ndarray) -> np.ndarray:
        out = decimate(signal, log.rate, options.parallel_cutoff)
        edge = round(EDGE * log.rate / decimation_factor(log.rate, options.parallel_cutoff))
        return out[edge : len(out) - edge]

    state = motion(log.q, log.rate, options.dynamics_bandwidth)
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


def rotor_motion(
    log: MotionLog, state: tuple[np.ndarray, ...], options: Options
) -> tuple[np.ndarray, ...]:
    """Angles, speeds and accelerations (k, n) of the rotors, seen from the links' side."""
    if log.rotor_q is None:
        return state
    return motion(log.rotor_q, log.rate, options.dynamics_bandwidth)


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
    """Columns (k, n, 2 n) of Coulomb and viscous friction, from qd (k, n) (madsen2020 3.1).

    They are the smoothed signs of the speeds, then the speeds, each joint's in its own row. At
    ``rest_speed`` [rad/s] the sign is 0.76.
    """
    own = np.eye(qd.shape[1])
    sign = np.tanh(qd / rest_speed)
    return np.concatenate([sign[:, :, None] * own, qd[:, :, None] * own], axis=2)


def zero_phase(signal: np.ndarray, cutoff: float, rate: float) -> np.ndarray:
    """A signal (k, ...) at a rate [Hz], filtered forwards and backwards (Butterworth, 4th order).

    The cutoff [Hz] is that of one pass; both together have -6 dB there.

    Raises ``BadInput``: a cutoff beyond half the rate, or too few samples.
    """
    if not 0 < cutoff < rate / 2:
        what = "the sampling rate is too low for the filter"
        raise BadInput(what, found=f"{rate:g} Hz", allowed=f"above {2 * cutoff:g} Hz")
    length = int(np.ceil(3 * rate / cutoff))
    if len(signal) <= length:
        allowed = f"more than {length}"
        raise BadInput("too few samples to filter", found=len(signal), allowed=allowed)
    sections = butter(ORDER, cutoff, output="sos", fs=rate)
    return sosfiltfilt(sections, signal, axis=0, padlen=length)


def derivatives(q: np.ndarray, rate: float) -> tuple[np.ndarray, np.ndarray]:
    """Velocity [rad/s] and acceleration [rad/s²] of angles (k, n) [rad] at a rate [Hz].

    By central differences; one-sided, of second order, at the ends.

    Source: madsen2020 4.1.
    """
    qd = np.gradient(q, 1 / rate, axis=0, edge_order=2)
    before = q[:-2]
    here = q[1:-1]
    after = q[2:]
    qdd = np.empty_like(q)
    qdd[1:-1] = (after - 2 * here + before) * rate**2
    qdd[0] = _second_difference_at_end(q[:4]) * rate**2
    qdd[-1] = _second_difference_at_end(q[:-5:-1]) * rate**2
    return qd, qdd


def _second_difference_at_end(q: np.ndarray) -> np.ndarray:
    """The second difference at the first of four samples (4, n), of second order: 2, -5, 4, -1."""
    return 2 * q[0] - 5 * q[1] + 4 * q[2] - q[3]


def motion(
    q: np.ndarray, rate: float, bandwidth: float = DYNAMICS_BANDWIDTH
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Filtered angles, velocities and accelerations, each (k, n), of angles [rad] at a rate [Hz].

    The filter's cutoff is 5 times the bandwidth of the arm's dynamics [Hz].

    Raises ``BadInput``: too low a rate, or too few samples.

    Source: madsen2020 4.1.
    """
    filtered = zero_phase(q, BANDWIDTH_FACTOR * bandwidth, rate)
    return filtered, *derivatives(filtered, rate)


def decimation_factor(rate: float, cutoff: float = PARALLEL_CUTOFF) -> int:
    """Every how many samples are kept after the parallel filter: 20 at 1 kHz."""
    return max(1, int(rate / (DECIMATED_RATE_FACTOR * cutoff) + 1e-6))


def decimate(signal: np.ndarray, rate: float, cutoff: float = PARALLEL_CUTOFF) -> np.ndarray:
    """A signal through the parallel filter: the middle of each block of samples (k // factor, ...).

    A last block that is not whole is left out. ``rate`` and ``cutoff`` are in [Hz].

    Raises ``BadInput``: too low a rate, or too few samples.

    Source: madsen2020 4.2.
    """
    factor = decimation_factor(rate, cutoff)
    whole = len(signal) // factor * factor
    return zero_phase(signal, cutoff, rate)[factor // 2 : whole : factor]
