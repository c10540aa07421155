"""The three panels of the film: the scene, the map from above, the forces over time.

A panel draws once what stays, and changes its ``artists`` with ``show``; only these are drawn for every frame. Behind
them lies what is ``settled``: it is drawn anew when there is another plan, or when a touch begins or ends to glow.
"""

from typing import NamedTuple

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection, PolyCollection
from matplotlib.patches import FancyArrowPatch

from hopfield_nav.figures import solid
from hopfield_nav.figures.palette import COLOURS
from hopfield_nav.figures.run.signals import force_threshold, frame_time
from hopfield_nav.figures.run.snapshots import force_arrow
from hopfield_nav.figures.sheets import envelope, path_rows
from hopfield_nav.record import PlanRecord, Run, force_norm


class Now(NamedTuple):
    """One moment of the film."""

    time: float  # simulated [s]
    row: int  # of the record
    number: int  # index of the plan that is followed
    plan: PlanRecord  # that plan
    collisions: int  # their number so far
    graze: bool  # whether the latest touch is passed by, which is no collision
    flash: float  # 1 at a touch, fading to 0
    slides: bool  # the arm slides along what it felt
    missed: bool  # a missed contact lasts, or is just over


class ScenePanel:
    """Arm, obstacles, map and forces from one side."""

    def __init__(self, ax: Axes, run: Run) -> None:
        self.ax, self.run, self.scene = ax, run, solid.SceneView(run, sides=22)
        solid.add_plane(ax, self.scene)
        start = self.scene.appear(solid.start_point(run))
        solid.mark_start(ax, start, 8)
        if run.world.goal_point is not None:
            solid.mark_goal(ax, self.scene.appear(np.array(run.world.goal_point)), 8)
        self._trail_rows = path_rows(run.data.tool_position.values, 1e-3)
        self._trail_xy = self.scene.appear(run.data.tool_position.values[self._trail_rows])
        self.cells = ax.add_collection(PolyCollection([], linewidths=0, zorder=2.5), autolim=False)
        over = 3.0 if self.scene.in_space else 0.0
        self.shadow = ax.plot([], [], color=COLOURS.excluded, lw=0.9, alpha=0.45, zorder=2.9)[0]
        self.path = ax.plot([], [], color=COLOURS.planned, zorder=3 + over)[0]
        self.trail = ax.plot([], [], color=COLOURS.travelled, zorder=3.5 + over)[0]
        self.solids = solid.PaintedFaces(ax)
        self.halo = ax.plot([], [], "o", ms=34, mfc="none", mew=4, zorder=7)[0]
        self.arrows = [_arrow(ax, colour) for colour in (COLOURS.true, COLOURS.felt)]
        self.tool = ax.plot([], [], "o", ms=6, color=COLOURS.travelled, mec=COLOURS.ink, mew=0.8, zorder=9)[0]
        solid.frame_scene(ax, self.scene)

    @property
    def artists(self) -> list[Artist]:
        """What changes, from back to front."""
        paths = [self.path, self.trail]
        if self.scene.in_space:
            return [self.solids, *paths, self.halo, *self.arrows, self.tool]
        return [*paths, self.solids, self.halo, *self.arrows, self.tool]

    @property
    def settled(self) -> list[Artist]:
        """What lies behind them, and changes only with the plan."""
        return [self.shadow] if self.scene.in_space else [self.cells]

    def show(self, now: Now, new_plan: bool) -> None:
        """Go to a moment; ``new_plan`` says that the plan is another than before."""
        data = self.run.data
        if new_plan:
            faces, colours = self.scene.cells(now.plan)
            self.cells.set_verts(faces)
            self.cells.set_facecolor(colours)
            centres = solid.cell_points(self.run, now.plan.path)
            self.path.set_data(*self.scene.appear(centres).T)
            self.shadow.set_data(*self.scene.on_plane(centres[:, :2]).T)
        self.trail.set_data(*self._trail_xy[: np.searchsorted(self._trail_rows, now.row, side="right")].T)
        q, tool = data.q.values[now.row], data.tool_position.values[now.row]
        self.solids.set_visible(bool(np.isfinite(q).all()))
        if self.solids.get_visible():
            plan = now.plan if now.flash > 0 else now.plan._replace(cell=None)
            self.solids.set_faces(*self.scene.solids(q, plan))
        for arrow, name in zip(self.arrows, ("force", "force_estimate"), strict=True):
            ends = force_arrow(self.scene, tool, data[name].values[now.row])
            arrow.set_visible(ends is not None)
            if ends is not None:
                arrow.set_positions(*ends)
        point = self.scene.appear(tool)[:, None]
        self.tool.set_data(*point)
        show_halo(self.halo, point, now)


class MapPanel:
    """The map from above: what was felt, the planned path, the path of the tool, the true obstacles."""

    def __init__(self, ax: Axes, run: Run) -> None:
        self.ax, self.run = ax, run
        solid.add_obstacles(ax, run)
        solid.add_grid(ax, run)
        solid.add_start(ax, run, 8)
        solid.add_goal(ax, run, 8)
        solid.add_cells(ax, run, np.zeros(run.world.map.shape, dtype=int))
        solid.frame_map(ax, run)
        self._trail_rows = path_rows(run.data.tool_position.values[:, :2], 5e-4)
        self._trail_xy = run.data.tool_position.values[self._trail_rows, :2]
        self.cells = ax.images[0]
        self.path = ax.plot([], [], color=COLOURS.planned, zorder=3)[0]
        self.trail = ax.plot([], [], color=COLOURS.travelled, zorder=4)[0]
        self.halo = ax.plot([], [], "o", ms=26, mfc="none", mew=4, zorder=6)[0]
        self.tool = ax.plot([], [], "o", ms=6, color=COLOURS.travelled, mec=COLOURS.ink, mew=0.8, zorder=9)[0]

    @property
    def artists(self) -> list[Artist]:
        """What changes, from back to front."""
        return [self.trail, self.halo, self.tool]

    @property
    def settled(self) -> list[Artist]:
        """What lies behind them, and changes only with the plan and when a touch begins or ends to glow."""
        return [self.cells, self.path]

    def show(self, now: Now, new_plan: bool) -> None:
        """Go to a moment; ``new_plan`` says that ``settled`` is another than before."""
        if new_plan:
            self.path.set_data(*solid.cell_centres(self.run, now.plan.path).T)
            plan = now.plan if now.flash > 0 else now.plan._replace(cell=None)
            self.cells.set_data(solid.cell_classes(self.run, plan, path=False).T)
        self.trail.set_data(*self._trail_xy[: np.searchsorted(self._trail_rows, now.row, side="right")].T)
        point = self.run.data.tool_position.values[now.row, :2, None]
        self.tool.set_data(*point)
        show_halo(self.halo, point, now)


class LevelPanel:
    """The level of a map in space in which the tool is, from above, and the tool's path in all levels."""

    def __init__(self, ax: Axes, run: Run) -> None:
        self.ax, self.run = ax, run
        solid.add_grid(ax, run)
        solid.add_cells(ax, run, np.zeros(run.world.map.shape[:2], dtype=int))
        solid.frame_map(ax, run)
        self._trail_rows = path_rows(run.data.tool_position.values, 5e-4)
        self._trail_xy = run.data.tool_position.values[self._trail_rows, :2]
        self._ends = [solid.mark_start(ax, solid.start_point(run)[:2], 8)]
        self._end_levels = [int(solid.level_of(run, solid.start_point(run)[2]))]
        if run.world.goal_point is not None:
            self._ends.append(solid.mark_goal(ax, run.world.goal_point[:2], 8))
            self._end_levels.append(int(solid.level_of(run, run.world.goal_point[2])))
        heights = (solid.level_height(run, k) for k in range(run.world.map.shape[2]))
        self._outlines = [solid.obstacle_outlines(run, z) for z in heights]
        self.slice = ax.add_collection(
            PatchCollection([], facecolor=COLOURS.obstacle, linewidth=0, zorder=1), autolim=False
        )
        self.cells = ax.images[0]
        self.trail = ax.plot([], [], color=COLOURS.travelled, zorder=4)[0]
        self.halo = ax.plot([], [], "o", ms=26, mfc="none", mew=4, zorder=6)[0]
        self.tool = ax.plot([], [], "o", ms=6, color=COLOURS.travelled, mec=COLOURS.ink, mew=0.8, zorder=9)[0]
        self.title = ax.text(0.98, 0.98, "", transform=ax.transAxes, ha="right", va="top", zorder=10)
        self.level = -1

    @property
    def artists(self) -> list[Artist]:
        """What changes, from back to front."""
        return [self.slice, self.cells, self.trail, *self._ends, self.halo, self.tool, self.title]

    settled: tuple[Artist, ...] = ()  # everything changes with the level

    def show(self, now: Now, new_plan: bool) -> None:
        """Go to a moment."""
        position = self.run.data.tool_position.values[now.row]
        self._choose(int(solid.level_of(self.run, position[2])) if np.isfinite(position[2]) else 0)
        plan = now.plan if now.flash > 0 else now.plan._replace(cell=None)
        classes = solid.cell_classes(self.run, plan, path=False)
        self.cells.set_data(classes[:, :, self.level].T)
        self.trail.set_data(*self._trail_xy[: np.searchsorted(self._trail_rows, now.row, side="right")].T)
        point = position[:2, None]
        self.tool.set_data(*point)
        show_halo(self.halo, point, now)

    def _choose(self, level: int) -> None:
        if level == self.level:
            return
        self.level = level
        self.slice.set_paths(self._outlines[level])
        for end, own in zip(self._ends, self._end_levels, strict=True):
            end.set_alpha(1.0 if own == level else 0.3)
        height = solid.level_height(self.run, level) + 0.0
        self.title.set_text(f"level {level + 1} of {len(self._outlines)}: z = {height:.3g} m")


class StripPanel:
    """Magnitudes of the true and of the estimated force up to now."""

    def __init__(self, ax: Axes, run: Run) -> None:
        time, data = run.data.time.values, run.data
        self.curves = [envelope(time, force_norm(data[name].values)) for name in ("force_estimate", "force")]
        self.lines = [ax.plot([], [], color=c, lw=1.2)[0] for c in (COLOURS.felt, COLOURS.true)]
        self.cursor = ax.axvline(0.0, color=COLOURS.travelled, lw=1.2)
        if force_threshold(run) is not None:
            ax.axhline(force_threshold(run), color=COLOURS.ink, lw=0.8, ls=(0, (4, 2)))
        peak = max(float(np.max(v[np.isfinite(v)], initial=0.0)) for _, v in self.curves)
        ax.set_ylim(0, 1.1 * max(peak, 1.0))
        ax.set_ylabel(r"$\|F\|$ (N)")
        frame_time(ax, run)
        self.ax = ax

    @property
    def artists(self) -> list[Artist]:
        """What changes, from back to front."""
        return [*self.lines, self.cursor]

    settled: tuple[Artist, ...] = ()

    def show(self, now: Now, new_plan: bool) -> None:
        """Go to a moment."""
        for line, (time, values) in zip(self.lines, self.curves, strict=True):
            last = np.searchsorted(time, now.time, side="right")
            line.set_data(time[:last], values[:last])
        self.cursor.set_xdata([now.time, now.time])


def _arrow(ax: Axes, colour: str) -> FancyArrowPatch:
    how = {"arrowstyle": "-|>", "mutation_scale": 14, "lw": 2.2, "shrinkA": 0, "shrinkB": 0}
    return ax.add_patch(FancyArrowPatch((0, 0), (0, 0), color=colour, zorder=8, **how))


def show_halo(halo: Artist, point: np.ndarray, now: Now) -> None:
    """A ring around the tool: red at a collision, yellow at a missed contact."""
    halo.set_visible(now.flash > 0 or now.missed)
    if halo.get_visible():
        halo.set_data(*point)
        halo.set_color(COLOURS.goal if now.flash > 0 else COLOURS.missed)
        halo.set_alpha(max(now.flash, 0.25) if now.flash > 0 else 1.0)
