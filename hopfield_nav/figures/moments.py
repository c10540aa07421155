"""The moments worth a snapshot (ragazzon2012 figure 7.3)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopfield_nav.contacts import contact_episodes
from hopfield_nav.run import Run

_ENDS = {
    "reached": "goal reached",
    "no_path": "no way is left",
    "unreachable": "next cell out of reach",
    "time_limit": "end of time",
    "diverged": "diverged",
}


class Moment(NamedTuple):
    """A time [s] and what is to be seen."""

    time: float
    title: str


def key_moments(run: Run) -> list[Moment]:
    """Start, collisions, free motion, a contact that was not registered, end: up to six, in order.

    Args:
        run: a run with recorded signals.

    Returns:
        At least the start and the end; no two within a control step of each other.
    """
    events, end = run.data.event_time.values, float(run.data.time.values[-1])
    missed = [e for e in contact_episodes(run) if not e.registered]
    moments = [Moment(0.0, "start"), Moment(end, _ENDS[run.outcome])]
    if events.size:
        moments.append(Moment(float(events[0]), "first collision"))
    if missed:
        deepest = max(missed, key=lambda e: e.peak_force)
        moments.append(Moment(deepest.peak_time, "contact not registered"))
    moments.append(Moment(_freest(run), "moving freely"))
    for k in _others(events.size, 6 - len(moments)):
        moments.append(Moment(float(events[k]), f"collision {k + 1}"))
    return sorted(_apart(moments), key=lambda m: m.time)


def _freest(run: Run) -> float:
    """The middle of the longest stretch between contacts and ends [s]."""
    end = float(run.data.time.values[-1])
    busy = [x for e in contact_episodes(run) for x in (e.start, e.end)]
    edges = np.array([0.0, *busy, end]).reshape(-1, 2)
    longest = int(np.argmax(edges[:, 1] - edges[:, 0]))
    return float(edges[longest].mean())


def _others(count: int, wanted: int) -> list[int]:
    """Events after the first, evenly chosen, the last among them only when there is no other."""
    if count < 2 or wanted < 1:
        return []
    return sorted({int(k) for k in np.linspace(1, count - 1, wanted + 2)[1:-1].round()})


def _apart(moments: list[Moment]) -> list[Moment]:
    """Without a moment that equals an earlier one in the list."""
    kept: list[Moment] = []
    for moment in moments:
        if all(abs(moment.time - other.time) > 1e-3 for other in kept):
            kept.append(moment)
    return kept
