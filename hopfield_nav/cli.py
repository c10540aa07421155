"""The command line: its words, its exit status, and one line for every fault.

Exit status: 0 goal reached, or every row of a sweep written; 1 a valid run that did not reach it; 2 bad
input or usage; 3 internal error, with a report file; 130 interrupted.
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
_RunOrSweep = Annotated[Path, typer.Argument(metavar="RUN_OR_SWEEP", help="Folder of a run or a sweep.")]


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
def sweep(
    file: Annotated[
        str, typer.Argument(metavar="SWEEP", help="Sweep file, or the name of a sweep that comes along.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for the results  [default: runs/SWEEP, then -2, -3]", show_default=False),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=0, help="Processes on this machine; 0: in this one  [default: cores]", show_default=False
        ),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Use a running dask cluster: tcp://HOST:8786."),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Do what is missing in --out, or in the newest folder of this sweep."),
    ] = False,
    no_plots: Annotated[bool, typer.Option("--no-plots", help="Draw no figures.")] = False,
) -> int:
    """Simulate a world many times with changed values, on every core or a cluster."""
    from hopfield_nav.sweep_command import run_sweep

    return run_sweep(file, out, workers, scheduler, resume, not no_plots)


@app.command()
def replay(
    log: Annotated[
        Path, typer.Argument(metavar="LOG_DIR", help="Recording of a real arm, or folder of a run.")
    ],
    detector: Annotated[str, typer.Option(help="Name of a detector, or FILE.py:NAME.")],
    estimator: Annotated[
        str | None,
        typer.Option(
            help="Name of an estimator  [default: that of the run, or joint_error]", show_default=False
        ),
    ] = None,
    arm: Annotated[
        str | None,
        typer.Option(
            help="Model of the arm  [default: that of the run, or ur5_controller]", show_default=False
        ),
    ] = None,
    threshold: Annotated[float | None, typer.Option(help="Of the detector.", show_default=False)] = None,
    values: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="A parameter of a method: --set omega=20. Repeatable."
        ),
    ] = None,
    free_run: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="LOG_DIR", help="Recording of the same arm untouched: gives motors, friction. Repeatable."
        ),
    ] = None,
    same_motor: Annotated[
        list[str] | None,
        typer.Option(
            metavar="JOINTS", help="Joints with one motor constant: --same-motor 4,5,6. Repeatable."
        ),
    ] = None,
    free: Annotated[
        bool, typer.Option("--free", help="Nothing touched the arm in this log: every alarm is a false one.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Save row by row, as .csv or .nc.", show_default=False)
    ] = None,
) -> int:
    """Run a force estimator and a collision detector over a recording."""
    from hopfield_nav.replay_command import Options, run_replay

    return run_replay(
        log,
        Options(
            estimator, detector, arm, threshold, values or [], free_run or [], same_motor or [], free, out
        ),
    )


@app.command()
def compare(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of saved runs.")],
) -> int:
    """Saved runs side by side: delays, misses, false alarms, forces, map."""
    from hopfield_nav.compare_command import compare_runs

    return compare_runs(runs)


@app.command()
def identify(
    logs: Annotated[
        list[Path],
        typer.Argument(
            metavar="LOG...", help="Recordings of a real arm, or folders of runs, of free motion."
        ),
    ],
    arm: Annotated[
        str, typer.Option(help="Model to begin with: kinematics, rotors, and what logs leave open.")
    ],
    out: Annotated[Path, typer.Option(metavar="FILE", help="Arm file to write, .yaml.")],
    check: Annotated[
        list[Path] | None,
        typer.Option(metavar="LOG", help="Log that is not used for the fit, to judge it. Repeatable."),
    ] = None,
    rotor: Annotated[
        str, typer.Option(help="Inertia of the rotors: known (the model's), estimated, or ignored.")
    ] = "known",
    bandwidth: Annotated[
        float, typer.Option(min=0.1, help="Of the arm's dynamics [Hz]; angles are filtered at 5 times this.")
    ] = 10.0,
    keep: Annotated[
        bool, typer.Option("--keep", help="Take the model's values for what the logs do not show.")
    ] = False,
    motor_constants: Annotated[
        str | None,
        typer.Option(
            metavar="K1,K2,...",
            help="Torque for a current, of every joint [N·m/A]  [default: fitted to the model]",
            show_default=False,
        ),
    ] = None,
    same_motor: Annotated[
        list[str] | None,
        typer.Option(
            metavar="JOINTS", help="Joints with one motor constant: --same-motor 4,5,6. Repeatable."
        ),
    ] = None,
) -> int:
    """Identify an arm's dynamics from logs and write an arm file."""
    from hopfield_nav.identify_command import Words, run_identify

    words = Words(arm, out, check or [], rotor, bandwidth, keep, motor_constants, same_motor or [])
    return run_identify(logs, words)


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
def plot(
    run: _RunOrSweep, pdf: Annotated[bool, typer.Option("--pdf", help="PDF beside PNG.")] = False
) -> int:
    """Draw the figures of a run or a sweep again, from its record alone."""
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
