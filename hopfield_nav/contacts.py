"""Contact episodes: when the tool really touched something, and whether it was noticed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopfield_nav.run import Run
from hopfield_nav.scoring import LULL, contact_spans


class ContactEpisode(NamedTuple):
    """One contact, from the first true force to the last.

    Attributes:
        start, end: [s].
        peak_time: of the largest force [s]; peak_force: its magnitude [N].
        position: (3,) true tool position at the first touch, base axes [m].
        registered: a collision was detected between the start and 50 ms after the end.
    """

    start: float
    end: float
    peak_time: float
    peak_force: float
    position: np.ndarray
    registered: bool


def contact_episodes(run: Run) -> list[ContactEpisode]:
    """Every contact of a run, in order.

    Touches within 50 ms of each other (or in neighbouring rows of a sparser record) are one contact.

    Args:
        run: a run; without recorded signals it has no known contacts.

    Returns:
        The episodes; empty when nothing was touched.
    """
    time, force = run.data.time.values, force_norm(run.data.force.values)
    touching = np.flatnonzero(force > 0.0)
    spans = contact_spans(time, force > 0.0)
    inside = [(time[touching] >= start) & (time[touching] <= end) for start, end in spans]
    return [_episode(run, time, force, touching[own]) for own in inside]


def missed_contacts(run: Run) -> list[ContactEpisode]:
    """The contacts that were not registered."""
    return [episode for episode in contact_episodes(run) if not episode.registered]


def force_norm(force: np.ndarray) -> np.ndarray:
    """Magnitudes (k,) of forces (k, 3) [N]; a force that exploded is infinite."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.sqrt(np.sum(force * force, axis=-1))


def _episode(run: Run, time: np.ndarray, force: np.ndarray, rows: np.ndarray) -> ContactEpisode:
    start, end = float(time[rows[0]]), float(time[rows[-1]])
    peak = rows[np.argmax(force[rows])]
    events = run.data.event_time.values
    return ContactEpisode(
        start=start,
        end=end,
        peak_time=float(time[peak]),
        peak_force=float(force[peak]),
        position=run.data.tool_position.values[rows[0]],
        registered=bool(np.any((events >= start) & (events <= end + LULL))),
    )
