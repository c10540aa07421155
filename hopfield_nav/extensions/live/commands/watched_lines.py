"""What a watch prints and shows: whatever a source sends, lines are harmless and not too many."""

import time as clock
from typing import TYPE_CHECKING

from dynamics import printable

if TYPE_CHECKING:
    from hopfield_nav.extensions.live.detector_stream import Seen

MAX_LINES, WINDOW = 30, 10.0  # lines of a kind within so many seconds
LONGEST = 300  # characters of a line


class WatchedLines:
    """Prints lines to stdout; of those of a kind that follow too fast, only that they do."""

    def __init__(self) -> None:
        self._printed: dict[str, tuple[float, int]] = {}  # kind: since when, how many

    def print(self, kind: str, line: str) -> None:
        """Print a line of a kind, unless there were ``MAX_LINES`` of them in the last ``WINDOW`` seconds."""
        now = clock.monotonic()
        since, count = self._printed.get(kind, (now, 0))
        if now - since >= WINDOW:
            since, count = now, 0
        self._printed[kind] = since, count + 1
        if count < MAX_LINES:
            print(printable(line, LONGEST), flush=True)
        elif count == MAX_LINES:
            print(f"{kind}: {MAX_LINES} lines within {WINDOW:g} s; more of them are only counted", flush=True)


def alarm_line(seen: "Seen") -> str:
    """When an alarm was raised, at which level, and on which links the arm may be touched."""
    told = ", or ".join(f"link {link} ({share:.0%})" for link, share in seen.links)
    where = told or "which link cannot be told"
    if seen.tool_alone:
        where = "at the tool, which alone can touch in this world"
    return f"alarm at {seen.time:.3f} s, level {seen.level:.3g}, {where}"
