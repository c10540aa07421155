"""What runs did along one swept parameter: a quantity with its spread, and how many ended how."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from hopfield_nav.figures.palette import COLOURS
from hopfield_nav.figures.sweep.axes import (
    SweptAxis,
    limit_axis,
    scale_axis,
    scale_values,
    swept_axis,
)
from hopfield_nav.figures.sweep.points import Points, counts_in_words, groups, median
from hopfield_nav.record import share_interval

_STRIP = 0.16  # half the width of a strip
SPAN = (5, 95)  # [%]
MANY = 20  # runs at a point from which the band leaves out the outermost 5 % on either side
OUTCOMES = {  # from the bottom of a bar; differ for colour-blind readers, and in brightness
    "reached": "#009E73",
    "no_path": "#56B4E9",
    "unreachable": "#CC79A7",
    "time_limit": "#F0E442",
    "diverged": "#D55E00",
    "method_failed": "#882255",
    "given_up": "#E69F00",
    "passed_through": "#0072B2",
    "timed_out": "#DDDDDD",
    "failed": "#303030",
    "internal_error": "#3300FF",
}
_DARK = {"reached", "passed_through", "diverged", "method_failed", "failed", "internal_error"}
_OTHER = "#FFFFFF"
_MIN_LABELLED_SHARE = 0.055  # share of a bar below which no count is written in it


def draw_lines(ax: Axes, data: xr.Dataset, quantity: str, x: str) -> Axes:
    """Median of a quantity along a parameter, with a band: 5–95 %, or all of them if they are few.

    Values without an order, such as methods, are strips: a dot for every run, and a line at their
    median. Hollow marks stand where not every run reached the goal. Where other parameters vary
    too, or where the values were drawn at random, every run is a faint dot. The marks of the base
    world's value and of the best stand behind them.

    Raises ``BadInput``: there is no such column, or it holds no numbers.
    """
    points = Points(data)
    axis, numbers = swept_axis(points, x), points.numbers(quantity)
    cells = groups([axis.codes], points.count)
    at = np.array([axis.at[axis.codes[cell[0]]] for cell in cells])
    kept = [numbers[cell][np.isfinite(numbers[cell])] for cell in cells]
    counts = np.array([len(values) for values in kept if len(values)])
    middle = np.array([median(numbers[cell]) for cell in cells])
    if axis.words:
        add_strips(ax, at, kept, middle)
    else:
        _add_line(ax, points, axis, numbers, (cells, at, kept, middle))
    marks: dict[int, str] = {}
    for mark, row in points.marked.items():
        marks[int(axis.codes[row])] = marks.get(int(axis.codes[row]), " ") + mark
    scale_axis(axis, ax.xaxis, marks=marks)
    limit_axis(axis, ax)
    ax.set_ylabel(points.label(quantity))
    finite = numbers[np.isfinite(numbers)]
    # from zero where it is near; logarithmic over orders of magnitude
    if finite.size and finite.min() >= 0:
        chosen = scale_values(ax.yaxis, finite, quantity.endswith("_count"), -0.15)
        if not chosen and finite.max() > 0 and finite.min() < 0.4 * finite.max():
            ax.set_ylim(0, 1.05 * finite.max())
    ax.set_title(_note(points, counts, not axis.words), loc="right", size="small")
    return ax


def _add_line(
    ax: Axes, points: Points, axis: SweptAxis, numbers: np.ndarray, of_values: tuple
) -> None:
    cells, at, kept, middle = of_values
    if axis.binned or len(points.parameters) > 1:
        ax.plot(
            axis.where, numbers, ".", color=COLOURS.excluded, alpha=0.35, ms=2.5, mew=0, zorder=1
        )
    counts = [len(values) for values in kept if len(values)]
    if max(counts, default=0) > 1:
        share = SPAN if min(counts) >= MANY else (0, 100)
        low, high = np.array(
            [np.percentile(v, share) if v.size else (np.nan, np.nan) for v in kept]
        ).T
        ax.fill_between(at, low, high, color=COLOURS.felt, alpha=0.2, lw=0, zorder=2)
    how: dict[str, Any] = {"color": COLOURS.felt, "marker": "o", "ms": 3.5, "mew": 0.8}
    ax.plot(at, middle, ls="-", zorder=3, **how)
    some = np.array([not points.reached[cell].all() for cell in cells], bool)
    ax.plot(at[some], middle[some], ls="", mfc="white", zorder=4, **how)


def add_strips(ax: Axes, at: np.ndarray, kept: list[np.ndarray], middle: np.ndarray) -> None:
    """A dot for every run, beside each other in the order of the runs, and a line at the median.

    ``at``, ``middle``: (k,) places and medians of the strips; ``kept``: the values of each.
    """
    for place, values in zip(at, kept, strict=True):
        aside = np.zeros(values.size)
        if values.size > 1:
            aside = np.linspace(-1.0, 1.0, values.size)
        beside = place + _STRIP * aside
        ax.plot(beside, values, "o", color=COLOURS.felt, alpha=0.5, ms=3, mew=0, zorder=2)
    ax.hlines(middle, at - 1.4 * _STRIP, at + 1.4 * _STRIP, color=COLOURS.ink, lw=1.2, zorder=3)


def _note(points: Points, counts: np.ndarray, ordered: bool) -> str:
    """What the band is, and of how many runs."""
    if not counts.size:
        return "no values"
    band = (
        ""
        if counts.max() == 1 or not ordered
        else "5–95 %, "
        if counts.min() >= MANY
        else "min–max, "
    )
    hollow = "" if points.reached.all() or not ordered else "; hollow: goal not always reached"
    return band + counts_in_words(counts) + hollow


def draw_outcomes(ax: Axes, data: xr.Dataset, x: str | None) -> Axes:
    """Shares of the outcomes along a parameter as stacked bars, with counts.

    Without a parameter it is one bar of all runs. The upright line is Wilson's 95 % interval of the
    share that reached the goal; it is drawn where runs are repeated or drawn at random, for only
    then are they a sample.

    Raises ``BadInput``: there is no such column.
    """
    points = Points(data)
    axis = None if x is None else swept_axis(points, x, even=True)
    at, codes = (
        (np.zeros(1), np.zeros(points.count, int)) if axis is None else (axis.at, axis.codes)
    )
    totals = np.bincount(codes, minlength=at.size)
    below = np.zeros(at.size)
    for outcome in present(points):
        counts = np.bincount(codes[points.outcome == outcome], minlength=at.size)
        share = counts / np.maximum(totals, 1)
        how = {"color": OUTCOMES.get(outcome, _OTHER), "label": outcome.replace("_", " ")}
        ax.bar(at, 100 * share, 0.8, 100 * below, edgecolor="white", linewidth=0.4, **how)
        ink = "white" if outcome in _DARK else COLOURS.ink
        for k in np.flatnonzero(share > _MIN_LABELLED_SHARE):
            place = at[k] - 0.12 * points.repeated, 100 * (below[k] + share[k] / 2)
            ax.text(*place, f"{counts[k]}", ha="center", va="center", color=ink, size=6)
        below += share
    if points.repeated:
        _add_intervals(ax, at, np.bincount(codes[points.reached], minlength=at.size), totals)
    ax.set_ylim(0, 100)
    ax.set_ylabel("share of runs (%)")
    if axis is None:
        ax.set_xticks([0], ["all runs"])
        ax.set_xlim(-1.2, 1.2)
    else:
        scale_axis(axis, ax.xaxis)
        limit_axis(axis, ax)
    some = totals[totals > 0]
    ax.set_title(
        f"{counts_in_words(some)} a bar" if some.size else "no runs", loc="right", size="small"
    )
    return ax


def present(points: Points) -> list[str]:
    """Outcomes that occur, from the bottom of a bar to its top."""
    found = set(points.outcome)
    return [name for name in OUTCOMES if name in found] + sorted(found - set(OUTCOMES))


def _add_intervals(ax: Axes, at: np.ndarray, reached: np.ndarray, totals: np.ndarray) -> None:
    for place, successes, count in zip(at, reached, totals, strict=True):
        if count:
            low, high = share_interval(int(successes), int(count))
            middle = successes / count
            error = [[100 * max(0, middle - low)], [100 * max(0, high - middle)]]
            how = {"color": COLOURS.ink, "ls": "", "lw": 0.9, "capsize": 1.5, "clip_on": False}
            ax.errorbar(place + 0.25, 100 * middle, error, label="95 % interval", **how)
