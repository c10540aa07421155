"""Libraries without the settings that lie in the current folder: somebody else may have left them there."""

import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_settings_here(name: str) -> Iterator[None]:
    """Inside, a file of that name in the current folder is not there for who asks before reading it.

    Numba and Matplotlib do so when they are imported. Files of that name elsewhere are found as ever.
    """
    exists = os.path.exists

    def is_elsewhere(path: int | str | bytes | os.PathLike) -> bool:
        return path != name and exists(path)

    setattr(os.path, "exists", is_elsewhere)  # noqa: B010  (to mypy a function stays what it is)
    try:
        yield
    finally:
        setattr(os.path, "exists", exists)  # noqa: B010
