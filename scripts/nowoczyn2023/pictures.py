"""Figures 3.1 and 3.2 in a known cell, all joint positions of a goal, and where a single branch stops."""

from pathlib import Path

from hopfield_nav.build import build_arm
from hopfield_nav.extensions.clearance import scene_of_world
from hopfield_nav.extensions.known_world import plan_known, task_of_world
from hopfield_nav.figures import paper_style, save_figure
from hopfield_nav.world import load_world
from nowoczyn2023.cause_of_stops import example
from nowoczyn2023.figures.draw import draw_plan_figures
from nowoczyn2023.stopped import stopped_page

WORLD = "cell"
ABOVE = ("plan.start.pose.position=[0.52, -0.2, 0.5]", "plan.goal.pose.position=[0.52, 0.22, 0.5]")


def draw(folder: Path) -> list[Path]:
    """The line above the cell's cylinder, the direct paths past it, and the branch that runs into itself.

    ``goal_solutions`` is of the direct paths' goal, which is lower.
    """
    arm, scene, branch, path = example()
    with paper_style():
        stop = save_figure(
            stopped_page(arm, scene, [], branch.q, branch.reason, path), folder, "branch_stops"
        )
    return [*_draw_paths(folder, "shortest", ABOVE), *_draw_paths(folder, "direct", ()), *stop]


def _draw_paths(folder: Path, method: str, overrides: tuple[str, ...]) -> list[Path]:
    world = load_world(WORLD, overrides)
    arm = build_arm(world)
    scene, task = scene_of_world(world, world.plan.clearance), task_of_world(world, arm)
    plan = plan_known(arm, scene, task.start, task.stations, method)
    return draw_plan_figures(arm, scene, world, plan, folder)
