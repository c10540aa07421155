"""What ``hopfield-nav demo`` does: random plans, again and again, and the examples of nowoczyn2023 3.4."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING

from dynamics import BadInput, nearest_name

if TYPE_CHECKING:
    from hopfield_nav.known_world import Planned


def run_demo(name: str, rounds: int | None, seed: int, out: Path | None, plots: bool, animate: bool) -> int:
    """Random start and goal, the shortest path or else the next method, and again until interrupted."""
    import numpy as np

    from hopfield_nav.cli.folders import choose_folder
    from hopfield_nav.cli.run import say_if_cold
    from hopfield_nav.world import load_world

    world, folder = load_world(name), choose_folder(out, "demo")
    say_if_cold()
    from dynamics import forward_kinematics
    from hopfield_nav.cli.plan import show_plan
    from hopfield_nav.known_world import Task, plan_task, random_free_joints, save_plan, scene_of_world
    from hopfield_nav.world import build_arm

    arm, generator = build_arm(world), np.random.default_rng(seed)
    scene = scene_of_world(world, world.plan.clearance)
    print(f"results in {folder}; Ctrl-C ends it" if rounds is None else f"results in {folder}", flush=True)
    for number in itertools.count(1) if rounds is None else range(1, rounds + 1):
        start, goal = random_free_joints(arm, scene, 2, generator)
        planned = plan_task(world, arm, scene, Task(start, [forward_kinematics(arm, goal)]))
        if planned.trajectory is not None:
            save_plan(planned, folder / f"{number:03d}")
            show_plan(planned, folder / f"{number:03d}", plots, animate)
        print(f"{number:03d}  {_in_words(planned)}", flush=True)
    return 0


def _in_words(planned: Planned) -> str:
    if planned.plan.way is None or planned.trajectory is None:
        return f"no way; {planned.plan.reason}"
    why = "; ".join(planned.plan.reasons.values())
    found = (
        f"{planned.plan.way.kind}, {planned.plan.way.length:.2f} rad, {planned.trajectory.knots[-1]:.2f} s"
    )
    return f"{found}  ({why})" if why else found


def run_example(example: str, name: str, out: Path | None) -> int:
    """One of the document's four examples, by its name there."""
    from hopfield_nav.cli.folders import choose_folder
    from hopfield_nav.cli.plan_examples import EXAMPLES, NoWay, calculate_obstacle_space
    from hopfield_nav.cli.report import count_bar
    from hopfield_nav.cli.run import say_if_cold
    from hopfield_nav.world import load_world

    if example not in EXAMPLES:
        raise BadInput(
            "unknown example", where="--example", found=example, allowed=", ".join(EXAMPLES),
            nearest=nearest_name(example, EXAMPLES),
        )  # fmt: skip
    world, folder = load_world(name), choose_folder(out, example)
    say_if_cold()
    if example == calculate_obstacle_space.__name__:
        with count_bar("collisions", "cells") as progress:
            paths = calculate_obstacle_space(world, folder, progress)
    else:
        try:
            paths = EXAMPLES[example](world, folder)
        except NoWay as none:
            print(none)
            return 1
    for path in paths:
        print(path)
    return 0
