"""Every run of some methods as a dot: a panel for each quantity, at the width of a column."""

import hopfield_nav.figures  # isort: skip  # noqa: F401  (first: Matplotlib without the settings of the user)

import textwrap
from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from hopfield_nav.extensions.bench.suite import Suite
from hopfield_nav.extensions.bench.tables import FELT, Cell, Row, compared_of, rows_of
from hopfield_nav.figures import CENTIMETRE, COLUMN, new_figure
from hopfield_nav.figures.sweep import add_strips, median
from hopfield_nav.record import Quantity

NOTE = "A dot is a run, the line the median. Touches, time and way are of the runs that reached the goal."
# of a row of panels, of the names below the last
_HIGH, _NAMES = (2.4 * CENTIMETRE, 1.4 * CENTIMETRE)
_LINE = 14  # letters of a label beside a panel


def draw_strips(
    suite: Suite, rows: Sequence[Row], methods: Sequence[str], cell: Cell
) -> Figure | None:
    """Strips of the quantities that a suite compares, but for those that are the same in all runs; None without any."""
    own = {name: [r for r in rows_of(rows, cell, name) if r["counts"]] for name in methods}
    found = {
        key: [_values(runs, key, q) for runs in own.values()]
        for key, q in compared_of(suite).items()
    }
    shown = [key for key, values in found.items() if len(np.unique(np.concatenate(values))) > 1]
    if not shown:
        return None
    lines = -(-len(shown) // 2)
    figure = new_figure(COLUMN, lines * _HIGH + _NAMES)
    for k, key in enumerate(shown):
        ax = figure.add_subplot(lines, min(2, len(shown)), k + 1)
        add_strips(
            ax,
            np.arange(len(methods)),
            found[key],
            np.array([median(values) for values in found[key]]),
        )
        quantity = suite.kept[key]
        label = quantity.label + (f" ({quantity.shown})" if quantity.shown else "")
        ax.set_ylabel(textwrap.fill(label, _LINE))
        ax.patch.set_visible(False)  # it would hide the names of the panel above
        ax.margins(y=0.12)
        ax.set_xlim(-0.5, len(methods) - 0.5)
        ax.yaxis.set_major_locator(MaxNLocator(4, integer=key.endswith("_count")))
        # below the last panel of a column
        names = methods if k + 2 >= len(shown) else [""] * len(methods)
        ax.set_xticks(range(len(methods)), names, rotation=20, ha="right", rotation_mode="anchor")
        for name in ax.get_xticklabels():
            # others stand in the place of a panel that is not there
            name.set_in_layout(k // 2 == lines - 1)
    return figure


def _values(rows: Sequence[Row], key: str, quantity: Quantity) -> np.ndarray:
    """What the runs have of a quantity, in the unit of tables."""
    told = (r[key] for r in rows if key in FELT or r["outcome"] == "reached")
    return quantity.scale * np.array(
        [value for value in told if value is not None and np.isfinite(value)], float
    )
