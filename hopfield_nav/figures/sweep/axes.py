"""The axis of a swept parameter: its values, where they stand, and what is written at them."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis as MatplotlibAxis
from matplotlib.ticker import (
    FixedLocator,
    FuncFormatter,
    LogLocator,
    MaxNLocator,
    NullFormatter,
    NullLocator,
)

from hopfield_nav.figures.sweep.points import Points, codes_of, short

MOST_VALUES = 24  # more are drawn in bins
_BINS = 10
_ALIKE = 1.2  # steps that differ by less are meant to be the same
_UNEVEN = 3.5  # steps that differ by more than this factor are drawn alike

Kind = Literal["linear", "log", "even"]


class SweptAxis(NamedTuple):
    """A parameter along an axis."""

    label: str  # of the parameter, with its unit
    kind: Kind  # ``linear`` or ``log`` in the values, or ``even``: one step a value, as for words
    values: list[Any]  # numbers, words, or the middles of bins
    at: np.ndarray  # (n,) where the values stand along the axis
    edges: np.ndarray  # (n + 1,) between them
    codes: np.ndarray  # (runs,) which value each run has
    where: np.ndarray  # (runs,) where each run stands
    binned: bool  # whether runs of several values share a bin
    words: bool  # whether some values are words, which have no order


def swept_axis(points: Points, name: str, even: bool = False) -> SweptAxis:
    """The axis of a parameter; ``even``: one step a value in any case, as bars need it.

    Raises ``BadInput``: there is no such column.
    """
    where = points.values(name)
    values, codes = codes_of(where)
    numbers = where.dtype.kind == "f" and bool(np.isfinite(where).all())
    kind: Kind = "even"
    if binned := numbers and len(values) > MOST_VALUES:
        kind = "log" if where.min() > 0 and where.max() > 20 * where.min() else "linear"
        edges = (np.geomspace if kind == "log" else np.linspace)(
            where.min(), where.max(), _BINS + 1
        )
        codes = np.clip(np.searchsorted(edges, where, side="right") - 1, 0, _BINS - 1)
        at = np.sqrt(edges[:-1] * edges[1:]) if kind == "log" else (edges[:-1] + edges[1:]) / 2
        values = at.tolist()
    elif numbers:
        at = np.array(values)
        kind = _kind(at)
    else:
        values = [short(value) for value in values]
    if even or kind == "even":
        kind, at, edges = (
            "even",
            np.arange(len(values), dtype=float),
            np.arange(len(values) + 1) - 0.5,
        )
        where = at[codes]
    elif not binned:
        edges = _edges(at, kind)
    words = any(isinstance(value, str) for value in values)
    return SweptAxis(points.label(name), kind, values, at, edges, codes, where, binned, words)


def scale_axis(
    axis: SweptAxis, line: MatplotlibAxis, room: int = 44, marks: Mapping[int, str] | None = None
) -> None:
    """Scale, ticks at the values and label of an x or a y axis, ``ax.xaxis`` or ``ax.yaxis``.

    Along x there is room for so many letters; labels that find none are left out. Marks stand
    behind their values.
    """
    line.axes.set(**{f"{line.axis_name}scale": "log" if axis.kind == "log" else "linear"})
    line.set_label_text(axis.label)
    if axis.binned and axis.kind != "even":
        return
    texts = [short(value) + (marks or {}).get(k, "") for k, value in enumerate(axis.values)]
    across = line.axis_name == "x"
    words = across and axis.words
    turned = words and sum(map(len, texts)) + 2 * len(texts) > room
    sizes = [(len(text) + 1) / room if across and not turned else 0.085 for text in texts]
    line.set_major_locator(FixedLocator(axis.at))
    line.set_minor_locator(NullLocator())
    line.set_ticklabels(_thinned(axis, texts, sizes))
    if turned:
        line.set_tick_params(labelrotation=25)
        for label in line.get_ticklabels():
            label.set(ha="right", rotation_mode="anchor")


def plain_ticks(line: MatplotlibAxis, low: float, high: float) -> None:
    """Plain numbers along a logarithmic axis of less than three decades, powers of ten along others."""
    if high < 1000 * low:
        line.set_major_locator(LogLocator(subs=(1, 2, 5)))
        line.set_major_formatter(FuncFormatter(lambda value, _: short(value)))
        line.set_minor_formatter(NullFormatter())


def scale_values(line: MatplotlibAxis, values: np.ndarray, count: bool, least: float) -> bool:
    """Logarithmic over orders of magnitude, from ``least`` where zero is among them, or whole numbers.

    Returns whether it was one of them.
    """
    low, high = values.min(), values.max()
    if low == 0 and high > 100:
        getattr(line.axes, f"set_{line.axis_name}scale")("symlog", linthresh=1)
        line.axes.set(**{f"{line.axis_name}lim": (least, 2 * high)})
    elif low > 0 and high > 10 * low:
        line.axes.set(**{f"{line.axis_name}scale": "log"})
        plain_ticks(line, low, high)
    elif count:
        line.set_major_locator(MaxNLocator(5, integer=True))
        if high - low < 3:  # room for a tick where all are the same
            line.axes.set(**{f"{line.axis_name}lim": (low - 0.5, high + 1)})
    else:
        return False
    return True


def limit_axis(axis: SweptAxis, ax: Axes) -> None:
    """The x axis from the first edge to the last."""
    ax.set_xlim(axis.edges[0], axis.edges[-1])
    if axis.binned and axis.kind != "even":
        ax.margins(x=0.03)
        ax.autoscale(axis="x")


def _thinned(axis: SweptAxis, texts: list[str], sizes: list[float]) -> list[str]:
    """Labels, empty where they would run into the one before; sizes as shares of the axis."""
    scale = np.log if axis.kind == "log" else np.asarray
    ends = scale(axis.edges[[0, -1]])
    at = (scale(axis.at) - ends[0]) / (ends[1] - ends[0])
    free, kept = -1.0, []
    for place, text, size in zip(at, texts, sizes, strict=True):
        fits = place - size / 2 >= free
        kept.append(text if fits else "")
        free = place + size / 2 if fits else free
    return kept


def _kind(values: np.ndarray) -> Kind:
    """Logarithmic where the values are a geometric row, or stand too unevenly for a linear axis."""
    if values.size < 3:
        return "even"
    linear = _unevenness(values)
    log = _unevenness(np.log(values)) if values[0] > 0 else np.inf
    if linear > _ALIKE and (log < _ALIKE or log < _UNEVEN < linear):
        return "log"
    return "linear" if linear < _UNEVEN else "even"


def _unevenness(values: np.ndarray) -> float:
    steps = np.diff(values)
    return float(steps.max() / steps.min())


def _edges(at: np.ndarray, kind: Kind) -> np.ndarray:
    """Halfway between the values, on their scale."""
    if kind == "log":
        return np.exp(_edges(np.log(at), "linear"))
    middle = (at[1:] + at[:-1]) / 2
    return np.concatenate([[2 * at[0] - middle[0]], middle, [2 * at[-1] - middle[-1]]])
