"""What the commands do; ``hopfield_nav.cli`` says how they are called.

Each function returns an exit status. Everything heavy is imported where it is used, so that a
faulty world or a call for help need not wait for the compiler.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dynamics.errors import BadInput

REACHED, NOT_REACHED, BAD_INPUT, INTERNAL, INTERRUPTED = 0, 1, 2, 3, 130
_RECORD = ("world.yaml", "summary.json", "log.nc")


def say(message: str) -> None:
    """One line to stderr."""
    print(message, file=sys.stderr, flush=True)


def run_world(
    name: str, out: Path | None, seed: int | None, overrides: Sequence[str], plots: bool, animation: bool
) -> int:
    """Simulate a world, save the run with its pictures, print its results."""
    from hopfield_nav.out_folder import choose_folder
    from hopfield_nav.world import load_world

    world = load_world(name, overrides)
    folder = choose_folder(out, world.name)
    run = _simulate(world, seed)
    _save(run, folder)
    if plots:
        _draw(run, folder)
    if animation:
        _animate(run, folder)
    from hopfield_nav.report import print_results

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
    from hopfield_nav.world import world_from
    from hopfield_nav.world_file import read_document
    from hopfield_nav.worlds_path import find_file, sweep_name, world_name

    path = find_file(name)
    document = read_document(path)
    if not _is_sweep(document.data):
        world_from(document, path.parent, world_name(path))
        return "ok"
    from hopfield_nav.sweep_file import sweep_from

    sweep = sweep_from(document, path.parent, sweep_name(path))
    runs = "1 run" if sweep.count == 1 else f"{sweep.count} runs"
    return "; ".join([f"ok, {runs}", *sweep.remarks])


def _is_sweep(data: Any) -> bool:
    """Whether the content of a file is meant as a sweep: it names a world or varies keys of one."""
    return isinstance(data, dict) and not data.keys().isdisjoint({"world", "vary", "zip", "random"})


def print_schema(sweep: bool = False) -> int:
    """Print the JSON Schema of a world file, or of a sweep file."""
    from hopfield_nav.schema import dump_schema
    from hopfield_nav.sweep_schema import dump_sweep_schema

    print(json.dumps(dump_sweep_schema() if sweep else dump_schema(), indent=2, ensure_ascii=False))
    return 0


def plot_run(folder: Path, pdf: bool) -> int:
    """Draw the figures of a saved run, or of a sweep, again."""
    if (folder / "sweep.csv").is_file():
        from hopfield_nav.sweep_figures import draw_sweep_figures

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
    from hopfield_nav.report import progress_bar

    say_if_cold()
    from hopfield_nav.simulation import simulate

    with progress_bar(world.time_limit) as progress:
        return simulate(world, seed=seed, progress=progress)


def _save(run: Any, folder: Path) -> None:
    try:
        run.save(folder)
    except OSError as error:
        raise BadInput(f"the run could not be saved: {error.strerror or error}", where=str(folder)) from error


def _draw(run: Any, folder: Path, pdf: bool = False) -> list[Path]:
    from hopfield_nav.plots import draw_run_figures

    return draw_run_figures(run, folder / "figures", pdf=pdf)


def _animate(run: Any, folder: Path) -> Path:
    from hopfield_nav.figures.film import animate_run
    from hopfield_nav.report import count_bar

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
    from hopfield_nav.run import load_run

    return load_run(folder)
