"""Every estimator and detector over the recorded UR5, motors and friction from other free runs alone."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from recorded_pushes import FREE, PUSHED, pushes, strokes
from recorded_runs import STANDSTILL, recording

from dynamics import Arm, load_arm, mass_matrix
from hopfield_nav.logs import MotorFit, fit_motors, replay, signals_of_recording
from hopfield_nav.plugin import WRIST, Method, find_method, method_names

FREE_RUNS = ("no1", "no8", FREE)
SAME_MOTOR = ((4, 5, 6),)  # too little torque to tell their constants apart
POLE = 15.0  # [1/s] of every observer that has one: slower than the current's ripple
OWN = "the arm's own"  # the force that its controller reports
QUANTILE = 99.9  # of free motion, for thresholds of single joints


class Judged(NamedTuple):
    """A method over a run: norm of the external torque [N·m] (or force [N]), level, time, rows in motion."""

    time: np.ndarray
    size: np.ndarray
    level: np.ndarray
    counts: np.ndarray


def others(run: str) -> tuple[str, ...]:
    """Free runs that a fit for ``run`` may use: not itself, nor the free run of the same strokes."""
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
    arm, fit = load_arm("ur5_controller"), motors(runs)
    data = [recording(r) for r in runs]
    error = np.concatenate([(d.q - d.q_ref).values for d in data])
    torque = fit.motor_constant * np.concatenate([(d.current - d.current_ref).values for d in data])
    inertia = np.concatenate([mass_matrix(arm, d.q_ref.values[::50]) for d in data]).mean(axis=0)
    slope = -(error * torque).sum(axis=0) / (error**2).sum(axis=0)
    return np.sqrt(np.maximum(slope, 1.0) / np.diag(inertia))


def estimators() -> tuple[str, ...]:
    """Every built-in estimator that feels anything, through the joints."""
    known = (name for name in method_names("estimator") if name != "none")
    return tuple(name for name in known if find_method("estimator", name).needs != WRIST)


@cache
def outcome(run: str, estimator: str, pole: float = POLE):
    """``Replay`` of an estimator over a run; its level is that of ``wrench_norm`` at 1."""
    runs = others(run)
    fit = motors(runs)
    method = find_method("estimator", estimator)
    values = {"threshold": 1.0, **known_values(method, runs, pole)}
    signals = signals_of_recording(recording(run), fit)
    model: Arm = fit.on(load_arm("ur5_controller"))
    return replay(model, signals, method, find_method("detector", "wrench_norm"), values)


def known_values(method: Method, runs: tuple[str, ...], pole: float) -> dict[str, object]:
    """Parameters that the recordings decide: the servo's omega, constant gains, and the observers' pole.

    The constant gain of an estimator without M is the servo's stiffness: omega² times the mean inertia.
    """
    names = {p.name for p in method.parameters}
    poses = np.concatenate([recording(r).q_ref.values[::50] for r in runs])
    inertia = np.diag(mass_matrix(load_arm("ur5_controller"), poses).mean(axis=0))
    choices = {"omega": stiffness(runs), "gain": stiffness(runs) ** 2 * inertia, "pole": pole}
    return {name: value for name, value in choices.items() if name in names}


def torque_of(run: str, estimator: str) -> np.ndarray:
    """Estimated external torque (k, 6) [N·m]."""
    return outcome(run, estimator).tau_external


@cache
def joint_scale(runs: tuple[str, ...], estimator: str) -> np.ndarray:
    """Torque (6,) that the estimator stays below in 99.9 % of the rows of free runs [N·m]."""
    rows = [np.abs(torque_of(run, estimator))[in_motion(run)] for run in runs]
    return np.maximum(np.percentile(np.concatenate(rows), QUANTILE, axis=0), 1e-9)


@cache
def detector_level(run: str, estimator: str, detector: str) -> np.ndarray:
    """Level (k,) of a detector whose fixed thresholds are what free motion of other runs reaches."""
    runs = others(run)
    method, judge = find_method("estimator", estimator), find_method("detector", detector)
    fit = motors(runs)
    values = {"threshold": joint_scale(runs, estimator), **known_values(method, runs, POLE)}
    signals = signals_of_recording(recording(run), fit)
    return replay(fit.on(load_arm("ur5_controller")), signals, method, judge, values).level


def in_motion(run: str) -> np.ndarray:
    """Rows from the first motion on; all of a standstill."""
    data = recording(run)
    first = 0
    if run in (FREE, PUSHED):
        first = strokes(run)[0][0]
    return np.arange(data.sizes["time"]) >= first


def judged(run: str, name: str, measure: str) -> Judged:
    """An estimator, or the arm's own force, over a run by one of several measures.

    ``torque``: norm of the external torque [N·m]; ``force``: norm of the tool force [N]; ``joints``: the
    largest joint torque as a share of what free motion (other runs) reaches; else the level of the detector
    of that name, with that share as its fixed thresholds.
    """
    time, counts = recording(run).time.values, in_motion(run)
    if name == OWN:
        size = np.linalg.norm(recording(run).force_estimate.values, axis=1)
        return Judged(time, size, size, counts)
    found = outcome(run, name)
    size = np.linalg.norm(found.tau_external, axis=1)
    if measure == "force":
        size = np.linalg.norm(found.wrench[:, :3], axis=1)
    level = size
    if measure == "joints":
        level = (np.abs(found.tau_external) / joint_scale(others(run), name)).max(axis=1)
    elif measure not in ("torque", "force"):
        level = detector_level(run, name, measure)
    return Judged(time, size, level, counts)


def ratio(name: str, measure: str) -> tuple[float, float, float]:
    """p99 in free motion, p99 of the pushed run, and their ratio."""
    free, pushed = (judged(run, name, measure) for run in (FREE, PUSHED))
    low, high = (float(np.percentile(j.level[j.counts], 99)) for j in (free, pushed))
    return low, high, high / low


def peaks(name: str, measure: str) -> np.ndarray:
    """Largest level during each push, with 0.1 s after it for lags."""
    j = judged(PUSHED, name, measure)
    return np.array([j.level[(j.time >= p.start) & (j.time <= p.end + 0.1)].max() for p in pushes()])


def free_alarms(name: str, measure: str, threshold: float) -> tuple[int, float]:
    """Alarms in the free runs at a threshold (armed again below it for 0.1 s), and seconds watched."""
    alarms, seconds = 0, 0.0
    for run in FREE_RUNS:
        j = judged(run, name, measure)
        above = np.flatnonzero((j.level >= threshold) & j.counts)
        alarms += int(len(above) > 0) + int((np.diff(j.time[above]) > 0.1).sum())
        seconds += float(j.time[j.counts][-1] - j.time[j.counts][0])
    return alarms, seconds


def largest_free(name: str, measure: str) -> float:
    """Largest level in any free run."""
    return max(float(j.level[j.counts].max()) for j in (judged(r, name, measure) for r in FREE_RUNS))


class Followed(NamedTuple):
    """The standstill run: estimate beside force sensor.

    Attributes:
        time: (k,) [s].
        sensor: (k,) push on the sensor, its bias taken off [N].
        estimate: (k,) force along the direction that follows the sensor best, bias off [N].
        correlation, gain, rms: of the estimate against the sensor; gain at best delay, rms [N].
        delay: by which the estimate follows the sensor at best correlation [s].
        at_rest: rms of the estimate where the sensor feels less than 2 N, after the first push [N].
    """

    time: np.ndarray
    sensor: np.ndarray
    estimate: np.ndarray
    correlation: float
    gain: float
    rms: float
    delay: float
    at_rest: float


def followed(name: str) -> Followed:
    """How an estimate follows the force sensor while the arm stands still."""
    data = recording(STANDSTILL)
    force = data.force_estimate.values if name == OWN else outcome(STANDSTILL, name).wrench[:, :3]
    known = ~np.isnan(data.force_sensor.values).any(axis=1)
    time, force, sensor = data.time.values[known], force[known], data.force_sensor.values[known]
    quiet = (time > 1.0) & (time < 4.0)  # before the first push
    sensor, force = sensor - sensor[quiet].mean(axis=0), force - force[quiet].mean(axis=0)
    push = -sensor[:, int(np.argmax(np.ptp(sensor, axis=0)))]
    along = force.T @ push
    along = force @ (along / max(float(np.linalg.norm(along)), 1e-12))
    delay, correlation = _best_delay(push, along)
    gain = float(along @ push / (push @ push))
    still = (np.abs(push) < 2.0) & (time > 5.5)
    rms, rest = (float(np.sqrt(np.mean(x**2))) for x in (along - push, along[still]))
    return Followed(time, push, along, correlation, gain, rms, delay, rest)


def _best_delay(push: np.ndarray, estimate: np.ndarray) -> tuple[float, float]:
    if np.std(estimate) < 1e-9:
        return float("nan"), 0.0
    shifts = range(-25, 76)
    found = [_correlation(push, estimate, s) for s in shifts]
    best = int(np.argmax(found))
    return 0.008 * shifts[best], found[best]


def _correlation(push: np.ndarray, estimate: np.ndarray, shift: int) -> float:
    a, b = (push[: len(push) - shift], estimate[shift:]) if shift >= 0 else (push[-shift:], estimate[:shift])
    return float(np.corrcoef(a, b)[0, 1])
