"""Many small maps on one page."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hopfield_nav.figures.map_layers import map_extent
from hopfield_nav.run import Run
from hopfield_nav.style import CENTIMETRE


def few_empty(count: int, choices: tuple[int, ...]) -> int:
    """How many columns leave the fewest places empty; up to four panels stand in one row."""
    if count <= 4:
        return count
    return min(choices, key=lambda columns: (-count % columns, -columns))


def map_grid(run: Run, width: float, count: int, columns: int, head: float) -> tuple[Figure, list[Axes]]:
    """Panels of the map's shape below a head [inch] for the legend; numbers at the outer edges only."""
    margin_left, margin_right, gap, title = (c * CENTIMETRE for c in (1.25, 0.15, 0.18, 0.5))
    bottom = 0.95 * CENTIMETRE
    left, right, low, high = map_extent(run)
    wide = (width - margin_left - margin_right - (columns - 1) * gap) / columns
    tall = min(wide * (high - low) / (right - left), 3 * wide)
    rows = -(-count // columns)
    height = head + bottom + rows * (tall + title)
    figure = Figure((width, height))
    panels = []
    for k in range(count):
        x = margin_left + (k % columns) * (wide + gap)
        y = bottom + (rows - 1 - k // columns) * (tall + title)
        ax = figure.add_axes((x / width, y / height, wide / width, tall / height))
        ax.tick_params(labelbottom=k + columns >= count, labelleft=k % columns == 0)
        panels.append(ax)
    return figure, panels
