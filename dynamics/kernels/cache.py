"""The folder of compiled code: which it is, who may write to it, and what of it is removed.

Its name is a digest of the sources, the Numba version and every ``NUMBA_*`` flag: Numba itself only looks at the file
that holds the function, so an edited helper in another file, or a new ``NUMBA_BOUNDSCHECK``, would otherwise run the
old code. What is inside a folder is Numba's and ``checked_entries``'s affair.
"""

import atexit
import functools
import hashlib
import os
import re
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import IO

from dynamics.errors import BadInput
from dynamics.files.writing import remove_folder
from dynamics.kernels.numba_parts import PLAIN

PACKAGES = ("dynamics", "hopfield_nav")  # whose compiled code is kept
_DECIDES_CODE = (
    b"dynamics.kernels",
    b"NamedTuple",
    b"@record",
    b"IntEnum",
    b"Parameter(",
)  # kernels, and what they read
_FLAGS = ("NUMBA_", PLAIN)
_DECIDE_NOTHING = ("NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS")  # flags that leave the compiled code as it is
_KEEP = 8  # cache folders of older sources that are left in place
_NAME = re.compile(r"code-[0-9a-f]{16}")
_TAG = "CACHEDIR.TAG"  # a file that backups look for, too (bford.info/cachedir)
_TAGGED = """\
Signature: 8a477f597d28d172789f06886806bc55
# Compiled code of hopfield-nav, which made this folder and removes it when it is old.
"""


def _digest() -> str:
    sha = hashlib.sha256()
    sha.update(f"{version('numba')} {sys.version}".encode())
    for name in sorted(n for n in os.environ if n.startswith(_FLAGS) and n not in _DECIDE_NOTHING):
        sha.update(f"{name}={os.environ[name]}".encode())
    packages = Path(__file__).resolve().parents[2]
    for root in PACKAGES:
        for path in sorted((packages / root).rglob("*.py")):
            if _decides_code(path):
                sha.update(str(path).encode() + path.read_bytes())
    return sha.hexdigest()[:16]


def _decides_code(path: Path) -> bool:
    """Whether compiled code depends on a source: on how it is compiled, on a kernel, on what kernels read."""
    source = path.read_bytes()
    return path.parent.name == "kernels" or any(mark in source for mark in _DECIDES_CODE)


def _choose_root() -> Path:
    """The folder that is asked for, that in the home folder, one in the temporary folder, or a new one there."""
    asked = os.environ.get("NUMBA_CACHE_DIR")
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hopfield-nav"
    shared = Path(tempfile.gettempdir()) / f"hopfield-nav-{os.getuid() if hasattr(os, 'getuid') else 0}"
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
    found = folder.stat()
    return found.st_uid in (os.getuid(), 0) and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _new_root() -> Path:
    """A folder for this process and those that it starts, which nobody could guess; it ends with us."""
    root = Path(tempfile.mkdtemp(prefix="hopfield-nav-"))
    atexit.register(_remove, root, os.getpid())
    os.environ["NUMBA_CACHE_DIR"] = str(root)
    return root


def _remove(root: Path, owner: int) -> None:
    if os.getpid() == owner:  # not a fork of it
        remove_folder(root, root.parent)


def _prune(root: Path, current: Path) -> None:
    """Remove all but the few newest of the folders of older sources that this program has made."""
    old = [path for path in root.glob("code-*") if path != current and not path.is_symlink() and _is_tagged(path)]
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
    """The folder of the code compiled from these very sources; those of older sources are pruned."""
    root = _choose_root()
    folder = root / f"code-{_digest()}"
    with suppress(OSError):  # it is there already
        folder.mkdir(mode=0o700, parents=True)
        (folder / _TAG).write_text(_TAGGED, encoding="utf-8")
        _prune(root, folder)
    if folder.exists() and not is_private(folder):
        message = "others may write to the folder of compiled code, which is executed"
        raise BadInput(message, where=str(folder), allowed="remove it, or NUMBA_CACHE_DIR=FOLDER of your own")
    return folder


def package_folder(sources: Path) -> Path:
    """The folder of code compiled from another package, inside ours: its name is a digest of that package's sources."""
    sha = hashlib.sha256()
    for path in sorted(sources.rglob("*.py")):
        sha.update(str(path).encode() + path.read_bytes())
    return cache_folder() / f"package-{sha.hexdigest()[:16]}"


def cache_is_warm() -> bool:
    """Whether compiled code of these very sources is already on disk."""
    folder = cache_folder()
    return any(folder.rglob("*.nbi")) if folder.exists() else False


def cache_is_shared() -> bool:
    """Whether several processes may fill the cache at once: where its files can be locked."""
    lock = _open_lock(".saving")
    if lock is not None:
        lock.close()
    return lock is not None


@contextmanager
def filling_cache() -> Iterator[None]:
    """Hold back every other process that asks for the same, so that none compiles what another one does.

    Where files cannot be locked (no ``fcntl``, a folder that is read-only) nobody is held back.
    """
    with _held(".lock"):
        yield


@contextmanager
def adding_to_cache() -> Iterator[None]:
    """Hold back every other process that adds code to the cache; nobody where files cannot be locked."""
    with _held(".saving"):
        yield


@contextmanager
def _held(name: str) -> Iterator[None]:
    """Hold a lock of the cache folder, once in a process."""
    lock = _open_lock(name)
    try:
        yield
    finally:
        if lock is not None:
            lock.close()  # which unlocks it


def _open_lock(name: str) -> IO[str] | None:
    try:
        import fcntl

        lock = (cache_folder() / name).open("w")
    except (ImportError, OSError):
        return None
    with suppress(OSError):
        fcntl.flock(lock, fcntl.LOCK_EX)
    return lock
