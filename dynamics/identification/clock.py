"""The clock of a log: when its rows were taken, how even that is, and where it stops.

Stamps are one of three kinds. *Even* ones are taken as they are. *Late* ones are those of a computer that received
every row, but not at once: the rows are put on an even clock. *Uneven* ones say when a row was taken, and what needs
even steps interpolates. The last two look alike, so the motion decides between them: with the wrong clock the angles
lie further from the straight line between their neighbours. A long step is a gap, where a log is split.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from scipy.interpolate import CubicSpline

from dynamics.errors import BadInput

FULL_TURNS = 4 * np.pi  # [rad, rad/s] no joint of these arms goes beyond: degrees do
SLOWEST = 0.5  # [s] a longer median step is in another unit
HOLE, HOLE_STEPS = 0.025, 3.5  # [s] and median steps: a step beyond both is a gap, shorter ones are interpolated
_UNEVEN = 0.01  # of a step that stamps are off an even clock
_COMPLETE = 0.005  # of the usual step, within which rows on a clock have the mean step: none is missing
_SURE = 0.9  # share of the roughness by stamps: an arm at rest, or noise, decides nothing
_FEW = 50  # rows over which the usual step is taken, so that lateness does not count
_WRAP = 0.5  # [rad] about whole turns


def require_seconds(time: np.ndarray, where: str) -> None:
    """Refuse, with ``BadInput``, times (k,) that are in another unit, which is named."""
    median = float(np.median(np.diff(time))) if len(time) > 1 else 0.0
    if median > SLOWEST:
        units = {"milliseconds": 1e-3, "microseconds": 1e-6, "nanoseconds": 1e-9}
        unit = next((name for name, factor in units.items() if median * factor <= SLOWEST), "no seconds")
        raise BadInput(f"time looks like {unit}", where=where, found=f"a median step of {median:g}", allowed="seconds")


def clock_of(stamps: np.ndarray, q: np.ndarray) -> np.ndarray:
    """When rows were taken (k,) [s], of stamps that do not fall, some of which may be equal, and angles (k, n).

    Even and uneven stamps are returned as they are, late ones on an even clock: over the whole log, or between gaps.
    """
    whole = _even(stamps, q)
    if whole is not None:
        return whole
    pieces = [(stamps[part], _even(stamps[part], q[part])) for part in between_gaps(stamps)]
    return np.concatenate([own if even is None else even for own, even in pieces])


def _even(stamps: np.ndarray, q: np.ndarray) -> np.ndarray | None:
    """The even clock of late stamps, or the stamps where they are even; None where neither is so."""
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


def even_parts(time: np.ndarray, signals: dict[str, np.ndarray]) -> Iterator[tuple[np.ndarray, dict[str, np.ndarray]]]:
    """The stretches without a gap at even steps, times and signals (k, n) each; uneven ones by cubic splines."""
    for part in between_gaps(time):
        own, values = time[part], {name: signal[part] for name, signal in signals.items()}
        even = np.linspace(own[0], own[-1], len(own))
        if np.abs(own - even).max() > _UNEVEN * (own[-1] - own[0]) / max(len(own) - 1, 1):
            own, values = even, {name: CubicSpline(own, signal)(even) for name, signal in values.items()}
        yield own, values


def clock_in_words(stamps: np.ndarray, time: np.ndarray) -> str:
    """The rate of a log and how even it is, of its stamps (k,) and what ``clock_of`` made of them (k,) [s]."""
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
    words.append(f"steps of {1e3 * inner.min():.3g} to {1e3 * inner.max():.3g} ms" if uneven else "even steps")
    if len(parts) > 1:
        words.append(f"{len(parts) - 1} gaps, the longest {steps.max():.3g} s")
    return ", ".join(words)


def unwrapped(time: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Angles (k, n) without the jumps by whole turns, within 0.5 rad, for which no joint is fast enough."""
    steps, turn = np.diff(q, axis=0), 2 * np.pi
    turns = np.round(steps / turn)
    jumps = (np.abs(steps - turn * turns) < _WRAP) & (np.abs(steps) > FULL_TURNS * np.diff(time)[:, None])
    if not (jumps & (turns != 0)).any():
        return q
    return q - np.concatenate([np.zeros((1, q.shape[1])), turn * np.cumsum(turns * jumps, axis=0)])
