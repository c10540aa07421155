"""Whether a file of HDF5 holds all its values itself: a record that somebody sent reads no other file.

HDF5 lets a file name others, by links, by external storage and by virtual variables, and stores no values
that were never written. What this program writes is one flat list of variables, each of them there in full.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dynamics import BadInput

if TYPE_CHECKING:
    import h5py

_PACKED = 1032  # bytes at most for one of zlib's: https://zlib.net/zlib_tech.html
_LENGTH_ALONE = b"This is a netCDF dimension but not a netCDF variable"  # has no values


def require_own_values(file: h5py.File, where: str, size: int) -> None:
    """Look at every variable of a file of ``size`` bytes before any value is read; messages say ``where``.

    Raises:
        BadInput: something in it is no variable of its own, has its values in another file or not at all, or
            they are more than a file of this size can hold.
    """
    claimed = sum(_claimed(_variable(file, name, f"{where}: {name}"), f"{where}: {name}") for name in file)
    if claimed > _PACKED * size:
        raise BadInput(
            "more values than the file can hold", where=where, found=f"{claimed} bytes of them",
            allowed=f"at most {_PACKED * size} in {size}",
        )  # fmt: skip


def _variable(file: h5py.File, name: str, where: str) -> h5py.Dataset:
    import h5py

    found = file[name] if isinstance(file.get(name, getlink=True), h5py.HardLink) else None
    if not isinstance(found, h5py.Dataset):
        raise BadInput("a link or a group, no variable of its own", where=where)
    layout = found.id.get_create_plist()
    if layout.get_layout() == h5py.h5d.VIRTUAL or layout.get_external_count():
        raise BadInput("has its values in another file", where=where, allowed="values of its own")
    return found


def _claimed(variable: h5py.Dataset, where: str) -> int:
    """Size of all values when they are unpacked [bytes]."""
    width = variable.id.get_type().get_size()
    if not variable.size or _LENGTH_ALONE in _scale_name(variable):
        return 0
    if variable.chunks is None:
        claimed, there = width * variable.size, variable.id.get_storage_size() >= width * variable.size
    else:
        pairs = zip(variable.shape, variable.chunks, strict=True)
        count = math.prod(-(-length // chunk) for length, chunk in pairs)
        claimed, there = width * count * math.prod(variable.chunks), variable.id.get_num_chunks() == count
    if not there:
        raise BadInput("values are missing", where=where, allowed=f"all of {variable.shape}")
    return claimed


def _scale_name(variable: h5py.Dataset) -> bytes:
    name = variable.attrs.get("NAME", b"")
    return name if isinstance(name, bytes) else str(name).encode()
