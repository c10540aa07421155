"""Chapter 5 on the simulated arm: the circle at three speeds, currents, K_p, and the stable share."""

from functools import cache

import numpy as np
from ledger import Rows, judged
from reproduction import listed
from scipy.stats import spearmanr

from tu2023 import circle_signals as signals
from tu2023.circle_motion import PERIOD, SPEEDS, Case, lap_time, samples, steady
from tu2023.circle_signals import PUBLISHED_CONSTANT
from tu2023.kinematics import CENTER, RADIUS
from tu2023.readings import READINGS, stable_share

FASTEST = Case(SPEEDS[-1])
WITHOUT_FRICTION = FASTEST._replace(friction=False, sensors=False)
LAPPING = slice(0, 2)  # joints whose torque varies with the lap


def off_circle(case: Case) -> np.ndarray:
    """(k,) distance of the true tool point from the circle [m]."""
    apart = samples(case).tool - CENTER
    return np.hypot(np.hypot(apart[:, 0], apart[:, 1]) - RADIUS, apart[:, 2])


def measured_period(case: Case) -> float:
    """Lag at which the measured angle of joint 1 repeats itself best [s]."""
    found = samples(case)
    angle = found.q[steady(found, case), 0]
    lags = np.arange(len(angle) // 4, 3 * len(angle) // 4)
    apart = [signals.rms(angle[k:] - angle[:-k]) for k in lags]
    return float(PERIOD * lags[int(np.argmin(apart))])


def ranges(case: Case) -> np.ndarray:
    """(6,) range of the measured joint angles [rad]."""
    return np.ptp(samples(case).q, axis=0)


def peak_speeds(case: Case) -> np.ndarray:
    """(6,) largest true joint speeds [rad/s]."""
    return np.abs(samples(case).qd_true).max(axis=0)


def noise_share(case: Case) -> float:
    """Noise of the measured velocities over the velocities, rms over the joints."""
    found = samples(case)
    return float(np.sqrt(np.mean((found.qd - found.qd_true) ** 2) / np.mean(found.qd_true**2)))


@cache
def lags(case: Case, arm: str = "ur5_tu2023") -> np.ndarray:
    """(6,) share of a lap by which the model's torque lags the current."""
    found = samples(case)
    whole = steady(found, case)
    tau = signals.model_torque(found, "Butterworth", arm)[whole]
    return signals.lag(tau, signals.currents(found.tau)[whole], case.laps - 1)


def rows() -> Rows:
    cases = [Case(speed) for speed in SPEEDS]
    found, wanted = [measured_period(c) for c in cases], [lap_time(s) for s in SPEEDS]
    off = ", ".join(
        f"{1e3 * signals.rms(off_circle(c)):.2f} (at most {1e3 * off_circle(c).max():.2f})"
        for c in cases
    )
    ours = f"angles repeat after {listed(found, '.2f')} s (2πr/v: {listed(wanted, '.2f')} s); tool {off} mm off"
    yield judged("tu2023.three_laps", ours, bool(np.abs(np.divide(found, wanted) - 1).max() < 0.01))
    found = ranges(FASTEST)
    ours = f"{listed(found, '.3f')} rad, joints 1 to 6, at {1e3 * SPEEDS[-1]:.0f} mm/s"
    yield judged("tu2023.joints_that_move_least", ours, set(np.argsort(found)[:2]) == {3, 4})
    found = np.array([ranges(Case(speed)) for speed in SPEEDS])
    spread = np.ptp(found, axis=0)
    ours = f"ranges differ by at most {1e3 * spread.max():.1f} mrad"
    yield judged("tu2023.same_range_at_all_speeds", ours, bool((spread < 0.01).all()))
    found = np.array([peak_speeds(Case(speed)) for speed in SPEEDS])
    moving = [j for j in range(6) if j != 4]
    text = "; ".join(listed(row[moving], ".2f") for row in found)
    ours = f"{text} rad/s (joints 1, 2, 3, 4, 6 at each speed)"
    yield judged(
        "tu2023.peaks_of_the_velocities", ours, bool((np.diff(found[:, moving], axis=0) > 0).all())
    )
    found = np.array([noise_share(Case(speed)) for speed in SPEEDS])
    ours = f"noise {listed(100 * found, '.1f')} % of the velocities"
    yield judged("tu2023.noise_of_the_velocities", ours, bool((np.diff(found) < 0).all()))
    found = samples(FASTEST)
    text = [
        f"{name}: {listed(signals.acceleration_error(name, found), '.2f')}"
        for name in signals.METHODS
    ]
    truth, printed = signals.rms(found.qdd_true), signals.acceleration_error("(60)", found)
    ours = (
        f"rms error, joints 1 to 6: {'; '.join(text)} rad/s²; the accelerations themselves "
        f"{listed(truth, '.2f')} rad/s²"
    )
    yield judged("tu2023.accelerations", ours, bool((printed < 0.25 * truth).all()))
    forth, back = (lags(FASTEST._replace(direction=d))[LAPPING] for d in (1, -1))
    without = np.abs(lags(WITHOUT_FRICTION, "ur5_full")[LAPPING])
    ours = (
        f"it leads: joints 1, 2 by {listed(-forth, '.2f')} of a lap ({listed(-back, '.2f')} the other way "
        f"round); without friction {without.max():.3f} at most"
    )
    yield judged("tu2023.torque_lags_the_current", ours, bool((np.abs(forth - 0.25) < 0.1).all()))
    ratios = signals.ratio_of_maxima(
        signals.model_torque(found, "(60), low-pass"), signals.currents(found.tau)
    )
    motors, fitted = (
        listed(k, ".1f") for k in (signals.CONSTANTS, signals.fitted_constants(found))
    )
    ours = (
        f"{ratios.mean():.1f} (joints {listed(ratios, '.2f')}) where the motors have {motors}; least squares with"
        f" rotors and friction in the model: {fitted} N·m/A"
    )
    yield judged(
        "tu2023.motor_constant_by_maxima", ours, abs(ratios.mean() / PUBLISHED_CONSTANT - 1) < 0.1
    )
    shares = {name: stable_share(signals.printed_abscissa(name, found)) for name in READINGS}
    exact = [stable_share(signals.exact_abscissa(found, k)) for k in (None, PUBLISHED_CONSTANT)]
    ours = (
        "; ".join(f"{name} {share:.0f} %" for name, share in shares.items())
        + f"; exact {exact[0]:.0f} %, with K_p = {PUBLISHED_CONSTANT} {exact[1]:.0f} %"
    )
    yield judged(
        "tu2023.stable_points_as_printed",
        ours,
        any(abs(share - 67) < 5 for share in shares.values()),
    )
    abscissa, speed = signals.exact_abscissa(found), np.linalg.norm(found.qd, axis=1)
    rank = float(spearmanr(speed, abscissa).statistic)
    ours = (
        f"max Re λ {abscissa[0]:.2f} 1/s at rest, {abscissa.min():.2f}–{abscissa.max():.2f} 1/s under way; "
        f"rank correlation with the joint speed {rank:.2f}"
    )
    yield judged(
        "tu2023.best_at_the_start",
        ours,
        bool(rank > 0.5 and abscissa[0] < np.percentile(abscissa, 10)),
    )
