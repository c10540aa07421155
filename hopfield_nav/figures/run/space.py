"""A map in space from one side, without the arm: the set-up, one plan, the path that the tool took."""

import numpy as np
from matplotlib.axes import Axes

from hopfield_nav.figures import solid
from hopfield_nav.figures.palette import COLOURS
from hopfield_nav.figures.sheets import path_rows
from hopfield_nav.record import PlanRecord, Run


def draw_space(ax: Axes, run: Run, scene: solid.SceneView | None = None) -> Axes:
    """The set-up of a map in space: the map's box, true obstacles, start and goal."""
    scene, plan = scene or solid.SceneView(run), solid.final_plan(run)
    solid.add_scene(ax, scene, plan=plan._replace(felt=np.zeros_like(plan.felt)))
    _add_ends(ax, run, scene, 6)
    return solid.frame_scene(ax, scene, arm=False)


def draw_plan_in_space(ax: Axes, run: Run, plan: PlanRecord, scene: solid.SceneView | None = None) -> Axes:
    """The map after one collision as cubes, and the new path, with its shadow on the map's lower face."""
    scene = scene or solid.SceneView(run)
    solids = solid.add_scene(ax, scene, plan=plan, obstacles=False)
    if len(plan.path):
        points = solid.cell_points(run, plan.path)
        solid.add_line(solids, scene, points, color=COLOURS.planned, lw=1.2, zorder=3)
        here = scene.appear(points[0])
        ax.plot(*here, "o", color=COLOURS.travelled, markersize=3.2, mec="white", mew=0.4, zorder=6.7)
    if run.world.goal_point is not None:
        add_goal_in_space(ax, run, scene)
    return solid.frame_scene(ax, scene, arm=False)


def add_goal_in_space(ax: Axes, run: Run, scene: solid.SceneView) -> None:
    """The goal and a thin line down to the map's lower face, which shows where it is."""
    goal = np.array(run.world.goal_point)
    foot = np.array([*goal[:2], scene.plane])
    ax.plot(*scene.appear(np.stack([foot, goal])).T, color=COLOURS.goal, lw=0.5, ls=":", zorder=6.5)
    solid.mark_goal(ax, scene.appear(goal), 3.6).set_zorder(6.6)


def draw_path_in_space(ax: Axes, run: Run, scene: solid.SceneView | None = None) -> Axes:
    """The tool's path in space among felt cells and true obstacles; without signals there is no path."""
    scene = scene or solid.SceneView(run)
    solids = solid.add_scene(ax, scene, plan=solid.final_plan(run))
    trail = run.data.tool_position.values
    if len(trail) > 1:
        solid.add_line(solids, scene, trail[path_rows(trail)], color=COLOURS.travelled, lw=1.0, zorder=3.5)
    actual = scene.appear(run.data.event_position.values)
    ax.plot(*actual.T, "o", color=COLOURS.true, markersize=2.6, mew=0, zorder=6.55, ls="")
    _add_ends(ax, run, scene, 5)
    return solid.frame_scene(ax, scene, arm=False)


def _add_ends(ax: Axes, run: Run, scene: solid.SceneView, size: float) -> None:
    """Start and goal over everything; ``size`` in points."""
    for mark in solid.add_ends(ax, run, size, scene.appear):
        mark.set_zorder(6.6)
