"""The command sweep."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynamics import BadInput
from hopfield_nav.cli.options import (
    NoPlots,
    Trusted,
    choose_folder,
    folder_option,
    newest_folder,
    save_where_free,
)

if TYPE_CHECKING:
    from hopfield_nav.sweeps import Sweep


def sweep(
    file: Annotated[
        str,
        typer.Argument(
            metavar="SWEEP", help="Sweep file, or the name of a sweep that comes along."
        ),
    ],
    out: Annotated[Path | None, folder_option("SWEEP")] = None,
    workers: Annotated[
        int | None,
        typer.Option(min=0, help="Processes on this machine; 0: in this one  [default: cores]"),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Use a Dask cluster (an extra): tcp://HOST:8786."),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume", help="Do what is missing in --out, or in the newest folder of this sweep."
        ),
    ] = False,
    aim: Annotated[
        str | None,
        typer.Option(
            metavar="AIM", help="What the best is: {least: QUANTITY, while: {QUANTITY: '<= 0'}}."
        ),
    ] = None,
    until_decided: Annotated[
        bool,
        typer.Option("--until-decided", help="Add seeds until it is shown which setting is best."),
    ] = False,
    at_most: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="RUNS",
            help="End --until-decided after so many runs in all  [default: 100 a setting]",
        ),
    ] = None,
    no_plots: NoPlots = False,
    trust: Trusted = False,
) -> int:
    """Simulate a world many times with changed values, on every core or a cluster."""
    from hopfield_nav.sweeps import as_kept, load_sweep, require_same

    asked = load_sweep(file, trust)
    asked = asked if aim is None else asked.aimed(aim)
    if until_decided:
        asked = asked.until_decided(at_most)
    elif at_most is not None:
        raise BadInput("without --until-decided", "--at-most", at_most, "both, or neither")
    folder = folder_of(asked.name, out, resume)
    if resume:
        require_same(asked, folder)
    say_what_is_coming(asked, folder, scheduler, resume)
    folder = save_where_free(
        lambda place: execute_shown(asked, place, workers, scheduler, resume),
        folder,
        out,
        asked.name,
    )
    if not no_plots:
        from hopfield_nav.figures.sweep import draw_sweep_figures
        from hopfield_nav.sweeps import keep_chosen

        keep_chosen(as_kept(asked, folder), folder)
        draw_sweep_figures(folder)
    from hopfield_nav.cli.sweep_report import print_sweep
    from hopfield_nav.sweeps import read_rows

    kept = as_kept(asked, folder)
    print_sweep(kept, read_rows(folder, kept), folder)
    return 0


def folder_of(name: str, out: Path | None, resume: bool) -> Path:
    """The folder for results of that name: a free one, or with ``resume`` the one to go on in."""
    if not resume:
        return choose_folder(out, name)
    folder = out or newest_folder(name)
    if folder is None:
        allowed = "--out FOLDER, or no --resume"
        raise BadInput("there is nothing to resume", where=f"runs/{name}", allowed=allowed)
    return folder


def say_what_is_coming(sweep: "Sweep", folder: Path, scheduler: str | None, resume: bool) -> None:
    """Print how many runs there are, and compile what they call on this machine."""
    from hopfield_nav.cli.report import compiling, say
    from hopfield_nav.sweeps import finished_runs, warm_up

    done = finished_runs(folder) if resume else 0
    say(*sweep.remarks, f"{sweep.name}: {_runs_to_come(sweep, done)}")
    if sweep.budget is not None:
        from hopfield_nav.cli.sweep_report import lines_beforehand

        say(*lines_beforehand(sweep))
    if scheduler is None and (done < sweep.run_count or sweep.budget is not None):
        with compiling():
            warm_up(sweep)


def _runs_to_come(sweep: "Sweep", done: int) -> str:
    """How many runs a sweep has, or may have, in words."""
    if sweep.budget is not None:
        return f"{done} runs are there; up to {sweep.budget.at_most} until it is decided"
    total = sweep.run_count
    rest = f"{total - done} of " if 0 < done < total else ""
    return f"{rest}{total} runs"


def execute_shown(
    sweep: "Sweep",
    folder: Path,
    workers: int | None,
    scheduler: str | None,
    resume: bool,
) -> None:
    """Run what is missing of a sweep, and show how it goes."""
    from hopfield_nav.cli.report import say
    from hopfield_nav.cli.sweep_report import sweep_progress
    from hopfield_nav.sweeps import execute, finished_runs

    total = sweep.run_count if sweep.budget is None else sweep.budget.at_most
    try:
        with sweep_progress(total) as progress:
            execute(sweep, folder, workers, scheduler, resume, progress)
    except KeyboardInterrupt:
        say(f"{finished_runs(folder)} of {total} runs are kept in {folder}; --resume does the rest")
        raise
