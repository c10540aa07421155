"""The end of a call that takes too long: a method of somebody's own that hangs costs a worker, not the sweep.

Nothing can stop Python code from outside but the end of its process. A worker leaves a note of the run and ends
itself; its nanny starts another, to which the run is given again: it finds the note and marks the row. In the
collecting process, which must not end, an exception is raised as soon as the method runs Python; a signal wakes it
from its sleep, or from waiting for somebody.
"""

import ctypes
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from hopfield_nav.plugin import Overdue, watching
from hopfield_nav.sweeps.sweep_file import Sweep
from hopfield_nav.sweeps.table import make_row

NOTES = "overdue"  # the folder of the notes in that of the results
ENDED = 75  # exit status of a worker that has ended itself
in_worker = threading.Event()  # set where this process may end


def overdue(sweep: Sweep, index: int, folder: Path | None) -> dict[str, Any] | None:
    """The row of a run whose worker was ended before; None where there is no such note."""
    note = None if folder is None else folder / NOTES / f"{index:06d}"
    if note is None or not note.is_file():
        return None
    return make_row(sweep, sweep.job(index), {"outcome": "method_failed"}, note.read_text(encoding="utf-8"))


@contextmanager
def watched(sweep: Sweep, index: int, folder: Path | None) -> Iterator[None]:
    """A block in which every call of a method of somebody's own has the sweep's patience."""

    @contextmanager
    def one_call(name: str) -> Iterator[None]:
        told = f"one call took longer than {sweep.file.patience:g} s"
        end = partial(_end, f"{name}: {told}", told, threading.get_ident(), index, folder)
        timer = threading.Timer(sweep.file.patience, end)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    main = threading.current_thread() is threading.main_thread() and hasattr(signal, "SIGURG")
    if main and signal.getsignal(signal.SIGURG) is signal.SIG_DFL:  # which does nothing, and wakes nobody
        signal.signal(signal.SIGURG, lambda *_: None)
    watching.append(one_call)
    try:
        yield
    finally:
        watching.remove(one_call)


def _end(note: str, told: str, thread: int, index: int, folder: Path | None) -> None:
    if in_worker.is_set():
        with suppress(OSError):
            if folder is not None:
                (folder / NOTES).mkdir(exist_ok=True)
                (folder / NOTES / f"{index:06d}").write_text(f"{note}; its worker was ended", encoding="utf-8")
        os._exit(ENDED)
    raised = type("Overdue", (Overdue,), {"__str__": lambda self: told})
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(raised))
    if hasattr(signal, "SIGURG"):  # the exception is raised where this is heard
        signal.pthread_kill(thread, signal.SIGURG)
