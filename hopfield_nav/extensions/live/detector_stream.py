"""Estimator, detector and isolator on rows as they come.

Those of ``replay``, one row after the other.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dynamics import BadInput
from hopfield_nav.extensions.isolation import ContactIsolator, Isolation
from hopfield_nav.extensions.recordings import MotorFit, Replaying, Watched, signals_of_recording

if TYPE_CHECKING:
    import xarray

NOISE = 0.5  # [N·m] of the residual, where no free motion has told
SURE = 0.95  # probability of the links that are named together
LEAST_NOISE = 1e-3  # [N·m]
RATE = 125.0  # [Hz] of a stream before it has begun
# [s] contact begins before it is felt; free residuals that make the line
HOLD_BACK, BASELINE = (0.1, 0.4)


@dataclass(frozen=True, kw_only=True)
class StreamMethods(Watched):
    """The methods that are applied to a stream.

    The model is the arm as it is believed to be, friction included.
    """

    motors: MotorFit  # that turn currents into torques
    # (n,) standard deviation of the residual in free motion [N·m]; None: not known
    noise: np.ndarray | None = None
    tool_alone: bool = False  # whether only the tool can touch anything, as a world may say


@dataclass(frozen=True)
class Seen:
    """What is believed at a row."""

    time: float  # [s]
    level: float  # as a share of the threshold
    tau_external: np.ndarray  # (n,) [N·m]
    detected: bool  # whether an alarm was raised
    # where the arm is touched; None without an alarm, or where it cannot be told
    place: Isolation | None
    # that may be touched, the likeliest first, each with its probability, 95 % together; none where
    # that is more than half of them, or no push explains the torques
    links: tuple[tuple[int, float], ...] = ()
    tool_alone: bool = False  # whether it can only be the tool


class DetectorStream:
    """Estimator, detector and isolator, applied to a stream row by row.

    Raises ``BadInput``: a parameter that is missing, unknown or out of its range.
    """

    def __init__(self, methods: StreamMethods) -> None:
        self._methods = m = methods
        self._stream = Replaying(m.model, m.estimator, m.detector, m.values, m.rearm, m.episodes)
        self.restart(RATE)

    def restart(self, rate: float) -> None:
        """Forget everything: a stream of ``rate`` [Hz] begins, or its clock has jumped."""
        m = self._methods
        self._stream.restart()
        noise = NOISE if m.noise is None else np.maximum(m.noise, LEAST_NOISE)
        back, line = (max(8, round(seconds * rate)) for seconds in (HOLD_BACK, BASELINE))
        self._isolator = ContactIsolator(m.model, noise, hold_back=back, baseline=line)

    def judge(self, time: float, signals: np.ndarray) -> Seen:
        """The next row: q, qd, q_ref, qd_ref, qdd_ref and the motors' currents (6, n) [rad, rad/s, rad/s², A].

        Raises ``BadInput``: numbers that are not finite, or time [s] that does not increase.
        """
        q = signals[0]
        sensed = np.vstack([signals[:5], self._methods.motors.torque(signals[5])])
        level, residual, detected = self._stream.feed_row(time, sensed)
        place = None
        if detected:
            with suppress(BadInput):  # too little free motion before
                place = self._isolator.felt(q, residual)
        if level <= 1.0:
            self._isolator.moved_free(q, residual)
        alone = self._methods.tool_alone
        links = ((len(q), 1.0),) if alone and detected else likely_links(place)
        return Seen(time, level, residual, detected, place, links, alone)


def likely_links(place: Isolation | None) -> tuple[tuple[int, float], ...]:
    """Links with their probabilities, the likeliest first, 95 % together.

    None where most would be named.
    """
    if place is None or not place.best_link:
        return ()
    order = np.argsort(-place.probability, kind="stable")
    count = int(np.searchsorted(np.cumsum(place.probability[order]), SURE)) + 1
    links = tuple((int(link), float(place.probability[link])) for link in order[:count])
    return links if 2 * len(links) <= place.probability.size - 1 else ()


def free_noise(m: StreamMethods, free: "Sequence[xarray.Dataset]") -> np.ndarray:
    """Root mean square (n,) of what is left of free motion [N·m]: the isolator's noise."""
    heard = [signals_of_recording(data, m.motors) for data in free]
    left = [m.replay(one).tau_external for one in heard]
    return np.sqrt(np.mean(np.square(np.concatenate(left)), axis=0))
