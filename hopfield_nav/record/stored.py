"""Reading the files of a saved run: whatever is wrong with one is told in a line that names it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynamics import BadInput
from dynamics.files import require_regular
from hopfield_nav.record.own_values import require_own_values
from hopfield_nav.record.quantities import SUMMARY, Quantity

if TYPE_CHECKING:
    import xarray

OUTCOMES = ("reached", "no_path", "unreachable", "time_limit", "diverged", "method_failed", "running")
_BIG = 5e8  # bytes that are read into memory
_PART = 65536  # rows
_LATER = (  # not in every older record
    "closed_step", "event_certainty", "final_certainty", "event_passed_by", "event_true_point",
    "event_true_link", "event_slid_until", "felt_change", "felt_change_event",
)  # fmt: skip


def read_summary(path: Path) -> dict[str, Any]:
    """The numbers of ``summary.json``.

    Raises:
        BadInput: the file cannot be read, or a value is none that a run has.
    """
    try:
        require_regular(path)
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise _unreadable(path, error) from None
    if not isinstance(found, dict) or found.get("outcome") not in OUTCOMES:
        allowed = f"an outcome: {', '.join(OUTCOMES)}"
        raise BadInput("not the summary of a run", where=str(path), allowed=allowed)
    for name in SUMMARY.keys() & found.keys():
        if not _fits(SUMMARY[name], found[name]):
            raise BadInput("damaged value", where=f"{path}: {name}", found=found[name])
    return found


def _fits(quantity: Quantity, value: object) -> bool:
    if quantity.words:
        return value is None or value in quantity.words
    kind = str if quantity.unit is None else (int, float, type(None))
    return isinstance(value, kind) and not isinstance(value, bool)


def read_log(path: Path, expected: xarray.Dataset) -> xarray.Dataset:
    """The signals and events of ``log.nc``; ``expected`` is the record of the same world if nothing happens.

    Raises:
        BadInput: the file cannot be read, or a variable is missing, has no unit or another shape.
    """
    data = read_netcdf(path)
    for name, variable in expected.variables.items():
        if name not in data.variables and name not in _LATER:
            raise BadInput("a variable is missing", where=f"{path}: {name}")
        if name in data.variables:
            _check(f"{path}: {name}", data[name], variable, expected)
    return data


def read_netcdf(path: Path) -> xarray.Dataset:
    """A labelled table that this program wrote; of a big one every signal is read when it is asked for.

    Raises:
        BadInput: it cannot be read, or does not hold its values itself.
    """
    import h5py
    import xarray

    try:
        require_regular(path)
        with h5py.File(path, "r") as file:  # where this fails, h5netcdf would complain a second time
            file.attrs.get("_nc3_strict")
            require_own_values(file, str(path), path.stat().st_size)
        stored = xarray.open_dataset(path, engine="h5netcdf", cache=False)
        if stored.nbytes > _BIG:
            _read_through(stored)
            return stored
        with stored:
            return stored.load()
    except Exception as error:  # whatever the libraries stumble over in a damaged file
        raise _unreadable(path, error) from None


def _read_through(stored: xarray.Dataset) -> None:
    """Read every variable once, a part at a time: where the file is damaged, it is now that it shows."""
    for variable in stored.variables.values():
        for first in range(0, len(variable) if variable.ndim else 0, _PART):
            variable[first : first + _PART].load()


def _check(where: str, found: Any, variable: Any, expected: xarray.Dataset) -> None:
    numbers = variable.dtype.kind in "if"
    if found.dims != variable.dims or (numbers and found.dtype.kind != variable.dtype.kind):
        kinds = f"{variable.dtype} over {', '.join(variable.dims)}"
        what = "damaged variable"
        raise BadInput(what, where=where, found=f"{found.dtype} over {', '.join(found.dims)}", allowed=kinds)
    if not isinstance(found.attrs.get("units"), str):
        raise BadInput("no unit", where=where, allowed=variable.attrs["units"])
    for name in set(variable.dims) - _GROW:
        if found.sizes[name] != expected.sizes[name]:
            allowed = f"{expected.sizes[name]} along {name}"
            raise BadInput("damaged variable", where=where, found=found.sizes[name], allowed=allowed)


_GROW = {"place", "time", "event", "closed", "change", "waypoint", "first_waypoint"}  # as long as the run was


def _unreadable(path: Path, error: Exception) -> BadInput:
    if isinstance(error, BadInput):
        return error
    reason = getattr(error, "strerror", None) or f"{type(error).__name__}: {error}"
    allowed = "a file that `hopfield-nav run` wrote"
    return BadInput(f"cannot be read: {reason}", where=str(path), allowed=allowed)
