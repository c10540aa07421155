"""What every page of figures is made with: empty figures, panels on a sheet, legends, scales.

Legends stand above all panels, where they cover no data.
"""

from math import ceil

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hopfield_nav.figures.style import CENTIMETRE, panels_across, sheet_width

_LEGEND = 19  # letters of a legend an inch


def new_figure(width: float, height: float) -> Figure:
    """A figure [inch] whose panels are placed so that nothing overlaps.

    Where the sheet has another width, it has that.
    """
    figure = Figure((sheet_width(width), height), layout="constrained")
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
    above each. On a narrower sheet fewer stand beside each other.
    """
    columns, per_row = panels_across(columns, width), panels_across(per_row, width)
    width = sheet_width(width)
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


def keep_scale(ax: Axes, least: float) -> Axes:
    """Let the upright axis span at least so much, about the middle of what is drawn: less is noise."""
    low, high = ax.get_ylim()
    if high - low < least:
        ax.set_ylim((low + high - least) / 2, (low + high + least) / 2)
    return ax
