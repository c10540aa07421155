"""The document's four examples by their names there (3.4), in a known world.

    cd scripts && python -m nowoczyn2023.examples NAME [WORLD] [--out FOLDER]

NAME is ``calculate_obstacle_space``, ``inverse_kinematics_example``, ``direct_path_example`` or
``shortest_path_example``; the world is ``cell`` by default, the folder ``runs/NAME``. Each function
takes a world and a folder, and returns the files that it wrote.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from dynamics import BadInput, require_known
from hopfield_nav.build import build_arm
from hopfield_nav.extensions import known_world
from hopfield_nav.extensions.clearance import build_scene, scene_of_world
from hopfield_nav.world import World, load_world
from nowoczyn2023.collision_library import build_library
from nowoczyn2023.figures.draw import draw_plan_figures, draw_solutions_figure

RUNS = Path(__file__).resolve().parents[2] / "runs"


def calculate_obstacle_space(world: World, folder: Path) -> list[Path]:
    """All collisions of the arm with itself on a grid of 10°, no obstacles: ``self_collisions.npz``."""
    arm = build_arm(world)
    folder.mkdir(parents=True, exist_ok=True)
    return [build_library(arm, build_scene(arm)).save(folder / "self_collisions.npz")]


def inverse_kinematics_example(world: World, folder: Path) -> list[Path]:
    """Every configuration of the goal's pose in one picture."""
    arm = build_arm(world)
    goal = known_world.pose_of(arm, known_world.task_of_world(world, arm).stations[-1])
    folder.mkdir(parents=True, exist_ok=True)
    return draw_solutions_figure(
        arm, scene_of_world(world, world.plan.clearance), world, goal, folder
    )


def direct_path_example(world: World, folder: Path) -> list[Path]:
    """The five shortest direct paths from the world's start to its goal."""
    return _drawn(world, "direct", folder)


def shortest_path_example(world: World, folder: Path) -> list[Path]:
    """The shortest path, and where there is none the direct one."""
    return _drawn(world, "in_turn", folder)


EXAMPLES: dict[str, Callable[[World, Path], list[Path]]] = {
    example.__name__: example
    for example in (
        calculate_obstacle_space,
        inverse_kinematics_example,
        direct_path_example,
        shortest_path_example,
    )
}


def _drawn(world: World, method: str, folder: Path) -> list[Path]:
    arm = build_arm(world)
    scene = scene_of_world(world, world.plan.clearance)
    task, asked = known_world.task_of_world(world, arm), world.plan
    plan = known_world.plan_known(
        arm, scene, task.start, task.stations, method, count=asked.ways, steps=asked.steps,
        tool_speed=asked.tool_speed, turn_speed=asked.turn_speed,
    )  # fmt: skip
    if plan.path is None:
        raise BadInput(f"no plan; {plan.reason}")
    folder.mkdir(parents=True, exist_ok=True)
    return draw_plan_figures(arm, scene, world, plan, folder)


def main(
    name: str, world: Annotated[str, typer.Argument()] = "cell", out: Path | None = None
) -> None:
    """Run one of them and print the files that it wrote."""
    try:
        require_known(name, EXAMPLES, "unknown example", "NAME")
        print(*EXAMPLES[name](load_world(world), out or RUNS / name), sep="\n")
    except BadInput as fault:
        raise SystemExit(str(fault)) from None


if __name__ == "__main__":
    typer.run(main)
