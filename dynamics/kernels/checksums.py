"""Digests, and files that bear a checksum, so that what a bad disk has left is not taken for what was written."""

import hashlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from dynamics.files.writing import whole_file

_CHECKSUM = hashlib.sha256().digest_size


def digest(words: str | bytes) -> str:
    """Twenty letters that nothing else has."""
    return hashlib.sha256(words.encode() if isinstance(words, str) else words).hexdigest()[:20]


def sealed(content: bytes) -> bytes:
    """A content with its checksum behind it."""
    return content + hashlib.sha256(content).digest()


def opened(content: bytes) -> bytes | None:
    """What was sealed; None where it is not whole."""
    inside = content[:-_CHECKSUM]
    return inside if sealed(inside) == content else None


def remembered(place: Path, make: Callable[[], bytes]) -> bytes:
    """What a file with a checksum holds; where it is missing or damaged it is made, and written."""
    with suppress(OSError):
        content = opened(place.read_bytes())
        if content is not None:
            return content
    made = make()
    with suppress(OSError):
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with whole_file(place) as partial:
            partial.write_bytes(sealed(made))
    return made
