"""Records that lead elsewhere, or claim more than they hold: each is refused in a line, and soon."""

import os
import shutil
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import h5netcdf
import h5py
import numpy as np

from hopfield_nav import load_run, load_world, simulate
from torturing.trials import Trials

SECRET = 17.25  # what stands in the foreign file
GIANT = 100_000_000  # rows
_OF_SCALES = ("CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST")
_SIGNALS = ("q", "qd", "tau", "tool_position", "force", "level")


def linked_records(place: Path, count: int, first: int, limit: float) -> Trials:
    """One signal, or all of them, that a record without checksums has elsewhere or nowhere."""
    run = simulate(load_world("u_trap", ["time_limit=1", "record.every=10"]))
    whole = run.save(place / "whole")
    for number in range(first, first + count):
        dice = np.random.default_rng(number)
        way = str(dice.choice(sorted(WAYS)))
        folder, name = place / f"{number}", str(dice.choice(_SIGNALS))
        shutil.copytree(whole, folder)
        (folder / "checksums.sha256").unlink()
        WAYS[way](folder / "log.nc", name)
        yield f"{number}: {name}, {way}", lambda folder=folder: _must_be_refused(folder)
        shutil.rmtree(folder)


def _must_be_refused(folder: Path) -> None:
    load_run(folder)
    raise AssertionError("it was read")


def _external_link(path: Path, name: str) -> None:
    other = path.with_name("other.h5")
    shutil.copy(path, other)
    with h5py.File(path, "a") as file:
        del file[name]
        file[name] = h5py.ExternalLink(other.name, f"/{name}")


def _soft_link(path: Path, name: str) -> None:
    with h5py.File(path, "a") as file:
        file.move(name, "hidden")
        file[name] = h5py.SoftLink("/hidden")


def _external_storage(path: Path, name: str, pipe: bool = False) -> None:
    other = path.with_name("other.bin")
    with h5py.File(path, "a") as file:
        if pipe:
            os.mkfifo(other)
        else:
            np.full(file[name].shape, SECRET).tofile(other)
        _replace(file, name, file[name].shape, external=[(str(other), 0, h5py.h5f.UNLIMITED)])


def _virtual(path: Path, name: str, pipe: bool = False) -> None:
    """From another file, or without end from a pipe."""
    other = path.with_name("other.h5")
    shutil.copy(path, other)
    with h5py.File(path, "a") as file:
        shape, kind = file[name].shape, file[name].dtype
        end, most = (h5py.h5s.UNLIMITED, (None, *shape[1:])) if pipe else (shape[0], shape)
        source = h5py.VirtualSource(str(other), name, shape=shape, dtype=kind, maxshape=most)
        layout = h5py.VirtualLayout(shape=shape, dtype=kind, maxshape=most)
        layout[:end, ...] = source[:end, ...]
        _replace(file, name, shape, layout=layout)
    if pipe:
        other.unlink()
        os.mkfifo(other)


def _in_a_group(path: Path, name: str) -> None:
    with h5py.File(path, "a") as file:
        file[f"within/{name}"] = file[name]


def _packed_twice(path: Path, name: str) -> None:
    """Zeros, packed and packed again: 80 bytes stand for 8 MB."""
    rows = 1_000_000
    once = zlib.compress(bytes(8 * rows), 9)
    with h5py.File(path, "a") as file:
        packed = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        packed.set_chunk((rows,))
        packed.set_deflate(9)
        packed.set_deflate(9)
        space = h5py.h5s.create_simple((GIANT,))
        made = h5py.h5d.create(file.id, b"more", h5py.h5t.NATIVE_DOUBLE, space, packed)
        for first in range(0, GIANT, rows):
            made.write_direct_chunk((first,), zlib.compress(once, 9))


def _grow(path: Path, name: str, chunks: bool) -> None:
    """Every signal as long as none is, and nothing of it written, or the first rows alone."""
    grown = path.with_name("grown.nc")
    with h5netcdf.File(path) as old, h5netcdf.File(grown, "w") as new:
        new.attrs.update(old.attrs)
        new.dimensions = {
            name: GIANT if name == "time" else old.dimensions[name].size for name in old.dimensions
        }
        for name, found in old.variables.items():
            long = found.dimensions[:1] == ("time",)
            parts = (1024, *found.shape[1:]) if long and chunks else None
            made = new.create_variable(name, found.dimensions, found.dtype, chunks=parts)
            made.attrs.update({key: found.attrs[key] for key in ("units", "long_name")})
            if not long:
                made[...] = found[...]
            elif chunks:
                made[: len(found)] = found[...]
    grown.replace(path)


def _replace(
    file: h5py.File, name: str, shape: tuple[int, ...], layout: Any = None, **how: Any
) -> None:
    """A variable with the same labels whose values are elsewhere."""
    old = file[name]
    kind, about = old.dtype, {key: old.attrs[key] for key in old.attrs if key not in _OF_SCALES}
    scales = [old.dims[i][0].name for i in range(old.ndim) if len(old.dims[i])]
    del file[name]
    new = (
        file.create_dataset(name, shape, kind, **how)
        if layout is None
        else file.create_virtual_dataset(name, layout)
    )
    new.attrs.update(about)
    for i, scale in enumerate(scales):
        new.dims[i].attach_scale(file[scale])


WAYS: dict[str, Callable[[Path, str], None]] = {
    "a link to another file": _external_link,
    "a link in the file": _soft_link,
    "values in another file": _external_storage,
    "values in a pipe": partial(_external_storage, pipe=True),
    "values put together from another file": _virtual,
    "values put together from a pipe, as many as it has": partial(_virtual, pipe=True),
    "a group": _in_a_group,
    "a giant that was never written": partial(_grow, chunks=False),
    "a giant of which most was never written": partial(_grow, chunks=True),
    "a giant that was packed twice": _packed_twice,
}
