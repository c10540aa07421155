"""The document's four examples by their names there (nowoczyn2023 3.4), in a known world.

Each takes a world, by default the one called ``cell``, and a folder, by default ``runs/`` and its own name; it
returns the files it wrote.
"""

from collections.abc import Callable
from pathlib import Path

from dynamics import HopfieldNavError
from hopfield_nav.build import build_arm
from hopfield_nav.clearance import build_scene, scene_of_world
from hopfield_nav.extensions import known_world
from hopfield_nav.extensions.known_world.figures import draw_plan_figures, draw_solutions_figure
from hopfield_nav.world import World, load_world


class NoPlan(HopfieldNavError):
    """There is none; the message says why."""


def calculate_obstacle_space(
    world: World | None = None,
    folder: str | Path = "runs/calculate_obstacle_space",
    progress: Callable[[int, int], None] | None = None,
) -> list[Path]:
    """All collisions of the arm with itself on a grid of 10°, no obstacles: ``self_collisions.npz``."""
    arm = build_arm(_given(world))
    library = known_world.build_library(arm, build_scene(arm), progress=progress)
    path = _made(folder) / "self_collisions.npz"
    library.save(path)
    return [path]


def inverse_kinematics_example(
    world: World | None = None, folder: str | Path = "runs/inverse_kinematics_example"
) -> list[Path]:
    """Every configuration of the goal's pose in one picture."""
    world = _given(world)
    arm = build_arm(world)
    goal = known_world.pose_of(arm, known_world.task_of_world(world, arm).stations[-1])
    scene = scene_of_world(world, world.plan.clearance)
    return draw_solutions_figure(arm, scene, world, goal, _made(folder))


def direct_path_example(world: World | None = None, folder: str | Path = "runs/direct_path_example") -> list[Path]:
    """The five shortest direct paths from the world's start to its goal."""
    return _drawn(_given(world), "direct", folder)


def shortest_path_example(world: World | None = None, folder: str | Path = "runs/shortest_path_example") -> list[Path]:
    """The shortest path, and where there is none the direct one."""
    return _drawn(_given(world), "in_turn", folder)


_DRAWN = inverse_kinematics_example, direct_path_example, shortest_path_example
EXAMPLES: dict[str, Callable[..., list[Path]]] = {
    example.__name__: example for example in (calculate_obstacle_space, *_DRAWN)
}


def _drawn(world: World, method: str, folder: str | Path) -> list[Path]:
    arm = build_arm(world)
    scene = scene_of_world(world, world.plan.clearance)
    task, asked = known_world.task_of_world(world, arm), world.plan
    plan = known_world.plan_known(
        arm, scene, task.start, task.stations, method, asked.ways, asked.steps, asked.tool_speed,
        asked.turn_speed,
    )  # fmt: skip
    if plan.path is None:
        raise NoPlan(f"no plan; {plan.reason}")
    return draw_plan_figures(arm, scene, world, plan, _made(folder))


def _given(world: World | None) -> World:
    return load_world("cell") if world is None else world


def _made(folder: str | Path) -> Path:
    path = Path(folder)
    path.mkdir(parents=True, exist_ok=True)
    return path
