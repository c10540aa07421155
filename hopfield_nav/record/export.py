"""A run's signals and events for other programs: tables as CSV, everything as a file of MATLAB."""

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dynamics import BadInput
from dynamics.files import whole_file
from hopfield_nav.record.contacts import link_forces_of
from hopfield_nav.record.quantities import is_formula

if TYPE_CHECKING:
    import xarray

    from hopfield_nav.record.run import Run

_LINES = 4096  # written at a time
_PARTS = ("joint", "axis", "map_axis", "flange_axis")  # what a column each is of


def export_csv(run: "Run", folder: Path, every: int = 1) -> list[Path]:
    """Write ``signals.csv``, a line each ``every``-th row, ``events.csv`` and ``link_forces.csv``.

    They have a line for each detection, and for each link that was touched.

    The head of a column is its variable, with the joint or the axis behind it, and its unit: ``q_1
    [rad]``, ``force_x [N]``; it is in quotation marks where a spreadsheet would compute it. What
    holds no numbers, or a grid for each event, is left out. The folder exists; older files are
    replaced. In another folder than the run's the world goes with them.

    Raises ``BadInput``: the run has no signals, or ``every`` is no whole number from 1;
    ``OSError``: a file cannot be written.
    """
    data = _thinned(run, every)
    paths = [folder / "signals.csv", folder / "events.csv"]
    for path, dimension in zip(paths, ("time", "event"), strict=True):
        columns = dict(_columns(data, dimension))
        rows = np.column_stack(list(columns.values()))
        _write_csv(path, [json.dumps(head) if is_formula(head) else head for head in columns], rows)
    head = ["link [1]", "peak_force [N]", "lasting_force [N]"]
    paths.append(_write_csv(folder / "link_forces.csv", head, _link_forces(run)))
    world = folder / "world.yaml"
    if not world.exists():  # which says to those who read the table what arm and methods it is of
        world.write_text(run.world.to_yaml(folder), encoding="utf-8")
    return paths


def _link_forces(run: "Run") -> np.ndarray:
    """(k, 3) link, and its peak and lasting force [N], None for none."""
    rows = [[int(link), *found.values()] for link, found in link_forces_of(run.data).items()]
    return np.array(rows, dtype=object).reshape(-1, 3)


def _write_csv(path: Path, head: Sequence[str], rows: np.ndarray) -> Path:
    """Write a table, some rows at a time, since lists of numbers take more room than an array."""
    with whole_file(path) as partial, partial.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(head)
        for first in range(0, len(rows), _LINES):
            writer.writerows(rows[first : first + _LINES].tolist())
    return path


def export_mat(run: "Run", path: Path, every: int = 1) -> Path:
    """Write every variable of a run to a MATLAB file.

    Units are in ``units``, the summary's numbers in ``summary``; ``link_forces`` are there too.
    Arguments, and errors, are those of ``export_csv``, but for the path of the one file.
    """
    from scipy.io import savemat

    data = _thinned(run, every)
    content: dict[str, Any] = {
        str(name): variable.values.astype(object)
        if variable.dtype.kind in "OU"
        else variable.values
        for name, variable in data.variables.items()
    }
    content["units"] = {str(name): v.attrs.get("units", "1") for name, v in data.variables.items()}
    told = {key: np.nan if value is None else value for key, value in run.summary.items()}
    content["link_forces"] = _link_forces(run).astype(float)
    content["summary"] = {
        key: value for key, value in told.items() if isinstance(value, (str, int, float))
    }
    with whole_file(path) as partial:
        savemat(partial, content, long_field_names=True, do_compression=True, oned_as="column")
    return path


def _thinned(run: "Run", every: int) -> "xarray.Dataset":
    if isinstance(every, bool) or not isinstance(every, int) or every < 1:
        raise BadInput("rows to keep", where="every", found=every, allowed="a whole number from 1")
    if not run.data.sizes["time"]:
        raise BadInput("no signals to export", where="record.signals", found="none", allowed="all")
    return run.data.isel(time=slice(None, None, every))


def _columns(data: "xarray.Dataset", dimension: str) -> Iterator[tuple[str, np.ndarray]]:
    """Head and values of each column of the table along a dimension."""
    if dimension in data.coords:
        yield f"{dimension} [{data[dimension].attrs.get('units', '1')}]", data[dimension].values
    for name, variable in data.data_vars.items():
        unit = variable.attrs.get("units", "1")
        if variable.dtype.kind not in "biuf" or not variable.ndim:
            continue
        if variable.dims == (dimension,):
            yield f"{name} [{unit}]", variable.values
        elif (
            variable.dims[0] == dimension and len(variable.dims) == 2 and variable.dims[1] in _PARTS
        ):
            labels = data[variable.dims[1]].values
            for label, values in zip(labels, variable.values.T, strict=True):
                yield f"{name}_{label} [{unit}]", values
