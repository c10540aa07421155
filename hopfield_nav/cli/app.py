"""Ctrl-C that is remembered: where it meets the compiler, another error comes of it.

The command line: its commands in their order, its exit status, and one line for every fault.

Exit status: 0 goal reached, or every row of a sweep written; 1 a valid run that did not reach it; 2 bad
input or usage; 3 internal error, with a report file; 130 interrupted.

The report of an internal error: a file to send along with a bug report.
"""

from __future__ import annotations

import os
import platform
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import FrameType
from typing import Annotated, Any

import typer

from hopfield_nav.cli.run import animate, check, compare, plot, run, schema, sweep
from hopfield_nav.cli.words_logs import identify, replay
from hopfield_nav.cli.words_plans import demo, plan


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


app = typer.Typer(
    name="hopfield-nav",
    add_completion=False,
    rich_markup_mode=None,
    help="Simulate a UR5 that cannot see: it feels collisions through its joints and finds its way "
    "with a Hopfield neural network.",
)
COMMANDS = (
    run,
    sweep,
    plan,
    demo,
    replay,
    compare,
    identify,
    check,
    schema,
    plot,
    animate,
)  # as the help lists them
_UsageError: Any = typer.BadParameter.__base__  # typer has its own copy of click, or click's, by version


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import PackageNotFoundError, version

        try:
            print(f"hopfield-nav {version('hopfield-nav')}")
        except PackageNotFoundError:
            print("hopfield-nav, not installed")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    pass


for _command in COMMANDS:
    app.command()(_command)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status; never raises.

    Args:
        argv: the words after the program's name; default those of the process.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    with noticed_interrupts() as interrupts:
        return _answer(arguments, interrupts)


def _answer(arguments: list[str], interrupts: list[int]) -> int:
    try:
        status = _call(arguments)
        return _say("interrupted", status) if status == 130 else status  # typer has caught Ctrl-C
    except (KeyboardInterrupt, typer.Abort):
        return _say("interrupted", 130)
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        from dynamics import HopfieldNavError

        if interrupts:
            return _say("interrupted", 130)
        if isinstance(error, HopfieldNavError):
            return _say(str(error), 2)

        return _say(
            f"internal error ({type(error).__name__}); details are in {write_report(arguments, error)}", 3
        )


def _call(arguments: list[str]) -> int:
    command: Any = typer.main.get_command(app)
    try:
        status = command.main(args=arguments or ["--help"], prog_name="hopfield-nav", standalone_mode=False)
    except typer.Exit as stop:
        return stop.exit_code
    except _UsageError as error:
        return _say(f"{error.format_message()} (see hopfield-nav --help)", 2)
    if not arguments:
        return 2  # a call without a command is none; the help has been printed
    return status if isinstance(status, int) else 0


def _say(message: str, status: int) -> int:
    print(f"hopfield-nav: {' '.join(message.split())}", file=sys.stderr, flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())


_PACKAGES = ("hopfield-nav", "numpy", "numba", "pydantic", "typer")


def write_report(arguments: Sequence[str], error: BaseException) -> Path:
    """Write what happened to ``hopfield-nav-error-TIME.txt``, here or in the temporary folder.

    Args:
        arguments: the command line.
        error: the exception that was not meant to happen.
    """
    name = f"hopfield-nav-error-{time.strftime('%Y%m%d-%H%M%S')}.txt"
    for folder in (Path(), Path(tempfile.gettempdir())):
        try:
            path = folder / name
            path.write_text(_text(arguments, error), encoding="utf-8")
            return path
        except OSError:
            continue
    return Path("nowhere (no folder could be written)")


def _text(arguments: Sequence[str], error: BaseException) -> str:
    lines = [f"hopfield-nav {' '.join(arguments)}", f"Python {sys.version}", platform.platform()]
    lines += [f"{package} {_version_of(package)}" for package in _PACKAGES]
    return "\n".join([*lines, "", *traceback.format_exception(error)])


def _version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
