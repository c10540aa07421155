"""The threshold that each part of a motion needs, and the rate of false alarms against the force felt.

A part lies between two rests. Its first half says how high the level rises with a threshold, its
second half judges. For detectors whose level is a size over a threshold. Alarms are counted by the
rule of the control computer, as ``Watched.alarms`` counts them.

The force is that on the tool which reaches the threshold by itself, with torques J' f and the arm
at rest in what its model is wrong about: the median over directions, along the motion.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dynamics import BadInput, jacobian
from hopfield_nav.extensions.recordings.signals import Signals, watched_seconds
from hopfield_nav.extensions.recordings.tuning import MARGIN, Watched
from hopfield_nav.loop import SHORTEST, parts_of_motion
from hopfield_nav.record import alarm_rate
from hopfield_nav.world import IN_PROPORTION

_ROWS, _DIRECTIONS = 50, 64  # at which the force is asked
_LEAST = 0.01  # share of the threshold in a quiet part of a planned motion


@dataclass(frozen=True)
class SegmentThreshold:
    """What one part of a motion needs."""

    motion: int  # of the motions that were given, from 0
    # begin, end: of the part [s]
    begin: float
    end: float
    share: float  # of the given threshold, with which its first half shows no alarm, a tenth more
    alarms: int  # of its second half with that threshold, in ``seconds`` [s]
    seconds: float  # of the second half
    force: float  # on the tool that reaches this threshold [N]

    @property
    def most_per_hour(self) -> float:
        """Upper end of the 95 % interval of the false alarms [1/h]."""
        return alarm_rate(self.alarms, self.seconds)[2]


class RateCurve(NamedTuple):
    """False alarms an hour against the force that is felt."""

    force: np.ndarray  # (k,) [N]
    # rate, most: (k,) an hour, and the upper end of its 95 % interval
    rate: np.ndarray
    most: np.ndarray


def by_segment(
    watched: Watched, free: Sequence[Signals], threshold: np.ndarray
) -> list[SegmentThreshold]:
    """The threshold of every part of free motions, as a share of a given one.

    Raises ``BadInput``: a detector whose level is not in proportion to its threshold; nothing
    moves.
    """
    require_in_proportion(watched.detector.name)
    found = []
    for motion, signals in enumerate(free):
        level = watched.watch(signals, threshold).level
        for part in parts_of_motion(signals.time, signals.qd_ref):
            middle = (part.start + part.stop) // 2
            first, second = slice(part.start, middle), slice(middle, part.stop)
            share = MARGIN * float(level[first].max(initial=0.0))
            if share > 0.0:
                begin, end = signals.time[part][[0, -1]].tolist()
                alarms = int(watched.watch(signals, share * threshold).detected[second].sum())
                force, seconds = (
                    share * felt(watched, signals, part, threshold),
                    watched_seconds(signals.time[second]),
                )
                found.append(SegmentThreshold(motion, begin, end, share, alarms, seconds, force))
    if not found:
        raise BadInput(
            "nothing moves",
            allowed=f"motion for {SHORTEST:g} s, with noise or an error of the model",
        )
    return found


def rate_curve(
    watched: Watched, free: Sequence[Signals], threshold: np.ndarray, shares: np.ndarray
) -> RateCurve:
    """The rate of false alarms with several shares of a threshold, ascending, and the force that each lets one feel.

    A level that stays above a low threshold is one long alarm. So below the whole threshold the
    rate is the largest of the shares from there up to 1: it never falls with the threshold.

    Raises ``BadInput``: as ``by_segment``.
    """
    require_in_proportion(watched.detector.name)
    seconds = sum(watched_seconds(signals.time) for signals in free)
    force = float(np.median([felt(watched, s, slice(0, len(s.time)), threshold) for s in free]))
    counts = np.array(
        [sum(watched.alarms(signals, share * threshold) for signals in free) for share in shares]
    )
    low = shares <= 1.0
    counts[low] = np.maximum.accumulate(counts[low][::-1])[::-1]
    rates = [alarm_rate(int(count), seconds) for count in counts]
    return RateCurve(
        force * shares, np.array([r[0] for r in rates]), np.array([r[2] for r in rates])
    )


def by_part(
    watched: Watched, choosing: Sequence[Signals], judging: Sequence[Signals], threshold: np.ndarray
) -> list[SegmentThreshold]:
    """The same for one motion that is repeated: some times choose, other times judge.

    Never more than the given one.

    Raises ``BadInput``: as ``by_segment``.
    """
    require_in_proportion(watched.detector.name)
    levels, found = [watched.watch(signals, threshold).level for signals in choosing], []
    first = choosing[0]
    for part in parts_of_motion(first.time, first.qd_ref):
        begin, end = first.time[part][[0, -1]].tolist()
        share = MARGIN * max(float(level[part].max()) for level in levels)
        share = float(f"{min(max(share, _LEAST), 1.0):.4g}")
        alarms = sum(
            int(watched.watch(signals, share * threshold).detected[part].sum())
            for signals in judging
        )
        force = share * felt(watched, first, part, threshold)
        found.append(
            SegmentThreshold(0, begin, end, share, alarms, len(judging) * (end - begin), force)
        )
    return found


def felt(watched: Watched, signals: Signals, part: slice, threshold: np.ndarray) -> float:
    """Force on the tool [N] that reaches a threshold by itself.

    Median over directions, along a part.
    """
    if watched.detector.name == "force_norm":
        return float(np.max(threshold))
    q = signals.q[part]
    q = q[np.unique(np.linspace(0, len(q) - 1, _ROWS).astype(int))]
    directions = np.random.default_rng(0).normal(size=(_DIRECTIONS, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    torque = np.abs(np.einsum("kij,di->kdj", jacobian(watched.model, q)[:, :3], directions))
    return float(
        np.median(1.0 / np.max(torque / np.broadcast_to(threshold, torque.shape[-1:]), axis=2))
    )


def require_in_proportion(name: str) -> None:
    """Refuse, with ``BadInput``, a detector whose level is not in proportion to its threshold."""
    if name not in IN_PROPORTION:
        allowed = ", ".join(IN_PROPORTION)
        message = "--by-segment and --plot need a level in proportion to the threshold"
        raise BadInput(message, where="detection.measure", found=name, allowed=allowed)
