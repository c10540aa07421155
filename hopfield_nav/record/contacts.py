"""The true contacts of a run, and when each was felt.

It owns the definitions, once for the summary, the score, the command ``compare`` and the pictures:

- A **contact** lasts from the first true contact force to the last; touches within 50 ms are one.
- It was **felt** at the first alarm before it has been over for 50 ms; its **delay** runs from its first
  step to that alarm. A second alarm on the same contact is neither a detection nor false.
- One that begins while the arm slides along an obstacle is no collision that has to be felt.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hopfield_nav.loop import CONTACT_MEMORY
from hopfield_nav.record.run import Run
from hopfield_nav.world import IN_PROPORTION


def contact_delays(alarm_time: Sequence[float] | np.ndarray, contact_start: Sequence[float] | np.ndarray) -> np.ndarray:
    """Delay (m,) of each of m alarms that was the first on its contact [s]; NaN for the others.

    Alarms (m,) are in order [s]; the contact of a false one starts at NaN.
    """
    alarm_time, contact_start = np.asarray(alarm_time, float), np.asarray(contact_start, float)
    _, first = np.unique(contact_start, return_index=True)
    delays = np.full(alarm_time.shape, np.nan)
    delays[first] = alarm_time[first] - contact_start[first]
    return delays


def contact_spans(time: np.ndarray, touching: np.ndarray) -> list[tuple[float, float]]:
    """Start and end [s] of every contact; touches within 50 ms (or neighbouring rows) are one."""
    rows = np.flatnonzero(touching)
    if not rows.size:
        return []
    lull = max(CONTACT_MEMORY, 1.5 * float(np.median(np.diff(time)))) if time.size > 1 else CONTACT_MEMORY
    breaks = np.flatnonzero(np.diff(time[rows]) > lull) + 1
    return [(float(time[part[0]]), float(time[part[-1]])) for part in np.split(rows, breaks)]


class ContactEpisode(NamedTuple):
    """One contact, from the first true force to the last."""

    # start, end: [s]
    start: float
    end: float
    peak_time: float  # of the largest force [s]
    peak_force: float  # its magnitude [N]
    position: np.ndarray  # (3,) true tool position at the first touch, base axes [m]
    registered: bool  # a collision was detected between the start and 50 ms after the end, or the arm slid


def contact_episodes(run: Run) -> list[ContactEpisode]:
    """Every contact of a run, in order; without recorded signals none is known.

    Touches within 50 ms of each other (or in neighbouring rows of a sparser record) are one contact.
    """
    data, events = run.data, run.data.event_time.values
    time, force = data.time.values, force_norm(data.force.values)
    touching, episodes = np.flatnonzero(force > 0.0), []
    for start, end in contact_spans(time, force > 0.0):
        rows = touching[(time[touching] >= start) & (time[touching] <= end)]
        peak, place = rows[np.argmax(force[rows])], data.tool_position.values[rows[0]]
        registered = bool(np.any((events >= start) & (events <= end + CONTACT_MEMORY)))
        registered = registered or begins_in_slide(run.slides, start)
        episodes.append(ContactEpisode(start, end, float(time[peak]), float(force[peak]), place, registered))
    return episodes


def missed_contacts(run: Run) -> list[ContactEpisode]:
    """The true contacts for which no alarm came."""
    return [episode for episode in contact_episodes(run) if not episode.registered]


def begins_in_slide(slides: np.ndarray, start: float) -> bool:
    """Whether a contact begins [s] while the arm slides: (k, 2) begins and ends [s]."""
    return bool(np.any((slides[:, 0] < start) & (start <= slides[:, 1])))


def force_norm(force: np.ndarray) -> np.ndarray:
    """Magnitudes (k,) of forces (k, 3) [N]; a force that exploded is infinite."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.sqrt(np.sum(force * force, axis=-1))


def force_limits(run: Run) -> dict[str, float]:
    """Threshold and ``detection.report`` [N] where the detector compares the force alone with them."""
    detection = run.world.detection
    both = {"threshold": detection.parameters.get("threshold"), "report": detection.report}
    alone = detection.measure == "force_norm"
    return {name: float(value) for name, value in both.items() if alone and value is not None}


def report_level(run: Run) -> dict[str, float]:
    """The level of ``detection.report`` where it is one number: the same share of every joint's threshold."""
    detection = run.world.detection
    if detection.report is None or detection.measure not in IN_PROPORTION:
        return {}
    shares = np.unique(np.asarray(detection.report) / np.asarray(detection.parameters["threshold"]))
    return {"report": float(shares[0])} if np.allclose(shares, shares[0]) else {}
