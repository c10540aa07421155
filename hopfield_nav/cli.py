"""The command line: its words, its exit status, and one line for every fault.

Exit status: 0 goal reached; 1 a valid run that did not reach it; 2 bad input or usage; 3 internal
error, with a report file; 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

app = typer.Typer(
    name="hopfield-nav",
    add_completion=False,
    rich_markup_mode=None,
    help="Simulate a UR5 that cannot see: it feels collisions through its joints and finds its way "
    "with a Hopfield neural network.",
)
_UsageError: Any = typer.BadParameter.__base__  # typer has its own copy of click, or click's, by version
_World = Annotated[
    str, typer.Argument(metavar="WORLD", help="World file, or the name of a world that comes along.")
]
_Run = Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run.")]


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


@app.command()
def run(
    world: _World,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for the results  [default: runs/WORLD, then -2, -3]", show_default=False),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**63 - 1, help="Beats the seed in the file.")
    ] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Change a value of the world: --set detection.threshold=8. Repeatable.",
        ),
    ] = None,
    no_plots: Annotated[bool, typer.Option("--no-plots", help="Draw no figures.")] = False,
    animate: Annotated[bool, typer.Option("--animate", help="Make a film too.")] = False,
) -> int:
    """Simulate a world and save what happened."""
    from hopfield_nav.commands import run_world

    return run_world(world, out, seed, overrides or [], not no_plots, animate)


@app.command()
def check(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="World or sweep files.")],
) -> int:
    """Check world files and sweep files, and run nothing."""
    from hopfield_nav.commands import check_files

    return check_files(files)


@app.command()
def schema(
    sweep: Annotated[bool, typer.Option("--sweep", help="Of a sweep file instead.")] = False,
) -> int:
    """Print the JSON Schema of a world file, for editors."""
    from hopfield_nav.commands import print_schema

    return print_schema(sweep)


@app.command()
def plot(run: _Run, pdf: Annotated[bool, typer.Option("--pdf", help="PDF beside PNG.")] = False) -> int:
    """Draw the figures of a run again, from its record alone."""
    from hopfield_nav.commands import plot_run

    return plot_run(run, pdf)


@app.command()
def animate(run: _Run) -> int:
    """Make the film of a run: mp4, or gif where no encoder is found."""
    from hopfield_nav.commands import animate_saved

    return animate_saved(run)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status; never raises.

    Args:
        argv: the words after the program's name; default those of the process.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        status = _call(arguments)
        return _say("interrupted", status) if status == 130 else status  # typer has caught Ctrl-C
    except (KeyboardInterrupt, typer.Abort):
        return _say("interrupted", 130)
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        from dynamics.errors import HopfieldNavError

        if isinstance(error, HopfieldNavError):
            return _say(str(error), 2)
        from hopfield_nav.crash import write_report

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
