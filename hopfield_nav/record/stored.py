"""The files of a saved run: written to the last bit, and packed where that pays.

Read with a line for every fault. Beside results lie their checksums, so that a damaged file is
never taken for a whole one. The file is that of ``sha256sum``: anybody can check a folder with
``sha256sum -c checksums.sha256``.

HDF5 lets a file name others, by links, by external storage and by virtual variables, and stores no
values that were never written. What this program writes is one flat list of variables, each of them
there in full.
"""

import hashlib
import json
import math
import os
import re
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dynamics import BadInput
from dynamics.files import require_regular, whole_file
from hopfield_nav.record.quantities import SUMMARY

if TYPE_CHECKING:
    import h5py
    import xarray

    from hopfield_nav.record.dataset import LabelledRecord

CHECKSUMS = "checksums.sha256"
_LINE = re.compile(r"([0-9a-f]{64})  ([^/\\]+)")


def write_checksums(folder: Path, names: Iterable[str]) -> None:
    """Write the checksums of some files of a folder, whole or not at all.

    Raises ``OSError``: a file cannot be read or written.
    """
    lines = [f"{_digest(folder / name)}  {name}\n" for name in names]
    with whole_file(folder / CHECKSUMS) as partial:
        partial.write_text("".join(lines), encoding="utf-8")


def check_checksums(folder: Path) -> None:
    """Compare the files of a folder with their checksums.

    A folder without any (an older one) passes.

    Raises ``BadInput``: a file is missing, cannot be read, or is not what was written.
    """
    path = folder / CHECKSUMS
    if not path.exists():
        return
    try:
        require_regular(path)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            found = _LINE.fullmatch(line)
            if found is None:
                raise BadInput("damaged line", where=f"{path}, line {number}", found=line)
            if _digest(folder / found[2]) != found[1]:
                what = "not the file that was saved: damaged, or changed since"
                place = str(folder / found[2])
                raise BadInput(
                    what,
                    place,
                    allowed=f"the file as it was; without {CHECKSUMS} it is read as it is",
                )
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "no text"
        raise BadInput(
            f"cannot be read: {reason}", str(getattr(error, "filename", None) or str(path))
        ) from None


def _digest(path: Path) -> str:
    if not path.is_file():
        raise BadInput("missing, or no regular file", where=str(path))
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


OUTCOMES = (
    "reached", "no_path", "unreachable", "time_limit", "diverged", "method_failed", "internal_error", "running",
)  # fmt: skip
_BIG = 5e8  # bytes that are read into memory
_ROWS = 65536  # that are packed, and read, together
_SAMPLE = 4096  # rows that show whether a signal is worth it
# of its size: the last digits of what moves freely do not shrink, and cost the most time
_PAYS = 0.5
_MARGIN = 65536  # bytes for names and attributes
_LEVEL = 1  # of zlib: further ones take longer and save little
_LATER = (  # not in every older record
    "closed_step", "event_certainty", "final_certainty", "event_passed_by", "event_true_point",
    "event_true_link", "event_slid_until", "felt_change", "felt_change_event", "tau_sensed",
    "event", "plan", "map_x", "map_y", "map_z",
)  # fmt: skip
# which number what the record has: others may have given them values of their own
_NUMBERS = ("event", "plan", "map_x", "map_y", "map_z")


def write_netcdf(path: Path, record: "LabelledRecord") -> None:
    """Write a record, packed where that pays.

    References, flags and forces of rare contacts are packed, all else is as it is in memory.

    Raises ``OSError``: the file cannot be written; where the disk is full, before anything is.
    """
    import h5netcdf
    import h5py

    every = {name: (dims, np.asarray(found), about) for name, (dims, found, about) in
             {**record.coordinates, **record.variables}.items()}  # fmt: skip
    packed = {name: packing(dims, values) for name, (dims, values, _) in every.items()}
    size = sum(
        values.nbytes * (_PAYS if packed[name] else 1.0) for name, (_, values, _) in every.items()
    )
    # asks for the room first: where a file cannot grow, HDF5 ends the whole program
    with path.open("wb") as file:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, _MARGIN + round(size))
    with h5netcdf.File(path, "w") as file:
        file.attrs.update(record.attributes)
        for name, (dims, values, about) in every.items():
            for dim, size in zip(dims, values.shape, strict=True):
                if dim not in file.dimensions:
                    file.dimensions[dim] = size
            if values.dtype.kind in "OUT":
                values = values.astype(h5py.string_dtype())
            none = np.nan if values.dtype.kind == "f" else None
            stored = file.create_variable(name, dims, values.dtype, fillvalue=none, **packed[name])
            stored.attrs.update(about)
            for first in range(0, len(values) if values.size else 0, _ROWS):
                stored[first : first + _ROWS] = values[first : first + _ROWS]


def packing(dims: tuple[str, ...], values: np.ndarray) -> dict[str, Any]:
    """How a variable is packed, without loss; empty where it is not."""
    if dims[:1] != ("time",) or len(values) < _SAMPLE:
        return {}
    # the rows in the middle, their bytes sorted by place as HDF5's shuffle does
    first = (len(values) - _SAMPLE) // 2
    rows = np.ascontiguousarray(values[first : first + _SAMPLE])
    shuffled = rows.view(np.uint8).reshape(-1, rows.dtype.itemsize).T.tobytes()
    if len(zlib.compress(shuffled, _LEVEL)) >= _PAYS * len(shuffled):
        return {}
    chunks = (min(_ROWS, len(values)), *values.shape[1:])
    return {"compression": "gzip", "compression_opts": _LEVEL, "shuffle": True, "chunks": chunks}


def read_summary(path: Path) -> dict[str, Any]:
    """The numbers of ``summary.json``."""
    try:
        require_regular(path)
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise _unreadable(path, error) from None
    if not isinstance(found, dict) or found.get("outcome") not in OUTCOMES:
        raise BadInput(
            "not the summary of a run", str(path), allowed=f"an outcome: {', '.join(OUTCOMES)}"
        )
    if not isinstance(found.get("brought", {}), dict):
        raise BadInput("damaged value", where=f"{path}: brought", found=found["brought"])
    for name, quantity in SUMMARY.items():
        if name in found and not quantity.fits(found[name]):
            raise BadInput("damaged value", where=f"{path}: {name}", found=found[name])
    return found


def check_log(path: Path, data: "xarray.Dataset", expected: "xarray.Dataset") -> None:
    """Refuse signals and events of ``log.nc`` that are not like the ``expected``.

    These are the record of the same world if nothing happens.
    """
    for name, variable in expected.variables.items():
        if name not in data.variables and name not in _LATER:
            raise BadInput("a variable is missing", where=f"{path}: {name}")
        if name in data.variables and name not in _NUMBERS:
            _check(f"{path}: {name}", data[name], variable, expected)


def read_netcdf(path: Path) -> "xarray.Dataset":
    """A labelled table that this program wrote.

    Of a big one every signal is read when it is asked for.

    Raises ``BadInput``: it cannot be read, or does not hold its values itself.
    """
    import h5py
    import xarray

    try:
        require_regular(path)
        # where this fails, h5netcdf would complain a second time
        with h5py.File(path, "r") as file:
            file.attrs.get("_nc3_strict")
            require_own_values(file, str(path), path.stat().st_size)
        stored = xarray.open_dataset(path, engine="h5netcdf", cache=False)
        if stored.nbytes > _BIG:
            # where the file is damaged, it is now that it shows
            for variable in stored.variables.values():
                for first in range(0, len(variable) if variable.ndim else 0, _ROWS):
                    variable[first : first + _ROWS].load()
            return stored
        with stored:
            return stored.load()
    except Exception as error:  # whatever the libraries stumble over in a damaged file
        raise _unreadable(path, error) from None


def _check(where: str, found: Any, variable: Any, expected: "xarray.Dataset") -> None:
    numbers = variable.dtype.kind in "if"
    if found.dims != variable.dims or (numbers and found.dtype.kind != variable.dtype.kind):
        is_, should = (f"{kind.dtype} over {', '.join(kind.dims)}" for kind in (found, variable))
        raise BadInput("damaged variable", where=where, found=is_, allowed=should)
    if not isinstance(found.attrs.get("units"), str):
        raise BadInput("no unit", where=where, allowed=variable.attrs["units"])
    for name in variable.dims:
        if name not in _GROW and found.sizes[name] != expected.sizes[name]:
            raise BadInput(
                "damaged variable", where, found.sizes[name], f"{expected.sizes[name]} along {name}"
            )


_GROW = {  # as long as the run was
    "place", "time", "event", "closed", "change", "waypoint", "first_waypoint", "plan", "plan_cell", "report",
}  # fmt: skip


def _unreadable(path: Path, error: Exception) -> BadInput:
    if isinstance(error, BadInput):
        return error
    reason = getattr(error, "strerror", None) or f"{type(error).__name__}: {error}"
    return BadInput(
        f"cannot be read: {reason}", where=str(path), allowed="a file that `hopfield-nav run` wrote"
    )


_PACKED = 1032  # bytes at most for one of zlib's: https://zlib.net/zlib_tech.html
_LENGTH_ALONE = b"This is a netCDF dimension but not a netCDF variable"  # has no values


def require_own_values(file: "h5py.File", where: str, size: int) -> None:
    """Look at every variable of a file of ``size`` bytes before any value is read.

    Messages say ``where``.
    """
    import h5py

    claimed = 0
    for name in file:
        place, is_own = f"{where}: {name}", isinstance(file.get(name, getlink=True), h5py.HardLink)
        variable = file[name] if is_own else None
        if not isinstance(variable, h5py.Dataset):
            raise BadInput("a link or a group, no variable of its own", where=place)
        layout = variable.id.get_create_plist()
        if layout.get_layout() == h5py.h5d.VIRTUAL or layout.get_external_count():
            raise BadInput(
                "has its values in another file", where=place, allowed="values of its own"
            )
        claimed += _claimed(variable, place)
    if claimed > _PACKED * size:
        found, allowed = f"{claimed} bytes of them", f"at most {_PACKED * size} in {size}"
        raise BadInput(
            "more values than the file can hold", where=where, found=found, allowed=allowed
        )


def _claimed(variable: "h5py.Dataset", where: str) -> int:
    """Size of all values when they are unpacked [bytes]."""
    width = variable.id.get_type().get_size()
    name = variable.attrs.get("NAME", b"")
    if not variable.size or _LENGTH_ALONE in (
        name if isinstance(name, bytes) else str(name).encode()
    ):
        return 0
    if variable.chunks is None:
        claimed = width * variable.size
        there = variable.id.get_storage_size() >= width * variable.size
    else:
        pairs = zip(variable.shape, variable.chunks, strict=True)
        count = math.prod(-(-length // chunk) for length, chunk in pairs)
        claimed = width * count * math.prod(variable.chunks)
        there = variable.id.get_num_chunks() == count
    if not there:
        raise BadInput("values are missing", where=where, allowed=f"all of {variable.shape}")
    return claimed
