"""Where a run's results go: decided, and tried, before anything is computed."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator
from pathlib import Path

from dynamics import BadInput


def choose_folder(asked: Path | None, name: str, option: str = "--out") -> Path:
    """The folder for the results: the one asked for, or the first free of ``runs/NAME``, ``-2``, ``-3``.

    Args:
        asked: a folder that does not exist yet or is empty; None for the default.
        name: of the world.
        option: that asked for it.

    Raises:
        BadInput: the folder holds something, or cannot be made.
    """
    folder = _first_free(Path("runs") / name) if asked is None else _require_empty(asked, option)
    _require_writable(folder.parent)
    return folder


def newest_folder(name: str) -> Path | None:
    """The last of ``runs/NAME``, ``-2``, ``-3`` that exists; None where there is none."""
    last = None
    for folder in _names(Path("runs") / name):
        if not folder.exists():
            return last
        last = folder
    return None


def _names(base: Path) -> Iterator[Path]:
    return itertools.chain([base], (base.with_name(f"{base.name}-{i}") for i in itertools.count(2)))


def _first_free(base: Path) -> Path:
    return next(folder for folder in _names(base) if not folder.exists())


def _require_empty(folder: Path, option: str) -> Path:
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise BadInput(
                "holds something already; nothing is overwritten",
                where=f"{option} {folder}",
                allowed="a new or an empty folder",
            )
    except OSError as error:
        raise _cannot_write(folder, error) from None
    return folder


def _require_writable(parent: Path) -> None:
    try:
        parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=parent, prefix=".try-"):
            pass
    except OSError as error:
        raise _cannot_write(parent, error) from None


def _cannot_write(folder: Path, error: OSError) -> BadInput:
    return BadInput(
        f"cannot write results here: {error.strerror or error}",
        where=str(folder),
        allowed="--out FOLDER in a place that you may write to",
    )
