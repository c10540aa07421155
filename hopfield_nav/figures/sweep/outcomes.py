"""How many runs ended how, along one swept parameter."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from hopfield_nav.figures.palette import COLOURS
from hopfield_nav.figures.sweep.axes import limit_axis, scale_axis, swept_axis
from hopfield_nav.figures.sweep.points import Points, counts_in_words
from hopfield_nav.record import share_interval

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


def draw_outcomes(ax: Axes, data: xr.Dataset, x: str | None) -> Axes:
    """Shares of the outcomes along a parameter as stacked bars, with counts; None: one bar of all runs.

    The upright line is Wilson's 95 % interval of the share that reached the goal; it is drawn where runs are repeated
    or drawn at random, for only then are they a sample.

    Raises ``BadInput``: there is no such column.
    """
    points = Points(data)
    axis = None if x is None else swept_axis(points, x, even=True)
    at, codes = (np.zeros(1), np.zeros(points.count, int)) if axis is None else (axis.at, axis.codes)
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
    ax.set_title(f"{counts_in_words(some)} a bar" if some.size else "no runs", loc="right", size="small")
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
