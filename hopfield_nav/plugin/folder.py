"""The current folder, which code of users may leave, and in which the program's own paths go on."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def in_this_folder() -> Iterator[None]:
    """A block after which the current folder is again the one that it was before."""
    before = None
    with suppress(OSError):  # it has been removed
        before = os.getcwd()
    try:
        yield
    finally:
        if before is not None:
            with suppress(OSError):
                os.chdir(before)
