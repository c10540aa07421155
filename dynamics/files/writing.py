"""A file, or a folder, is written whole or not at all."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dynamics.errors import BadInput
from dynamics.files.links import remove_folder

_TAKEN = (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR)


class FolderTaken(BadInput):
    """The folder for new results holds something already, perhaps only since they were begun."""

    def __init__(self, folder: Path, allowed: str = "a new or empty folder") -> None:
        super().__init__("the folder is not empty", where=str(folder), allowed=allowed)


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Another name to write to, with the same ending; when the block ends well the file takes its place.

    Where it does not, what was there before is still there and the other file is removed. The folder exists.
    """
    partial = path.with_name(f"{_partial(path.stem)}{path.suffix}")
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
        folder: must not exist, or be empty; those above it are made. A link is followed once, here.

    Raises:
        FolderTaken: the folder holds something, before the block or after it.
        OSError: it cannot be made.
    """
    final = Path(os.path.realpath(folder))
    if final.exists() and (not final.is_dir() or any(final.iterdir())):
        raise FolderTaken(folder)
    final.parent.mkdir(parents=True, exist_ok=True)
    partial = final.parent / _partial(final.name)
    partial.mkdir()
    try:
        yield partial
        _take_place(partial, final)
    except BaseException:
        remove_folder(partial, final.parent)
        raise


def _take_place(partial: Path, folder: Path) -> None:
    try:
        if folder.exists():
            folder.rmdir()
        partial.rename(folder)
    except OSError as error:
        if error.errno in _TAKEN:
            raise FolderTaken(folder) from None
        raise


def _partial(name: str) -> str:
    """A name that no other program has, nor one with our number in another container."""
    return f".{name}.partial-{os.getpid()}-{os.urandom(4).hex()}"


def write_whole(path: str | Path, text: str) -> Path:
    """Write a text file, in a folder that exists, whole or not at all.

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
