"""Contents with their checksum behind them, so that what a bad disk has left is not taken for what was written."""

import hashlib

_LENGTH = hashlib.sha256().digest_size


def sealed(content: bytes) -> bytes:
    """A content with its checksum."""
    return content + hashlib.sha256(content).digest()


def opened(content: bytes) -> bytes | None:
    """What was sealed; None where it is not whole."""
    inside = content[:-_LENGTH]
    return inside if sealed(inside) == content else None
