"""The scene from one side: arm, true obstacles, the map as a grid, path, trail, forces.

``SceneView`` holds what does not change during a run; the functions draw one moment of it.
"""

from itertools import product
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from hopfield_nav.build import all_solids, build_arm
from hopfield_nav.figures.palette import COLOURS
from hopfield_nav.figures.solid.faces import arm_outline, arm_points, faces_of, foot, pose_outline
from hopfield_nav.figures.solid.layers import (
    EXCLUDED,
    FELT,
    NEW,
    add_segments,
    cell_classes,
    cube_faces,
    grid_lines,
    in_space,
    is_searched,
    map_extent,
    room_edges,
    room_ends,
)
from hopfield_nav.figures.solid.picture import Part, Solids, SpaceLine, make_view, project
from hopfield_nav.record import PlanRecord, Run
from hopfield_nav.world import Cylinder, Floor, Solid

_IN_SPACE = 26.0  # [degrees] how far from above a map in space is seen
_BELOW, _ABOVE = 0.05, 0.10  # [m] how far cylinders without end are drawn below and above the plane
_OBSTACLE = (COLOURS.obstacle, 0.5)
_CUBE_COLOURS = {
    EXCLUDED: (COLOURS.excluded, 0.25),
    FELT: (COLOURS.felt, 0.8),
    NEW: (COLOURS.true, 0.9),
}
FLOOR_COLOUR = "#EFEBE4"
_FLOOR_RIM = 0.05  # [m] how far a floor is drawn beyond map and base


class SceneView:
    """A run seen from the front, to the left of the arm.

    ``plane`` is the height of the map's plane, of a map in space that of its lower face [m].
    """

    def __init__(self, run: Run) -> None:
        self.in_space = in_space(run)
        self.run, self.view = run, make_view(elevation=_IN_SPACE if self.in_space else 34.0)
        self.arm = build_arm(run.world)
        self.outline = arm_outline(self.arm)
        self.plane, top = (float(z) for z in room_ends(run)[:, 2])
        solids = all_solids(run.world)
        self.floors = [s.height for s in solids if isinstance(s, Floor) and s.height <= self.plane]
        high = top if self.in_space else self.plane + _ABOVE
        self._heights, self._faces = (self.plane - _BELOW, high), dict[bytes, list[Part]]()
        ended = [s for s in solids if not isinstance(s, Floor) and not _is_endless(s)]
        self._ends = faces_of(ended).reshape(-1, 3)

    def _obstacles(self, time: float | None) -> list[Part]:
        """The obstacles that stood at a time [s], or all.

        Endless ones are one wall, the others each by itself.
        """
        stands = self.run.standing(time)
        if stands.tobytes() not in self._faces:
            solids = [
                s for s, there in zip(all_solids(self.run.world), stands, strict=True) if there
            ]
            wall = [s for s in solids if _is_endless(s)]
            # through each others are seen
            own = [s for s in solids if not isinstance(s, Floor) and s not in wall]
            faces = faces_of(wall, *self._heights), *(faces_of([solid]) for solid in own)
            self._faces[stands.tobytes()] = [
                (part, np.array(to_rgba(*_OBSTACLE))) for part in faces
            ]
        return self._faces[stands.tobytes()]

    def on_plane(self, xy: np.ndarray) -> np.ndarray:
        """Points (..., 2) of the map's plane [m] as they appear, (..., 2) [m]."""
        return self.appear(
            np.concatenate([xy, np.full((*np.shape(xy)[:-1], 1), self.plane)], axis=-1)
        )

    def appear(self, points: np.ndarray) -> np.ndarray:
        """Points (..., 3) [m] as they appear, (..., 2) [m]."""
        return project(self.view, np.asarray(points, float))

    def parts(
        self,
        q: np.ndarray | None,
        plan: PlanRecord | None = None,
        obstacles: bool = True,
        time: float | None = None,
    ) -> list[Part]:
        """The arm at ``q`` (n,), and what is around it at a time [s], as ``Solids`` shows them.

        On a map in space the plan's felt cells are cubes; without the true obstacles those of known
        ones too.
        """
        parts = self.cubes(plan, known=not obstacles) if plan is not None and self.in_space else []
        if obstacles:
            parts += self._obstacles(time)
        if q is not None and np.isfinite(q).all():
            arm = pose_outline(self.arm, self.outline, q), self.outline.colours
            parts += [foot(max(self.floors, default=0.0)), arm]
        return parts

    def cubes(self, plan: PlanRecord, known: bool) -> list[Part]:
        """Felt cells in space, and those known from the start.

        A blocked rim would hide them all, and is left out.
        """
        classes = cell_classes(self.run, plan, path=False)
        if self.run.world.map.rim == "blocked":
            classes = np.pad(classes[1:-1, 1:-1, 1:-1], 1)
        shown = (EXCLUDED, FELT, NEW) if known else (FELT, NEW)
        return [
            (cube_faces(self.run, np.argwhere(classes == k)), np.array(to_rgba(*_CUBE_COLOURS[k])))
            for k in shown
        ]

    def cells(self, plan: PlanRecord) -> tuple[np.ndarray, list]:
        """Corners (k, 4, 2) and colours of cells that a plan counts as blocked; none in space."""
        if self.in_space:
            return np.zeros((0, 4, 2)), []
        classes = cell_classes(self.run, plan, path=False)
        colours = {
            EXCLUDED: (COLOURS.excluded, 0.3),
            FELT: (COLOURS.felt, 0.8),
            NEW: (COLOURS.felt, 1.0),
        }
        at = np.argwhere(classes > 0)
        corners = at[:, None, :] + np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
        points = np.array(self.run.world.map.origin[:2]) + self.run.world.map.spacing * corners
        return self.on_plane(points), [to_rgba(*colours[int(classes[tuple(cell)])]) for cell in at]

    def limits(self, arm: bool = True) -> tuple[float, float, float, float]:
        """Left, right, low, high [m] of a picture with map, obstacles and every pose of the arm."""
        corners = np.array(list(product(*room_ends(self.run).T)))
        floors = [_floor(self, height) for height in self.floors]
        seen = self.appear(np.concatenate([corners, self._ends, *floors]))
        if arm:
            poses = self.run.data.q.values
            poses = (
                poses[:: max(1, len(poses) // 60)]
                if len(poses)
                else np.array([self.run.world.start.joints])
            )
            points = self.appear(
                arm_points(self.arm, poses[np.isfinite(poses).all(axis=1)])
            ).reshape(-1, 2)
            seen = np.concatenate([seen, points - 0.075, points + 0.075])
        (x0, y0), (x1, y1) = seen.min(axis=0), seen.max(axis=0)
        # room for the numbers of the scales
        left, low = (x0 - 0.06, y0 - 0.03 - 0.02 * self.in_space)
        return left, x1 + 0.02, low, y1 + 0.01 * (not arm)


def _is_endless(solid: Solid) -> bool:
    return isinstance(solid, Cylinder) and solid.height is None


def frame_scene(ax: Axes, scene: SceneView, arm: bool = True) -> Axes:
    """Equal axes without a frame that hold the scene; one metre is one metre in every direction."""
    left, right, low, high = scene.limits(arm)
    ax.set(xlim=(left, right), ylim=(low, high), aspect="equal")
    ax.set_axis_off()
    return ax


def add_scene(ax: Axes, scene: SceneView, plan: PlanRecord, obstacles: bool = True) -> Solids:
    """The map's plane, over it and below it ``SceneView.parts``; what is over it."""
    below, above = (
        Solids(ax, scene.view, below=scene.plane, zorder=1),
        Solids(ax, scene.view, above=scene.plane),
    )
    for solids in (below, above):
        solids.show(scene.parts(None, plan, obstacles))
    add_plane(ax, scene)
    add_scales(ax, scene)
    return above


def add_plane(ax: Axes, scene: SceneView) -> list[Artist]:
    """The map's plane with its grid, and of a map in space the edges behind it, over the floors.

    Without a floor there are none of these, and without anything to search no map.
    """
    for height in scene.floors:
        how = {"facecolor": FLOOR_COLOUR, "edgecolor": COLOURS.grid, "lw": 0.6, "zorder": 0.5}
        ax.fill(*scene.appear(_floor(scene, height)).T, **how)
    if not is_searched(scene.run):
        return []
    left, right, low, high = map_extent(scene.run)
    corners = np.array([[left, low], [right, low], [right, high], [left, high]])
    sheet = {"facecolor": (0.97, 0.97, 0.97, 0.8), "edgecolor": COLOURS.ink, "lw": 0.6, "zorder": 2}
    lines = [scene.on_plane(np.reshape(grid_lines(scene.run), (-1, 2, 2)))]
    if scene.in_space:
        lines.append(scene.appear(room_edges(scene.run, scene.view.toward)))
    return [
        *ax.fill(*scene.on_plane(corners).T, **sheet),
        add_segments(ax, np.concatenate(lines), COLOURS.grid, 0.5, 2.7),
    ]


def add_line(solids: Solids, scene: SceneView, points: np.ndarray, **how: Any) -> Line2D:
    """A line through points (k, 3) [m] on the map's plane.

    In space it is one that solids hide, with a shadow below.
    """
    if not scene.in_space:
        return solids.axes.plot(*scene.appear(points).T, **how)[0]
    shadow = scene.on_plane(points[:, :2])
    solids.axes.plot(*shadow.T, color=COLOURS.excluded, lw=0.6, alpha=0.45, zorder=2.9)
    return SpaceLine(solids, points, **{**how, "zorder": how["zorder"] + 3})


def _floor(scene: SceneView, height: float) -> np.ndarray:
    """Corners (4, 3) [m] of the part of a floor that is drawn: a little more than map and base."""
    left, right, low, high = map_extent(scene.run)
    left = min(left, 0.0) - _FLOOR_RIM
    right = max(right, 0.0) + _FLOOR_RIM
    low = min(low, 0.0) - _FLOOR_RIM
    high = max(high, 0.0) + _FLOOR_RIM
    around = [(left, low), (right, low), (right, high), (left, high)]
    return np.array([(x, y, height) for x, y in around])


def add_scales(ax: Axes, scene: SceneView) -> None:
    """Numbers in metres along the two edges of the plane that face the eye.

    In space there are some along a third edge. Where nothing is searched there are none.
    """
    if not is_searched(scene.run):
        return
    if scene.in_space:
        _add_height_scale(ax, scene)
    ends = np.array(map_extent(scene.run)).reshape(2, 2)
    near = np.where(scene.view.toward[:2] > 0, ends[:, 1], ends[:, 0])
    for axis in (0, 1):
        outward = np.zeros(2)
        outward[1 - axis] = (0.032 if scene.in_space else 0.022) * np.sign(
            near[1 - axis] - ends[1 - axis].mean()
        )
        values = _round_numbers(*ends[axis])
        for value in values:
            at = np.where(np.arange(2) == axis, value, near)
            ax.plot(
                *scene.on_plane(np.stack([at, at + 0.3 * outward])).T,
                color=COLOURS.ink,
                lw=0.5,
                zorder=2.8,
            )
            _write(ax, scene, at + 2.0 * outward, f"{value:g}")
        middle = values[:2].mean() if len(values) > 1 else ends[axis].mean()
        at = np.where(np.arange(2) == axis, middle, near)
        _write(ax, scene, at + (3.6 if scene.in_space else 3.2) * outward, f"{'xy'[axis]} (m)")


def _add_height_scale(ax: Axes, scene: SceneView) -> None:
    """Heights in metres along the edge at the left of the picture."""
    (x0, y0, z0), (x1, y1, z1) = room_ends(scene.run)
    corners = np.array([(x, y, 0.0) for x in (x0, x1) for y in (y0, y1)])
    foot = corners[np.argmin(scene.appear(corners)[:, 0])]
    upwards = np.array([0.0, 0.0, 1.0])
    how: dict[str, Any] = {"fontsize": "x-small", "zorder": 2.8}
    for height in _round_numbers(z0, z1):
        x, y = scene.appear(foot + height * upwards)
        ax.plot([x - 0.009, x], [y, y], color=COLOURS.ink, lw=0.5, zorder=2.8)
        ax.text(x - 0.015, y, f"{height:g}", ha="right", va="center", **how)
    x, y = scene.appear(foot + z1 * upwards)
    ax.text(x, y + 0.012, "z (m)", ha="center", va="bottom", **how)


def _write(ax: Axes, scene: SceneView, xy: np.ndarray, text: str) -> None:
    text = text.replace("-", "\N{MINUS SIGN}")
    ax.text(*scene.on_plane(xy), text, ha="center", va="center", fontsize="x-small", zorder=2.8)


def _round_numbers(low: float, high: float) -> np.ndarray:
    """Two to four round numbers between two ends."""
    values = MaxNLocator(4, steps=[1, 2, 5, 10]).tick_values(low, high)
    return np.round(values[(values >= low) & (values <= high)], 9) + 0.0
