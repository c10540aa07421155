"""A log of an arm's motion, and what makes one unfit for identification."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from dynamics.arm import Arm
from dynamics.errors import BadInput
from dynamics.identification.clock import FULL_TURNS, clock_of, even_parts, require_seconds, unwrapped

_SHORTEST = 1.0  # [s]
_PACE = 0.1  # [s] over which a speed is judged, so that noise does not count
_TOO_FAST = 2.0  # times the arm's highest speed
_SLOPE = 3.0  # logged speed over differences of the angles: 57.3 for degrees, 1000 for milliseconds


class MotionLog(NamedTuple):
    """Samples of one motion at a constant rate."""

    time: np.ndarray  # (k,) [s]
    q: np.ndarray  # (k, n) joint angles, on the link's side [rad]
    tau: np.ndarray  # (k, n) joint torques [N·m], of the motors: K i, or of torque sensors
    qd: np.ndarray | None = None  # (k, n) logged velocities [rad/s], or None; used to check units only
    rotor_q: np.ndarray | None = None  # (k, n) angles of the rotors, divided by the gear ratio [rad], or None: as ``q``
    name: str = "log"  # for messages

    @property
    def rate(self) -> float:
        """Samples a second [Hz]."""
        return (len(self.time) - 1) / float(self.time[-1] - self.time[0])


def logs_of(source: MotionLog | Mapping[str, Any], arm: Arm, lowest_rate: float = 0.0) -> list[MotionLog]:
    """A log with checked float64 arrays at even steps, for the joints and position limits of an arm.

    ``source`` is a ``MotionLog``, or anything with ``source["time"]``, ``"q"``, ``"tau"`` and perhaps ``"qd"``,
    ``"rotor_q"``: a dict or an xarray Dataset. Late stamps go on an even clock, uneven steps are interpolated, and
    gaps split the log; parts below 1 s are left out. The filters need ``lowest_rate`` [Hz].

    Raises ``BadInput``: a signal missing or of the wrong shape, no numbers, units that look like degrees or
    milliseconds, a channel that never changes, too short, or too low a rate.
    """
    fields = source._asdict() if isinstance(source, MotionLog) else _fields(source)
    name = str(fields.pop("name", None) or "log")
    arrays = {key: _array(value, f"{name}: {key}") for key, value in fields.items() if value is not None}
    time = arrays.pop("time")
    if time.ndim != 1 or len(time) < 2:
        raise BadInput("time must be one column", where=name, found=time.shape, allowed="(k,)")
    for key, array in arrays.items():
        if array.shape != (len(time), len(arm.dh)):
            allowed = f"({len(time)}, {len(arm.dh)})"
            raise BadInput(f"{key} has the wrong shape", where=name, found=array.shape, allowed=allowed)
    if np.any(np.diff(time) <= 0):
        raise BadInput("time does not increase", where=f"{name}, sample {int(np.argmin(np.diff(time) > 0)) + 1}")
    require_seconds(time, name)
    arrays |= {key: unwrapped(time, arrays[key]) for key in ("q", "rotor_q") if key in arrays}
    dead = [str(j + 1) for j in np.flatnonzero(np.ptp(arrays["tau"], axis=0) == 0)]
    if dead:
        raise BadInput("tau never changes", where=name, found=f"joints {', '.join(dead)}", allowed="measured torques")
    logs = _parts(clock_of(time, arrays["q"]), arrays, name)
    for log in logs:
        _check_units(log, arm)
        if log.rate <= lowest_rate:
            allowed = f"above {lowest_rate:g} Hz, or a smaller bandwidth (--bandwidth)"
            raise BadInput("the sampling rate is too low", where=log.name, found=f"{log.rate:g} Hz", allowed=allowed)
    return logs


def _parts(time: np.ndarray, arrays: dict[str, np.ndarray], name: str) -> list[MotionLog]:
    """The stretches between gaps that are long enough; their begin and end are in their names, if they are several."""
    whole = [MotionLog(own, name=name, **signals) for own, signals in even_parts(time, arrays)]
    logs = [log for log in whole if np.ptp(log.time) >= _SHORTEST]
    if not logs:
        longest = max(float(np.ptp(log.time)) for log in whole)
        raise BadInput("the log is too short", where=name, found=f"{longest:g} s", allowed="1 s or more without a gap")
    if len(whole) == 1:
        return logs
    return [log._replace(name=f"{name}, {log.time[0]:.2f}–{log.time[-1]:.2f} s") for log in logs]


def _fields(source: Mapping[str, Any]) -> dict[str, Any]:
    missing = [key for key in ("time", "q", "tau") if key not in source]
    if missing:
        raise BadInput("signals are missing", found=sorted(map(str, source)), allowed=", ".join(missing))
    fields = {key: source[key] for key in ("time", "q", "tau", "qd", "rotor_q") if key in source}
    return {**fields, "name": getattr(source, "attrs", {}).get("title") or source.get("name")}  # of an xarray Dataset


def _array(value: Any, where: str) -> np.ndarray:
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise BadInput("numbers are needed", where=where, found=type(value).__name__) from None
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        raise BadInput("not a number", where=f"{where}, sample {bad[0][0]}", found=len(bad), allowed="none")
    return array


def _check_units(log: MotionLog, arm: Arm) -> None:
    stride = max(1, round(_PACE * log.rate))
    paces = np.abs(log.q[stride:] - log.q[:-stride]).max(axis=0) * log.rate / stride / arm.speed_limits
    largest = float(np.abs(log.q).max())
    if largest > FULL_TURNS or paces.max() > _TOO_FAST:
        j = int(np.argmax(paces))
        allowed = f"rad, below {FULL_TURNS:.2f}"
        found = f"angles up to {largest:.4g}, joint {j + 1} at {paces[j]:.3g} times its highest speed"
        raise BadInput("q looks like degrees", where=log.name, found=found, allowed=allowed)
    if log.qd is None:
        return
    difference = np.gradient(log.q, log.time, axis=0)
    slope = float((log.qd * difference).sum() / max(float((difference**2).sum()), 1e-300))
    if not 1 / _SLOPE < slope < _SLOPE:
        what = "qd is not the rate of change of q: degrees or milliseconds in one of them"
        raise BadInput(what, where=log.name, found=f"a ratio of {slope:.3g}", allowed="1")
