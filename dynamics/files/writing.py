"""A file is written whole or not at all."""

from __future__ import annotations

import os
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
