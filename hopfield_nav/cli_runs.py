"""The words of the commands that make runs, judge files and show what was saved.

``hopfield_nav.cli`` puts them together. Each imports what does the work when it is called, no sooner:
the help answers before NumPy is loaded.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

_World = Annotated[
    str, typer.Argument(metavar="WORLD", help="World file, or the name of a world that comes along.")
]
_Run = Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run.")]
_RunOrSweep = Annotated[Path, typer.Argument(metavar="RUN_OR_SWEEP", help="Folder of a run or a sweep.")]
_NoPlots = Annotated[bool, typer.Option("--no-plots", help="Draw no figures.")]


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
    no_plots: _NoPlots = False,
    animate: Annotated[bool, typer.Option("--animate", help="Make a film too.")] = False,
) -> int:
    """Simulate a world and save what happened."""
    from hopfield_nav.commands import run_world

    return run_world(world, out, seed, overrides or [], not no_plots, animate)


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
    no_plots: _NoPlots = False,
) -> int:
    """Simulate a world many times with changed values, on every core or a cluster."""
    from hopfield_nav.sweep_command import run_sweep

    return run_sweep(file, out, workers, scheduler, resume, not no_plots)


def compare(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of saved runs.")],
) -> int:
    """Saved runs side by side: delays, misses, false alarms, forces, map."""
    from hopfield_nav.compare_command import compare_runs

    return compare_runs(runs)


def check(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="World or sweep files.")],
) -> int:
    """Check world files and sweep files, and run nothing."""
    from hopfield_nav.commands import check_files

    return check_files(files)


def schema(
    sweep: Annotated[bool, typer.Option("--sweep", help="Of a sweep file instead.")] = False,
) -> int:
    """Print the JSON Schema of a world file, for editors."""
    from hopfield_nav.commands import print_schema

    return print_schema(sweep)


def plot(
    run: _RunOrSweep, pdf: Annotated[bool, typer.Option("--pdf", help="PDF beside PNG.")] = False
) -> int:
    """Draw the figures of a run or a sweep again, from its record alone."""
    from hopfield_nav.commands import plot_run

    return plot_run(run, pdf)


def animate(run: _Run) -> int:
    """Make the film of a run: mp4, or gif where no encoder is found."""
    from hopfield_nav.commands import animate_saved

    return animate_saved(run)
