"""The command demo: random plans, again and again (nowoczyn2023 3.4)."""

import itertools
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynamics import printable
from hopfield_nav.cli import Film, NoPlots, choose_folder, folder_option

if TYPE_CHECKING:
    from hopfield_nav.extensions.known_world.planned import Planned
    from hopfield_nav.world import World

_UNWATCHED = 10  # rounds where nobody watches and could end it
_PATHS = {
    "shortest": "straight line", "around": "detour", "direct": "direct path", "sampling": "sampled path",
}  # fmt: skip


def demo(
    world: Annotated[
        str, typer.Argument(metavar="WORLD", help="Whose known obstacles are in the way.")
    ] = "cell",
    rounds: Annotated[
        int | None,
        typer.Option(
            min=1,
            help=f"Stop after so many  [default: Ctrl-C; {_UNWATCHED} where the output goes to no terminal]",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Of the random poses.")] = 0,
    out: Annotated[Path | None, folder_option("demo")] = None,
    no_plots: NoPlots = False,
    animate: Film = False,
) -> int:
    """From one random pose to another, again and again: the straight line, or else the direct path."""
    from hopfield_nav.cli import save_where_free, say_if_cold
    from hopfield_nav.world import load_world

    read, folder = load_world(world), _make_folder(out, "demo")
    say_if_cold()
    from hopfield_nav.experiment import follow
    from hopfield_nav.extensions.known_world.commands.plan import draw_plan, film_plan
    from hopfield_nav.extensions.known_world.planned import save_plan

    if rounds is None and not sys.stdout.isatty():
        rounds = _UNWATCHED
    plans = _random_plans(read, seed)
    print(printable(f"results in {folder}{'; Ctrl-C ends it' * (rounds is None)}"), flush=True)
    for number, planned in enumerate(itertools.islice(plans, rounds), start=1):
        if planned.trajectory is not None:
            place = folder / f"{number:03d}"
            place = save_where_free(partial(save_plan, planned), place, place, "")
            if not no_plots:
                draw_plan(planned, place)
            if animate:
                film_plan(follow(planned.world, planned.trajectory), place)
        print(f"{number:03d}  {_in_words(planned)}", flush=True)
    return 0


def _random_plans(world: "World", seed: int) -> "Iterator[Planned]":
    """Plans from one random start to one random goal, without end."""
    import numpy as np

    from dynamics import forward_kinematics
    from hopfield_nav.build import build_arm
    from hopfield_nav.extensions.clearance import scene_of_world
    from hopfield_nav.extensions.known_world.planned import plan_task
    from hopfield_nav.extensions.known_world.task import Task, random_free_joints

    arm, generator = build_arm(world), np.random.default_rng(seed)
    scene = scene_of_world(world, world.plan.clearance)
    ends = (random_free_joints(arm, scene, 2, generator) for _ in itertools.repeat(None))
    tasks = (Task(start, [forward_kinematics(arm, goal)]) for start, goal in ends)
    return (plan_task(world, arm, scene, task) for task in tasks)


def _in_words(planned: "Planned") -> str:
    if planned.plan.path is None or planned.trajectory is None:
        return f"no plan; {planned.plan.reason}"
    path, seconds = planned.plan.path, planned.trajectory.knots[-1]
    instead = " or ".join(_PATHS[kind] for kind in planned.plan.reasons if kind != path.kind)
    found = f"{_PATHS[path.kind]}, {path.length:.2f} rad, {seconds:.2f} s"
    return f"{found}  (no {instead})" if instead else found


def _make_folder(asked: Path | None, name: str) -> Path:
    """As ``choose_folder``, and made at once: for results that come one after the other."""
    while True:
        folder = choose_folder(asked, name)
        try:
            folder.mkdir(exist_ok=asked is not None)
            return folder
        except FileExistsError:
            continue
