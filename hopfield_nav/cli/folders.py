"""Where a run's results go: decided, and tried, before anything is computed."""

import itertools
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from dynamics import BadInput, told
from dynamics.files import FolderTaken

_CANNOT, _WRITABLE = "cannot write results here", "--out FOLDER in a place that you may write to"


def choose_folder(asked: Path | None, name: str, option: str = "--out") -> Path:
    """The folder for the results: the one asked for, or the first free of ``runs/NAME``, ``-2``, ``-3``."""
    folder = _first_free(Path("runs") / name) if asked is None else asked
    if asked is not None:
        with told(_CANNOT, folder, _WRITABLE):
            if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
                what = "holds something already; nothing is overwritten"
                raise BadInput(what, where=f"{option} {folder}", allowed="a new or an empty folder")
    with told(_CANNOT, folder.parent, _WRITABLE):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".try-"):
            pass
    return folder


def save_where_free(save: Callable[[Path], object], folder: Path, asked: Path | None, name: str) -> Path:
    """Save results, at the next free name where another program has taken the folder meanwhile, and say so.

    ``save`` raises ``FolderTaken`` where the folder that it is given holds something; the rest is as in
    ``choose_folder``. Returns where the results are.
    """
    place = folder
    while True:
        try:
            save(place)
            break
        except FolderTaken:
            place = _first_free(asked or Path("runs") / name)
    if place != folder:
        from hopfield_nav.cli.report import say

        say(f"{folder} was taken meanwhile; the results are in {place}")
    return place


def make_folder(asked: Path | None, name: str) -> Path:
    """As ``choose_folder``, and made at once: for results that come one after the other."""
    while True:
        folder = choose_folder(asked, name)
        try:
            folder.mkdir(exist_ok=asked is not None)
            return folder
        except FileExistsError:
            continue


def newest_folder(name: str) -> Path | None:
    """The last of ``runs/NAME``, ``-2``, ``-3`` that exists; None where there is none."""
    there = list(itertools.takewhile(Path.exists, _names(Path("runs") / name)))
    return there[-1] if there else None


def _names(base: Path) -> Iterator[Path]:
    return itertools.chain([base], (base.with_name(f"{base.name}-{i}") for i in itertools.count(2)))


def _first_free(base: Path) -> Path:
    return next(folder for folder in _names(base) if not os.path.lexists(folder))
