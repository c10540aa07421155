"""A file, or a folder, is written whole or not at all.

Below a folder that the user named no link is followed, and nothing is waited for.
"""

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dynamics.errors import BadInput, told


def inside(path: Path, folder: Path) -> Path:
    """The same path with its folder, or what a link to it leads to.

    It lies inside the folder.

    Raises ``BadInput``: it does not lie below the folder, or a link leads out.
    """
    here = Path(os.path.realpath(folder))
    parts = path.parts[len(folder.parts) :]
    if path.parts[: len(folder.parts)] != folder.parts or not parts:
        raise _leads_out(path, folder)
    for part in parts:
        here /= part
        # as Windows calls a link
        if part == ".." or here.is_symlink() or getattr(here, "is_junction", bool)():
            raise _leads_out(path, folder)
    return here


def remove_folder(path: Path, folder: Path) -> None:
    """Remove a folder inside another one, with all that is below it; what cannot be removed stays.

    Links below it are removed, what they lead to is not.

    Raises ``BadInput``: as ``inside``.
    """
    shutil.rmtree(inside(path, folder), ignore_errors=True)


def require_regular(path: Path) -> None:
    """Refuse what would be waited for, a pipe or a device, and a folder; a missing file passes.

    Raises ``BadInput``: it is no regular file, nor a link to one; ``OSError``: it cannot be looked
    at.
    """
    if path.exists() and not path.is_file():
        raise BadInput("no regular file", where=str(path))


def _leads_out(path: Path, folder: Path) -> BadInput:
    what = "leads out of the folder; nothing is written or removed through a link"
    return BadInput(what, where=str(path), allowed=f"what lies in {folder} itself")


_TAKEN = (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR)


class FolderTaken(BadInput):
    """The folder for new results holds something already, perhaps only since they were begun."""

    def __init__(self, folder: Path, allowed: str = "a new or empty folder") -> None:
        super().__init__("the folder is not empty", where=str(folder), allowed=allowed)


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Another name to write to, with the same ending.

    When the block ends well the file takes its place. Where it does not, what was there before is
    still there and the other file is removed. The folder exists.
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

    That must not exist, or be empty; those above it are made. A link is followed once, here.

    Raises ``FolderTaken``: the folder holds something, before the block or after it; ``OSError``:
    it cannot be made.
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

    Raises ``BadInput``: it cannot be written there; what was there before is still there.
    """
    path = Path(path)
    with told("cannot write", path), whole_file(path) as partial:
        partial.write_text(text, encoding="utf-8")
    return path


def spaced(*values: float) -> str:
    """Numbers in full precision, a blank between two."""
    return " ".join(repr(float(v)) for v in values)
