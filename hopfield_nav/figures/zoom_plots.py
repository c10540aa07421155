"""One collision from close by: touch, impact peaks, detection, delay (ragazzon2012 figure 7.8)."""

from __future__ import annotations

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from hopfield_nav.contacts import force_norm
from hopfield_nav.figures.signal_plots import force_threshold, threshold_handle
from hopfield_nav.figures.thinning import envelope
from hopfield_nav.run import Run
from hopfield_nav.style import COLOURS

BEFORE, AFTER = 0.1, 0.3  # [s] shown before the touch and after the detection
_DASHES = (0, (4, 2))


def typical_collision(run: Run) -> int | None:
    """The true collision whose detection took nearest to the median time; None without one."""
    delay = run.data.event_time.values - run.data.touch_time.values
    if not np.isfinite(delay).any():
        return None
    return int(np.nanargmin(np.abs(delay - np.nanmedian(delay))))


def draw_force_zoom(ax: Axes, run: Run, event: int) -> Axes:
    """Force magnitudes around one collision, with touch, detection and delay (ragazzon2012 figure 7.8).

    Args:
        ax: to draw on.
        run: a run with recorded signals.
        event: index of a collision with a known touch, as ``typical_collision`` gives it.
    """
    rows = zoom_rows(run, event)
    for name, colour in (("force_estimate", COLOURS.felt), ("force", COLOURS.true)):
        values = force_norm(run.data[name].values[rows])
        ax.plot(*envelope(run.data.time.values[rows], values), color=colour, linewidth=0.8)
    threshold = force_threshold(run)
    if threshold is not None:
        ax.axhline(threshold, color=COLOURS.ink, lw=0.7, ls=_DASHES)
    ax.set_ylim(0, 1.3 * max(line.get_ydata().max() for line in ax.lines[:2]))
    ax.set_ylabel(r"$\|F\|$ (N)")
    add_instants(ax, run, event)
    _add_delay(ax, run, event)
    return frame_zoom(ax, run, event)


def draw_level_zoom(ax: Axes, run: Run, event: int) -> Axes:
    """What the detector compared with its threshold, around one collision.

    Args:
        ax: to draw on.
        run: a run with recorded signals.
        event: index of a collision with a known touch.
    """
    rows = zoom_rows(run, event)
    ax.plot(
        *envelope(run.data.time.values[rows], run.data.level.values[rows]), color=COLOURS.felt, linewidth=0.8
    )
    ax.axhline(1.0, color=COLOURS.ink, lw=0.7, ls=_DASHES)
    ax.set_ylim(0, 1.15 * max(1.0, ax.lines[0].get_ydata().max()))
    ax.set_ylabel("alarm level (1)")
    add_instants(ax, run, event)
    return frame_zoom(ax, run, event)


def zoom_span(run: Run, event: int) -> tuple[float, float]:
    """First and last moment shown [s]."""
    return float(run.data.touch_time[event]) - BEFORE, float(run.data.event_time[event]) + AFTER


def zoom_rows(run: Run, event: int) -> slice:
    """Rows of the record that are shown."""
    return slice(*np.searchsorted(run.data.time.values, zoom_span(run, event)))


def add_instants(ax: Axes, run: Run, event: int) -> None:
    """Upright lines at touch and detection."""
    ax.axvline(float(run.data.touch_time[event]), color=COLOURS.true, lw=0.7, ls=":", zorder=1)
    ax.axvline(float(run.data.event_time[event]), color=COLOURS.felt, lw=0.7, ls=":", zorder=1)


def instant_handles() -> list[Artist]:
    """Legend of threshold, touch and detection."""
    return [
        threshold_handle(),
        Line2D([], [], color=COLOURS.true, lw=0.8, ls=":", label="touch"),
        Line2D([], [], color=COLOURS.felt, lw=0.8, ls=":", label="detection"),
    ]


def frame_zoom(ax: Axes, run: Run, event: int) -> Axes:
    """The axis of time of a zoom [s]."""
    ax.set_xlim(*zoom_span(run, event))
    ax.set_xlabel("time (s)")
    return ax


def _add_delay(ax: Axes, run: Run, event: int) -> None:
    """An arrow from touch to detection above the curves, with the delay in milliseconds."""
    touch, found = float(run.data.touch_time[event]), float(run.data.event_time[event])
    height = 0.88 * ax.get_ylim()[1]
    how = {
        "arrowstyle": "<->",
        "lw": 0.7,
        "color": COLOURS.ink,
        "shrinkA": 0,
        "shrinkB": 0,
        "mutation_scale": 6,
    }
    ax.annotate("", (touch, height), (found, height), arrowprops=how)
    text = f"delay {1000 * (found - touch):.0f} ms"
    ax.annotate(text, (touch, height), (2, 2), textcoords="offset points", ha="left", va="bottom")
