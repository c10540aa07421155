"""The three panels of the film: the scene, the map from above, the forces over time.

A moment of it is drawn on paper too. A panel draws once what stays, and changes its ``artists``
with ``show``; only these are drawn for every frame. Behind them lies what is ``settled``: it is
drawn anew when there is another plan, when a touch begins or ends to glow, or where ``show`` says
so.
"""

from typing import NamedTuple

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection, PolyCollection
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, Patch

from hopfield_nav.figures import solid
from hopfield_nav.figures.palette import COLOURS
from hopfield_nav.figures.run.maps import diamond, disc, excluded_handle, trajectory_handles
from hopfield_nav.figures.run.network import NetworkLayer
from hopfield_nav.figures.run.signals import add_limits, frame_time
from hopfield_nav.figures.thinned import envelope, path_rows
from hopfield_nav.record import PlanRecord, Run, contact_episodes, force_limits, force_norm

METRES_PER_NEWTON = 0.012  # length of a force arrow
_SMALLEST_ARROW = 0.5  # [N]


class Now(NamedTuple):
    """One moment of the film."""

    time: float  # simulated [s]
    row: int  # of the record
    number: int  # index of the plan that is followed
    plan: PlanRecord  # that plan
    collisions: int = 0  # their number so far
    graze: bool = False  # whether the latest touch is passed by, which is no collision
    flash: float = 0.0  # 1 at a touch, fading to 0
    slides: bool = False  # the arm slides along what it felt
    missed: bool = False  # a missed contact lasts, or is just over


class ScenePanel:
    """Arm, obstacles, map and forces from one side.

    Marks have a ``size`` for films, and half of it for paper.
    """

    def __init__(
        self, ax: Axes, run: Run, scene: solid.SceneView | None = None, size: float = 1.0
    ) -> None:
        self.ax, self.run, self.scene = ax, run, scene or solid.SceneView(run)
        self.feet = solid.Solids(ax, self.scene.view, below=self.scene.plane)
        self.plane = solid.add_plane(ax, self.scene)
        self.solids = solid.Solids(ax, self.scene.view, above=self.scene.plane)
        self.ends = solid.add_ends(ax, run, 8 * size, self.scene.appear)
        self._trail_rows = path_rows(run.data.tool_position.values, 1e-3)
        self.cells = ax.add_collection(PolyCollection([], linewidths=0), autolim=False)
        self.shadow = ax.plot(
            [], [], color=COLOURS.excluded, lw=0.9, alpha=0.45, visible=self.scene.in_space
        )[0]
        hiding = (
            self.solids if self.scene.in_space else self.feet
        )  # nothing hides a line on the plane that is below it
        self.path = solid.SpaceLine(hiding, [], color=COLOURS.planned)
        self.trail = solid.SpaceLine(hiding, [], color=COLOURS.travelled)
        self.halo = ax.plot([], [], "o", ms=34, mfc="none", mew=4)[0]
        how = {
            "arrowstyle": "-|>",
            "mutation_scale": 14 * size,
            "lw": 2.2 * size,
            "shrinkA": 0,
            "shrinkB": 0,
        }
        arrows = (
            FancyArrowPatch((0, 0), (0, 0), color=c, zorder=8, **how)
            for c in (COLOURS.true, COLOURS.felt)
        )
        self.arrows = [ax.add_patch(arrow) for arrow in arrows]
        self.tool = ax.plot(
            [], [], "o", ms=6 * size, color=COLOURS.travelled, mec=COLOURS.ink, mew=0.8 * size
        )[0]
        solid.add_scales(ax, self.scene)
        solid.frame_scene(ax, self.scene)

    @property
    def artists(self) -> list[Artist]:
        """What changes, from back to front, with the plane over what is below it."""
        lines = [self.path, self.trail, *self.ends]
        above = (
            [self.shadow, self.solids, *lines]
            if self.scene.in_space
            else [self.cells, *lines, self.solids]
        )
        return [self.feet, *self.plane, *above, self.halo, *self.arrows, self.tool]

    settled: tuple[Artist, ...] = ()

    @property
    def handles(self) -> list[Artist]:
        """Legend of what is here and on the map beside it."""
        path = Line2D([], [], color=COLOURS.planned, label="path")
        own = trajectory_handles(self.run, seen_from_above=False)
        own = [handle for handle in own if handle.get_label() != "tool at detection"]
        return [*own, path, *excluded_handle(self.run, hatched=False)]

    def show(self, now: Now, new_plan: bool) -> None:
        """Go to a moment; ``new_plan`` says that the plan is another than before."""
        data = self.run.data
        if new_plan:
            faces, colours = self.scene.cells(now.plan)
            self.cells.set_verts(faces)
            self.cells.set_facecolor(colours)
            centres = solid.cell_points(self.run, now.plan.path)
            self.path.set_points(centres)
            self.shadow.set_data(*self.scene.on_plane(centres[:, :2]).T)
        rows = self._trail_rows[: np.searchsorted(self._trail_rows, now.row, side="right")]
        self.trail.set_points(data.tool_position.values[rows])
        q, tool = data.q.values[now.row], data.tool_position.values[now.row]
        parts = self.scene.parts(
            q, now.plan if now.flash > 0 else now.plan._replace(cell=None), time=now.time
        )
        for solids in (self.feet, self.solids):
            solids.show(parts)
        for arrow, name in zip(self.arrows, ("force", "force_estimate"), strict=True):
            force = data[name].values[now.row]
            length = float(np.linalg.norm(force))
            arrow.set_visible(np.isfinite([*tool, length]).all() and length >= _SMALLEST_ARROW)
            if arrow.get_visible():
                end = tool + METRES_PER_NEWTON * min(1.0, 40 / length) * force
                arrow.set_positions(*self.scene.appear(np.stack([tool, end])))
        point = self.scene.appear(tool)[:, None]
        self.tool.set_data(*point)
        show_halo(self.halo, point, now)


class MapPanel:
    """The map from above: what was felt, the tool's path, obstacles, the planned path.

    Of a map in space it is the level of the tool; the tool's path is then that in all levels, and
    the planned path is left out.
    """

    def __init__(self, ax: Axes, run: Run) -> None:
        self.ax, self.run, self.deep = ax, run, solid.in_space(run)
        solid.add_grid(ax, run)
        self._lines = [*ax.collections]  # between the cells, which the network must not hide
        free = np.zeros(run.world.map.shape[:2], dtype=int)
        solid.add_cells(ax, run, free, hatched=False)
        self.network = NetworkLayer(ax, run)
        solid.frame_map(ax, run)
        self.network.add_scale()
        tool = run.data.tool_position.values
        self._trail_rows = path_rows(tool if self.deep else tool[:, :2], 5e-4)
        self._trail_xy = tool[self._trail_rows, :2]
        heights = [
            point[2]
            for point in (solid.start_point(run), run.world.goal_point)
            if point is not None
        ]
        self._ends = list(
            zip(solid.add_ends(ax, run, 8), map(self._level_of, heights), strict=True)
        )
        self._heights = (
            solid.level_height(run, np.arange(run.world.map.shape[2] if self.deep else 1)) + 0.0
        )
        self.slice = ax.add_collection(
            PatchCollection([], facecolor=COLOURS.obstacle, linewidth=0, zorder=1), autolim=False
        )
        self.cells = ax.images[0]
        self.path = ax.plot([], [], color=COLOURS.planned)[0]
        self.trail = ax.plot([], [], color=COLOURS.travelled)[0]
        self.halo = ax.plot([], [], "o", ms=26, mfc="none", mew=4)[0]
        self.tool = ax.plot([], [], "o", ms=6, color=COLOURS.travelled, mec=COLOURS.ink, mew=0.8)[0]
        self.title = ax.text(0.98, 0.98, "", transform=ax.transAxes, ha="right", va="top")
        self.level, self._stands = -1, run.standing(0.0)

    @property
    def artists(self) -> list[Artist]:
        """What changes, from back to front."""
        return [self.trail, self.halo, self.tool]

    @property
    def settled(self) -> list[Artist]:
        """What lies behind them; it changes with plan, level, and touches that begin or end."""
        ends = (mark for mark, _ in self._ends)
        return [
            *self.network.artists,
            *self._lines,
            self.slice,
            self.cells,
            self.path,
            *ends,
            self.title,
        ]

    def show(self, now: Now, new_plan: bool) -> bool:
        """Go to a moment; whether ``settled`` is another than before (plan, level, what stands)."""
        position = self.run.data.tool_position.values[now.row]
        level, stands = (
            self._level_of(position[2]) if np.isfinite(position[2]) else 0,
            self.run.standing(now.time),
        )
        if changed := new_plan or level != self.level or bool(np.any(stands != self._stands)):
            self._stands = stands
            self._show_level(now, level)
        self.trail.set_data(
            *self._trail_xy[: np.searchsorted(self._trail_rows, now.row, side="right")].T
        )
        point = position[:2, None]
        self.tool.set_data(*point)
        show_halo(self.halo, point, now)
        return changed

    def _level_of(self, z: float) -> int:
        return int(solid.level_of(self.run, z)) if self.deep else 0

    def _show_level(self, now: Now, level: int) -> None:
        self.level = level
        self.network.show(now.time, level)
        plan = now.plan if now.flash > 0 else now.plan._replace(cell=None)
        classes = solid.cell_classes(self.run, plan, path=False)
        self.cells.set_data((classes[:, :, level] if self.deep else classes).T)
        self.slice.set_paths(solid.obstacle_outlines(self.run, self._heights[level], self._stands))
        for mark, own in self._ends:
            mark.set_alpha(1.0 if own == level else 0.3)
        if self.deep:
            self.title.set_text(
                f"level {level + 1} of {len(self._heights)}: z = {self._heights[level]:.3g} m"
            )
        else:
            self.path.set_data(*solid.cell_centres(self.run, now.plan.path).T)


class StripPanel:
    """Magnitudes of the true and of the estimated force up to now."""

    def __init__(self, ax: Axes, run: Run) -> None:
        time, data = run.data.time.values, run.data
        self.curves = [
            envelope(time, force_norm(data[name].values)) for name in ("force_estimate", "force")
        ]
        kinds = ((COLOURS.felt, "estimated force"), (COLOURS.true, "force"))
        self.lines = [
            ax.plot([], [], color=colour, lw=1.2, label=label)[0] for colour, label in kinds
        ]
        self.cursor = ax.axvline(0.0, color=COLOURS.travelled, lw=1.2)
        add_limits(ax, force_limits(run))
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


def presses(run: Run) -> bool:
    """Whether a force, true or estimated, is ever large enough to show."""
    forces = np.concatenate([run.data[name].values for name in ("force", "force_estimate")])
    return bool((force_norm(forces) >= _SMALLEST_ARROW).any())


def show_halo(halo: Artist, point: np.ndarray, now: Now) -> None:
    """A ring around the tool: red at a collision, yellow at a missed contact."""
    halo.set_visible(now.flash > 0 or now.missed)
    if halo.get_visible():
        halo.set_data(*point)
        halo.set_color(COLOURS.goal if now.flash > 0 else COLOURS.missed)
        halo.set_alpha(max(now.flash, 0.25) if now.flash > 0 else 1.0)


def row_at(run: Run, time: float) -> int:
    """The row of the record at a time [s], or the last before it."""
    return max(0, int(np.searchsorted(run.data.time.values, time + 1e-9, side="right")) - 1)


def draw_snapshot(ax: Axes, run: Run, time: float, scene: solid.SceneView | None = None) -> Axes:
    """Arm, obstacles, felt cells, path, trail and forces at one moment [s] of a run with signals.

    The axes are ordinary ones: the scene, which several moments may share, is projected in
    parallel, with equal lengths everywhere.
    """
    panel = ScenePanel(ax, run, scene, 0.5)
    number = int(
        np.searchsorted(run.data.event_time.values, time + 1e-9, side="right")
    )  # the plan that it led to
    panel.show(Now(time, row_at(run, time), 0, run.plans()[number]), True)
    # the plane and what is below it stay under the scales
    for k, artist in enumerate(panel.artists):
        artist.set_zorder((3 if k > len(panel.plane) else 1) + 0.1 * k)
    return ax


def snapshot_handles(run: Run) -> list[Artist]:
    """Legend of the snapshots."""
    handles: list[Artist] = [Line2D([], [], color=COLOURS.travelled, label="tool so far")]
    if any(len(plan.path) for plan in run.plans()):
        handles.append(Line2D([], [], color=COLOURS.planned, label="path"))
    if run.data.sizes["event"]:
        handles.append(Patch(color=COLOURS.felt, alpha=0.8, lw=0, label="felt cell"))
    if run.data.sizes["event"] or contact_episodes(run):
        scale = f"estimate (10 N = {1000 * METRES_PER_NEWTON:.0f} cm)"
        for colour, label in ((COLOURS.true, "force"), (COLOURS.felt, scale)):
            handles.append(Line2D([], [], color=colour, marker=">", markersize=3, label=label))
    handles.append(disc(COLOURS.start, "start", 5))
    if run.world.goal is not None:
        handles.append(diamond(4))
    return handles
