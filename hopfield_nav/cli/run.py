"""The command run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynamics import BadInput
from hopfield_nav.cli.options import Film, NoPlots, Trusted, WorldName, folder_option, set_option
from hopfield_nav.cli.pictures import draw_run, film_run

if TYPE_CHECKING:
    from hopfield_nav.experiment import Run
    from hopfield_nav.world import World


def run(
    world: WorldName,
    out: Annotated[Path | None, folder_option("WORLD")] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**63 - 1, help="Beats the seed in the file.")
    ] = None,
    overrides: Annotated[list[str] | None, set_option("detection.threshold=8")] = None,
    no_plots: NoPlots = False,
    animate: Film = False,
    trust: Trusted = False,
) -> int:
    """Simulate a world and save what happened."""
    from hopfield_nav.cli.folders import choose_folder
    from hopfield_nav.world import load_world, remarks

    read = load_world(world, overrides or [], trust)
    folder = choose_folder(out, read.name)
    for remark in remarks(read):
        print(remark, file=sys.stderr, flush=True)
    made = _simulate(read, seed)
    _save(made, folder)
    if not no_plots:
        draw_run(made, folder)
    if animate:
        film_run(made, folder)
    from hopfield_nav.cli.report import print_results

    print_results(made.summary, folder)
    return 0 if made.outcome == "reached" else 1


def _simulate(world: World, seed: int | None) -> Run:
    from hopfield_nav.cli.report import progress_bar, say_if_cold

    say_if_cold()
    from hopfield_nav.experiment import simulate

    with progress_bar(world.time_limit) as progress:
        return simulate(world, seed=seed, progress=progress)


def _save(made: Run, folder: Path) -> None:
    try:
        made.save(folder)
    except OSError as error:
        raise BadInput(f"the run could not be saved: {error.strerror or error}", where=str(folder)) from error
