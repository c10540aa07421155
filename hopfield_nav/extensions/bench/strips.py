"""Every run of some methods as a dot: a panel for each quantity, a line for each method."""

import hopfield_nav.figures  # isort: skip  # noqa: F401  (first: Matplotlib without the settings of the user)

import textwrap
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from hopfield_nav.extensions.bench.suite import Suite
from hopfield_nav.extensions.bench.tables import FELT, Cell, Row, compared_of, rows_of
from hopfield_nav.figures import CENTIMETRE, COLOURS, COLUMN, new_figure
from hopfield_nav.figures.sweep import median
from hopfield_nav.record import Quantity

NOTE = "A dot is a run, the line the median. Touches, time and way are of the runs that reached the goal."
_BESIDE = 2  # panels
# of the line of a method, of a line of its name, of what is below a panel
_METHOD, _TEXT, _BELOW = 0.36 * CENTIMETRE, 0.32 * CENTIMETRE, 1.15 * CENTIMETRE
_NAME, _LABEL = 16, 20  # letters of a line of a method's name, and of the label of a panel
_SPREAD = 0.28  # half of a line's height, over which its dots are spread


def draw_strips(
    suite: Suite, rows: Sequence[Row], methods: Sequence[str], cell: Cell
) -> Figure | None:
    """Strips of the quantities that a suite compares, but for those that are the same in all runs; None without any.

    What cannot be negative begins at zero, so that a small difference looks small.
    """
    own = {name: [r for r in rows_of(rows, cell, name) if r["counts"]] for name in methods}
    found = {
        key: [_values(runs, key, q) for runs in own.values()]
        for key, q in compared_of(suite).items()
    }
    shown = [key for key, values in found.items() if len(np.unique(np.concatenate(values))) > 1]
    if not shown:
        return None
    names = [textwrap.fill(name, _NAME, break_long_words=False) for name in methods]
    longest = max(name.count("\n") + 1 for name in names)
    lines = -(-len(shown) // _BESIDE)
    tall = len(methods) * max(_METHOD, longest * _TEXT) + _BELOW
    figure = new_figure(COLUMN, lines * tall)
    for k, key in enumerate(shown):
        ax = figure.add_subplot(lines, min(_BESIDE, len(shown)), k + 1)
        _draw_panel(ax, found[key], suite.kept[key], key.endswith("_count"))
        ax.set_yticks(range(len(methods)), names if k % _BESIDE == 0 else [""] * len(methods))
    return figure


def _draw_panel(ax: Axes, values: Sequence[np.ndarray], quantity: Quantity, is_count: bool) -> None:
    """The runs of every method on a line of its own, the first at the top, and their median."""
    for line, own in enumerate(values):
        beside = np.zeros(own.size)
        if own.size > 1:
            beside = np.linspace(-_SPREAD, _SPREAD, own.size)
        ax.plot(own, line + beside, "o", color=COLOURS.felt, alpha=0.5, ms=3, mew=0, zorder=2)
        middle = median(own)
        ax.vlines(middle, line - 1.3 * _SPREAD, line + 1.3 * _SPREAD, color=COLOURS.ink, lw=1.2)
    finite = np.concatenate(values)
    ax.margins(x=0.06)
    if finite.min() >= 0.0:
        ax.set_xlim(-0.04 * finite.max(), 1.07 * finite.max())
    ax.set_ylim(len(values) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", color=COLOURS.grid, lw=0.4)
    ax.set_axisbelow(True)
    ax.xaxis.set_major_locator(MaxNLocator(3, integer=is_count))
    label = quantity.label + (f" ({quantity.shown})" if quantity.shown else "")
    ax.set_xlabel(textwrap.fill(label, _LABEL))


def _values(rows: Sequence[Row], key: str, quantity: Quantity) -> np.ndarray:
    """What the runs have of a quantity, in the unit of tables."""
    told = (r[key] for r in rows if key in FELT or r["outcome"] == "reached")
    return quantity.scale * np.array(
        [value for value in told if value is not None and np.isfinite(value)], float
    )
