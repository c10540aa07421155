"""When a command does not do its work.

Input that is bad, Ctrl-C, and what is kept at an internal error.
"""

import _thread
import platform
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

_MOMENT = 0.01  # [s] after which a lost interrupt is raised again
_PACKAGES = ("hopfield-nav", "numpy", "numba", "pydantic", "typer")


def say(message: str, status: int) -> int:
    """Print one line for the user, and return the exit status that goes with it."""
    from dynamics import printable

    print(f"hopfield-nav: {printable(' '.join(message.split()))}", file=sys.stderr, flush=True)
    return status


def say_refused(error: Exception) -> int:
    """Print what an error says, and what else is wrong with the same file, a line each.

    The exit status is 2.
    """
    for fault in (error, *getattr(error, "others", ())):
        say(str(fault), 2)
    return 2


@contextmanager
def noticed_interrupts() -> Iterator[list[int]]:
    """A list to which every Ctrl-C adds its signal, besides raising KeyboardInterrupt as ever.

    Where Ctrl-C meets the compiler, the interrupt is lost and another error comes of it. Where it
    meets what Python calls when an object goes, it would be printed and lost: it is raised once
    more, a moment later.
    """
    seen: list[int] = []
    ours = threading.current_thread() is threading.main_thread()
    if not ours or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield seen  # somebody else takes care of it
        return

    def notice(number: int, frame: FrameType | None) -> None:
        seen.append(number)
        signal.default_int_handler(number, frame)

    def raise_again(lost: "sys.UnraisableHookArgs") -> None:
        if issubclass(lost.exc_type, KeyboardInterrupt):
            threading.Timer(_MOMENT, _thread.interrupt_main).start()
        else:
            usual(lost)

    usual, sys.unraisablehook = sys.unraisablehook, raise_again
    signal.signal(signal.SIGINT, notice)
    try:
        yield seen
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.unraisablehook = usual


def keep_record(error: BaseException) -> Path | None:
    """Save what there is of the run in which an error came up, if in one; where it lies.

    The folder is the ``folder`` that the error names, or a free one with the name of the world.
    """
    from hopfield_nav.cli.options import choose_folder, save_where_free

    run, asked = getattr(error, "run", None), getattr(error, "folder", None)
    if run is None:
        return None
    with suppress(Exception):  # the report matters more
        return save_where_free(
            run.save, asked or choose_folder(None, run.world.name), asked, run.world.name
        )
    return None


def write_report(
    arguments: Sequence[str], error: BaseException, record: Path | None = None
) -> Path:
    """Write what happened to ``hopfield-nav-error-TIME.txt``, to send along with a bug report.

    The file lies in the folder of the run's ``record``, without one here, or else in the temporary
    folder.
    """
    name = f"hopfield-nav-error-{time.strftime('%Y%m%d-%H%M%S')}.txt"
    from hopfield_nav.record import version_of

    lines = [f"hopfield-nav {' '.join(arguments)}", f"Python {sys.version}", platform.platform()]
    lines += [f"{package} {version_of(package)}" for package in _PACKAGES]
    text = "\n".join([*lines, "", *traceback.format_exception(error)])
    for folder in (record or Path(), Path(tempfile.gettempdir())):
        try:
            path = folder / name
            path.write_text(text, encoding="utf-8", errors="backslashreplace")
            return path
        except OSError:
            continue
    return Path("nowhere (no folder could be written)")
