"""A map in space from one side, without the arm: the set-up, one plan, the path that the tool took."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from hopfield_nav.figures import COLOURS, path_rows
from hopfield_nav.figures.run.snapshots import add_ends
from hopfield_nav.figures.solid import (
    SceneView,
    add_line,
    add_plane,
    add_solids,
    cell_points,
    final_plan,
    frame_scene,
    mark_goal,
)
from hopfield_nav.record import PlanRecord, Run


def draw_space(ax: Axes, run: Run, scene: SceneView | None = None) -> Axes:
    """The set-up: the map's box, true obstacles, start and goal.

    Args:
        ax: to draw on.
        run: a run with a map in space.
        scene: of the same run, to draw it from another side.
    """
    scene, plan = scene or SceneView(run), final_plan(run)
    add_plane(ax, scene)
    add_solids(ax, scene, None, plan._replace(felt=np.zeros_like(plan.felt)))
    add_ends(ax, run, scene, 6)
    return frame_scene(ax, scene, arm=False)


def draw_plan_in_space(ax: Axes, run: Run, plan: PlanRecord, scene: SceneView | None = None) -> Axes:
    """The map after one collision as cubes, and the new path, with its shadow on the map's lower face.

    Args:
        ax: to draw on.
        run: a run with a map in space.
        plan: one of ``run.plans()``.
        scene: of the same run.
    """
    scene = scene or SceneView(run)
    add_plane(ax, scene)
    add_solids(ax, scene, None, plan, obstacles=False)
    if len(plan.path):
        points = cell_points(run, plan.path)
        add_line(ax, scene, points, color=COLOURS.planned, lw=1.2, zorder=3)
        here = scene.appear(points[0])
        ax.plot(*here, "o", color=COLOURS.travelled, markersize=3.2, mec="white", mew=0.4, zorder=6.7)
    if run.world.goal_point is not None:
        add_goal_in_space(ax, run, scene, 3.6)
    return frame_scene(ax, scene, arm=False)


def add_goal_in_space(ax: Axes, run: Run, scene: SceneView, size: float) -> None:
    """The goal and a thin line down to the map's lower face, which shows where it is."""
    goal = np.array(run.world.goal_point)
    foot = np.array([*goal[:2], scene.plane])
    ax.plot(*scene.appear(np.stack([foot, goal])).T, color=COLOURS.goal, lw=0.5, ls=":", zorder=6.5)
    mark_goal(ax, scene.appear(goal), size).set_zorder(6.6)


def draw_path_in_space(ax: Axes, run: Run, scene: SceneView | None = None) -> Axes:
    """The tool's path among felt cells and true obstacles.

    Args:
        ax: to draw on.
        run: a run with a map in space; without recorded signals the trail is left out.
        scene: of the same run.
    """
    scene = scene or SceneView(run)
    add_plane(ax, scene)
    add_solids(ax, scene, None, final_plan(run))
    trail = run.data.tool_position.values
    if len(trail) > 1:
        add_line(ax, scene, trail[path_rows(trail)], color=COLOURS.travelled, lw=1.0, zorder=3.5)
    actual = scene.appear(run.data.event_position.values)
    ax.plot(*actual.T, "o", color=COLOURS.true, markersize=2.6, mew=0, zorder=6.55, ls="")
    add_ends(ax, run, scene, 5)
    return frame_scene(ax, scene, arm=False)
