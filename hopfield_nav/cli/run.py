"""The commands run and warm.

A world is simulated; and everything is compiled now, and nothing waits for it later.
"""

import math
import os
import time as clock
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynamics import BadInput, told
from hopfield_nav.cli.options import (
    Felt,
    Film,
    NoPlots,
    Trusted,
    WorldName,
    folder_option,
    set_option,
)

if TYPE_CHECKING:
    from hopfield_nav.record import Run
    from hopfield_nav.world import World

_LOOK_EVERY = 1.0  # [s] between two pages


def run(
    world: WorldName,
    out: Annotated[Path | None, folder_option("WORLD")] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**63 - 1, help="Beats the seed in the file.")
    ] = None,
    overrides: Annotated[list[str] | None, set_option("detection.threshold=8")] = None,
    no_plots: NoPlots = False,
    animate: Film = False,
    view: Annotated[
        bool, typer.Option("--view", help="Show the run in the browser while it is going.")
    ] = False,
    felt: Felt = None,
    learnt: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the arm as it was learnt to an arm file."),
    ] = None,
    trust: Trusted = False,
) -> int:
    """Simulate a world and save what happened."""
    from hopfield_nav.cli.options import choose_folder, save_where_free
    from hopfield_nav.cli.report import say
    from hopfield_nav.world import load_world, remarks

    read = load_world(world, overrides or [], trust)
    if learnt is not None and read.controller.learn is False:
        allowed = "true, or a section, with --learnt"
        raise BadInput(
            "nothing is learnt", where="controller.learn", found="false", allowed=allowed
        )
    folder = choose_folder(out, read.name)
    say(*remarks(read))
    earlier = None
    if felt is not None:
        from hopfield_nav.record import load_run

        earlier = load_run(felt)
    _compile_if_cold(read)
    from hopfield_nav.experiment import Interrupted

    try:
        made = (
            _simulate_in_sight(read, seed, earlier, folder)
            if view
            else _simulate(read, seed, earlier)
        )
    except Interrupted as stop:
        made = stop.run
    except Exception as error:
        error.folder = folder  # type: ignore[attr-defined]  # for what there is of its run
        raise
    with told("the run could not be saved", folder):
        folder = save_where_free(made.save, folder, out, read.name)
    if learnt is not None:
        _write_learnt(made, learnt)
    if made.outcome == "running":
        say(
            f"interrupted at {made.summary['simulated_time_s']:.4g} s; what was recorded is kept in {folder}"
        )
        return 130
    if made.outcome == "method_failed":
        say(f"hopfield-nav: {made.summary['reason']}; the record up to there: {folder}")
    if not no_plots or animate:
        from hopfield_nav.cli.saved import draw_run, film_run

        if not no_plots:
            draw_run(made, folder)
        if animate:
            film_run(made, folder)
    from hopfield_nav.cli.report import print_results
    from hopfield_nav.record import is_reached

    print_results(made, folder)
    if made.outcome == "method_failed":
        return 2
    return 0 if is_reached(made.summary) else 1


def _write_learnt(made: "Run", path: Path) -> None:
    from dynamics.files import write_arm
    from hopfield_nav.plugin import provided

    title = f"{made.world.controller.model or made.world.arm}, as it learnt itself"
    arm, source = provided("learnt_arm", "--learnt")(made), f"learnt in a run of {made.world.name}"
    write_arm(arm, path, title, source, fit=made.summary["learnt"])


def _simulate(world: "World", seed: int | None, felt: "Run | None") -> "Run":
    from hopfield_nav.cli.report import bar, say
    from hopfield_nav.experiment import Simulation, storm_of

    simulation = Simulation(world, seed, felt=felt)
    is_told = False
    with bar("0.0 s", world.time_limit) as show:

        def progress(time: float, collisions: int) -> None:
            nonlocal is_told
            if not is_told and (storm := storm_of(simulation)) is not None:
                is_told = True
                say(f"{storm}; Ctrl-C ends the run and keeps its record")
            if show is not None:
                touches = "1 collision" if collisions == 1 else f"{collisions} collisions"
                show(f"{time:.1f} of {world.time_limit:g} s, {touches}", time)

        return simulation.run(progress)


def _compile_if_cold(world: "World") -> None:
    """Compile in two processes where nothing is compiled yet and there is a processor for each."""
    from dynamics.kernels.cache import cache_is_shared, cache_is_warm
    from hopfield_nav.cli.report import compiling, say_if_cold

    if cache_is_warm():
        return
    if world.plant.engine != "internal" or (os.cpu_count() or 1) == 1 or not cache_is_shared():
        return say_if_cold()
    from hopfield_nav.experiment import compile_in_parallel

    with compiling():
        compile_in_parallel(world)


def _simulate_in_sight(world: "World", seed: int | None, felt: "Run | None", folder: Path) -> "Run":
    """The same, and a page beside the run's folder, in the browser, that grows with the run."""
    from hopfield_nav.cli.report import say
    from hopfield_nav.experiment import Simulation
    from hopfield_nav.plugin import provided

    if world.record.signals == "none":
        raise BadInput(
            "no view without signals", where="record.signals", found="none", allowed="all"
        )
    describe_run, page = (
        provided("describe_run", "--view"),
        provided("LivePage", "--view")(folder.parent, folder.name),
    )
    simulation, shown = Simulation(world, seed, felt=felt), -math.inf
    say(f"to be seen at {page.address}")

    def show(*_: float) -> None:
        nonlocal shown
        if simulation.outcome is None and clock.monotonic() - shown > _LOOK_EVERY:
            page.show(describe_run(simulation.record()))
            shown = clock.monotonic()

    made = simulation.run(show)
    page.show(describe_run(made), done=True)
    return made


def warm(
    worlds: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[WORLD]...", help="Only what these need  [default: all that come along]"
        ),
    ] = None,
    processes: Annotated[
        int | None, typer.Option(min=1, help="At once  [default: one a processor]")
    ] = None,
) -> int:
    """Compile everything now, in several processes; what is compiled already is only looked at."""
    from dynamics.kernels.cache import cache_folder, cache_is_shared
    from hopfield_nav.cli.report import count_bar, say
    from hopfield_nav.experiment import PARTS, compile_parts
    from hopfield_nav.world import find_world, list_worlds

    chosen = worlds or list_worlds()
    for name in chosen:
        find_world(name)
    at_once = (processes or os.cpu_count() or 1) if cache_is_shared() else 1
    *first, last = PARTS
    done, total = 0, len(PARTS) + len(chosen)
    with count_bar("compiling", "parts") as progress:
        for names in (first, [last, *chosen]):  # the second ones call the first ones
            for name in compile_parts(names, at_once):
                done += 1
                if progress is None:
                    say(f"{name} ({done} of {total})")
                else:
                    progress(done, total)
    print(cache_folder())
    return 0
