"""What lies in the folder of compiled code: every entry with its checksum and the call it was compiled for.

Compiled code is executed as it lies there. A file that a power cut, a full disk or a bad sector has left otherwise
than it was written is not read; what it held is compiled anew, and takes its place.
"""

import functools
import hashlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from numba.core import caching

from dynamics.kernels.cache import adding_to_cache, cache_folder

_LENGTH = hashlib.sha256().digest_size
_AsEver = caching.IndexDataCacheFile


def keep_checksums() -> None:
    """Have Numba keep entries so in our folder; caches elsewhere stay as they are."""
    setattr(caching, "IndexDataCacheFile", _entries)  # noqa: B010  (to mypy a class stays what it is)


def is_whole(path: Path) -> bool:
    """Whether a file of the folder has the checksum that it was written with.

    Raises ``OSError``: it cannot be read.
    """
    content = path.read_bytes()
    return content[-_LENGTH:] == _checksum(content[:-_LENGTH])


@functools.wraps(_AsEver)
def _entries(cache_path: str, **more: Any) -> caching.IndexDataCacheFile:
    ours = cache_folder() in Path(cache_path).parents
    return (_CheckedEntries if ours else _AsEver)(cache_path, **more)


class _CheckedEntries(_AsEver):
    """The compiled versions of one function, added by one process at a time.

    Numba reads the index of a function, takes the next free number and writes the index anew: of two processes that
    do so at once, one would later be given the other's code.
    """

    def save(self, key: Any, data: Any) -> None:
        try:
            with adding_to_cache():
                super().save(key, (key, data))
        except OSError as error:
            _say_once(f"compiled code cannot be kept in {cache_folder()}: {error.strerror}")

    def load(self, key: Any) -> Any:
        found, data = super().load(key) or (None, None)
        return data if found == key else None  # another one: its index was lost, and its number taken anew

    def _load_index(self) -> dict:
        return super()._load_index() if _can_be_read(self._index_path) else {}

    def _load_data(self, name: str) -> Any:
        if not _can_be_read(self._data_path(name)):
            raise FileNotFoundError(name)  # which Numba compiles anew
        return super()._load_data(name)

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[IO[bytes]]:
        content = BytesIO()
        yield content
        with super()._open_for_write(filepath) as file:
            file.write(content.getvalue() + _checksum(content.getvalue()))


def _can_be_read(path: str) -> bool:
    """Whether an entry is whole, or missing, which Numba copes with; a damaged one is told of once."""
    try:
        if is_whole(Path(path)):
            return True
    except FileNotFoundError:
        return True
    except OSError:
        pass  # it cannot be read at all
    _say_once(f"damaged compiled code in {cache_folder()} is compiled anew")
    return False


def _checksum(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()


@functools.cache
def _say_once(message: str) -> None:
    print(f"hopfield-nav: {message}", file=sys.stderr, flush=True)
