"""A quantity over two swept parameters, in colours."""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import cycle
from typing import Any

import matplotlib
import numpy as np
import xarray as xr
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize, SymLogNorm
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator

from hopfield_nav.figures.palette import COLOURS
from hopfield_nav.figures.sweep.axes import SweptAxis, plain_ticks, scale_axis, swept_axis
from hopfield_nav.figures.sweep.points import MEANT, TIME, Points, groups, median

COLOUR_MAP = "viridis"  # perceptually uniform, and the same to colour-blind readers
MOST_NUMBERS = 64  # cells with a number written in them, at the most
HATCHES = {
    "never arrives": "xxxxx",
    "arrives less often": "////",
    "more false alarms": "\\\\\\\\",
    "more missed contacts": "||||",
    "a neighbour fails": "...",
}
_FURTHER = ("////", "\\\\\\\\", "....", "----", "||||", "ooo")  # of the conditions of an aim
_EMPTY = "#EFEFEF"  # a cell without a value
_FENCE, _LEAST_OF_FENCES = 3.0, 6  # of the distance of the quartiles; values
_WIDE = 10.0  # largest over smallest value above which colours are logarithmic


def draw_heat_map(
    ax: Axes, data: xr.Dataset, quantity: str, x: str, y: str, only: tuple[str, int] | None = None,
    norm: Normalize | None = None,
) -> Axes:  # fmt: skip
    """A quantity of a sweep's table over two parameters: its median over all others and over the repeats.

    ``x`` lies across, ``y`` upwards, a colour bar beside the axes. Cells of which every setting
    falls short of the aim, or of the rule, are hatched by what it falls short of; those without a
    value are grey, with a dash. ○ stands in the cell of the base world's setting, ★ in that of the
    best. The time to the goal is that of the runs which reached it. The colours span the cells in
    which the goal was reached; those of a count span all cells. ``only`` is a parameter and which
    of its values the runs have; with ``norm``, of several maps, no bar is drawn.

    Raises ``BadInput``: there is no such column, or it holds no numbers.
    """
    points = Points(data)
    here = (
        np.ones(points.count, bool)
        if only is None
        else swept_axis(points, only[0]).codes == only[1]
    )
    across, up = swept_axis(points, x), swept_axis(points, y)
    values, share, fails = _cells(points, quantity, across, up, here)
    for axis, line in ((across, ax.xaxis), (up, ax.yaxis)):
        scale_axis(axis, line, room=34)
    shared = norm is not None
    norm = norm or norm_of(values, share, quantity)
    ax.set_facecolor(_EMPTY)
    mesh = ax.pcolormesh(
        across.edges,
        up.edges,
        values,
        cmap=COLOUR_MAP,
        norm=norm,
        edgecolors="white",
        linewidth=0.3,
    )
    hatches = hatches_of(points)
    for i, j in np.argwhere(fails != ""):
        (left, right), (low, high) = across.edges[j : j + 2], up.edges[i : i + 2]
        how: dict[str, Any] = {
            "hatch": hatches[fails[i, j]],
            "edgecolor": COLOURS.excluded,
            "linewidth": 0,
        }
        ax.add_patch(Rectangle((left, low), right - left, high - low, fill=False, **how))
    if values.size <= MOST_NUMBERS:
        _add_numbers(ax, values, across, up, norm)
    _add_marks(ax, points, here, across, up, values.size <= MOST_NUMBERS)
    if not shared:
        add_bar(ax, mesh, points.label(quantity), quantity, values)
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    return ax


def add_bar(axes: Any, mesh: Any, label: str, quantity: str, values: np.ndarray) -> None:
    """A colour bar beside one or several axes."""
    below, above = bool((values < mesh.norm.vmin).any()), bool((values > mesh.norm.vmax).any())
    # which ends are pointed
    extend = "both" if below and above else "min" if below else "max" if above else "neither"
    bar = np.ravel(axes)[0].figure.colorbar(
        mesh, ax=axes, label=label, pad=0.02, aspect=25, extend=extend
    )
    bar.outline.set_visible(False)
    if isinstance(mesh.norm, SymLogNorm):
        top = int(math.log10(mesh.norm.vmax or 1))
        bar.set_ticks([0, *(10.0**k for k in range(top + 1))])
        bar.set_ticklabels(
            ["0", "1", "10", *(f"$10^{{{k}}}$" for k in range(2, top + 1))][: top + 2]
        )
        bar.minorticks_off()
    elif isinstance(mesh.norm, LogNorm):
        plain_ticks(bar.ax.yaxis, mesh.norm.vmin, mesh.norm.vmax)
    else:
        bar.locator = MaxNLocator(5, integer=quantity.endswith("_count"))
        bar.update_ticks()


def heat_map_handles(data: xr.Dataset, quantities: Sequence[str] = ()) -> list[Artist]:
    """Legend of the marks, the hatches and, where one of the quantities has none, of cells without a value."""
    points = Points(data)
    how: dict[str, Any] = {"facecolor": "white", "edgecolor": COLOURS.excluded, "linewidth": 0.5}
    handles = mark_handles(points)
    handles += [
        Patch(hatch=hatch, label=words if words in HATCHES else f"not {words}", **how)
        for words, hatch in hatches_of(points).items()
    ]
    missing = [
        name
        for name in quantities
        if any(np.isnan(median(points.numbers(name)[r])) for r in points.settings())
    ]
    why = ["never arrives" if name == TIME else "nothing felt" for name in missing]
    why += ["not run"] * (points.count < points.whole)
    if why:
        handles.append(
            Patch(facecolor=_EMPTY, label=f"– no value ({', '.join(dict.fromkeys(why))})")
        )
    return handles


def mark_handles(points: Points) -> list[Artist]:
    """Legend of the marks that occur."""
    how: dict[str, Any] = {"color": COLOURS.ink, "ls": "", "ms": 5, "mew": 0}
    return [Line2D([], [], marker=f"${mark}$", label=MEANT[mark], **how) for mark in points.marked]


def hatches_of(points: Points) -> dict[str, str]:
    """Of everything that a setting falls short of its hatch, those of the rule first."""
    fails = [word for word in dict.fromkeys(points.fails) if word]
    of_aim = (word for word in fails if word not in HATCHES)
    return {word: HATCHES[word] for word in HATCHES if word in fails} | dict(
        zip(of_aim, cycle(_FURTHER), strict=False)
    )


def norm_of(values: np.ndarray, share: np.ndarray, quantity: str) -> Normalize:
    """Colours for the cells in which the goal was reached; of a count for all. Few outliers are beyond them."""
    good = values[((share > 0) | quantity.endswith("_count")) & np.isfinite(values)]
    return colour_norm(without_outliers(good if good.size else values))


def without_outliers(values: np.ndarray) -> np.ndarray:
    """The finite values but those far from all others, so that these do not take the whole scale.

    Far is three times the distance of the quartiles beyond them, of logarithms where all are
    positive. Source: Tukey 1977, Exploratory Data Analysis, 2D (outer fences).
    """
    finite = values[np.isfinite(values)]
    if finite.size < _LEAST_OF_FENCES:
        return finite
    scaled = np.log(finite) if finite.min() > 0 else finite
    low, high = np.percentile(scaled, (25, 75))
    room = _FENCE * (high - low)
    near = (scaled >= low - room) & (scaled <= high + room)
    return finite[near] if room > 0 else finite


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


def _cells(
    points: Points, quantity: str, across: SweptAxis, up: SweptAxis, here: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Median of the quantity, share of runs that arrived (nan without runs), and what all settings fail in: (y, x)."""
    values = np.full((len(up.values), len(across.values)), math.nan)
    share, fails = values.copy(), np.full(values.shape, "", object)
    numbers = points.numbers(quantity)
    for every in groups([up.codes, across.codes], points.count):
        rows = every[here[every]]
        if not rows.size:
            continue
        cell = up.codes[rows[0]], across.codes[rows[0]]
        values[cell], share[cell] = median(numbers[rows]), points.reached[rows].mean()
        words = points.fails[rows]
        fails[cell] = "" if (words == "").any() else Counter(words).most_common(1)[0][0]
    return values, share, fails


def _add_marks(
    ax: Axes, points: Points, here: np.ndarray, across: SweptAxis, up: SweptAxis, beside: bool
) -> None:
    """The marks in their cells, at the right above where there is a number."""
    cells: dict[tuple[int, int], str] = {}
    for mark, row in points.marked.items():
        if here[row]:
            cell = int(up.codes[row]), int(across.codes[row])
            cells[cell] = mark + cells.get(cell, "")
    for (i, j), marks in cells.items():
        place = (across.edges[j + 1], up.edges[i + 1]) if beside else (across.at[j], up.at[i])
        ha, va, off = ("right", "top", -1) if beside else ("center", "center", 0)
        text = ax.annotate(
            marks,
            place,
            (off, off),
            textcoords="offset points",
            size=6.5,
            color="black",
            ha=ha,
            va=va,
        )
        text.set_path_effects([withStroke(linewidth=1.8, foreground="white")])


def _add_numbers(
    ax: Axes, values: np.ndarray, across: SweptAxis, up: SweptAxis, norm: Normalize
) -> None:
    colours = matplotlib.colormaps[COLOUR_MAP]
    for i, j in np.argwhere(np.isnan(values)):
        ax.text(
            across.at[j], up.at[i], "–", color=COLOURS.excluded, size=6, ha="center", va="center"
        )
    for i, j in np.argwhere(np.isfinite(values)):
        colour = colours(norm(values[i, j]))
        ink = "white" if float(np.dot(colour[:3], (0.299, 0.587, 0.114))) < 0.5 else "black"
        text = ax.text(across.at[j], up.at[i], number(values[i, j]), color=ink, size=6)
        text.set(
            ha="center", va="center", path_effects=[withStroke(linewidth=1.5, foreground=colour)]
        )


def number(value: float) -> str:
    """At most three digits, without an exponent where it would be longer."""
    if value and abs(value) < 1:
        return f"{value:.2g}".replace("0.", ".", 1)
    if abs(value) >= 9999.5:
        return f"{value / 1000:.0f}k"
    return f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"
