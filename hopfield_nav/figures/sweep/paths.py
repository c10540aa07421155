"""The paths of chosen settings beside each other, where their runs were kept."""

import textwrap
from pathlib import Path

import xarray as xr
from matplotlib.artist import Artist
from matplotlib.figure import Figure

from dynamics import BadInput
from dynamics.files import inside
from hopfield_nav.figures.run import draw_trajectory, trajectory_handles
from hopfield_nav.figures.sheets import add_legend, new_figure
from hopfield_nav.figures.solid import in_space
from hopfield_nav.figures.style import CENTIMETRE, COLUMN, PAGE
from hopfield_nav.figures.sweep.points import MARKS, Points, plain, short
from hopfield_nav.record import Run, load_run

RUNS = "runs"  # in the folder of a sweep
_LETTERS = 42  # of a line above a panel


def paths_page(data: xr.Dataset, folder: Path) -> Figure | None:
    """The first run of the base world's setting and of the best; None where none was kept, or no path is in a plane."""
    marks: dict[int, str] = {}
    for name, mark in MARKS.items():
        if name in data.attrs:
            marks[int(data.attrs[name])] = marks.get(int(data.attrs[name]), "") + mark
    kept = {index: run for index in marks if (run := _kept(folder, index)) is not None}
    if not kept:
        return None
    figure = new_figure(PAGE if len(kept) > 1 else COLUMN, 8.5 * CENTIMETRE)
    handles, points = dict[str, Artist](), Points(data)
    for k, (index, run) in enumerate(kept.items()):
        ax = draw_trajectory(figure.add_subplot(1, len(kept), k + 1), run)
        row, peak = points.row_at(index), run.summary["peak_contact_force_N"]
        setting = ", ".join(f"{plain(name)} {short(points.values(name)[row])}" for name in points.parameters)
        words = textwrap.wrap(f"{marks[index]} {setting}", _LETTERS, max_lines=3)
        end = f"{run.outcome} after {run.summary['simulated_time_s']:.1f} s"
        end += "" if peak is None else f", {peak:.1f} N at most"
        ax.set_title("\n".join([*words, end]), loc="left")
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
