"""Ctrl-C that is remembered: where it meets the compiler, another error comes of it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def noticed_interrupts() -> Iterator[list[int]]:
    """A list to which every Ctrl-C adds its signal, besides raising KeyboardInterrupt as ever."""
    seen: list[int] = []
    ours = threading.current_thread() is threading.main_thread()
    if not ours or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield seen  # somebody else takes care of it
        return

    def notice(number: int, frame: FrameType | None) -> None:
        seen.append(number)
        signal.default_int_handler(number, frame)

    signal.signal(signal.SIGINT, notice)
    try:
        yield seen
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
