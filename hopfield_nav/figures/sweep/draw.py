"""The figures of a sweep, drawn from its result folder alone, ready for a paper.

Every plot is also a function of its own, for one's own axes:

    with paper_style():
        ax = draw_heat_map(plt.figure().add_subplot(), data, "peak_contact_force_N", x, y)
"""

import json
from pathlib import Path

import xarray as xr

from dynamics import BadInput, require_known
from dynamics.files import inside
from hopfield_nav.figures import paper_style, save_figure, settings_note
from hopfield_nav.figures.sweep.pages import file_name, heat_maps_page, idle_quantities, sweep_pages, varies
from hopfield_nav.figures.sweep.points import Points
from hopfield_nav.record import check_checksums, read_netcdf


def draw_sweep_figures(folder: str | Path, pdf: bool = False) -> list[Path]:
    """Draw every figure that makes sense for a sweep into the ``figures`` of its result folder; the files.

    On request there is a PDF beside each PNG; older figures of the same names are replaced.

    Raises:
        BadInput: there is no result in the folder.
        OSError: a file cannot be written.
    """
    data = read_table(folder)
    figures = inside(Path(folder) / "figures", Path(folder))
    figures.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    with paper_style():
        for name, figure in sweep_pages(data):
            written += save_figure(figure, figures, name, pdf, sweep_note(data))
    return written


def sweep_note(data: xr.Dataset) -> str:
    """What stands below the figures of a sweep: its world, and the settings that all its runs share."""
    told = data.attrs
    shared = {k: v for k, v in json.loads(told.get("settings", "{}")).items() if k not in data.variables}
    idle = ", ".join(idle_quantities(Points(data)))
    return settings_note(str(told.get("world", "")), shared, *([f"0 in every run: {idle}"] if idle else []))


def draw_heat(folder: str | Path, quantity: str, x: str, y: str, pdf: bool = False) -> list[Path]:
    """Draw a heat map of any quantity over two parameters of a sweep in its result folder; the files.

    ``x`` lies across, ``y`` upwards; on request there is a PDF beside the PNG.

    Raises:
        BadInput: there is no result in the folder, or no such column, or nothing varies in it.
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
        figures = inside(Path(folder) / "figures", Path(folder))
        return save_figure(figure, figures, f"heat_{file_name(quantity)}", pdf, sweep_note(data))


def read_table(folder: str | Path) -> xr.Dataset:
    """The table of a finished sweep, from its result folder.

    Raises:
        BadInput: it holds no ``sweep.nc``, or a damaged one.
    """
    path = Path(folder) / "sweep.nc"
    if not path.is_file():
        raise BadInput("no finished sweep here (sweep.nc is missing)", where=str(folder))
    check_checksums(Path(folder))
    return read_netcdf(path)
