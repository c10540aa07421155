"""How every picture looks: fonts, lines and sizes.

Figures are made and saved inside ``with paper_style():``, where the user's settings of Matplotlib
do not count; outside they stay as they are.
"""

from contextlib import AbstractContextManager
from typing import Any

import matplotlib

from hopfield_nav.figures.palette import COLOURS

CENTIMETRE = 1 / 2.54  # [inch]
COLUMN = 8.5 * CENTIMETRE  # [inch] one column of a paper
PAGE = 17.0 * CENTIMETRE  # [inch] both columns
DPI = 300

_SHARED: dict[str, Any] = {
    # not the user's
    **{name: value for name, value in matplotlib.rcParamsDefault.items() if name != "backend"},
    "font.family": "DejaVu Sans",  # comes with matplotlib: the same picture on every machine
    "mathtext.fontset": "dejavusans",
    "text.color": COLOURS.ink,
    "axes.labelcolor": COLOURS.ink,
    "axes.edgecolor": COLOURS.ink,
    "xtick.color": COLOURS.ink,
    "ytick.color": COLOURS.ink,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": False,
    "axes.formatter.useoffset": False,  # a tick says its whole value
    # right above the panel: looking for a free place takes as long as drawing the axes
    "axes.titley": 1.0,
    "legend.frameon": False,
    "legend.handlelength": 1.4,
    "legend.columnspacing": 1.0,
    "legend.handletextpad": 0.5,
    "hatch.linewidth": 0.5,
    "lines.solid_capstyle": "round",
    "path.simplify": True,
    "figure.facecolor": "white",
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
}


def _sizes(font: float, line: float) -> dict[str, Any]:
    """Font sizes [pt] and line widths [pt] in proportion."""
    ticks = {
        "labelsize": 0.9 * font,
        "major.width": 0.6 * line,
        "major.size": 0.35 * font,
        "major.pad": 0.3 * font,
    }
    return {
        "font.size": font,
        "axes.labelsize": font,
        "axes.titlesize": font,
        "axes.titlepad": 0.4 * font,
        "axes.labelpad": 0.3 * font,
        "legend.fontsize": 0.9 * font,
        "lines.linewidth": line,
        "axes.linewidth": 0.6 * line,
        **{f"{axis}tick.{key}": value for axis in "xy" for key, value in ticks.items()},
        "grid.linewidth": 0.5 * line,
    }


def paper_style() -> AbstractContextManager[None]:
    """Fonts of 7 to 7.5 points and thin lines: legible at a column's width."""
    return matplotlib.rc_context({**_SHARED, **_sizes(7.5, 0.9), "savefig.dpi": DPI})


def film_style() -> AbstractContextManager[None]:
    """Larger letters and lines, for 1280 x 720 pixels at 100 a inch."""
    return matplotlib.rc_context({**_SHARED, **_sizes(11.0, 1.4)})
