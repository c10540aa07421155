"""Moments of a run as pictures of the scene, and which moments are worth one (ragazzon2012 figure 7.3)."""

from typing import NamedTuple

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from hopfield_nav.figures import solid
from hopfield_nav.figures.run.film_panels import METRES_PER_NEWTON, Now, ScenePanel
from hopfield_nav.figures.run.maps import diamond, disc
from hopfield_nav.figures.style import COLOURS
from hopfield_nav.record import Run, contact_episodes

_ENDS = {
    "reached": "goal reached",
    "no_path": "no path is left",
    "unreachable": "out of reach",
    "time_limit": "end of time",
    "diverged": "diverged",
    "method_failed": "the method failed",
    "internal_error": "the program failed",
    "running": "the end so far",
}


class Moment(NamedTuple):
    """A time [s] and what is to be seen."""

    time: float
    title: str


def draw_snapshot(ax: Axes, run: Run, time: float, scene: solid.SceneView | None = None) -> Axes:
    """Arm, obstacles, felt cells, path, trail and forces at one moment [s] of a run with signals.

    The axes are ordinary ones: the scene, which several moments may share, is projected in parallel, with equal
    lengths everywhere.
    """
    panel = ScenePanel(ax, run, scene, 0.5)
    number = int(np.searchsorted(run.data.event_time.values, time + 1e-9, side="right"))  # the plan that it led to
    panel.show(Now(time, row_at(run, time), 0, run.plans()[number]), True)
    for k, artist in enumerate(panel.artists):  # the plane and what is below it stay under the scales
        artist.set_zorder((3 if k > len(panel.plane) else 1) + 0.1 * k)
    return ax


def snapshot_handles(run: Run) -> list[Artist]:
    """Legend of the snapshots."""
    handles: list[Artist] = [Line2D([], [], color=COLOURS.travelled, label="tool so far")]
    if any(len(plan.path) for plan in run.plans()):
        handles.append(Line2D([], [], color=COLOURS.planned, label="path"))
    if run.data.sizes["event"]:
        handles.append(Patch(color=COLOURS.felt, alpha=0.8, lw=0, label="felt cell"))
    if run.data.sizes["event"] or contact_episodes(run):
        scale = f"estimate (10 N = {1000 * METRES_PER_NEWTON:.0f} cm)"
        for colour, label in ((COLOURS.true, "force"), (COLOURS.felt, scale)):
            handles.append(Line2D([], [], color=colour, marker=">", markersize=3, label=label))
    return [*handles, disc(COLOURS.start, "start", 5)] + [diamond(4)] * (run.world.goal is not None)


def key_moments(run: Run) -> list[Moment]:
    """Start, collisions, free motion, a missed contact, end: two to six, in order, each once.

    Where it can be, collisions come first, then the free motion, then the missed contact, as in the document.
    """
    events, end = run.data.event_time.values, float(run.data.time.values[-1])
    missed = [e for e in contact_episodes(run) if not e.registered]
    moments = [Moment(0.0, "start"), Moment(end, _ENDS[run.outcome])]
    if events.size:
        moments.append(Moment(float(events[0]), "first collision"))
    last = end
    if missed:
        deepest = max(missed, key=lambda e: e.peak_force)
        moments.append(Moment(deepest.peak_time, "missed contact"))
        last = deepest.start
    second = float(events[1]) if events.size > 1 and events[1] < last else 0.0
    free = _freest(run, second, last)
    moments.append(Moment(free, "moving freely"))
    before = int(np.searchsorted(events, free)) if second else events.size
    # more of them, evenly chosen, the last one only when there is no other
    for k in sorted(set(np.linspace(1, before - 1, 8 - len(moments))[1:-1].round().astype(int))) if before > 1 else ():
        moments.append(Moment(float(events[k]), f"collision {k + 1}"))
    first = {k: m for k, m in enumerate(moments) if all(abs(m.time - o.time) > 1e-3 for o in moments[:k])}
    return sorted(first.values(), key=lambda m: m.time)


def row_at(run: Run, time: float) -> int:
    """The row of the record at a time [s], or the last before it."""
    return max(0, int(np.searchsorted(run.data.time.values, time + 1e-9, side="right")) - 1)


def _freest(run: Run, first: float, last: float) -> float:
    """The middle of the longest stretch between contacts and two times [s]."""
    busy = [x for e in contact_episodes(run) if first <= e.start < last for x in (e.start, e.end)]
    edges = np.array([first, *busy, last]).reshape(-1, 2)
    longest = int(np.argmax(edges[:, 1] - edges[:, 0]))
    return float(edges[longest].mean())
