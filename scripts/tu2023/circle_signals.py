"""From joint signals at 125 Hz to accelerations, torques, currents and their constants (5.3, 5.4)."""

from collections.abc import Callable

import numpy as np
from scipy.signal import butter, savgol_filter, sosfiltfilt

from dynamics import Arm, inverse_dynamics, joint_friction_torque, linearize, load_arm
from tu2023.circle_motion import ARM, PERIOD, Samples
from tu2023.readings import READINGS, spectral_abscissa

DOCUMENT_ARM = "ur5_tu2023"
PUBLISHED_CONSTANT = 1.67  # [N·m/A] after (61)
CONSTANTS = np.array([10.6, 10.7, 10.0, 6.7, 6.7, 6.7])  # [N·m/A] fitted on free runs of a UR5
CUTOFF = 5.0  # [Hz] some twenty times the frequency of the fastest lap
WINDOW, DEGREE = 25, 3  # samples (0.2 s) and degree of the Savitzky-Golay filter


def accelerations_60(q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """(k, n) acceleration by (60) from angle and velocity at neighbouring samples; the last repeated."""
    found = 2 * (q[1:] - q[:-1] - qd[:-1] * PERIOD) / PERIOD**2
    return np.vstack([found, found[-1:]])


METHODS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "(60)": accelerations_60,
    # what denoising of the result can do
    "(60), low-pass": lambda q, qd: low_pass(accelerations_60(q, qd)),
    # of the velocity, zero-phase
    "Butterworth": lambda q, qd: np.gradient(low_pass(qd), PERIOD, axis=0),
    # cubic, 0.2 s
    "Savitzky–Golay": lambda q, qd: savgol_filter(
        qd, WINDOW, DEGREE, deriv=1, delta=PERIOD, axis=0
    ),
}


def low_pass(
    values: np.ndarray, cutoff: float = CUTOFF, period: float = PERIOD, order: int = 4
) -> np.ndarray:
    """Butterworth forth and back along the first axis: no shift in time."""
    edge = 3 if order == 4 else 2  # periods of the cutoff that are mirrored at each end
    sections = butter(order, cutoff, fs=1 / period, output="sos")
    return sosfiltfilt(
        sections, values, axis=0, padlen=min(len(values) - 1, round(edge / (cutoff * period)))
    )


def acceleration_error(method: str, found: Samples) -> np.ndarray:
    """(6,) rms difference from the true acceleration [rad/s²]."""
    return rms(METHODS[method](found.q, found.qd) - found.qdd_true)


def rms(values: np.ndarray) -> np.ndarray:
    """Root of the mean square along the first axis."""
    return np.sqrt(np.mean(values**2, axis=0))


def model_torque(found: Samples, method: str, arm: str = DOCUMENT_ARM) -> np.ndarray:
    """(k, 6) torque of the measured motion by a model without friction [N·m]."""
    return inverse_dynamics(load_arm(arm), found.q, found.qd, METHODS[method](found.q, found.qd))


def currents(tau: np.ndarray, constants: np.ndarray = CONSTANTS) -> np.ndarray:
    """(k, 6) motor currents of torques [A]."""
    return tau / constants


def ratio_of_maxima(tau: np.ndarray, current: np.ndarray) -> np.ndarray:
    """(6,) largest torque by largest current; K_p of (61) is their mean [N·m/A]."""
    return np.abs(tau).max(axis=0) / np.abs(current).max(axis=0)


def fitted_constants(found: Samples, arm: str = ARM, friction: bool = True) -> np.ndarray:
    """(6,) least-squares constants of torque over current, motors' friction in the model or not [N·m/A]."""
    tau, current = model_torque(found, "Butterworth", arm), currents(found.tau)
    if friction:
        tau = tau + joint_friction_torque(load_arm(arm), low_pass(found.qd))
    return np.sum(tau * current, axis=0) / np.sum(current**2, axis=0)


def lag(tau: np.ndarray, current: np.ndarray, laps: int) -> np.ndarray:
    """(6,) by how much of a lap the torque lags the current at the frequency of the laps.

    Both are (k, 6), over so many whole laps. Shares of a period in (−½, ½]; negative: the torque
    leads.
    """
    first = np.exp(-2j * np.pi * laps * np.arange(len(tau)) / len(tau))
    return np.angle((first @ current) * np.conj(first @ tau)) / (2 * np.pi)


def exact_abscissa(found: Samples, constant: float | None = None) -> np.ndarray:
    """(k,) spectral abscissa of the exact linear model at the measured points [1/s].

    The torque is ``constant`` times the current, as in 5.4 [N·m/A]; None: that of the model.
    """
    arm: Arm = load_arm(DOCUMENT_ARM)
    tau = model_torque(found, "(60)") if constant is None else constant * currents(found.tau)
    return spectral_abscissa(linearize(arm, found.q, found.qd, tau).A)


def printed_abscissa(reading: str, found: Samples) -> np.ndarray:
    """(k,) largest real part of the eigenvalues of a reading of (55), (57), (58)."""
    motion = (found.q, found.qd, accelerations_60(found.q, found.qd))
    return spectral_abscissa(READINGS[reading](load_arm(DOCUMENT_ARM), motion))
