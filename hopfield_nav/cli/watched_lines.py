"""The lines that a watch prints: whatever a source sends, they are harmless and not too many."""

import time as clock

from dynamics import printable

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
