"""Keys and values that worlds of earlier versions have and this version has no more, each with the reason."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from dynamics import BadInput


class Gone(NamedTuple):
    """A key that is no more, or one of its values."""

    key: str  # of its section
    why: str  # it went
    allowed: str  # in words
    instead: Any  # what stands for it in a saved run; of a key the only value that may still be given, without effect
    value: Any = None  # of the key that is no more; None: the whole key


def without_gone(
    section: Mapping[str, Any], gone: Iterable[Gone], recorded: bool, faults: list[BadInput]
) -> dict[str, Any]:
    """The section with what stands for what is gone; a fault is added for each of these, but not of a record."""
    left = dict(section)
    for key, why, allowed, instead, value in gone:
        if key not in left or (value is not None and left[key] != value):
            continue
        found = left.pop(key)
        if found != instead and not recorded:
            faults.append(BadInput(why, where=key, found=found, allowed=allowed))
        if value is not None:
            left[key] = instead
    return left
