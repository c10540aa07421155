"""From logged angles and torques to filtered, decimated equations.

Bandpass (madsen2020 4.1): angles through a Butterworth filter forwards and backwards, so without lag, then central
differences. Its cutoff is 5 times the bandwidth of the dynamics; the document's bandwidth is lost, and 10 Hz is
assumed, hence 50 Hz. Parallel filter (4.2): torques and every column of the observation matrix through one and the
same filter, which leaves Y pi = tau as it is, then every 20th sample.

Ends: forward-backward filtering continues the signal by reflection at a point, and differences at the first and last
sample are one-sided. The first of each block would be one of them, so decimation takes the middle of each block: 31 s
at 1 kHz give 1550 samples, none nearer than 10 ms to an end.
"""

import numpy as np
from scipy.signal import butter, sosfiltfilt

from dynamics.errors import BadInput

ORDER = 4
DYNAMICS_BANDWIDTH = 10.0  # [Hz] assumed, the document's is lost
BANDWIDTH_FACTOR = 5.0  # madsen2020 4.1
PARALLEL_CUTOFF = 20.0  # [Hz] assumed, the document's is lost
DECIMATED_RATE_FACTOR = 2.5  # samples a period of the parallel cutoff: 50 Hz, 20 at 1 kHz


def zero_phase(signal: np.ndarray, cutoff: float, rate: float) -> np.ndarray:
    """A signal (k, ...) at a rate [Hz] through a 4th-order Butterworth filter, forwards and backwards.

    The cutoff [Hz] is that of one pass; both together have -6 dB there.

    Raises ``BadInput``: a cutoff beyond half the rate, or too few samples.
    """
    if not 0 < cutoff < rate / 2:
        allowed = f"above {2 * cutoff:g} Hz"
        raise BadInput("the sampling rate is too low for the filter", found=f"{rate:g} Hz", allowed=allowed)
    length = int(np.ceil(3 * rate / cutoff))
    if len(signal) <= length:
        raise BadInput("too few samples to filter", found=len(signal), allowed=f"more than {length}")
    return sosfiltfilt(butter(ORDER, cutoff, output="sos", fs=rate), signal, axis=0, padlen=length)


def derivatives(q: np.ndarray, rate: float) -> tuple[np.ndarray, np.ndarray]:
    """Velocity [rad/s] and acceleration [rad/s²] of angles (k, n) [rad] at a rate [Hz].

    By central differences; one-sided, of second order, at the ends.

    Source: madsen2020 4.1.
    """
    qd = np.gradient(q, 1 / rate, axis=0, edge_order=2)
    qdd = np.empty_like(q)
    qdd[1:-1] = (q[2:] - 2 * q[1:-1] + q[:-2]) * rate**2
    qdd[0] = (2 * q[0] - 5 * q[1] + 4 * q[2] - q[3]) * rate**2
    qdd[-1] = (2 * q[-1] - 5 * q[-2] + 4 * q[-3] - q[-4]) * rate**2
    return qd, qdd


def motion(
    q: np.ndarray, rate: float, bandwidth: float = DYNAMICS_BANDWIDTH
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Angles (k, n) [rad] at a rate [Hz], filtered, and their velocities and accelerations, each (k, n).

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
    """A signal through the parallel filter, the middle of each block of samples: (k // factor, ...).

    A last block that is not whole is left out. ``rate`` and ``cutoff`` are in [Hz].

    Raises ``BadInput``: too low a rate, or too few samples.

    Source: madsen2020 4.2.
    """
    factor = decimation_factor(rate, cutoff)
    whole = len(signal) // factor * factor
    return zero_phase(signal, cutoff, rate)[factor // 2 : whole : factor]
