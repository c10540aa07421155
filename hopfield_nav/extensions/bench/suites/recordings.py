"""Every estimator and detector over the recorded UR5, for the suite ``recordings``.

Nothing of a run is known to what judges it: motors, friction, the servo's stiffness and the scale
of each joint come from other free runs. Thresholds are chosen on one half of the free motion (the
repeat says which) and judged on the other.
"""

import os
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import xarray

from dynamics import Arm, BadInput, load_arm, mass_matrix
from hopfield_nav.build import find_methods
from hopfield_nav.extensions.recordings import (
    MotorFit,
    fit_motors,
    load_recording,
    replay,
    signals_of_recording,
    watched_seconds,
)
from hopfield_nav.plugin import Measures, Method, Parameter, find_method

FREE, PUSHED = "no5_free", "no5_pushed"
FREE_RUNS = ("no1", "no8", FREE)
# [s] begin and end, of the currents beside those of the free run (``scripts/recorded_pushes.py``)
PUSHES_AT = (
    (12.536, 13.056), (18.904, 19.416), (20.544, 20.92), (21.208, 21.616), (21.848, 22.248),
    (24.808, 25.136), (25.504, 25.776), (26.184, 26.84), (27.304, 27.56), (27.832, 28.152),
)  # fmt: skip
FIRST_MOVING = {FREE: 376, PUSHED: 364}  # row of the first stroke, of the same source
SAME_MOTOR = ((4, 5, 6),)  # too little torque to tell their constants apart
PERIOD = 0.008  # [s] of the recordings
POLE = 15.0  # [1/s] of every observer that has one: slower than the current's ripple
OWN = "none"  # the estimator in whose place stands the force that the arm's own controller reports
QUANTILE = 99.9  # of free motion, for thresholds of single joints
LAG, GAP = 0.1, 0.1  # [s] after a push in which it may be felt; between two alarms of one rise
SPARE = 1.1  # of the largest level of the half that chooses
COLUMNS = {
    "pushes": "1", "found": "1", "lost": "1", "delay_s": "s", "threshold": "1", "free_p99": "1",
    "pushed_p99": "1",
    "threshold_of_all": "1", "alarms_of_all": "1", "watched_s": "s", "found_without_alarm": "1",
}  # fmt: skip
MEASURES = Measures(lambda run: {name: run.summary.get(name) for name in COLUMNS}, COLUMNS)


def largest_torque(model, sensed, parameters, memory, work, tau_external, wrench):
    """Norm of the joint torques of contact as a share of the threshold."""
    square = 0.0
    for i in range(tau_external.size):
        square += tau_external[i] ** 2
    return np.sqrt(square) / parameters[0]


TORQUE_NORM = Method(
    "detector",
    "torque_norm",
    largest_torque,
    (
        Parameter(
            "threshold", 1.0, 1e-9, 1e6, "N·m", "norm of the joint torques that counts as contact"
        ),
    ),
)


def recordings_folder() -> Path:
    """Where the recordings lie: in HOPFIELD_NAV_DATA, or beside the checkout.

    Raises ``BadInput``: they are not there.
    """
    default = Path(__file__).resolve().parents[5] / "shared" / "data"
    found = Path(os.environ.get("HOPFIELD_NAV_DATA") or default) / "ur5_kufieta2014"
    if not found.is_dir():
        allowed = (
            "--data FOLDER of hopfield-nav bench, or HOPFIELD_NAV_DATA, "
            "names the folder that holds it"
        )
        raise BadInput("no recordings", where=str(found), allowed=allowed)
    return found


@cache
def recording(run: str) -> xarray.Dataset:
    """One run, read once."""
    return load_recording(recordings_folder() / run)


def others(run: str) -> tuple[str, ...]:
    """Free runs that a fit for ``run`` may use: neither itself nor that of the same strokes."""
    return tuple(r for r in FREE_RUNS if r != run and not (run == PUSHED and r == FREE))


@cache
def motors(runs: tuple[str, ...]) -> MotorFit:
    """Motors and friction from free runs."""
    return fit_motors([recording(r) for r in runs], load_arm("ur5_controller"), SAME_MOTOR)


@cache
def stiffness(runs: tuple[str, ...]) -> np.ndarray:
    """What the arm's servo answers to a joint error, as the natural frequency omega (6,) [rad/s].

    Feedback current (measured less commanded) against the error of free motion, by least squares,
    divided by the mean inertia: the K0 of ragazzon2012 (5.7) that these recordings support.
    """
    arm = load_arm("ur5_controller")
    errors, currents, inertias = [], [], []
    for run in runs:
        data = recording(run)
        errors.append((data.q - data.q_ref).values)
        currents.append((data.current - data.current_ref).values)
        inertias.append(mass_matrix(arm, data.q_ref.values[::50]))
    error = np.concatenate(errors)
    torque = motors(runs).motor_constant * np.concatenate(currents)
    inertia = np.concatenate(inertias).mean(axis=0)
    stiffness = -(error * torque).sum(axis=0) / (error**2).sum(axis=0)  # [N·m/rad]
    return np.sqrt(np.maximum(stiffness, 1.0) / np.diag(inertia))


def known_values(method: Method, runs: tuple[str, ...]) -> dict[str, object]:
    """Parameters that the recordings decide: gains of the servo, constant gains, poles.

    The constant gain of an estimator without M is the servo's stiffness: omega² times the mean
    inertia. The Kalman filter lags a ramp as an observer with that pole does; the largest rate of
    the sliding mode is that with which such an observer begins to follow a step as large as what it
    takes for contact in free motion.
    """
    names = {p.name for p in method.parameters}
    poses = np.concatenate([recording(r).q_ref.values[::50] for r in runs])
    mean = mass_matrix(load_arm("ur5_controller"), poses).mean(axis=0)
    omega = stiffness(runs)
    choices = {
        "position_gain": omega**2,
        "velocity_gain": 2 * omega,
        "gain": omega**2 * np.diag(mean),
        "pole": POLE,
    }
    if "torque_walk" in names:
        speed_noise = next(p.default for p in method.parameters if p.name == "speed_noise")
        choices["torque_walk"] = (
            2.0 * POLE**2 * speed_noise * np.sqrt(PERIOD) * np.linalg.norm(mean, axis=1)
        )
    if "largest_rate" in names:
        choices["largest_rate"] = POLE * joint_scale(runs, "momentum_observer")
    return {name: value for name, value in choices.items() if name in names}


def _replay(run: str, estimator: str, detector: Method, threshold: object):
    """``Replay`` of both over a run."""
    runs, method = others(run), find_method("estimator", estimator)
    fit, values = motors(runs), {"threshold": threshold, **known_values(method, runs)}
    model: Arm = fit.on(load_arm("ur5_controller"))
    return replay(model, signals_of_recording(recording(run), fit), method, detector, values)


@cache
def outcome(run: str, estimator: str):
    """``Replay`` of an estimator over a run; its level is the norm of the external torque [N·m]."""
    return _replay(run, estimator, TORQUE_NORM, 1.0)


def torque_of(run: str, estimator: str) -> np.ndarray:
    """Estimated external torque (k, 6) [N·m]."""
    return outcome(run, estimator).tau_external


@cache
def joint_scale(runs: tuple[str, ...], estimator: str) -> np.ndarray:
    """Torque (6,) that the estimator stays below in 99.9 % of the rows of free runs [N·m]."""
    rows = [np.abs(torque_of(run, estimator))[in_motion(run)] for run in runs]
    return np.maximum(np.percentile(np.concatenate(rows), QUANTILE, axis=0), 1e-9)


@cache
def level(run: str, estimator: str, detector: Method) -> np.ndarray:
    """Level (k,) of a detector.

    Fixed thresholds of joints are what free motion of other runs has, others are 1.

    Of the arm's own force it is the norm [N].
    """
    if estimator == OWN:
        return np.linalg.norm(recording(run).force_estimate.values, axis=1)
    (fixed,) = (p for p in detector.parameters if p.name == "threshold")
    threshold = joint_scale(others(run), estimator) if fixed.per_joint else 1.0
    return _replay(run, estimator, detector, threshold).level


def in_motion(run: str) -> np.ndarray:
    """Rows from the first motion on; all of a standstill."""
    return np.arange(recording(run).sizes["time"]) >= FIRST_MOVING.get(run, 0)


class Judged(NamedTuple):
    """A method over the recordings: its estimator and detector."""

    estimator: str
    detector: Method

    def rows(self, run: str, half: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Times and levels of a run in motion, of all of it or of one half."""
        counts = in_motion(run)
        time, found = recording(run).time.values[counts], level(run, *self)[counts]
        if half is not None:
            later = time > 0.5 * (time[0] + time[-1])
            time, found = time[later == half], found[later == half]
        return time, found

    def during(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Of each push the times since it began and the levels, with a moment after it for lags."""
        time, found = recording(PUSHED).time.values, level(PUSHED, *self)
        spans = [(start, (time >= start) & (time <= end + LAG)) for start, end in PUSHES_AT]
        return [(time[span] - start, found[span]) for start, span in spans]

    def peaks(self) -> np.ndarray:
        """Largest level during each push."""
        return np.array([found.max() for _, found in self.during()])

    def alarms(self, threshold: float, half: int | None = None) -> tuple[int, float]:
        """Alarms in the free runs, armed again after ``GAP`` below the threshold; seconds."""
        count, seconds = 0, 0.0
        for run in FREE_RUNS:
            time, found = self.rows(run, half)
            above = time[found >= threshold]
            count += int(len(above) > 0) + int((np.diff(above) > GAP).sum())
            seconds += watched_seconds(time)
        return count, seconds

    def largest(self, half: int | None = None) -> float:
        """Largest level of free motion."""
        return max(float(self.rows(run, half)[1].max()) for run in FREE_RUNS)


def pushed(world, seed: int) -> dict:
    """A method's row: which pushes it found, how late, and its false alarms."""
    method = Judged(world.detection.estimator, find_methods(world)[2])
    threshold = SPARE * method.largest(seed % 2)
    delays = [
        time[np.argmax(found >= threshold)]
        for time, found in method.during()
        if found.max() >= threshold
    ]
    alarms, seconds = method.alarms(threshold, 1 - seed % 2)
    peaks = method.peaks()
    all_found = 0.999 * float(peaks.min())
    of_all, watched = method.alarms(all_found)
    low, high = (float(np.percentile(method.rows(run)[1], 99)) for run in (FREE, PUSHED))
    return {
        "outcome": "reached", "simulated_time_s": seconds, "false_alarm_count": alarms, "pushes": len(peaks),
        "found": len(delays), "lost": len(peaks) - len(delays),
        "delay_s": float(np.median(delays)) if delays else None, "threshold": threshold,
        "free_p99": low, "pushed_p99": high, "threshold_of_all": all_found, "alarms_of_all": of_all,
        "watched_s": watched, "found_without_alarm": int((peaks > method.largest()).sum()),
    }  # fmt: skip


PUSHES = partial(pushed)
PUSHES.ready = recordings_folder
