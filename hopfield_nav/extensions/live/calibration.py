"""Motors, friction and thresholds from one stretch of free motion, and the false alarms to be expected.

A threshold is not judged by the motion it was set on: the stretch is cut in two, each half is judged by what the
other gave, and the alarms of both are counted. What is used afterwards comes from the whole stretch.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dynamics import Arm
from hopfield_nav.extensions import recordings as logs
from hopfield_nav.extensions.live.detector_stream import StreamMethods
from hopfield_nav.plugin import Method
from hopfield_nav.record import alarm_rate

if TYPE_CHECKING:
    import xarray


@dataclass(frozen=True)
class Calibration:
    """What free motion gives."""

    methods: StreamMethods  # model with its friction, motors, thresholds and noise, from the whole stretch
    alarms: int  # of each half, judged by what the other gave
    seconds: float  # of both halves
    per_hour: tuple[float, float, float]  # false alarms an hour to be expected, and both ends of the 95 % interval


def calibrate(
    data: "xarray.Dataset",
    arm: Arm,
    estimator: Method,
    detector: Method,
    values: Mapping[str, Any] | None = None,
    same_motor: Sequence[Sequence[int]] = (),
) -> Calibration:
    """Calibrate on a recording of currents in which nothing touched the arm.

    The model's friction is replaced by what is found, the detector's ``threshold`` found unless the values of
    parameters give one; ``same_motor`` is as for ``fit_motors``.

    Raises ``BadInput``: as ``fit_motors`` and ``replay``: a half in which a joint does not move enough.
    """
    given = dict(values or {})
    middle = data.sizes["time"] // 2
    halves = (data.isel(time=slice(None, middle)), data.isel(time=slice(middle, None)))
    alarms, seconds = 0, 0.0
    for own, other in (halves, halves[::-1]):
        found = _replayed(_fitted(own, arm, estimator, detector, given, same_motor), other)
        alarms += int(found.detected.sum())
        seconds += float(found.time[-1] - found.time[0])
    methods = _fitted(data, arm, estimator, detector, given, same_motor)
    return Calibration(methods, alarms, seconds, alarm_rate(alarms, seconds))


def _fitted(
    data: "xarray.Dataset",
    arm: Arm,
    estimator: Method,
    detector: Method,
    values: dict[str, Any],
    same_motor: Sequence[Sequence[int]],
) -> StreamMethods:
    motors = logs.fit_motors([data], arm, same_motor)
    methods = StreamMethods(motors.on(arm), estimator, detector, values, motors)
    methods = replace(methods, noise=free_noise(methods, [data]))
    parameter = logs.declared_threshold(detector)
    if parameter is None or "threshold" in values:
        return methods
    motors.require_known()
    if parameter.per_joint:
        largest = np.abs(_replayed(methods, data).tau_external).max(axis=0)
    else:
        largest = np.atleast_1d(_replayed(_with(methods, 1.0), data).level.max())
    threshold = logs.threshold_above(largest, parameter).tolist()
    return _with(methods, threshold if parameter.per_joint else threshold[0])


def free_noise(methods: StreamMethods, free: "Sequence[xarray.Dataset]") -> np.ndarray:
    """Root mean square (n,) of what is left of free motion [N·m]: the isolator's noise."""
    left = np.concatenate([_replayed(methods, data).tau_external for data in free])
    return np.sqrt(np.mean(left * left, axis=0))


def _with(methods: StreamMethods, threshold: object) -> StreamMethods:
    return replace(methods, values={**methods.values, "threshold": threshold})


def _replayed(m: StreamMethods, data: "xarray.Dataset") -> logs.Replay:
    signals = logs.signals_of_recording(data, m.motors)
    return logs.replay(m.model, signals, m.estimator, m.detector, m.values, m.rearm, m.episodes)
