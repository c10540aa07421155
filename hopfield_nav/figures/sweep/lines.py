"""A quantity along one swept parameter, with its spread."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from hopfield_nav.figures import COLOURS
from hopfield_nav.figures.sweep import axes
from hopfield_nav.figures.sweep.points import Points, groups, median

SPAN = (5, 95)  # [%]
MANY = 20  # runs at a point from which the band leaves out the outermost 5 % on either side


def draw_lines(ax: Axes, data: xr.Dataset, quantity: str, x: str) -> Axes:
    """Median of a quantity along a parameter, with a band: 5–95 %, or all of them if they are few.

    Values without an order, such as methods, are joined by no line, and have bars in the place of a band. Hollow
    marks stand where not every run reached the goal. Where other parameters vary too, or where the values were drawn
    at random, every run is a faint dot.

    Raises ``BadInput``: there is no such column, or it holds no numbers.
    """
    points = Points(data)
    axis, numbers = axes.swept_axis(points, x), points.numbers(quantity)
    if axis.binned or len(points.parameters) > 1:
        ax.plot(axis.where, numbers, ".", color=COLOURS.excluded, alpha=0.35, ms=2.5, mew=0, zorder=1)
    cells = groups([axis.codes], points.count)
    at = np.array([axis.at[axis.codes[cell[0]]] for cell in cells])
    kept = [numbers[cell][np.isfinite(numbers[cell])] for cell in cells]
    counts = np.array([len(values) for values in kept if len(values)])
    share = SPAN if counts.size and counts.min() >= MANY else (0, 100)
    if (counts > 1).any():
        _add_spread(ax, at, kept, share, axis.ordered)
    middle = np.array([median(numbers[cell]) for cell in cells])
    how: dict[str, Any] = {"color": COLOURS.felt, "marker": "o", "ms": 3.5, "mew": 0.8}
    ax.plot(at, middle, ls="-" if axis.ordered else "", zorder=3, **how)
    some = np.array([not points.reached[cell].all() for cell in cells], bool)
    ax.plot(at[some], middle[some], ls="", mfc="white", zorder=4, **how)
    axes.scale_axis(axis, ax.xaxis)
    axes.limit_axis(axis, ax)
    ax.set_ylabel(points.label(quantity))
    _scale_values(ax, numbers, quantity.endswith("_count"))
    ax.set_title(_note(points, counts), loc="right", size="small")
    return ax


def _add_spread(ax: Axes, at: np.ndarray, values: list[np.ndarray], share: tuple[float, float], joined: bool) -> None:
    low, high = np.array([np.percentile(v, share) if v.size else (np.nan, np.nan) for v in values]).T
    if joined:
        ax.fill_between(at, low, high, color=COLOURS.felt, alpha=0.2, lw=0, zorder=2)
    else:
        ax.vlines(at, low, high, color=COLOURS.felt, alpha=0.4, lw=5, zorder=2)


def _note(points: Points, counts: np.ndarray) -> str:
    """What the band is, and of how many runs."""
    if not counts.size:
        return "no values"
    low, high = int(counts.min()), int(counts.max())
    number = f"n = {low}" if low == high else f"n = {low}–{high}"
    band = "" if high == 1 else "5–95 %, " if low >= MANY else "min–max, "
    hollow = "" if points.reached.all() else "; hollow: goal not always reached"
    return band + number + hollow


def _scale_values(ax: Axes, numbers: np.ndarray, count: bool) -> None:
    """From zero where it is near; logarithmic over orders of magnitude."""
    finite = numbers[np.isfinite(numbers)]
    if not finite.size or finite.min() < 0:
        return
    chosen = axes.scale_values(ax.yaxis, finite, count, -0.15)
    if not chosen and finite.max() > 0 and finite.min() < 0.4 * finite.max():
        ax.set_ylim(0, 1.05 * finite.max())
