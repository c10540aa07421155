"""The words of the commands that make runs, judge files and show what was saved.

``hopfield_nav.cli.app`` puts them together. Each imports what does the work when it is called, no sooner:
the help answers before NumPy is loaded.

What the commands do; ``hopfield_nav.cli.app`` says how they are called.

Each function returns an exit status. Everything heavy is imported where it is used, so that a
faulty world or a call for help need not wait for the compiler.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from dynamics import BadInput

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
    from hopfield_nav.cli.sweep import run_sweep

    return run_sweep(file, out, workers, scheduler, resume, not no_plots)


def compare(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of saved runs.")],
) -> int:
    """Saved runs side by side: delays, misses, false alarms, forces, map."""
    from hopfield_nav.cli.compare import compare_runs

    return compare_runs(runs)


def check(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="World or sweep files.")],
) -> int:
    """Check world files and sweep files, and run nothing."""
    return check_files(files)


def schema(
    sweep: Annotated[bool, typer.Option("--sweep", help="Of a sweep file instead.")] = False,
) -> int:
    """Print the JSON Schema of a world file, for editors."""
    return print_schema(sweep)


def plot(
    run: _RunOrSweep, pdf: Annotated[bool, typer.Option("--pdf", help="PDF beside PNG.")] = False
) -> int:
    """Draw the figures of a run or a sweep again, from its record alone."""
    return plot_run(run, pdf)


def animate(run: _Run) -> int:
    """Make the film of a run: mp4, or gif where no encoder is found."""
    return animate_saved(run)


REACHED, NOT_REACHED, BAD_INPUT, INTERNAL, INTERRUPTED = 0, 1, 2, 3, 130
_RECORD = ("world.yaml", "summary.json", "log.nc")


def say(message: str) -> None:
    """One line to stderr."""
    print(message, file=sys.stderr, flush=True)


def run_world(
    name: str, out: Path | None, seed: int | None, overrides: Sequence[str], plots: bool, animation: bool
) -> int:
    """Simulate a world, save the run with its pictures, print its results."""
    from hopfield_nav.cli.folders import choose_folder
    from hopfield_nav.world import load_world

    world = load_world(name, overrides)
    folder = choose_folder(out, world.name)
    run = _simulate(world, seed)
    _save(run, folder)
    if plots:
        _draw(run, folder)
    if animation:
        _animate(run, folder)
    from hopfield_nav.cli.report import print_results

    print_results(run.summary, folder)
    return REACHED if run.outcome == "reached" else NOT_REACHED


def check_files(names: Sequence[str]) -> int:
    """Check world files and sweep files; one line each."""
    status = 0
    for name in names:
        try:
            print(f"{name}: {_check_file(name)}")
        except BadInput as error:
            say(f"hopfield-nav: {error}")
            status = BAD_INPUT
    return status


def _check_file(name: str) -> str:
    from hopfield_nav.world import find_file, read_document, sweep_name, world_from, world_name

    path = find_file(name)
    document = read_document(path)
    if not _is_sweep(document.data):
        world_from(document, path.parent, world_name(path))
        return "ok"
    from hopfield_nav.sweeps import sweep_from

    sweep = sweep_from(document, path.parent, sweep_name(path))
    runs = "1 run" if sweep.count == 1 else f"{sweep.count} runs"
    return "; ".join([f"ok, {runs}", *sweep.remarks])


def _is_sweep(data: Any) -> bool:
    """Whether the content of a file is meant as a sweep: it names a world or varies keys of one."""
    return isinstance(data, dict) and not data.keys().isdisjoint({"world", "vary", "zip", "random"})


def print_schema(sweep: bool = False) -> int:
    """Print the JSON Schema of a world file, or of a sweep file."""
    from hopfield_nav.sweeps import dump_sweep_schema
    from hopfield_nav.world import dump_schema

    print(json.dumps(dump_sweep_schema() if sweep else dump_schema(), indent=2, ensure_ascii=False))
    return 0


def plot_run(folder: Path, pdf: bool) -> int:
    """Draw the figures of a saved run, or of a sweep, again."""
    if (folder / "sweep.csv").is_file():
        from hopfield_nav.figures.sweep import draw_sweep_figures

        paths = draw_sweep_figures(folder, pdf=pdf)
    else:
        paths = _draw(_load(folder), folder, pdf)
    for path in paths:
        print(path)
    return 0


def animate_saved(folder: Path) -> int:
    """Make the film of a saved run."""
    print(_animate(_load(folder), folder))
    return 0


def say_if_cold() -> None:
    """Tell why the first run takes longer."""
    from dynamics.compiled import cache_is_warm

    if not cache_is_warm():
        say("compiling once, about a minute; later runs start at once")


def _simulate(world: Any, seed: int | None) -> Any:
    from hopfield_nav.cli.report import progress_bar

    say_if_cold()
    from hopfield_nav.experiment import simulate

    with progress_bar(world.time_limit) as progress:
        return simulate(world, seed=seed, progress=progress)


def _save(run: Any, folder: Path) -> None:
    try:
        run.save(folder)
    except OSError as error:
        raise BadInput(f"the run could not be saved: {error.strerror or error}", where=str(folder)) from error


def _draw(run: Any, folder: Path, pdf: bool = False) -> list[Path]:
    from hopfield_nav.figures.run import draw_run_figures

    return draw_run_figures(run, folder / "figures", pdf=pdf)


def _animate(run: Any, folder: Path) -> Path:
    from hopfield_nav.cli.report import count_bar
    from hopfield_nav.figures.run import animate_run

    with count_bar("film", "frames") as progress:
        return animate_run(run, folder / "animation", progress=progress)


def _load(folder: Path) -> Any:
    missing = [name for name in _RECORD if not (folder / name).is_file()]
    if missing:
        what = "not the folder of a run" if folder.is_dir() else "no such folder"
        raise BadInput(
            what,
            where=str(folder),
            found=f"no {', '.join(missing)}" if folder.is_dir() else None,
            allowed="a folder that `hopfield-nav run` or `hopfield-nav sweep` made",
        )
    from hopfield_nav.experiment import load_run

    return load_run(folder)
