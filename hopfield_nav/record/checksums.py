"""Checksums beside results, so that a damaged file is never taken for a whole one.

The file is that of ``sha256sum``: anybody can check a folder with ``sha256sum -c checksums.sha256``.
"""

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

from dynamics import BadInput
from dynamics.files import require_regular, whole_file

CHECKSUMS = "checksums.sha256"
_LINE = re.compile(r"([0-9a-f]{64})  ([^/\\]+)")


def write_checksums(folder: Path, names: Iterable[str]) -> None:
    """Write the checksums of some files of a folder, whole or not at all.

    Raises:
        OSError: a file cannot be read or written.
    """
    lines = [f"{_digest(folder / name)}  {name}\n" for name in names]
    with whole_file(folder / CHECKSUMS) as partial:
        partial.write_text("".join(lines), encoding="utf-8")


def check_checksums(folder: Path) -> None:
    """Compare the files of a folder with their checksums; a folder without any (an older one) passes.

    Raises:
        BadInput: a file is missing, cannot be read, or is not what was written.
    """
    path = folder / CHECKSUMS
    if not path.exists():
        return
    try:
        require_regular(path)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            found = _LINE.fullmatch(line)
            if found is None:
                raise BadInput("damaged line", where=f"{path}, line {number}", found=line)
            if _digest(folder / found[2]) != found[1]:
                allowed = f"the file as it was; without {CHECKSUMS} it is read as it is"
                what = "not the file that was saved: damaged, or changed since"
                raise BadInput(what, where=str(folder / found[2]), allowed=allowed)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "no text"
        where = getattr(error, "filename", None) or str(path)
        raise BadInput(f"cannot be read: {reason}", where=str(where)) from None


def _digest(path: Path) -> str:
    if not path.is_file():
        raise BadInput("missing, or no regular file", where=str(path))
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
