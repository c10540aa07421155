"""Whole figures of a sweep: which panels, for a column (8.5 cm) or a page (17 cm).

Every plot is also a function of its own, for one's own axes:

    with paper_style():
        ax = draw_heat_map(plt.figure().add_subplot(), data, "peak_contact_force_N", x, y)
"""

import json
import textwrap
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np
import xarray as xr
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dynamics import BadInput, require_known
from dynamics.files import inside
from hopfield_nav.figures.run import draw_trajectory, trajectory_handles
from hopfield_nav.figures.saving import save_figure, settings_note
from hopfield_nav.figures.sheets import add_legend, labelled, new_figure
from hopfield_nav.figures.solid import in_space
from hopfield_nav.figures.style import (
    CENTIMETRE,
    COLUMN,
    PAGE,
    panels_across,
    paper_style,
    sheet_width,
)
from hopfield_nav.figures.sweep.axes import swept_axis
from hopfield_nav.figures.sweep.heat_map import (
    add_bar,
    draw_heat_map,
    heat_map_handles,
    mark_handles,
    norm_of,
)
from hopfield_nav.figures.sweep.lines import draw_lines, draw_outcomes
from hopfield_nav.figures.sweep.pareto import draw_pareto
from hopfield_nav.figures.sweep.points import MARKS, TIME, Points, median, plain, short
from hopfield_nav.record import Run, check_checksums, load_run, read_netcdf

PEAK, DELAY, ALARMS = "peak_contact_force_N", "detection_delay_median_s", "false_alarm_count"
MAIN = (TIME, PEAK, ALARMS, DELAY)
MOST_BESIDE = 6  # values of a third parameter, each with a heat map
FALL_BACK = 4  # other quantities drawn where no main one was recorded
FRONTS = ((ALARMS, DELAY), (TIME, PEAK))
RUNS = "runs"  # in the folder of a sweep
_LETTERS = 14  # of a line above a panel, an inch of its width
_UNBROKEN = "\u00a0"  # between a parameter and its value, which stay in one line


def sweep_pages(data: xr.Dataset) -> Iterator[tuple[str, Figure]]:
    """Every figure that says something of the table of a sweep, with its file's name.

    Outcomes where they differ. One parameter: lines, or strips. Two: heat maps, Pareto fronts.
    Three: a heat map of every quantity for each value of the third, Pareto fronts. More, or random
    values: lines over each, Pareto fronts.
    """
    points = Points(data)
    varied = [name for name in points.parameters if len(set(points.values(name))) > 1]
    names = varied or list(points.parameters[:1])
    changing = [name for name in main_quantities(points) if varies(points, name)]
    third = third_parameter(points, varied)
    if len(set(points.outcome)) > 1:
        over: Sequence[str | None] = names or [None]
        figure = _grid([partial(draw_outcomes, data=data, x=name) for name in over], 5.0)
        yield "outcomes", add_legend(figure, labelled(figure), 8 if len(names) > 1 else 4)
    if changing and len(names) == 2 and "run" not in data.dims:
        yield "heat_maps", heat_maps_page(data, changing, *names)
    elif third is not None:
        x, y = (name for name in names if name != third)
        yield from (
            (f"heat_maps_{name}", multiples_page(data, name, x, y, third)) for name in changing
        )
    elif changing:
        for name in names:
            ending = "" if len(names) == 1 else "_" + file_name(name)
            figure = _grid(
                [partial(draw_lines, data=data, quantity=each, x=name) for each in changing], 4.8
            )
            binned = swept_axis(points, name).binned  # no value has a place of its own
            yield f"lines{ending}", add_legend(figure, [] if binned else mark_handles(points), 2)
    fronts = [
        pair
        for pair in fronts_of(data)
        if all(points.has(name) and varies(points, name) for name in pair)
    ]
    if fronts and len(names) > 1:
        yield (
            "pareto",
            _grid([partial(draw_pareto, data=data, x=x, y=y) for x, y in fronts[:2]], 6.2),
        )


def third_parameter(points: Points, varied: Sequence[str]) -> str | None:
    """Of three parameters of a grid the one with the fewest values, which stand beside each other; None if many."""
    counts = {name: len(set(points.values(name))) for name in varied}
    if len(counts) != 3 or "run" in points.data.dims or min(counts.values()) > MOST_BESIDE:
        return None
    return min(reversed(list(counts)), key=lambda name: counts[name])


def fronts_of(data: xr.Dataset) -> list[tuple[str, str]]:
    """Pairs of quantities with a front: those of the aim first."""
    aim = json.loads(data.attrs.get("aim", "{}"))
    named = [condition.split()[0] for condition in aim.get("while", [])]
    own = [
        (name, aim["least"]) for name in named if name in data.variables and name != aim["least"]
    ]
    return [*own, *(pair for pair in FRONTS if pair not in own)]


def varies(points: Points, quantity: str) -> bool:
    """Whether the runs have more than one value of a quantity."""
    values = points.numbers(quantity)
    return len(np.unique(values[np.isfinite(values)])) > 1


def main_quantities(points: Points) -> list[str]:
    """What is drawn first: time, force, false alarms, delay, but what is always 0; else other numbers."""
    found = [name for name in MAIN if points.has(name)]
    if found:
        return [name for name in found if _is_used(points, name)] or found
    names = [
        str(n)
        for n in points.data.data_vars
        if n not in ("index", "seed", "outcome", "error", "reason")
    ]
    return [n for n in names if points.data[n].dtype.kind in "fiu" and points.has(n)][:FALL_BACK]


def _is_used(points: Points, quantity: str) -> bool:
    return bool(np.nan_to_num(points.numbers(quantity)).any())


def heat_maps_page(data: xr.Dataset, quantities: list[str], x: str, y: str) -> Figure:
    """A heat map of each quantity; the longer axis lies across."""
    x, y = _longer_first(Points(data), x, y)
    figure = _grid(
        [partial(draw_heat_map, data=data, quantity=name, x=x, y=y) for name in quantities], 5.6
    )
    return add_legend(figure, heat_map_handles(data, quantities), 5 if len(quantities) > 1 else 1)


def _longer_first(points: Points, *names: str) -> list[str]:
    return sorted(names, key=lambda name: -len(set(points.values(name))))


def multiples_page(data: xr.Dataset, quantity: str, x: str, y: str, third: str) -> Figure:
    """Heat maps of a quantity over two parameters, one for each value of a third, in the same colours."""
    points = Points(data)
    x, y = _longer_first(points, x, y)
    values = swept_axis(points, third).values
    columns = panels_across(min(3, len(values)), PAGE)
    rows = -(-len(values) // columns)
    figure = new_figure(PAGE, (5.2 * rows + 1.2) * CENTIMETRE)
    medians = np.array([median(points.numbers(quantity)[cell]) for cell in points.settings()])
    shares = np.array([points.reached[cell].mean() for cell in points.settings()])
    norm, axes = norm_of(medians, shares, quantity), []
    for k, value in enumerate(values):
        ax = figure.add_subplot(rows, columns, k + 1)
        axes.append(draw_heat_map(ax, data, quantity, x, y, (third, k), norm))
        ax.set_title(f"{points.label(third)}: {short(value)}", loc="left")
        ax.label_outer()
    add_bar(axes, axes[0].collections[0], points.label(quantity), quantity, medians)
    return add_legend(figure, heat_map_handles(data, [quantity]), 5)


def file_name(key: str) -> str:
    """A key of the world as part of a file's name."""
    return key.replace("*", "_scale").replace(".", "_")


def _grid(draws: Sequence[Callable[[Axes], Axes]], height: float) -> Figure:
    """One panel in a column, or more of them two a row on a page; heights in cm."""
    width = PAGE if len(draws) > 1 else COLUMN
    columns = panels_across(min(2, len(draws)), width)
    rows = -(-len(draws) // columns)
    figure = new_figure(width, (rows * height + 0.5) * CENTIMETRE)
    for k, draw in enumerate(draws):
        draw(figure.add_subplot(rows, columns, k + 1))
    return figure


def draw_sweep_figures(
    folder: str | Path, pdf: bool = False, out: str | Path | None = None
) -> list[Path]:
    """Draw every figure that makes sense for a sweep into the ``figures`` of its result folder; the files.

    ``out`` is another folder for them. On request there is a PDF beside each PNG; older figures of
    the same names are replaced.

    Raises ``BadInput``: there is no result in the folder; ``OSError``: a file cannot be written.
    """
    data = read_table(folder)
    figures = _place(folder, out)
    written: list[Path] = []
    with paper_style():
        for name, figure in chain(sweep_pages(data), [("paths", paths_page(data, Path(folder)))]):
            written += (
                [] if figure is None else save_figure(figure, figures, name, pdf, sweep_note(data))
            )
    return written


def sweep_note(data: xr.Dataset) -> str:
    """What stands below the figures of a sweep: its world, and the settings that all its runs share."""
    shared = {
        k: v
        for k, v in json.loads(data.attrs.get("settings", "{}")).items()
        if k not in data.variables
    }
    points = Points(data)
    idle = ", ".join(points.label(n) for n in MAIN if points.has(n) and not _is_used(points, n))
    name = str(data.attrs.get("world", ""))
    return settings_note(f"{name}  ·  0 in every run: {idle}" if idle else name, shared)


def _place(folder: str | Path, out: str | Path | None) -> Path:
    """Where the figures of a sweep go: into its folder, or ``out``."""
    return inside(Path(folder) / "figures", Path(folder)) if out is None else Path(out)


def draw_heat(
    folder: str | Path, quantity: str, x: str, y: str, pdf: bool = False,
    out: str | Path | None = None,
) -> list[Path]:  # fmt: skip
    """Draw a heat map of any quantity over two parameters of a sweep in its result folder; the files.

    ``x`` lies across, ``y`` upwards; ``out`` is another folder; on request there is a PDF beside the PNG.

    Raises ``BadInput``: there is no result in the folder, or no such column, or nothing varies in
    it.
    """
    data = read_table(folder)
    points = Points(data)
    for name in (x, y):
        require_known(name, points.parameters, "no swept parameter", "--over")
    if x == y:
        raise BadInput("a heat map needs two parameters", where="--over", found=f"{x},{y}")
    if not varies(points, quantity):
        raise BadInput("every run has the same value, or none", where="--heat", found=quantity)
    with paper_style():
        figure = heat_maps_page(data, [quantity], x, y)
        figures = _place(folder, out)
        return save_figure(figure, figures, f"heat_{file_name(quantity)}", pdf, sweep_note(data))


def read_table(folder: str | Path) -> xr.Dataset:
    """The table of a finished sweep, from its result folder.

    Raises ``BadInput``: it holds no ``sweep.nc``, or a damaged one.
    """
    path = Path(folder) / "sweep.nc"
    if not path.is_file():
        raise BadInput("no finished sweep here (sweep.nc is missing)", where=str(folder))
    check_checksums(Path(folder))
    return read_netcdf(path)


def paths_page(data: xr.Dataset, folder: Path) -> Figure | None:
    """The first run of the base world's setting and of the best; None where none was kept, or no path is in a plane."""
    marks: dict[int, str] = {}
    for name, mark in MARKS.items():
        if name in data.attrs:
            marks[int(data.attrs[name])] = marks.get(int(data.attrs[name]), "") + mark
    kept = {index: run for index in marks if (run := _kept(folder, index)) is not None}
    if not kept:
        return None
    width = PAGE if len(kept) > 1 else COLUMN
    columns = panels_across(len(kept), width)
    rows = -(-len(kept) // columns)
    figure = new_figure(width, (0.5 + 8.0 * rows) * CENTIMETRE)
    letters = int(_LETTERS * sheet_width(width) / columns)
    handles, points = dict[str, Artist](), Points(data)
    for k, (index, run) in enumerate(kept.items()):
        ax = draw_trajectory(figure.add_subplot(rows, columns, k + 1), run)
        row, peak = points.row_at(index), run.summary["peak_contact_force_N"]
        settings = [
            f"{plain(name)} {short(points.values(name)[row])}".replace(" ", _UNBROKEN)
            for name in points.parameters
        ]
        named = f"{marks[index]}{_UNBROKEN}{', '.join(settings)}"
        words = textwrap.wrap(named, letters, break_long_words=False, break_on_hyphens=False)
        end = f"{run.outcome} after {run.summary['simulated_time_s']:.1f} s"
        end += "" if peak is None else f", {peak:.1f} N at most"
        ax.set_title("\n".join([*words, end]), loc="left", size="small")
        handles |= {str(handle.get_label()): handle for handle in trajectory_handles(run)}
    return add_legend(figure, list(handles.values()), 6)


def _kept(folder: Path, index: int) -> Run | None:
    """The run of that index, if it is there and its path lies in a plane."""
    place = folder / RUNS / f"{index:06d}"
    try:
        run = load_run(inside(place, folder)) if place.is_dir() else None
    except BadInput:
        return None
    flat = run is not None and run.world.map.space == "tool" and not in_space(run)
    return run if flat and run is not None and run.data.sizes["time"] > 1 else None
