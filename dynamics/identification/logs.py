"""A log of an arm's motion: its clock, where it stops, and what makes one unfit for identification.

Stamps are one of three kinds. *Even* ones are taken as they are. *Late* ones are those of a
computer that received every row, but not at once: the rows are put on an even clock. *Uneven* ones
say when a row was taken, and what needs even steps interpolates. The last two look alike, so the
motion decides between them: with the wrong clock the angles lie further from the straight line
between their neighbours. A long step is a gap, where a log is split.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline

from dynamics.arm import Arm
from dynamics.errors import BadInput

FULL_TURNS = 4 * np.pi  # [rad, rad/s] no joint of these arms goes beyond: degrees do
SLOWEST = 0.5  # [s] a longer median step is in another unit
# A step beyond both is a gap, shorter ones are interpolated.
HOLE = 0.025  # [s]
HOLE_STEPS = 3.5  # [median steps]
_UNEVEN = 0.01  # of a step that stamps are off an even clock
# of the usual step, within which rows on a clock have the mean step: none is missing
_COMPLETE = 0.005
_SURE = 0.9  # share of the roughness by stamps: an arm at rest, or noise, decides nothing
_FEW = 50  # rows over which the usual step is taken, so that lateness does not count
_WRAP = 0.5  # [rad] about whole turns
_SHORTEST = 1.0  # [s]
_PACE = 0.1  # [s] over which a speed is judged, so that noise does not count
_TOO_FAST = 2.0  # times the arm's highest speed
_SLOPE = 3.0  # logged speed over differences of the angles: 57.3 for degrees, 1000 for milliseconds


class MotionLog(NamedTuple):
    """Samples of one motion at a constant rate."""

    time: np.ndarray  # (k,) [s]
    q: np.ndarray  # (k, n) joint angles, on the link's side [rad]
    tau: np.ndarray  # (k, n) joint torques [N·m], of the motors: K i, or of torque sensors
    # (k, n) logged velocities [rad/s], or None; used to check units only
    qd: np.ndarray | None = None
    # (k, n) angles of the rotors, divided by the gear ratio [rad], or None: as ``q``
    rotor_q: np.ndarray | None = None
    name: str = "log"  # for messages

    @property
    def rate(self) -> float:
        """Samples a second [Hz]."""
        return (len(self.time) - 1) / float(self.time[-1] - self.time[0])


def logs_of(
    source: MotionLog | Mapping[str, Any], arm: Arm, lowest_rate: float = 0.0
) -> list[MotionLog]:
    """A log with checked float64 arrays at even steps.

    Joints and position limits are those of an arm. ``source`` is a ``MotionLog``, or anything with
    ``source["time"]``, ``"q"``, ``"tau"`` and perhaps ``"qd"``, ``"rotor_q"``: a dict or an xarray
    Dataset. Late stamps go on an even clock, uneven steps are interpolated, and gaps split the log;
    parts below 1 s are left out. The filters need ``lowest_rate`` [Hz].

    Raises ``BadInput``: a signal missing or of the wrong shape, no numbers, units that look like
    degrees or milliseconds, a channel that never changes, too short, or too low a rate.
    """
    fields = source._asdict() if isinstance(source, MotionLog) else _fields(source)
    name = str(fields.pop("name", None) or "log")
    arrays = {
        key: _array(value, f"{name}: {key}") for key, value in fields.items() if value is not None
    }
    time = arrays.pop("time")
    if time.ndim != 1 or len(time) < 2:
        raise BadInput("time must be one column", where=name, found=time.shape, allowed="(k,)")
    for key, array in arrays.items():
        if array.shape != (len(time), len(arm.dh)):
            allowed = f"({len(time)}, {len(arm.dh)})"
            raise BadInput(
                f"{key} has the wrong shape", where=name, found=array.shape, allowed=allowed
            )
    if np.any(np.diff(time) <= 0):
        raise BadInput(
            "time does not increase",
            where=f"{name}, sample {int(np.argmin(np.diff(time) > 0)) + 1}",
        )
    require_seconds(time, name)
    arrays |= {key: unwrapped(time, arrays[key]) for key in ("q", "rotor_q") if key in arrays}
    dead = [str(j + 1) for j in np.flatnonzero(np.ptp(arrays["tau"], axis=0) == 0)]
    if dead:
        raise BadInput(
            "tau never changes",
            where=name,
            found=f"joints {', '.join(dead)}",
            allowed="measured torques",
        )
    logs = _parts(clock_of(time, arrays["q"]), arrays, name)
    for log in logs:
        _check_units(log, arm)
        if log.rate <= lowest_rate:
            allowed = f"above {lowest_rate:g} Hz, or a smaller bandwidth (--bandwidth)"
            raise BadInput(
                "the sampling rate is too low",
                where=log.name,
                found=f"{log.rate:g} Hz",
                allowed=allowed,
            )
    return logs


def _parts(time: np.ndarray, arrays: dict[str, np.ndarray], name: str) -> list[MotionLog]:
    """The stretches between gaps that are long enough.

    Their begin and end are in their names, if they are several.
    """
    whole = [MotionLog(own, name=name, **signals) for own, signals in even_parts(time, arrays)]
    logs = [log for log in whole if np.ptp(log.time) >= _SHORTEST]
    if not logs:
        longest = max(float(np.ptp(log.time)) for log in whole)
        raise BadInput(
            "the log is too short",
            where=name,
            found=f"{longest:g} s",
            allowed="1 s or more without a gap",
        )
    if len(whole) == 1:
        return logs
    return [log._replace(name=f"{name}, {log.time[0]:.2f}–{log.time[-1]:.2f} s") for log in logs]


def _fields(source: Mapping[str, Any]) -> dict[str, Any]:
    missing = [key for key in ("time", "q", "tau") if key not in source]
    if missing:
        raise BadInput(
            "signals are missing", found=sorted(map(str, source)), allowed=", ".join(missing)
        )
    fields = {key: source[key] for key in ("time", "q", "tau", "qd", "rotor_q") if key in source}
    # of an xarray Dataset
    return {**fields, "name": getattr(source, "attrs", {}).get("title") or source.get("name")}


def _array(value: Any, where: str) -> np.ndarray:
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise BadInput("numbers are needed", where=where, found=type(value).__name__) from None
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        raise BadInput(
            "not a number", where=f"{where}, sample {bad[0][0]}", found=len(bad), allowed="none"
        )
    return array


def _check_units(log: MotionLog, arm: Arm) -> None:
    stride = max(1, round(_PACE * log.rate))
    paces = (
        np.abs(log.q[stride:] - log.q[:-stride]).max(axis=0) * log.rate / stride / arm.speed_limits
    )
    largest = float(np.abs(log.q).max())
    if largest > FULL_TURNS or paces.max() > _TOO_FAST:
        j = int(np.argmax(paces))
        allowed = f"rad, below {FULL_TURNS:.2f}"
        found = (
            f"angles up to {largest:.4g}, joint {j + 1} at {paces[j]:.3g} times its highest speed"
        )
        raise BadInput("q looks like degrees", where=log.name, found=found, allowed=allowed)
    if log.qd is None:
        return
    difference = np.gradient(log.q, log.time, axis=0)
    slope = float((log.qd * difference).sum() / max(float((difference**2).sum()), 1e-300))
    if not 1 / _SLOPE < slope < _SLOPE:
        what = "qd is not the rate of change of q: degrees or milliseconds in one of them"
        raise BadInput(what, where=log.name, found=f"a ratio of {slope:.3g}", allowed="1")


def require_seconds(time: np.ndarray, where: str) -> None:
    """Refuse, with ``BadInput``, times (k,) that are in another unit, which is named."""
    median = float(np.median(np.diff(time))) if len(time) > 1 else 0.0
    if median > SLOWEST:
        units = {"milliseconds": 1e-3, "microseconds": 1e-6, "nanoseconds": 1e-9}
        unit = next(
            (name for name, factor in units.items() if median * factor <= SLOWEST), "no seconds"
        )
        raise BadInput(
            f"time looks like {unit}",
            where=where,
            found=f"a median step of {median:g}",
            allowed="seconds",
        )


def clock_of(stamps: np.ndarray, q: np.ndarray) -> np.ndarray:
    """When rows were taken (k,) [s], of their stamps and angles (k, n).

    Stamps do not fall, and some of them may be equal. Even and uneven stamps are returned as they
    are, late ones on an even clock: over the whole log, or between gaps.
    """
    whole = _even(stamps, q)
    if whole is not None:
        return whole
    pieces = [(stamps[part], _even(stamps[part], q[part])) for part in between_gaps(stamps)]
    return np.concatenate([own if even is None else even for own, even in pieces])


def _even(stamps: np.ndarray, q: np.ndarray) -> np.ndarray | None:
    """The even clock of late stamps, or the stamps where they are even.

    None where neither is so.
    """
    rows, count = np.arange(len(stamps)), min(_FEW, len(stamps) // 2)
    if len(stamps) < 5:
        return None
    step, start = np.polyfit(rows, stamps - stamps[0], 1)
    even = stamps[0] + start + step * rows
    if np.abs(stamps - even).max() <= _UNEVEN * step:
        return stamps
    usual = float(np.median(stamps[count:] - stamps[:-count])) / count
    complete = abs(step - usual) <= _COMPLETE * usual
    return even if complete and _roughness(even, q) < _SURE * _roughness(stamps, q) else None


def _roughness(time: np.ndarray, q: np.ndarray) -> float:
    """Squared distance of angles (k, n) from the straight lines between their neighbours."""
    before, after = np.diff(time)[:-1], np.diff(time)[1:]
    share = (before / np.maximum(before + after, 1e-12))[:, None]
    return float(((q[1:-1] - (1.0 - share) * q[:-2] - share * q[2:]) ** 2).sum())


def between_gaps(time: np.ndarray) -> list[slice]:
    """The stretches of rows without a gap."""
    steps = np.diff(time)
    longest = max(HOLE, HOLE_STEPS * float(np.median(steps))) if len(steps) else HOLE
    edges = [0, *(np.flatnonzero(steps > longest) + 1).tolist(), len(time)]
    return [slice(a, b) for a, b in pairwise(edges)]


def even_parts(
    time: np.ndarray, signals: dict[str, np.ndarray]
) -> Iterator[tuple[np.ndarray, dict[str, np.ndarray]]]:
    """The stretches without a gap at even steps, times and signals (k, n) each.

    Uneven ones by cubic splines.
    """
    for part in between_gaps(time):
        own, values = time[part], {name: signal[part] for name, signal in signals.items()}
        even = np.linspace(own[0], own[-1], len(own))
        if np.abs(own - even).max() > _UNEVEN * (own[-1] - own[0]) / max(len(own) - 1, 1):
            own, values = (
                even,
                {name: CubicSpline(own, signal)(even) for name, signal in values.items()},
            )
        yield own, values


def clock_in_words(stamps: np.ndarray, time: np.ndarray) -> str:
    """The rate of a log and how even it is.

    Of its stamps (k,) and what ``clock_of`` made of them (k,) [s].
    """
    steps = np.diff(time)
    if not len(steps):
        return "one row"
    median, parts = float(np.median(steps)), between_gaps(time)
    inner = np.concatenate([np.diff(time[part]) for part in parts])
    words = [f"{1.0 / inner.mean():.4g} Hz"]
    late = np.abs(stamps - time).max()
    if late > _UNEVEN * median:
        words.append(f"stamped up to {1e3 * late:.3g} ms off an even clock, on which it is put")
    uneven = np.ptp(inner) > 2 * _UNEVEN * median
    words.append(
        f"steps of {1e3 * inner.min():.3g} to {1e3 * inner.max():.3g} ms"
        if uneven
        else "even steps"
    )
    if len(parts) > 1:
        words.append(f"{len(parts) - 1} gaps, the longest {steps.max():.3g} s")
    return ", ".join(words)


def unwrapped(time: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Angles (k, n) without the jumps by whole turns for which no joint is fast enough.

    A jump is a whole turn within 0.5 rad.
    """
    steps, turn = np.diff(q, axis=0), 2 * np.pi
    turns = np.round(steps / turn)
    jumps = (np.abs(steps - turn * turns) < _WRAP) & (
        np.abs(steps) > FULL_TURNS * np.diff(time)[:, None]
    )
    if not (jumps & (turns != 0)).any():
        return q
    return q - np.concatenate([np.zeros((1, q.shape[1])), turn * np.cumsum(turns * jumps, axis=0)])
