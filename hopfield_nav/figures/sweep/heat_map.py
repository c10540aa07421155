"""A quantity over two swept parameters, in colours."""

import math
from typing import Any

import matplotlib
import numpy as np
import xarray as xr
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize, SymLogNorm
from matplotlib.patches import Patch, Rectangle
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator

from hopfield_nav.figures import COLOURS
from hopfield_nav.figures.sweep.axes import SweptAxis, plain_ticks, scale_axis, swept_axis
from hopfield_nav.figures.sweep.points import Points, groups, median

COLOUR_MAP = "viridis"  # perceptually uniform, and the same to colour-blind readers
MOST_NUMBERS = 64  # cells with a number written in them, at the most
_NEVER, _SOMETIMES = "xxxxx", "////"
_WIDE = 10.0  # largest over smallest value above which colours are logarithmic


def draw_heat_map(ax: Axes, data: xr.Dataset, quantity: str, x: str, y: str) -> Axes:
    """A quantity of a sweep's table over two parameters: its median over all others and over the repeats.

    ``x`` lies across, ``y`` upwards, a colour bar beside the axes. Cells in which the goal was not reached are
    hatched, crosswise where in no run; cells without a value are white. The time to the goal is that of the runs
    which reached it. The colours span the cells in which the goal was reached; those of a count span all cells.

    Raises ``BadInput``: there is no such column, or it holds no numbers.
    """
    points = Points(data)
    across, up = swept_axis(points, x), swept_axis(points, y)
    values, share = _cells(points, quantity, across, up)
    for axis, line in ((across, ax.xaxis), (up, ax.yaxis)):
        scale_axis(axis, line, room=34)
    good = values[((share > 0) | quantity.endswith("_count")) & np.isfinite(values)]
    norm = colour_norm(good if good.size else values)
    mesh = ax.pcolormesh(across.edges, up.edges, values, cmap=COLOUR_MAP, norm=norm, edgecolors="white", linewidth=0.3)
    _add_hatches(ax, share, across, up)
    if values.size <= MOST_NUMBERS:
        _add_numbers(ax, values, across, up, norm)
    bar = ax.figure.colorbar(
        mesh, ax=ax, label=points.label(quantity), pad=0.02, aspect=25, extend=_beyond(values, norm)
    )
    bar.outline.set_visible(False)
    _tidy_bar(bar, norm, quantity)
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    return ax


def heat_map_handles(data: xr.Dataset) -> list[Artist]:
    """Legend of the hatches: those that some cell over some two parameters can have."""
    points = Points(data)
    if points.reached.all():
        return []
    how: dict[str, Any] = {"facecolor": "white", "edgecolor": COLOURS.excluded, "linewidth": 0.5}
    handles = [Patch(hatch=_NEVER, label="goal never reached", **how)]
    shares = [points.reached[rows].mean() for rows in points.settings()]
    if len(points.parameters) > 2 or any(0 < share < 1 for share in shares):
        handles.append(Patch(hatch=_SOMETIMES, label="not in every run", **how))
    return handles


def colour_norm(values: np.ndarray) -> Normalize:
    """Colours in proportion, or logarithmic where the values span orders of magnitude."""
    finite = values[np.isfinite(values)]
    if not finite.size:
        return Normalize(0, 1)
    low, high = float(finite.min()), float(finite.max())
    if low >= high:
        return Normalize(low - 0.5, high + 0.5) if low else Normalize(0, 1)
    if low > 0 and high > _WIDE * low:
        return LogNorm(low, high, clip=True)
    if low == 0 and high > _WIDE:
        return SymLogNorm(1, vmin=0, vmax=high, base=10)
    return Normalize(low, high)


def _beyond(values: np.ndarray, norm: Normalize) -> str:
    """Which ends of the colour bar are pointed: some cell lies beyond."""
    finite = values[np.isfinite(values)]
    below = finite.size > 0 and finite.min() < norm.vmin
    above = finite.size > 0 and finite.max() > norm.vmax
    return {(0, 0): "neither", (1, 0): "min", (0, 1): "max", (1, 1): "both"}[int(below), int(above)]


def _cells(points: Points, quantity: str, across: SweptAxis, up: SweptAxis) -> tuple[np.ndarray, np.ndarray]:
    """Median of the quantity and share of runs that reached the goal, (y, x); nan without runs."""
    values = np.full((len(up.values), len(across.values)), math.nan)
    share = values.copy()
    numbers = points.numbers(quantity)
    for rows in groups([up.codes, across.codes], points.count):
        cell = up.codes[rows[0]], across.codes[rows[0]]
        values[cell], share[cell] = median(numbers[rows]), points.reached[rows].mean()
    return values, share


def _add_hatches(ax: Axes, share: np.ndarray, across: SweptAxis, up: SweptAxis) -> None:
    for i, j in np.argwhere(share < 1):
        low = across.edges[j], up.edges[i]
        size = across.edges[j + 1] - low[0], up.edges[i + 1] - low[1]
        hatch = _NEVER if share[i, j] == 0 else _SOMETIMES
        ax.add_patch(Rectangle(low, *size, fill=False, hatch=hatch, edgecolor=COLOURS.excluded, linewidth=0))


def _add_numbers(ax: Axes, values: np.ndarray, across: SweptAxis, up: SweptAxis, norm: Normalize) -> None:
    colours = matplotlib.colormaps[COLOUR_MAP]
    for i, j in np.argwhere(np.isfinite(values)):
        colour = colours(norm(values[i, j]))
        dark = float(np.dot(colour[:3], (0.299, 0.587, 0.114))) < 0.5
        ink, halo = ("white", colour) if dark else ("black", colour)
        text = ax.text(across.at[j], up.at[i], number(values[i, j]), color=ink, size=6)
        text.set(ha="center", va="center", path_effects=[withStroke(linewidth=1.5, foreground=halo)])


def number(value: float) -> str:
    """At most three digits, without an exponent where it would be longer."""
    if value and abs(value) < 1:
        return f"{value:.2g}".replace("0.", ".", 1)
    if abs(value) >= 9999.5:
        return f"{value / 1000:.0f}k"
    return f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"


def _tidy_bar(bar: Any, norm: Normalize, quantity: str) -> None:
    if isinstance(norm, SymLogNorm):
        top = int(math.log10(norm.vmax or 1))
        bar.set_ticks([0, *(10.0**k for k in range(top + 1))])
        bar.set_ticklabels(["0", "1", "10", *(f"$10^{{{k}}}$" for k in range(2, top + 1))][: top + 2])
        bar.minorticks_off()
    elif isinstance(norm, LogNorm):
        plain_ticks(bar.ax.yaxis, norm.vmin, norm.vmax)
    else:
        bar.locator = MaxNLocator(5, integer=quantity.endswith("_count"))
        bar.update_ticks()
