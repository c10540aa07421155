"""How long things took on this machine the last time: what estimates are made of."""

import json
from contextlib import suppress
from pathlib import Path

from dynamics import BadInput
from dynamics.files import write_whole

_NAME = "hopfield-nav-seconds.json"


def last_seconds(what: str, never: float = 0.0) -> float:
    """How long something took here last [s]; ``never`` where it was not noted yet."""
    return float(_noted().get(what, never))


def note_seconds(what: str, seconds: float) -> None:
    """Remember how long it took; where nothing can be written, nothing is."""
    with suppress(OSError, BadInput):
        write_whole(_place(), json.dumps({**_noted(), what: round(seconds, 3)}))


def _noted() -> dict[str, float]:
    with suppress(OSError, ValueError, TypeError, BadInput):
        noted = dict(json.loads(_place().read_text(encoding="utf-8")))
        return {key: value for key, value in noted.items() if 0 < value < 3600}
    return {}


def _place() -> Path:
    from dynamics.kernels.cache import cache_folder

    return cache_folder().parent / _NAME
