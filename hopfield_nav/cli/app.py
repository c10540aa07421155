"""The command line: its commands in their order, its exit status, and one line for every fault.

Exit status: 0 goal reached, or every row of a sweep written; 1 a valid run that did not reach it, or through an
obstacle; 2 bad input or usage; 3 internal error, with a report file; 130 interrupted.

A command imports what does the work when it is called: the help answers before NumPy is loaded.
"""

import functools
import gc
import io
import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from hopfield_nav.cli.check import check, schema
from hopfield_nav.cli.compare import compare
from hopfield_nav.cli.crash import keep_record, noticed_interrupts, write_report
from hopfield_nav.cli.export import export
from hopfield_nav.cli.known import list_
from hopfield_nav.cli.new import new
from hopfield_nav.cli.pictures import animate, plot
from hopfield_nav.cli.refused import say, say_refused
from hopfield_nav.cli.run import run
from hopfield_nav.cli.sweep import sweep
from hopfield_nav.cli.warm import warm
from hopfield_nav.extensions.bench.commands.bench import bench
from hopfield_nav.extensions.known_world.commands.demo import demo
from hopfield_nav.extensions.known_world.commands.plan import plan
from hopfield_nav.extensions.live.commands.serve import serve
from hopfield_nav.extensions.live.commands.watch import watch
from hopfield_nav.extensions.recordings.commands.explain import explain
from hopfield_nav.extensions.recordings.commands.identify import identify
from hopfield_nav.extensions.recordings.commands.replay import replay
from hopfield_nav.extensions.recordings.commands.tune import tune
from hopfield_nav.extensions.viewer.commands.view import view

app = typer.Typer(
    name="hopfield-nav",
    rich_markup_mode=None,
    help="Simulate a UR5 that cannot see: it feels collisions through its joints and finds its way "
    "with a Hopfield neural network.",
)
for _command in (
    run, sweep, bench, plan, demo, replay, explain, compare, tune, identify, serve, watch,
    new, check, list_, schema, view, plot, animate, export, warm,
):  # fmt: skip
    app.command(_command.__name__.rstrip("_"))(_command)  # the help lists them in this order
_GARBAGE = 50_000  # new objects between two looks for garbage: a start and figures keep most of theirs
_UsageError: Any = typer.BadParameter.__base__  # typer has its own copy of click, or click's, by version


def _version(asked: bool) -> None:
    if asked:
        from hopfield_nav.record import __version__, source_digest

        print(f"hopfield-nav {__version__} (sources {source_digest()})")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    pass


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line, by default the process's words, and return its exit status; never raises."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    gc.set_threshold(_GARBAGE)
    _print_whatever_comes()
    with noticed_interrupts() as interrupts:
        return _answer(arguments, interrupts)


def _answer(arguments: list[str], interrupts: list[int]) -> int:
    try:
        status = _call(arguments)
        return say("interrupted", status) if status == 130 else status  # typer has caught Ctrl-C
    except (KeyboardInterrupt, typer.Abort):
        return say("interrupted", 130)
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        from dynamics import HopfieldNavError

        if interrupts:
            return say("interrupted", 130)
        if isinstance(error, HopfieldNavError) and not hasattr(error, "run"):
            return say_refused(error)
        record = keep_record(error)
        kept = "" if record is None else f"; the record up to there: {record}"
        report = write_report(arguments, error, record)
        return say(f"internal error ({type(error).__name__}){kept}; details are in {report}", 3)


@functools.cache
def _commands() -> Any:
    """All commands with their options, which typer takes a tenth of a second to make."""
    return typer.main.get_command(app)


def _call(arguments: list[str]) -> int:
    try:
        status = _commands().main(args=arguments or ["--help"], prog_name="hopfield-nav", standalone_mode=False)
    except typer.Exit as stop:
        return stop.exit_code
    except SystemExit as stop:  # a shell asked how a word goes on
        return int(stop.code or 0)
    except _UsageError as error:
        return say(f"{error.format_message()} (see hopfield-nav --help)", 2)
    if not arguments:
        return 2  # a call without a command is none; the help has been printed
    return status if isinstance(status, int) else 0


def _print_whatever_comes() -> None:
    """Characters that the terminal's or the pipe's encoding lacks are written as their escapes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
