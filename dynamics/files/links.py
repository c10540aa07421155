"""What lies inside a folder that the user named: below it no link is followed, and nothing is waited for."""

import os
import shutil
from pathlib import Path

from dynamics.errors import BadInput


def inside(path: Path, folder: Path) -> Path:
    """The same path with its folder, or what a link to it leads to, where it lies inside the folder.

    Raises:
        BadInput: it does not lie below the folder, or a link leads out.
    """
    here = Path(os.path.realpath(folder))
    parts = path.parts[len(folder.parts) :]
    if path.parts[: len(folder.parts)] != folder.parts or not parts:
        raise _leads_out(path, folder)
    for part in parts:
        here /= part
        if part == ".." or _is_link(here):
            raise _leads_out(path, folder)
    return here


def remove_folder(path: Path, folder: Path) -> None:
    """Remove a folder inside another one, with all that is below it; what cannot be removed stays.

    Links below it are removed, what they lead to is not.

    Raises:
        BadInput: as ``inside``.
    """
    shutil.rmtree(inside(path, folder), ignore_errors=True)


def require_regular(path: Path) -> None:
    """Refuse what would be waited for, a pipe or a device, and a folder; a missing file passes.

    Raises:
        BadInput: it is no regular file, nor a link to one.
        OSError: it cannot be looked at.
    """
    if path.exists() and not path.is_file():
        raise BadInput("no regular file", where=str(path))


def _is_link(path: Path) -> bool:
    """Whether it is a symbolic link, or what Windows calls a junction."""
    return path.is_symlink() or bool(getattr(path, "is_junction", bool)())


def _leads_out(path: Path, folder: Path) -> BadInput:
    what = "leads out of the folder; nothing is written or removed through a link"
    return BadInput(what, where=str(path), allowed=f"what lies in {folder} itself")
