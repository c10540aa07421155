"""Two quantities that are both best small: which settings no other beats in both."""

import json
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke

from hopfield_nav.figures.palette import COLOURS
from hopfield_nav.figures.sweep.axes import scale_values
from hopfield_nav.figures.sweep.heat_map import mark_handles
from hopfield_nav.figures.sweep.points import Points, median, plain, short
from hopfield_nav.figures.thinned import evenly
from hopfield_nav.record import SUMMARY

MOST_NUMBERED = 8
_DISC = 6.5  # [pt] of a number at the front


class SettingMedians(NamedTuple):
    """Combinations of parameters, each with medians over its runs."""

    x: np.ndarray  # (n,) medians
    y: np.ndarray  # (n,) medians
    rows: np.ndarray  # (n,) a run of each
    able: np.ndarray  # (n,) whether at least half of its runs reached the goal
    # indices of the able ones that no other able one beats, from small x to large; those at one
    # place together
    corners: list[np.ndarray]
    front: np.ndarray  # all of them


def draw_pareto(ax: Axes, data: xr.Dataset, x: str, y: str) -> Axes:
    """Settings by two quantities, of which less is better, and the front of those no other beats in both.

    A setting is a combination of parameters and stands at the medians of its runs. Settings whose
    runs mostly did not reach the goal are crosses and never on the front. Numbers on the front
    refer to the list at the right of the axes, at most eight.

    Raises ``BadInput``: there is no such column, or it holds no numbers.
    """
    points = Points(data)
    found = settings(points, x, y)
    others = np.setdiff1d(np.flatnonzero(found.able), found.front)
    unable = np.flatnonzero(~found.able)
    ax.plot(found.x[unable], found.y[unable], "x", color=COLOURS.obstacle, ms=3, mew=0.7, zorder=1)
    ax.plot(
        found.x[others],
        found.y[others],
        "o",
        color=COLOURS.housing,
        ms=2.8,
        mew=0,
        alpha=0.6,
        zorder=2,
    )
    front_x, front_y = found.x[found.front], found.y[found.front]
    ax.plot(front_x, front_y, drawstyle="steps-post", color=COLOURS.felt, lw=0.8, zorder=3)
    ax.plot(front_x, front_y, "o", color=COLOURS.felt, ms=3.2, mew=0, zorder=4)
    for line, name, values in ((ax.xaxis, x, found.x), (ax.yaxis, y, found.y)):
        if values.size and values.min() >= 0:
            scale_values(line, values, name.endswith("_count"), -0.3)
    ax.set_xlabel(points.label(x))
    ax.set_ylabel(points.label(y))
    _add_list(ax, points, found, [*_add_limits(ax, data, x, y), *_add_marks(ax, points, x, y)])
    return ax


def _add_marks(ax: Axes, points: Points, x: str, y: str) -> list[Artist]:
    """The base world's setting and the best; their legend."""
    for mark, row in points.marked.items():
        group = next(rows for rows in points.settings() if row in rows)
        place = [median(points.numbers(quantity)[group]) for quantity in (x, y)]
        if mark == "○":
            ax.plot(*place, "o", ms=8.5, mfc="none", mec=COLOURS.ink, mew=0.8, zorder=7)
            continue
        ax.annotate(
            mark, place, (5.5, 5.5), textcoords="offset points", ha="center", va="center", size=8,
            color=COLOURS.ink, zorder=7, path_effects=[withStroke(linewidth=1.5, foreground="white")],
        )  # fmt: skip
    return mark_handles(points)


def _add_limits(ax: Axes, data: xr.Dataset, x: str, y: str) -> list[Artist]:
    """What the conditions of the aim allow, as far as a number says it; their legend."""
    how: dict[str, Any] = {"color": COLOURS.goal, "lw": 0.8, "ls": "--", "zorder": 1}
    lines: list[Artist] = []
    for condition in json.loads(data.attrs.get("aim", "{}")).get("while", []):
        name, _, number, *least = condition.split()
        if not least and name in (x, y):
            scale = SUMMARY[name].scale if name in SUMMARY else 1.0
            (ax.axvline if name == x else ax.axhline)(float(number) * scale, **how)
            lines = [Line2D([], [], label="limit of the aim", **how)]
    return lines


def settings(points: Points, x: str, y: str) -> SettingMedians:
    """Medians of two quantities at every setting, and the front."""
    groups = points.settings()
    xs, ys = (np.array([median(points.numbers(name)[rows]) for rows in groups]) for name in (x, y))
    known = np.isfinite(xs) & np.isfinite(ys)
    able = np.array([points.reached[rows].mean() >= 0.5 for rows in groups], bool)[known]
    first = np.array([rows[0] for rows in groups], int)[known]
    xs, ys, index = xs[known], ys[known], np.flatnonzero(able)
    corners = [index[tied] for tied in pareto_corners(xs[able], ys[able])]
    return SettingMedians(
        xs, ys, first, able, corners, np.concatenate([np.zeros(0, int), *corners])
    )


def pareto_corners(x: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
    """Indices of the points that no other beats: none is as small in both numbers and smaller in one.

    They go from small x to large; points that agree in both are together in one array.
    """
    places, which = np.unique(np.stack([x, y], axis=1), axis=0, return_inverse=True)
    least_before = np.minimum.accumulate(np.append(np.inf, places[:-1, 1]))
    return [np.flatnonzero(which.ravel() == k) for k in np.flatnonzero(places[:, 1] < least_before)]


def _apart(ax: Axes, found: SettingMedians) -> list[np.ndarray]:
    """The corners of the front, with those under the disc of the one before in its place."""
    groups: list[np.ndarray] = []
    places: list[np.ndarray] = []
    ax.autoscale_view()  # else it is done when the figure is drawn, and places are not known yet
    points_an_inch = 72.0 / ax.figure.get_dpi()
    for tied in found.corners:
        corner = (found.x[tied[0]], found.y[tied[0]])
        place = ax.transData.transform(corner) * points_an_inch
        if places and np.hypot(*(place - places[-1])) < _DISC:
            groups[-1] = np.concatenate([groups[-1], tied])
            continue
        groups.append(tied)
        places.append(place)
    return groups


def _add_list(ax: Axes, points: Points, found: SettingMedians, marks: list[Artist]) -> None:
    """Numbers at the front, and what they stand for to the right of the axes."""
    apart = _apart(ax, found)
    shown = [apart[k] for k in evenly(len(apart), MOST_NUMBERED)]
    values = [points.values(name) for name in points.parameters]
    handles: list[Artist] = []
    for k, tied in enumerate(shown):
        place = found.x[tied[0]], found.y[tied[0]]
        ax.plot(*place, "o", color=COLOURS.felt, ms=_DISC, mec="white", mew=0.5, zorder=5)
        ax.annotate(
            f"{k + 1}", place, color="white", size=5.5, ha="center", va="center_baseline", zorder=6
        )
        text = ", ".join(short(column[found.rows[tied[0]]]) for column in values)
        more = f" (+{len(tied) - 1})" if len(tied) > 1 else ""
        handles.append(
            Line2D(
                [],
                [],
                ls="",
                marker=f"${k + 1}$",
                color=COLOURS.felt,
                ms=4,
                mew=0,
                label=text + more,
            )
        )
    if found.able.sum() > found.front.size:
        handles.append(
            Line2D([], [], ls="", marker="o", color=COLOURS.housing, ms=2.8, label="dominated")
        )
    if not found.able.all():
        handles.append(
            Line2D(
                [], [], ls="", marker="x", color=COLOURS.obstacle, ms=3, label="goal not reached"
            )
        )
    handles += marks
    if handles:
        title = ",\n".join(plain(name) for name in points.parameters)
        legend = ax.legend(
            handles=handles, title=title, loc="upper left", bbox_to_anchor=(1.0, 1.02), borderaxespad=0.2,
            alignment="left", handlelength=1.0,
        )  # fmt: skip
        legend.get_title().set_fontsize("small")
