"""Writing a record to NetCDF 4: every bit of it, and packed where that pays."""

import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from hopfield_nav.record.dataset import LabelledRecord

_ROWS = 65536  # that are packed together
_SAMPLE = 4096  # rows that show whether a signal is worth it
_PAYS = 0.5  # of its size: the last digits of what moves freely do not shrink, and cost the most time
_MARGIN = 65536  # bytes for names and attributes
_LEVEL = 1  # of zlib: further ones take longer and save little


def write_netcdf(path: Path, record: LabelledRecord) -> None:
    """Write a record: references, flags and forces of rare contacts packed, all else as it is in memory.

    Raises ``OSError``: the file cannot be written; where the disk is full, before anything is.
    """
    import h5netcdf
    import h5py

    every = {name: (dims, np.asarray(found), about) for name, (dims, found, about) in
             {**record.coordinates, **record.variables}.items()}  # fmt: skip
    packed = {name: packing(dims, values) for name, (dims, values, _) in every.items()}
    size = sum(values.nbytes * (_PAYS if packed[name] else 1.0) for name, (_, values, _) in every.items())
    with path.open("wb") as file:  # asks for the room first: where a file cannot grow, HDF5 ends the whole program
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
    first = (len(values) - _SAMPLE) // 2  # the rows in the middle, their bytes sorted by place as HDF5's shuffle does
    rows = np.ascontiguousarray(values[first : first + _SAMPLE])
    shuffled = rows.view(np.uint8).reshape(-1, rows.dtype.itemsize).T.tobytes()
    if len(zlib.compress(shuffled, _LEVEL)) >= _PAYS * len(shuffled):
        return {}
    chunks = (min(_ROWS, len(values)), *values.shape[1:])
    return {"compression": "gzip", "compression_opts": _LEVEL, "shuffle": True, "chunks": chunks}
