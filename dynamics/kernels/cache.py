"""The folder of compiled code: which it is, who may write to it, and what of it is removed.

Its name is a digest (``digests``). A new one is filled with what comes along (``archive``); what is
inside is ``kept_code``'s affair.
"""

import atexit
import functools
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import IO

from dynamics.errors import BadInput
from dynamics.files.writing import FolderTaken, remove_folder, whole_folder
from dynamics.kernels.archive import unpack
from dynamics.kernels.digests import flags, folder_digest, versions

_OURS = "HOPFIELD_NAV_CACHE_DIR"  # tells processes that we start of a folder that nobody asked for
_KEEP = 8  # cache folders of older versions that are left in place
_NAME = re.compile(r"code-[0-9a-f]{16}")
_TAG = "CACHEDIR.TAG"  # a file that backups look for, too (bford.info/cachedir)
_TAGGED = """\
Signature: 8a477f597d28d172789f06886806bc55
# Compiled code of hopfield-nav, which made this folder and removes it when it is old.
"""


def _choose_root() -> Path:
    """The folder that is asked for, that in the home folder, one in the temporary folder, or a new one there."""
    asked = os.environ.get(_OURS) or os.environ.get("NUMBA_CACHE_DIR")
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hopfield-nav"
    shared = (
        Path(tempfile.gettempdir()) / f"hopfield-nav-{os.getuid() if hasattr(os, 'getuid') else 0}"
    )
    for root in (Path(asked) if asked else home, shared):
        try:
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
            private = is_private(root)
        except OSError:
            continue
        if not private and asked and root == Path(asked):
            message = "others may write to the folder of compiled code, which is executed"
            allowed = "a folder of your own that nobody else may write to (chmod go-w)"
            raise BadInput(message, where="NUMBA_CACHE_DIR", found=asked, allowed=allowed)
        if private and os.access(root, os.W_OK):
            return root
    return _new_root()


def is_private(folder: Path) -> bool:
    """Whether a folder is ours, or the administrator's, and nobody else may write to it."""
    if not hasattr(os, "getuid"):
        return True
    status = folder.stat()
    return status.st_uid in (os.getuid(), 0) and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _new_root() -> Path:
    """A folder for this process and those that it starts, which nobody could guess; it ends with us."""
    root = Path(tempfile.mkdtemp(prefix="hopfield-nav-"))
    atexit.register(_remove, root, os.getpid())
    os.environ[_OURS] = str(root)
    return root


def _remove(root: Path, owner: int) -> None:
    if os.getpid() == owner:  # not a fork of it
        remove_folder(root, root.parent)


def _prune(root: Path, current: Path) -> None:
    """Remove all but the few newest of the folders of older versions that this program has made."""
    old = [
        path
        for path in root.glob("code-*")
        if path != current and not path.is_symlink() and _is_tagged(path)
    ]
    old.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for path in old[_KEEP:]:
        remove_folder(path, root)


def _is_tagged(folder: Path) -> bool:
    """Whether this program has made a folder: a name and a file inside that nobody else would choose."""
    try:
        named = _NAME.fullmatch(folder.name) is not None and not folder.is_symlink()
        return named and (folder / _TAG).read_text("utf-8") == _TAGGED
    except (OSError, UnicodeDecodeError):
        return False


@functools.cache
def cache_folder() -> Path:
    """The folder of the code that is compiled here; those of older versions are pruned."""
    root = _choose_root()
    folder = root / f"code-{folder_digest(root / 'texts')}"
    if not folder.exists():
        with suppress(OSError, FolderTaken):  # it cannot be made, or another program was quicker
            with whole_folder(folder) as made:
                made.chmod(0o700)
                (made / _TAG).write_text(_TAGGED, encoding="utf-8")
                if not flags():
                    unpack(made, folder.name, versions())
            _prune(root, folder)
    if folder.exists() and not is_private(folder):
        message = "others may write to the folder of compiled code, which is executed"
        raise BadInput(
            message, where=str(folder), allowed="remove it, or NUMBA_CACHE_DIR=FOLDER of your own"
        )
    return folder


def cache_is_warm() -> bool:
    """Whether any compiled code is already on disk."""
    folder = cache_folder()
    return any(folder.rglob("*.nbc")) if folder.exists() else False


def cache_is_shared() -> bool:
    """Whether several processes may fill the cache at once: where its files can be locked."""
    with _lock_file() or nullcontext() as lock:
        return lock is not None


@contextmanager
def filling_cache() -> Iterator[None]:
    """Hold back every other process that asks for the same, so that none compiles what another one does.

    Where files cannot be locked (no ``fcntl``, a folder that is read-only) nobody is held back.
    """
    with _lock_file() or nullcontext() as lock:
        if lock is not None:
            import fcntl

            with suppress(OSError):
                fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _lock_file() -> IO[str] | None:
    """The file that is locked, once in a process; None where there are no locks."""
    try:
        import fcntl  # noqa: F401

        return (cache_folder() / ".lock").open("w")
    except (ImportError, OSError):
        return None
