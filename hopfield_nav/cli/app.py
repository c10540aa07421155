"""The command line: its commands in their order, its exit status, and one line for every fault.

Exit status: 0 goal reached, or every row of a sweep written; 1 a valid run that did not reach it,
or through an obstacle; 2 bad input or usage; 3 internal error, with a report file; 130 interrupted.

A command imports what does the work when it is called: the help answers before NumPy is loaded.
"""

import functools
import gc
import io
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
import typer.core

from hopfield_nav.cli.crash import keep_record, noticed_interrupts, say, say_refused, write_report
from hopfield_nav.plugin import broken, imported, others, our_extensions, owner, shown

# the commands of the core: the file of each in this folder, and the first line of its help
CORE = {
    "run": ("run", "Simulate a world and save what happened."),
    "sweep": (
        "sweep",
        "Simulate a world many times with changed values, on every core or a cluster.",
    ),
    "check": (
        "check",
        "Check files of worlds, sweeps, suites and arms: every fault, and what `run` would refuse or warn of.",
    ),
    "new": (
        "known",
        "Write a world file with comments, to begin with: it checks and runs as it is.",
    ),
    "list": (
        "known",
        "List the worlds, arms, control laws, detectors, planners, sweeps, suites, keys … that come along.",
    ),
    "schema": ("check", "Print the JSON Schema of a world file, for editors."),
    "plot": ("saved", "Draw the figures of a run or a sweep again, from its record alone."),
    "animate": ("saved", "Make the film of a run, as mp4."),
    "compare": (
        "saved",
        "Saved runs side by side: keys that differ, delays, misses, false alarms; or worlds, seed by seed.",
    ),
    "export": (
        "saved",
        "Write the signals of a run as tables or for MATLAB, or what it knew and felt as a scene.",
    ),
    "warm": (
        "run",
        "Compile everything now, in several processes; what is compiled already is only looked at.",
    ),
}


class _Commands(typer.core.TyperGroup):
    """All commands by name: a command's file is imported when it is called, an extension's is declared by that."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The core's, then those of extensions."""
        return [*CORE, *_lines_of_extensions()]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command with its options; None where there is none of that name."""
        if cmd_name in CORE:
            module = import_module(f"hopfield_nav.cli.{CORE[cmd_name][0]}")
            return _with_options(
                cmd_name, getattr(module, "list_" if cmd_name == "list" else cmd_name)
            )
        for extension in our_extensions().values():
            if cmd_name in extension.commands:
                return _with_options(cmd_name, extension.command(cmd_name))
        return _command_of_others(cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is called; one that is misspelt is told the nearest."""
        if self.get_command(ctx, args[0]) is None:
            self.commands: Any = dict.fromkeys(self.list_commands(ctx))  # among which typer looks
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The list of commands, without loading one."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in CORE.items()])
        if lines := list(_lines_of_extensions().items()):
            with formatter.section("Commands of extensions"):
                formatter.write_dl(lines)


def _lines_of_extensions() -> dict[str, str]:
    """The commands of extensions by name, each with its line.

    Where others took a name, with whose it is.
    """
    ours = {k: v for extension in our_extensions().values() for k, v in extension.commands.items()}
    found = [(one, name) for one in others() for name in one.extension.commands]
    names = shown(found, [*CORE, *ours])
    theirs = {
        name: one.extension.commands[own] for name, (one, own) in zip(names, found, strict=True)
    }
    return ours | theirs


def _command_of_others(name: str) -> Any:
    """A command of an extension of others; None where there is none of that name."""
    found = owner("command", name, lambda extension, own: own in extension.commands)
    if found is None:
        return None
    own = name.rpartition(":")[2]
    try:
        return imported(lambda: _with_options(name, found.extension.command(own)))
    except ImportError as error:
        from dynamics import BadInput

        raise BadInput(f"the command of {found} cannot be loaded: {error}", found=name) from error


def _with_options(name: str, function: Callable[..., int]) -> Any:
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name)(function)
    return typer.main.get_command(alone)


app = typer.Typer(
    name="hopfield-nav",
    cls=_Commands,
    rich_markup_mode=None,
    help="Simulate a UR5 that cannot see: it feels collisions through its joints and finds its way "
    "with a Hopfield neural network.",
)
# new objects between two looks for garbage: a start and figures keep most of theirs
_GARBAGE = 50_000
# typer has its own copy of click, or click's, by version
_UsageError: Any = typer.BadParameter.__base__


def _version(asked: bool) -> None:
    if asked:
        from hopfield_nav.record import __version__, source_digest

        print(f"hopfield-nav {__version__} (sources {source_digest()})")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Print the version and stop."
        ),
    ] = False,
) -> None:
    pass


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line, by default the process's words, and return its exit status; never raises."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    gc.set_threshold(_GARBAGE)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # what its encoding lacks is written as escapes
            stream.reconfigure(errors="backslashreplace")
    with noticed_interrupts() as interrupts:
        return _answer(arguments, interrupts)


def _answer(arguments: list[str], interrupts: list[int]) -> int:
    try:
        status = _call(arguments)
        for what, why in broken.items():
            say(f"left out is the {what}, which cannot be loaded: {why}", status)
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
        status = _commands().main(
            args=arguments or ["--help"], prog_name="hopfield-nav", standalone_mode=False
        )
    except typer.Exit as stop:
        return stop.exit_code
    except SystemExit as stop:  # a shell asked how a word goes on
        return int(stop.code or 0)
    except _UsageError as error:
        return say(f"{error.format_message()} (see hopfield-nav --help)", 2)
    if not arguments:
        return 2  # a call without a command is none; the help has been printed
    return status if isinstance(status, int) else 0
