"""How every picture looks: fonts, lines and sizes.

Figures are made and saved inside ``with paper_style():``, where the user's settings of Matplotlib
do not count; outside they stay as they are. ``paper_style(width=0.088, footer=False)`` makes them as
wide as a journal asks for, without the grey line below.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

import matplotlib

from hopfield_nav.figures.palette import COLOURS

CENTIMETRE = 1 / 2.54  # [inch]
COLUMN = 8.5 * CENTIMETRE  # [inch] one column of a paper
PAGE = 17.0 * CENTIMETRE  # [inch] both columns
DPI = 300
_INCH = 0.0254  # [m]


class Sheet(NamedTuple):
    """What a user chooses of every figure."""

    # [inch] of the figure; None: as the figure has it by itself
    width: float | None = None
    # whether world and settings are written below it, in grey
    footer: bool = True


_PLAIN = Sheet()
_SHEET: ContextVar[Sheet] = ContextVar("sheet", default=_PLAIN)

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


@contextmanager
def paper_style(width: float | None = None, footer: bool | None = None) -> Iterator[None]:
    """Fonts of 7 to 7.5 points and thin lines: legible at a column's width.

    ``width`` [m] and ``footer`` are those of ``on_sheet``.
    """
    settings = {**_SHARED, **_sizes(7.5, 0.9), "savefig.dpi": DPI}
    with matplotlib.rc_context(settings), on_sheet(width, footer):
        yield


@contextmanager
def on_sheet(width: float | None = None, footer: bool | None = None) -> Iterator[None]:
    """Figures of a width [m], without a ``footer`` where it is False; None leaves either as it is."""
    now = _SHEET.get()
    chosen = Sheet(
        width=now.width if width is None else width / _INCH,
        footer=now.footer if footer is None else footer,
    )
    token = _SHEET.set(chosen)
    try:
        yield
    finally:
        _SHEET.reset(token)


def sheet_width(width: float) -> float:
    """How wide a figure is [inch] that is so wide by itself."""
    return _SHEET.get().width or width


def has_footer() -> bool:
    """Whether a grey line below a figure says of which world it is."""
    return _SHEET.get().footer


def panels_across(count: int, width: float) -> int:
    """How many panels stand beside each other on the sheet, where ``count`` do on a ``width`` [inch]."""
    share = sheet_width(width) / width
    return max(1, min(count, int(count * share + 0.5)))


def film_style() -> AbstractContextManager[None]:
    """Larger letters and lines, for 1280 x 720 pixels at 100 a inch."""
    return matplotlib.rc_context({**_SHARED, **_sizes(11.0, 1.4)})
