"""What a watch prints and shows: whatever a source sends, lines are harmless and not too many."""

import time as clock
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from dynamics import printable

if TYPE_CHECKING:
    from dynamics import Arm
    from hopfield_nav.extensions.live.detector_stream import Seen
    from hopfield_nav.extensions.live.monitor import Told
    from hopfield_nav.extensions.live.stream_page import StreamPage

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


@contextmanager
def page_of(model: "Arm", host: str) -> "Iterator[StreamPage]":
    """The page of a stream from a host; at the end it waits for the browser to take the last one."""
    from hopfield_nav.cli import say
    from hopfield_nav.extensions.live.stream_page import StreamPage

    page = StreamPage(model, f"watching {host}")
    say(f"to be seen at {page.address}")
    try:
        yield page
    finally:
        if not page.close():
            say("no browser came for the page")


def show_on(page: "StreamPage", told: "Told") -> None:
    """Put a judged row on the page, which is opened with the first one."""
    if told.seen is None:
        return
    first = not page.begun
    if page.add(told.time, told.q, told.seen.level, told.seen.tau_external) and first:
        webbrowser.open(page.address)
    if told.seen.detected:
        page.add_alarm(told.seen.time, alarm_line(told.seen))


def alarm_line(seen: "Seen") -> str:
    """When an alarm was raised, at which level, and on which links the arm may be touched."""
    told = ", or ".join(f"link {link} ({share:.0%})" for link, share in seen.links)
    where = told or "which link cannot be told"
    if seen.tool_alone:
        where = "at the tool, which alone can touch in this world"
    return f"alarm at {seen.time:.3f} s, level {seen.level:.3g}, {where}"
