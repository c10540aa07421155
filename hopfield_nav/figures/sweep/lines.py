"""A quantity along one swept parameter, with its spread."""

from dataclasses import dataclass
from typing import Any

import matplotlib
import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from hopfield_nav.figures import COLOURS
from hopfield_nav.figures.sweep import axes
from hopfield_nav.figures.sweep.points import Points, groups, median, short

SPAN = (5, 95)  # [%]
MANY = 20  # runs at a point from which the band leaves out the outermost 5 % on either side
MOST_LINES = 6
_MARKERS = "osD^vP"
_ORDERED = "viridis"


def draw_lines(ax: Axes, data: xr.Dataset, quantity: str, x: str, by: str | None = None) -> Axes:
    """Median of a quantity along a parameter, with a band: 5–95 %, or all of them if they are few.

    Values without an order, such as methods, are joined by no line, and have bars in the place of a band.

    There is a line for each value of the parameter ``by``, six at the most. Hollow marks stand where not
    every run reached the goal. Where other parameters vary too, or where the values were drawn at random,
    every run is a faint dot.

    Raises:
        BadInput: there is no such column, or it holds no numbers.
    """
    points = Points(data)
    axis, numbers = axes.swept_axis(points, x), points.numbers(quantity)
    if axis.binned or (by is None and len(points.parameters) > 1):
        ax.plot(axis.where, numbers, ".", color=COLOURS.excluded, alpha=0.35, ms=2.5, mew=0, zorder=1)
    lines = [_line(points, axis, numbers, rows, how) for rows, how in _lines(points, by)]
    counts = np.concatenate([line.count[line.count > 0] for line in lines])
    share = SPAN if counts.size and counts.min() >= MANY else (0, 100)
    for line in lines:
        line.draw(ax, share, axis.ordered)
    axes.scale_axis(axis, ax.xaxis)
    axes.limit_axis(axis, ax)
    ax.set_ylabel(points.label(quantity))
    _scale_values(ax, numbers, quantity.endswith("_count"))
    if by is not None:
        ax.legend(title=points.label(by), loc="best", title_fontsize="small")
    ax.set_title(_note(points, counts), loc="right", size="small")
    return ax


@dataclass
class _Line:
    at: np.ndarray
    middle: np.ndarray
    runs: list[np.ndarray]
    count: np.ndarray
    always: np.ndarray
    how: dict[str, Any]

    def draw(self, ax: Axes, share: tuple[float, float], joined: bool) -> None:
        colour = self.how["color"]
        if (self.count > 1).any():
            spans = [np.percentile(v, share) if v.size else (np.nan, np.nan) for v in self.runs]
            low, high = np.array(spans).T
            alpha = 0.2 if "label" not in self.how else 0.12
            if joined:
                ax.fill_between(self.at, low, high, color=colour, alpha=alpha, lw=0, zorder=2)
            else:
                ax.vlines(self.at, low, high, color=colour, alpha=2 * alpha, lw=5, zorder=2)
        ax.plot(self.at, self.middle, ls="-" if joined else "", ms=3.5, mew=0.8, zorder=3, **self.how)
        some = ~self.always
        ax.plot(
            self.at[some], self.middle[some], ls="", marker=self.how["marker"], ms=3.5, mew=0.8,
            mec=colour, mfc="white", zorder=4,
        )  # fmt: skip


def _lines(points: Points, by: str | None) -> list[tuple[np.ndarray, dict[str, Any]]]:
    """Rows of each line, and how it looks."""
    if by is None:
        return [(np.arange(points.count), {"color": COLOURS.felt, "marker": "o"})]
    axis = axes.swept_axis(points, by)
    chosen = np.linspace(0, len(axis.values) - 1, min(MOST_LINES, len(axis.values))).round().astype(int)
    shades = matplotlib.colormaps[_ORDERED](np.linspace(0, 0.85, len(chosen)))
    return [
        (np.flatnonzero(axis.codes == k), {"color": shade, "marker": marker, "label": short(axis.values[k])})
        for k, shade, marker in zip(chosen, shades, _MARKERS, strict=False)
    ]


def _line(
    points: Points, axis: axes.SweptAxis, numbers: np.ndarray, rows: np.ndarray, how: dict[str, Any]
) -> _Line:
    cells = [rows[g] for g in groups([axis.codes[rows]], len(rows))]
    kept = [numbers[cell][np.isfinite(numbers[cell])] for cell in cells]
    return _Line(
        np.array([axis.at[axis.codes[cell[0]]] for cell in cells]),
        np.array([median(numbers[cell]) for cell in cells]),
        kept,
        np.array([len(values) for values in kept], int),
        np.array([points.reached[cell].all() for cell in cells], bool),
        how,
    )


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
