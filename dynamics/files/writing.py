"""A file, or a folder, is written whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dynamics.errors import BadInput


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Another name to write to, with the same ending; when the block ends well the file takes its place.

    Where it does not, what was there before is still there and the other file is removed.

    Args:
        path: of the file; its folder exists.
    """
    partial = path.with_name(f".{path.stem}.partial-{os.getpid()}{path.suffix}")
    try:
        yield partial
        partial.replace(path)
    except BaseException:
        with suppress(OSError):
            partial.unlink()
        raise


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """Another folder beside it to write to; when the block ends well it takes the folder's place.

    Args:
        folder: must not exist, or be empty; those above it are made.

    Raises:
        BadInput: the folder holds something.
        OSError: it cannot be made.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadInput("the folder is not empty", where=str(folder), allowed="a new or empty folder")
    folder.parent.mkdir(parents=True, exist_ok=True)
    partial = folder.parent / f".{folder.name}.partial-{os.getpid()}"
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir()
    try:
        yield partial
        if folder.exists():
            folder.rmdir()
        partial.rename(folder)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise


def write_whole(path: str | Path, text: str) -> Path:
    """Write a text file whole or not at all.

    Args:
        path: of the file; its folder exists.
        text: all of it.

    Returns:
        The path.

    Raises:
        BadInput: it cannot be written there; what was there before is still there.
    """
    path = Path(path)
    try:
        with whole_file(path) as partial:
            partial.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"cannot write: {error.strerror or error}", where=str(path)) from None
    return path
