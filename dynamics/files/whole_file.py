"""A text file is written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from dynamics.errors import BadInput


def write_whole(path: str | Path, text: str) -> Path:
    """Write ``text`` under another name first, then rename.

    Args:
        path: of the file; its folder exists.
        text: all of it.

    Returns:
        The path.

    Raises:
        BadInput: it cannot be written there; what was there before is still there.
    """
    path = Path(path)
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise BadInput(f"cannot write: {error.strerror or error}", where=str(path)) from None
    return path
