"""Maps: the set-up, one plan, the path that the tool took (ragazzon2012 figures 7.2, 7.4, 7.5).

A map in a plane, or a level of one in space, is seen from above; a map in space from one side,
without the arm.
"""

from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from hopfield_nav.figures import solid
from hopfield_nav.figures.palette import COLOURS
from hopfield_nav.figures.thinned import path_rows
from hopfield_nav.record import PlanRecord, Run, missed_contacts

_CROSS = 0.5  # [cells] width of the cross in a marked cell


def draw_collision_space(ax: Axes, run: Run, scene: solid.SceneView | None = None) -> Axes:
    """The set-up: cells, true obstacles, start and goal (ragazzon2012 figure 7.2); from one side in space."""
    if solid.in_space(run):
        scene, plan = scene or solid.SceneView(run), solid.final_plan(run)
        solid.add_scene(ax, scene, plan=plan._replace(felt=np.zeros_like(plan.felt)))
        solid.add_ends(ax, run, 6, scene.appear, 6.6)
        return solid.frame_scene(ax, scene, arm=False)
    plan = solid.final_plan(run)
    solid.add_obstacles(ax, run)
    solid.add_grid(ax, run)
    untouched = plan._replace(felt=np.zeros_like(plan.felt))
    solid.add_cells(ax, run, solid.cell_classes(run, untouched, path=False))
    solid.add_ends(ax, run, 7)
    return solid.frame_map(ax, run)


def draw_plan(ax: Axes, run: Run, plan: PlanRecord, scene: solid.SceneView | None = None) -> Axes:
    """The map after one collision, and the new path (one panel of ragazzon2012 figure 7.4).

    ``plan`` is one of ``run.plans()``.
    """
    if solid.in_space(run):
        return draw_plan_in_space(ax, run, plan, scene)
    solid.add_grid(ax, run)
    solid.add_cells(ax, run, solid.cell_classes(run, plan))
    solid.add_closed_steps(ax, run, plan.steps, plan.certainty)
    if len(plan.path):
        ax.plot(
            *solid.cell_centres(run, plan.path).T, color=COLOURS.planned, linewidth=1.2, zorder=3
        )
        here = solid.cell_centres(run, plan.path[:1])[0]
        ax.plot(*here, "o", color=COLOURS.travelled, markersize=3.2, mec="white", mew=0.4, zorder=5)
    if run.world.goal_point is not None:
        solid.mark_goal(ax, run.world.goal_point[:2], 3.6)
    return solid.frame_map(ax, run)


def draw_trajectory(ax: Axes, run: Run, level: int | None = None) -> Axes:
    """The tool's path over the final map and the true obstacles (ragazzon2012 figure 7.5).

    A cross in the marked cell and a dot where the tool really was belong to every collision.
    Without recorded signals the path is left out. A map in space is seen from one side, or one
    ``level`` of it, from 0, from above.
    """
    if level is None and solid.in_space(run):
        return draw_path_in_space(ax, run)
    plan = solid.final_plan(run)
    classes, here = solid.cell_classes(run, plan, path=False), np.ones(len(plan.steps), bool)
    if level is not None:
        classes = classes[:, :, level]
        here = (plan.steps[:, :, 2] == level).all(axis=1)  # steps up and down belong to no level
    solid.add_obstacles(ax, run, None if level is None else solid.level_height(run, level))
    solid.add_grid(ax, run)
    solid.add_cells(ax, run, classes)
    solid.add_closed_steps(ax, run, plan.steps[here], plan.certainty[here])
    if run.data.sizes["time"] > 1:
        ax.plot(*path_in_level(run, level).T, color=COLOURS.travelled, linewidth=1.0, zorder=4)
    size = 6 if level is None else 4
    solid.add_ends(
        ax, run, size, lambda point: point[:2] if _is_in(run, point, level) else np.full(2, np.nan)
    )
    _add_collisions(ax, run, level)
    return solid.frame_map(ax, run)


def path_in_level(run: Run, level: int | None) -> np.ndarray:
    """Points (k, 2) [m] of the tool's path, seen from above, NaN where it is in other levels."""
    trail = run.data.tool_position.values
    trail = trail[path_rows(trail if solid.in_space(run) else trail[:, :2])]
    inside = _is_in(run, trail, level)
    inside[1:] |= inside[:-1]  # a piece belongs to the level in which it begins
    return np.where(inside[:, None], trail[:, :2], np.nan)


def _is_in(run: Run, points: np.ndarray, level: int | None) -> np.ndarray:
    """Whether points (..., 3) [m] are in a level; all are without one."""
    if level is None:
        return np.ones(points.shape[:-1], bool)
    return np.asarray(solid.level_of(run, points[..., 2]) == level)


def _add_collisions(ax: Axes, run: Run, level: int | None) -> None:
    cells, actual = run.data.event_cell.values, run.data.event_position.values
    missed = np.reshape([episode.position for episode in missed_contacts(run)], (-1, 3))
    if level is not None:
        cells = cells[cells[:, 2] == level]
        actual, missed = (points[_is_in(run, points, level)] for points in (actual, missed))
    marked, size = solid.cell_centres(run, cells), 1.0 if level is None else 0.8
    if level is None:
        for ends in zip(marked, actual[:, :2], strict=True):
            ax.plot(*np.array(ends).T, color=COLOURS.true, linewidth=0.6, zorder=5)
    width = _CROSS * run.world.map.spacing
    ax.add_line(_Crosses(marked, width, color="white", mew=1.0, zorder=5.5, label="_marked"))
    ax.plot(
        *actual[:, :2].T,
        "o",
        color=COLOURS.true,
        markersize=2.6 * size,
        mew=0,
        zorder=7,
        label="_contact",
    )
    if len(missed):
        how = {
            "color": COLOURS.missed,
            "markersize": 5.5 * size,
            "mec": COLOURS.ink,
            "mew": 0.7,
            "zorder": 8,
        }
        ax.plot(*missed[:, :2].T, "^", label="_missed", **how)


class _Crosses(Line2D):
    """Crosses at points, as large as the cells that they mark: in a small panel they are small."""

    def __init__(self, points: np.ndarray, width: float, **how: Any) -> None:
        super().__init__(*points.T, marker="x", linestyle="", **how)
        self._width = width  # [m]

    def draw(self, renderer: RendererBase) -> None:
        """Draw them, at the scale of the axes."""
        (left, _), (right, _) = self.axes.transData.transform([(0.0, 0.0), (self._width, 0.0)])
        self.set_markersize((right - left) * 72.0 / self.axes.figure.get_dpi())
        super().draw(renderer)


def draw_plan_in_space(
    ax: Axes, run: Run, plan: PlanRecord, scene: solid.SceneView | None = None
) -> Axes:
    """The map after one collision as cubes, and the new path, with its shadow on the map's lower face."""
    scene = scene or solid.SceneView(run)
    solids = solid.add_scene(ax, scene, plan=plan, obstacles=False)
    if len(plan.path):
        points = solid.cell_points(run, plan.path)
        solid.add_line(solids, scene, points, color=COLOURS.planned, lw=1.2, zorder=3)
        here = scene.appear(points[0])
        ax.plot(
            *here, "o", color=COLOURS.travelled, markersize=3.2, mec="white", mew=0.4, zorder=6.7
        )
    if run.world.goal_point is not None:
        goal = np.array(run.world.goal_point)  # with a thin line down to the map's lower face
        foot = np.array([*goal[:2], scene.plane])
        ax.plot(
            *scene.appear(np.stack([foot, goal])).T, color=COLOURS.goal, lw=0.5, ls=":", zorder=6.5
        )
        solid.mark_goal(ax, scene.appear(goal), 3.6).set_zorder(6.6)
    return solid.frame_scene(ax, scene, arm=False)


def draw_path_in_space(ax: Axes, run: Run, scene: solid.SceneView | None = None) -> Axes:
    """The tool's path in space among felt cells and true obstacles; without signals there is no path."""
    scene = scene or solid.SceneView(run)
    solids = solid.add_scene(ax, scene, plan=solid.final_plan(run))
    trail = run.data.tool_position.values
    if len(trail) > 1:
        solid.add_line(
            solids, scene, trail[path_rows(trail)], color=COLOURS.travelled, lw=1.0, zorder=3.5
        )
    actual = scene.appear(run.data.event_position.values)
    ax.plot(*actual.T, "o", color=COLOURS.true, markersize=2.6, mew=0, zorder=6.55, ls="")
    solid.add_ends(ax, run, 5, scene.appear, 6.6)
    return solid.frame_scene(ax, scene, arm=False)


def space_handles(run: Run) -> list[Artist]:
    """Legend of the set-up."""
    handles = [disc(COLOURS.start, "start", 6)]
    if run.world.goal_position is not None:
        handles.append(diamond(5))
    if run.world.obstacles or run.world.known:
        handles.append(Patch(color=COLOURS.obstacle, lw=0, label="obstacles"))
    return handles + for_a_time_handle(run) + ([] if solid.in_space(run) else excluded_handle(run))


def plan_handles(run: Run) -> list[Artist]:
    """Legend of the maps after every collision."""
    handles: list[Artist] = [Line2D([], [], color=COLOURS.planned, lw=1.2, label="new path")]
    handles.append(disc(COLOURS.travelled, "from here", 4))
    if run.world.goal_position is not None:
        handles.append(diamond(4))
    if run.data.sizes["event"]:
        handles += [Patch(color=COLOURS.true, lw=0, label="just marked")]
        handles += _felt_handles(run, "felt before", not solid.in_space(run))
    return handles + excluded_handle(run)


def trajectory_handles(run: Run, seen_from_above: bool = True) -> list[Artist]:
    """Legend of the tool's path; seen from one side it has no crosses and no contacts that were missed."""
    handles: list[Artist] = [Line2D([], [], color=COLOURS.travelled, label="tool")]
    if run.data.sizes["event"]:
        handles += _felt_handles(run, "felt cell", seen_from_above)
        how = {"mfc": "white", "mec": COLOURS.felt, "mew": 0.7, "markersize": 5.5}
        handles += [
            Line2D([], [], marker="X", ls="", label="touched cell", **how)
        ] * seen_from_above
        handles += [disc(COLOURS.true, "tool at detection", 3)]
    if run.world.obstacles or run.world.known:
        handles += [Patch(color=COLOURS.obstacle, lw=0, label="true obstacle")]
        handles += for_a_time_handle(run) * seen_from_above
    handles += excluded_handle(run) * seen_from_above
    if seen_from_above and missed_contacts(run):
        how = {"color": COLOURS.missed, "mec": COLOURS.ink, "mew": 0.7, "markersize": 5}
        handles += [Line2D([], [], marker="^", ls="", label="missed contact", **how)]
    return handles + [disc(COLOURS.start, "start", 5)] + [diamond(5)] * (run.world.goal is not None)


def _felt_handles(run: Run, marked: str, bars: bool) -> list[Artist]:
    """What was felt: marked cells, or facts and beliefs, the steps among them where bars are drawn."""
    alpha = solid.felt_alpha(run) if bars else 0.8  # cubes in space are solid
    if run.world.detection.mark != "felt":
        return [Patch(color=COLOURS.felt, alpha=alpha, lw=0, label=marked)]
    steps = {"fact": 1.6, "belief": 0.8} if bars else {}
    lines = [
        Line2D([], [], color=COLOURS.felt, lw=width, label=f"closed: {k}")
        for k, width in steps.items()
    ]
    return [*lines, Patch(color=COLOURS.felt, alpha=alpha, lw=0, label="believed occupied")]


def disc(colour: str, label: str, size: float) -> Line2D:
    """Legend of a round mark; size in points."""
    return Line2D(
        [], [], marker="o", ls="", color=colour, mec="white", mew=0.4, markersize=size, label=label
    )


def diamond(size: float) -> Line2D:
    """Legend of the goal; size in points."""
    how = {"color": COLOURS.goal, "mec": "white", "mew": 0.4, "markersize": size}
    return Line2D([], [], marker="D", ls="", label="goal", **how)


def for_a_time_handle(run: Run) -> list[Artist]:
    """Legend of obstacles that come or go, where there are any."""
    return [Patch(label="stands for a time", **solid.FOR_A_TIME)] if run.world.changes else []


def excluded_handle(run: Run, hatched: bool = True) -> list[Artist]:
    """Legend of cells that no plan may use, where there are any."""
    if run.world.map.rim == "free" and not run.world.known:
        return []
    if not hatched:
        return [Patch(color=COLOURS.excluded, alpha=solid.FILM_BARRED, lw=0, label="excluded")]
    return [Patch(label="excluded", **solid.EXCLUDED_CELLS)]
