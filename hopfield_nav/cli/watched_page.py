"""The page of a stream that is watched, and an alarm in words."""

from __future__ import annotations

import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dynamics import Arm
    from hopfield_nav.view import StreamPage
    from hopfield_nav.wire import Seen, Told


@contextmanager
def page_of(model: Arm, host: str) -> Iterator[StreamPage]:
    """The page of a stream from a host; at the end it waits for the browser to take the last one."""
    from hopfield_nav.cli.report import say
    from hopfield_nav.view import StreamPage

    page = StreamPage(model, f"watching {host}")
    say(f"to be seen at {page.address}")
    try:
        yield page
    finally:
        if not page.close():
            say("no browser came for the page")


def show_on(page: StreamPage, told: Told) -> None:
    """Put a judged row on the page, which is opened with the first one."""
    if told.seen is None:
        return
    first = not page.begun
    if page.add(told.time, told.q, told.seen.level, told.seen.tau_external) and first:
        webbrowser.open(page.address)
    if told.seen.detected:
        page.add_alarm(told.seen.time, alarm_line(told.seen))


def alarm_line(seen: Seen) -> str:
    """When an alarm was raised, at which level, and on which links the arm may be touched."""
    told = ", or ".join(f"link {link} ({share:.0%})" for link, share in seen.links)
    where = told or "which link cannot be told"
    if seen.tool_alone:
        where = "at the tool, which alone can touch in this world"
    return f"alarm at {seen.time:.3f} s, level {seen.level:.3g}, {where}"
