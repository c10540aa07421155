"""How every picture looks: colours with fixed meanings, fonts, lines and sizes; and what every page is made with.

Figures are made and saved inside ``with paper_style():``, where the user's settings of Matplotlib
do not count; outside they stay as they are. The page in a browser has the same colours.

Recorded signals have tens of thousands of rows; fewer points look the same. Legends stand above all
panels, where they cover no data.
"""

import io
import json
import textwrap
from collections.abc import Mapping
from contextlib import AbstractContextManager
from math import ceil
from pathlib import Path
from typing import IO, Any, NamedTuple

import matplotlib
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from dynamics.files import whole_file


class Palette(NamedTuple):
    """Colours by meaning; the seven that carry one differ for colour-blind readers too."""

    # what the arm believes: felt cells, estimated force, detections
    felt: str = "#0072B2"
    # the path that the network found, and references
    planned: str = "#CC79A7"
    # where the tool and the joints went
    travelled: str = "#E69F00"
    # simulated truth that the arm cannot know: contact force, touch
    true: str = "#303030"
    # start, goal: of the tool
    start: str = "#009E73"
    goal: str = "#D55E00"
    # a missed contact
    missed: str = "#F0E442"
    # the true obstacles
    obstacle: str = "#B9B9B9"
    # cells that no plan may use although nothing was felt there (rim, known obstacles, out of the
    # arm's reach), and other quiet grey
    excluded: str = "#6E6E6E"
    # grid, ink: thin lines, and text
    grid: str = "#D4D4D4"
    ink: str = "#222222"
    # tube, housing, cap: the arm
    tube: str = "#D3DAE2"
    housing: str = "#8494A6"
    cap: str = "#5B6B7E"


COLOURS = Palette()
CENTIMETRE = 1 / 2.54  # [inch]
COLUMN = 8.5 * CENTIMETRE  # [inch] one column of a paper
PAGE = 17.0 * CENTIMETRE  # [inch] both columns
DPI = 300
_BINS = 1000  # a column of a paper at 300 dpi has as many pixels
_SMALL = 4.6  # [pt] letters of a note
_LETTERS = 30  # of them an inch
_LEGEND = 19  # letters of a legend an inch
NOTE_GAP = "  ·  "  # between two entries of a note
_PACKED = 3  # of 9 levels: a tenth larger than at the default, 6, and a quarter sooner written

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
    "axes.titley": 1.0,  # right above the panel: looking for a free place takes as long as drawing the axes
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


def new_figure(width: float, height: float) -> Figure:
    """A figure [inch] whose panels are placed so that nothing overlaps."""
    figure = Figure((width, height), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.02, h_pad=0.02, wspace=0.02, hspace=0.02)
    return figure


def add_legend(figure: Figure, handles: list[Artist], columns: int) -> Figure:
    """A legend above all panels, where it covers no data, in so many columns at most as have room."""
    if handles:
        words = [str(handle.get_label()) for handle in handles]
        count = next(
            (
                k
                for k in range(min(columns, len(words)), 1, -1)
                if _room(words, k) <= figure.get_figwidth()
            ),
            1,
        )
        figure.legend(handles=handles, loc="outside upper center", ncols=count, borderaxespad=0.1)
    return figure


def labelled(figure: Figure) -> list[Artist]:
    """What has a label in the panels of a figure, each label once: the handles of its legend."""
    pairs = (zip(*ax.get_legend_handles_labels(), strict=True) for ax in figure.axes)
    return list({label: handle for panel in pairs for handle, label in panel}.values())


def _room(words: list[str], columns: int) -> float:
    """About how wide a legend is [inch]: it is filled column by column, and a mark has the room of seven letters."""
    rows = ceil(len(words) / columns)
    return sum(7 + max(map(len, words[k : k + rows])) for k in range(0, len(words), rows)) / _LEGEND


def panel_sheet(
    width: float, shape: float, count: int, columns: int, handles: list[Artist], per_row: int,
    left: float = 0.0, right: float = 0.0, below: float = 0.0, between: float = 0.0, title: float = 0.0,
) -> tuple[Figure, list[Axes]]:  # fmt: skip
    """Panels, whose height over width is ``shape``, on a figure of a width [inch], below a legend of all of them.

    The room around them is in cm: at their left and right, below all, between two of them, and
    above each.
    """
    left, right, below, between, title = (
        CENTIMETRE * room for room in (left, right, below, between, title)
    )
    rows = ceil(count / columns)
    wide = (width - left - right - (columns - 1) * between) / columns
    tall, head = wide * shape, 0.4 * CENTIMETRE * ceil(len(handles) / per_row)
    height = head + below + rows * (tall + title)
    figure = Figure((width, height))
    places = [
        (
            left + (k % columns) * (wide + between),
            below + (rows - 1 - k // columns) * (tall + title),
        )
        for k in range(count)
    ]
    figure.legend(handles=handles, loc="upper center", ncols=per_row, borderaxespad=0.1)
    return figure, [
        figure.add_axes((x / width, y / height, wide / width, tall / height)) for x, y in places
    ]


def evenly(count: int, most: int) -> list[int]:
    """Which of ``count`` things are drawn: all, or ``most`` of them evenly, the first and last included."""
    return [int(k) for k in np.linspace(0, count - 1, min(count, most)).round()]


def keep_scale(ax: Axes, least: float) -> Axes:
    """Let the upright axis span at least so much, about the middle of what is drawn: less is noise."""
    low, high = ax.get_ylim()
    if high - low < least:
        ax.set_ylim((low + high - least) / 2, (low + high + least) / 2)
    return ax


def envelope(time: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The smallest and the largest value of each of so many stretches, in order of time; or all.

    Every point is one of the signal's own; no peak is lost. Values (k,) that are not finite are
    left out where others are near.
    """
    count = values.size
    if count <= 2 * _BINS:
        return time, values
    width = -(-count // _BINS)
    padded = np.concatenate([values, np.full(-count % width, np.nan)]).reshape(-1, width)
    finite = np.isfinite(padded)
    first = np.arange(len(padded)) * width
    low = first + np.argmin(np.where(finite, padded, np.inf), axis=1)
    high = first + np.argmax(np.where(finite, padded, -np.inf), axis=1)
    rows = np.unique(np.concatenate([[0], low, high, [count - 1]]))
    return time[rows], values[rows]


def path_rows(position: np.ndarray, distance: float = 3e-4) -> np.ndarray:
    """Rows (m,) of a path (k, d) at which another ``distance`` has been travelled [m], and both ends."""
    if len(position) < 3:
        return np.arange(len(position))
    with np.errstate(over="ignore", invalid="ignore"):
        steps = np.sqrt(np.sum(np.diff(position, axis=0) ** 2, axis=1))
    travelled = np.cumsum(np.where(np.isfinite(steps), np.minimum(steps, 1.0), 0.0))
    marks = np.flatnonzero(np.diff(np.floor(travelled / distance), prepend=0.0)) + 1
    return np.unique(np.concatenate([[0], marks, [len(position) - 1]]))


def settings_note(name: str, settings: Mapping[str, Any]) -> str:
    """What is written below a figure: of which world it is, and the settings."""
    return NOTE_GAP.join(
        [
            name,
            *(f"{key} {_brief(value)}".replace(" ", "\u00a0") for key, value in settings.items()),
        ]
    )


def add_note(figure: Figure, note: str) -> float:
    """Write a note below a figure, outside of it, in three small lines at most; how high it is [inch]."""
    if not note:
        return 0.0
    width, height = figure.get_size_inches()
    lines = textwrap.wrap(
        note, int(width * _LETTERS), max_lines=3, placeholder="  …", break_long_words=False
    )
    how: dict[str, Any] = {
        "fontsize": _SMALL,
        "color": COLOURS.excluded,
        "va": "top",
        "linespacing": 1.3,
    }
    figure.text(0.04 / width, -0.02 / height, "\n".join(lines), in_layout=False, **how)
    return (
        ceil(DPI * (0.05 + 1.35 * _SMALL / 72 * len(lines))) / DPI
    )  # whole pixels: what is above stays


def save_figure(
    figure: Figure, folder: Path, name: str, pdf: bool = False, note: str = ""
) -> list[Path]:
    """Write a PNG, on request a PDF too, each whole or not at all; the folder is made if there is none.

    The note stands below the figure, which keeps its size.
    """
    folder.mkdir(parents=True, exist_ok=True)
    below = add_note(figure, note)
    paths = [folder / f"{name}.{ending}" for ending in (("png", "pdf") if pdf else ("png",))]
    for path in paths:
        with whole_file(path) as written:
            _write(figure, written, below, path.suffix[1:])
    return paths


def _write(figure: Figure, file: Path | IO[bytes], below: float, kind: str = "png") -> None:
    """Write what is drawn of a figure with so much of a note below it [inches]."""
    how: dict[str, Any] = {"pil_kwargs": {"compress_level": _PACKED}} if kind == "png" else {}
    shown = Bbox([[0.0, -below], figure.get_size_inches()]) if below else None
    figure.savefig(file, format=kind, dpi=DPI, bbox_inches=shown, **how)


def shown_in_notebooks(figure: Figure, below: float) -> Figure:
    """The figure, of which a notebook shows a picture, also where no backend of its own is chosen."""

    def picture() -> bytes:
        with paper_style(), io.BytesIO() as written:
            _write(figure, written, below)
            return written.getvalue()

    setattr(figure, "_repr_png_", picture)  # noqa: B010  (to mypy a figure has none)
    return figure


def _brief(value: Any) -> str:
    """A value of a world file in a few letters."""
    if isinstance(value, list) and value:
        texts = [_brief(item) for item in value]
        return texts[0] if len(set(texts)) == 1 and len(texts) > 3 else f"[{', '.join(texts)}]"
    if isinstance(value, float):
        return f"{value:.4g}"
    return value.rpartition("/")[2] if isinstance(value, str) else json.dumps(value)
