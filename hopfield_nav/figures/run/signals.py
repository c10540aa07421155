"""Forces over time: components, magnitudes, count of collisions (ragazzon2012 figures 7.6, 7.7).

One collision is shown from close by: touch, impact peaks, detection, delay (figure 7.8).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike

from hopfield_nav.figures.palette import COLOURS
from hopfield_nav.figures.sheets import keep_scale
from hopfield_nav.figures.thinned import envelope
from hopfield_nav.record import (
    Run,
    contact_delays,
    contact_episodes,
    contact_spans,
    force_limits,
    force_norm,
    missed_contacts,
    report_level,
)

BEFORE, AFTER = 0.1, 0.3  # [s] shown before the touch and after the detection
_PALE = 0.4  # how solid the truth is that the estimate lies upon
# of the time shown: an arrow that is shorter has its points outside; a label that fits above one
_SHORT_ARROW, _LONG_ARROW = 0.12, 0.32
_SECOND = 0.01  # [N] of a second obstacle, from which it is said
_SCALES = {"F": (1.0, "N"), "M": (0.1, "N·m")}  # what every scale of force and of moment shows


def draw_force_component(ax: Axes, run: Run, axis: int) -> Axes:
    """The true and the estimated force along axis 0 to 2 of the base (ragazzon2012 figure 7.6)."""
    return _draw_component(ax, run, "F", axis)


def draw_moment_component(ax: Axes, run: Run, axis: int) -> Axes:
    """The true and the estimated moment about an axis of the base, 0 to 2 (figure 7.6).

    They are those at the tool point. The true one is that of the largest contact force; a contact
    at the tool point itself has none.
    """
    return _draw_component(ax, run, "M", axis)


def used_components(run: Run) -> list[tuple[str, int]]:
    """Components that a figure can show: of force, ``("F", axis)``, and moment, ``("M", axis)``."""
    every = [(name, axis) for name in _SCALES for axis in range(3)]
    return [
        (name, axis)
        for name, axis in every
        if not is_flat(_component(run, name, axis), _SCALES[name][0])
    ]


def is_flat(values: ArrayLike, scale: float) -> bool:
    """Whether a signal looks like zero: it stays within a tenth of the least that an axis spans."""
    return bool(np.abs(np.nan_to_num(values)).max(initial=0.0) < scale / 10)


def flat_handle(names: list[str]) -> list[Artist]:
    """Legend of what is drawn nowhere, since it is zero."""
    return [Line2D([], [], ls="", label=f"zero throughout: {', '.join(names)}")] if names else []


def _component(run: Run, name: str, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """The true and the estimated one."""
    data = run.data
    if name == "F":
        return data.force.values[:, axis], data.force_estimate.values[:, axis]
    lever = np.nan_to_num(data.contact_point.values - data.tool_position.values)
    moment = np.cross(lever, np.nan_to_num(data.contact_force.values))
    return moment[:, axis], data.moment_estimate.values[:, axis]


def _draw_component(ax: Axes, run: Run, name: str, axis: int) -> Axes:
    true, estimated = _component(run, name, axis)
    least, unit = _SCALES[name]
    _add_both(ax, run, true, estimated)
    ax.set_ylabel(f"${name}_{'xyz'[axis]}$ ({unit})")
    return frame_time(keep_scale(ax, 2 * least), run)


def _add_both(ax: Axes, run: Run, true: np.ndarray, estimated: np.ndarray) -> None:
    """The truth as a pale area, the estimate as a thin line over it: neither hides the other."""
    add_signal(ax, run, estimated, COLOURS.felt, linewidth=0.6, zorder=2.5, label="estimated")
    pale = {"linewidth": 0.6, "alpha": 1.5 * _PALE, "zorder": 2}
    add_signal(ax, run, true, COLOURS.true, label="actual", **pale)
    time, values = envelope(run.data.time.values, true)
    ax.fill_between(time, values, color=COLOURS.true, alpha=_PALE, linewidth=0, zorder=2)


def draw_force_magnitude(ax: Axes, run: Run) -> Axes:
    """Magnitudes of the true and the estimated force of a run (ragazzon2012 figure 7.7).

    Threshold and ``detection.report`` are drawn where they are of this magnitude alone; missed
    contacts, and what was above ``detection.report``, are shaded.
    """
    least = 0.006 * float(run.data.time.values[-1])  # wide enough to be seen
    for episode in missed_contacts(run):
        middle, half = (
            (episode.start + episode.end) / 2,
            max(episode.end - episode.start, least) / 2,
        )
        ax.axvspan(
            middle - half,
            middle + half,
            color=COLOURS.missed,
            lw=0,
            zorder=1,
            label="missed contact",
        )
    add_passages(ax, run)
    true = force_norm(run.data.force.values)
    _add_both(ax, run, true, force_norm(run.data.force_estimate.values))
    add_limits(ax, force_limits(run))
    ax.set_ylabel(r"$\|F\|$ (N)")
    ax.set_ylim(0, max(_SCALES["F"][0], ax.get_ylim()[1]))
    return frame_time(ax, run)


def draw_collision_count(ax: Axes, run: Run) -> Axes:
    """The number of collisions detected so far, as steps (ragazzon2012 figure 7.7)."""
    events, end = run.data.event_time.values[~run.passed_by], float(run.data.time.values[-1])
    times = np.concatenate([[0.0], events, [end]])
    counts = np.concatenate([np.arange(events.size + 1), [events.size]])
    ax.step(times, counts, where="post", color=COLOURS.felt)
    ax.set_ylabel("collisions")
    ax.set_ylim(0, max(1, events.size) * 1.08)
    ax.yaxis.get_major_locator().set_params(integer=True, nbins=4)
    return frame_time(ax, run)


def draw_force_zoom(ax: Axes, run: Run, event: int) -> Axes:
    """Force magnitudes around a collision: touch, detection and delay (ragazzon2012 figure 7.8).

    ``event`` is the number of one with a known touch, as ``typical_collision`` gives it.
    """
    rows = zoom_rows(run, event)
    for name, colour, label in (
        ("force_estimate", COLOURS.felt, "estimated"),
        ("force", COLOURS.true, "actual"),
    ):
        values = force_norm(run.data[name].values[rows])
        ax.plot(
            *envelope(run.data.time.values[rows], values), color=colour, linewidth=0.8, label=label
        )
    add_passages(ax, run)
    add_limits(ax, force_limits(run))
    ax.set_ylim(0, 1.3 * max(line.get_ydata().max() for line in ax.lines[:2]))
    ax.set_ylabel(r"$\|F\|$ (N)")
    _add_delay(ax, run, event, 0.88 * ax.get_ylim()[1])
    return frame_zoom(ax, run, event)


def _add_delay(ax: Axes, run: Run, event: int, height: float) -> None:
    """An arrow from touch to detection at a height [N]; from outside where it would be too short."""
    touch, detection = (float(run.data[name][event]) for name in ("touch_time", "event_time"))
    first, last = zoom_span(run, event)
    share = (detection - touch) / (last - first)
    how = {"lw": 0.7, "shrinkA": 0, "shrinkB": 0, "mutation_scale": 6, "color": COLOURS.ink}
    if share >= _SHORT_ARROW:
        arrows = [(touch, detection, "<->")]
    else:
        beside = 0.06 * (last - first)
        arrows = [(touch, touch - beside, "->"), (detection, detection + beside, "->")]
    for tip, tail, style in arrows:
        ax.annotate("", (tip, height), (tail, height), arrowprops={"arrowstyle": style, **how})
    text = f"delay {1000 * (detection - touch):.0f} ms"
    if share >= _LONG_ARROW:
        place, offset, ha, va = ((touch + detection) / 2, height), (0, 2), "center", "bottom"
    else:
        place, offset, ha, va = (max(detection, arrows[-1][1]), height), (3, 0), "left", "center"
    ax.annotate(text, place, offset, textcoords="offset points", ha=ha, va=va)


def draw_level_zoom(ax: Axes, run: Run, event: int) -> Axes:
    """What the detector compared with its threshold, around a collision; as ``draw_force_zoom``."""
    rows = zoom_rows(run, event)
    ax.plot(
        *envelope(run.data.time.values[rows], run.data.level.values[rows]),
        color=COLOURS.felt,
        linewidth=0.8,
    )
    add_passages(ax, run)
    add_limits(ax, {"threshold": 1.0, **report_level(run)})
    ax.set_ylim(0, 1.15 * max(1.0, ax.lines[0].get_ydata().max()))
    ax.set_ylabel("alarm level (1)")
    return frame_zoom(ax, run, event)


def other_touches(run: Run, event: int) -> list[tuple[float, float]]:
    """Start and end [s] of what else touches in the picture of a collision.

    These are contacts before and after its own, and a second obstacle that is touched during it.
    """
    low, high = zoom_span(run, event)
    rows = zoom_rows(run, event)
    own_force = np.nan_to_num(run.data.contact_force.values[rows])
    second_force = run.data.force.values[rows] - own_force
    spans = contact_spans(run.data.time.values[rows], force_norm(second_force) > _SECOND)
    touch = float(run.data.touch_time[event])
    for contact in contact_episodes(run):
        is_shown = contact.start < high and contact.end > low
        is_own = contact.start - 1e-3 < touch <= contact.end
        if is_shown and not is_own:
            spans.append((max(low, contact.start), min(high, contact.end)))
    return spans


def typical_collision(run: Run) -> int | None:
    """The detection whose delay after the start of its contact is nearest to the median, if any."""
    delay = contact_delays(run.data.event_time.values, run.data.touch_time.values)
    if not np.isfinite(delay).any():
        return None
    return int(np.nanargmin(np.abs(delay - np.nanmedian(delay))))


def add_limits(ax: Axes, limits: Mapping[str, float]) -> None:
    """A dashed line at a threshold, a dotted one at ``detection.report``, where there are such."""
    for name, value in limits.items():
        style = (0, (4, 2)) if name == "threshold" else (0, (1, 2))
        ax.axhline(value, color=COLOURS.ink, lw=0.7, ls=style, zorder=5, label=name)


def add_passages(ax: Axes, run: Run) -> None:
    """Shade the times above ``detection.report``."""
    last = float(run.data.time.values[-1])
    for begin, end in run.passages:
        ax.axvspan(
            begin,
            np.nan_to_num(end, nan=last),
            color=COLOURS.felt,
            alpha=0.15,
            lw=0,
            label="above report",
        )


def add_signal(ax: Axes, run: Run, values: np.ndarray, colour: str, **how: Any) -> Line2D:
    """A signal over the whole time, thinned to what a picture can show."""
    style: dict[str, Any] = {"color": colour, "linewidth": 0.7, **how}
    return ax.plot(*envelope(run.data.time.values, values), **style)[0]


def frame_time(ax: Axes, run: Run) -> Axes:
    """The axis of time, from the beginning to the end of the record [s]."""
    time = run.data.time.values
    ax.set_xlim(float(time[0]), max(float(time[-1]), float(time[0]) + 1e-3))
    ax.set_xlabel("time (s)")
    return ax


def zoom_span(run: Run, event: int) -> tuple[float, float]:
    """First and last moment shown [s]."""
    return float(run.data.touch_time[event]) - BEFORE, float(run.data.event_time[event]) + AFTER


def zoom_rows(run: Run, event: int) -> slice:
    """Rows of the record that are shown."""
    return slice(*np.searchsorted(run.data.time.values, zoom_span(run, event)))


def frame_zoom(ax: Axes, run: Run, event: int) -> Axes:
    """The axis of time of a zoom [s], lines at touch and detection; other touches are shaded."""
    for start, end in other_touches(run, event):
        ax.axvspan(
            start, end, color=COLOURS.grid, alpha=0.6, lw=0, zorder=0, label="touches elsewhere too"
        )
    how: dict[str, Any] = {"lw": 0.7, "ls": ":", "zorder": 1}
    ax.axvline(float(run.data.touch_time[event]), color=COLOURS.true, label="touch", **how)
    ax.axvline(float(run.data.event_time[event]), color=COLOURS.felt, label="detection", **how)
    ax.set_xlim(*zoom_span(run, event))
    ax.set_xlabel("time (s)")
    return ax
