"""Estimates of force beside a force sensor, while a recorded UR5 stands still, for the suite ``standstill``."""

from functools import partial
from typing import NamedTuple

import numpy as np

from hopfield_nav.extensions.bench.suites.recordings import (
    OWN,
    outcome,
    recording,
    recordings_folder,
)
from hopfield_nav.plugin import Measures

STANDSTILL = "no10_standstill_force_sensor_fx"
COLUMNS = {"correlation": "1", "gain": "1", "rms_N": "N", "lag_s": "s", "rms_at_rest_N": "N"}
MEASURES = Measures(lambda run: {name: run.summary.get(name) for name in COLUMNS}, COLUMNS)


class Followed(NamedTuple):
    """The standstill run: estimate beside force sensor."""

    time: np.ndarray  # (k,) [s]
    sensor: np.ndarray  # (k,) push on the sensor, its bias taken off [N]
    # (k,) force along the direction that follows the sensor best, bias off [N]
    estimate: np.ndarray
    correlation: float  # of the estimate with the sensor, at the best delay
    gain: float  # slope of the estimate over the sensor
    rms: float  # of their difference [N]
    delay: float  # by which the estimate follows the sensor at best correlation [s]
    at_rest: (
        float  # rms of the estimate where the sensor feels less than 2 N, after the first push [N]
    )


def followed(estimator: str) -> Followed:
    """How an estimate follows the force sensor while the arm stands still."""
    data = recording(STANDSTILL)
    force = (
        data.force_estimate.values
        if estimator == OWN
        else outcome(STANDSTILL, estimator).wrench[:, :3]
    )
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
    a, b = (
        (push[: len(push) - shift], estimate[shift:])
        if shift >= 0
        else (push[-shift:], estimate[:shift])
    )
    return float(np.corrcoef(a, b)[0, 1])


def standing(world, seed: int) -> dict:
    """An estimator's row beside the force sensor."""
    f = followed(world.detection.estimator)
    return {
        "outcome": "reached", "simulated_time_s": float(f.time[-1] - f.time[0]), "false_alarm_count": None,
        "correlation": f.correlation, "gain": f.gain, "rms_N": f.rms,
        "lag_s": f.delay if np.isfinite(f.delay) else None, "rms_at_rest_N": f.at_rest,
    }  # fmt: skip


STANDING = partial(standing)
STANDING.ready = recordings_folder
