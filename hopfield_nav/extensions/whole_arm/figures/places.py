"""A run on a map of joint angles: the arm among the obstacles, and where on it each touch may have been; its film."""

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle

from hopfield_nav.build import all_solids, build_arm
from hopfield_nav.figures import CENTIMETRE, COLOURS, PAGE, add_legend, new_figure, path_rows
from hopfield_nav.figures.run import Now, show_halo, space_handles
from hopfield_nav.figures.solid import CellPose, CellView, SpaceLine, add_ends, add_poses, frame_cell
from hopfield_nav.record import Run

BALL = 0.02  # [m] radius of the circle that a place is drawn as
_GHOSTS, _GHOST = 2, 0.2  # configurations on the way, and how solid they are
_POSES = 60  # that the picture has to hold


def places_page(run: Run) -> Figure | None:
    """The arm's way, and the places that were felt."""
    if not run.data.sizes["time"]:
        return None
    view = scene_of(run)
    left, right, low, high = view.limits()
    figure = new_figure(PAGE, min(PAGE * (high - low) / (right - left), 18 * CENTIMETRE) + 1.0 * CENTIMETRE)
    draw_places(figure.add_subplot(), run, view)
    was = Line2D([], [], marker="x", color=COLOURS.true, ls="", label="where it was")
    return add_legend(figure, [*places_handles(run), was], 6)


def scene_of(run: Run) -> CellView:
    """The arm and all obstacles of a run from the side where the arm is hidden least."""
    q = run.data.q.values
    return CellView(build_arm(run.world), all_solids(run.world), q[:: max(1, len(q) // _POSES)])


def draw_places(ax: Axes, run: Run, view: CellView | None = None) -> Axes:
    """The arm at the start, on its way and at the end, the tool's path, and what each touch may have been.

    A place is a circle, the fainter the less likely; a cross is where the arm truly was touched.
    """
    view, data = view or scene_of(run), run.data
    q = data.q.values
    ghosts = np.linspace(0, len(q) - 1, _GHOSTS + 2).astype(int)[:-1]
    solids = add_poses(ax, view, [*(CellPose(q[k], _GHOST) for k in ghosts), CellPose(q[-1])], pale=True)
    trail = data.tool_position.values
    SpaceLine(solids, trail[path_rows(trail)], color=COLOURS.travelled, lw=1.0, zorder=6)
    for point, weight in zip(data.felt_point.values, data.felt_weight.values, strict=True):
        for place, share in zip(view.appear(point), weight, strict=True):
            if np.isfinite(place).all():
                ax.add_patch(Circle(place, BALL, color=COLOURS.felt, alpha=place_alpha(share), lw=0, zorder=6.3))
    touched = view.appear(true_points(run))
    ax.plot(*touched.T, "x", color=COLOURS.true, markersize=4, mew=0.9, ls="", zorder=6.6)
    for mark in add_ends(ax, run, 6, view.appear):
        mark.set_zorder(6.7)
    return frame_cell(ax, view)


def place_alpha(weight: float) -> float:
    """How solid a place of this weight is drawn."""
    return float(np.clip(0.15 + 0.75 * weight, 0.0, 1.0))


def true_points(run: Run) -> np.ndarray:
    """(k, 3) where the arm was truly touched when each contact began that was felt, base axes [m]."""
    data = run.data
    began = np.unique(data.touch_time.values[np.isfinite(data.touch_time.values)])
    rows = np.clip(np.searchsorted(data.time.values, began + 1e-9), 0, data.sizes["time"] - 1)
    found = data.contact_point.values[rows]
    return found[np.isfinite(found).all(axis=1)]


def places_handles(run: Run) -> list[Artist]:
    """Legend of the places, and of what is around them."""
    how = {"ls": "", "mew": 0}
    return [
        *(handle for handle in space_handles(run) if handle.get_label() != "excluded"),
        Line2D([], [], color=COLOURS.travelled, label="path of the tool"),
        Line2D([], [], marker="o", color=COLOURS.felt, alpha=0.7, label="where a touch may have been", **how),
    ]


_ROUND = BALL * np.stack([f(np.linspace(0.0, 2.0 * np.pi, 25)[:-1]) for f in (np.cos, np.sin)], axis=1)


class PlacesPanel:
    """Arm and obstacles from one side, the tool's path, and where each touch may have been."""

    def __init__(self, ax: Axes, run: Run) -> None:
        self.ax, self.run, self.view = ax, run, scene_of(run)
        frame_cell(ax, self.view)
        trail = run.data.tool_position.values
        self._trail_rows = path_rows(trail, 1e-3)
        self._trail = trail[self._trail_rows]
        self.solids = add_poses(ax, self.view, [], pale=True)
        self.trail = SpaceLine(self.solids, [], color=COLOURS.travelled)
        self.places = ax.add_collection(PolyCollection([], linewidths=0, zorder=6.3), autolim=False)
        self.ends = add_ends(ax, run, 8, self.view.appear)
        self.halo = ax.plot([], [], "o", ms=34, mfc="none", mew=4, zorder=7)[0]

    @property
    def artists(self) -> list[Artist]:
        """What changes, from back to front."""
        return [self.solids, self.trail, self.places, *self.ends, self.halo]

    @property
    def handles(self) -> list[Artist]:
        """Legend of what is here."""
        return places_handles(self.run)

    settled: tuple[Artist, ...] = ()  # everything is in front of the arm

    def show(self, now: Now, new_plan: bool) -> None:
        """Go to a moment; ``new_plan`` says that there are other places than before."""
        data = self.run.data
        if new_plan:
            self._show_places(now.number)
        self.trail.set_points(self._trail[: np.searchsorted(self._trail_rows, now.row, side="right")])
        q = data.q.values[now.row]
        self.solids.show(self.view.parts([CellPose(q)] if np.isfinite(q).all() else [], pale=True))
        show_halo(self.halo, self.view.appear(self._middle(now))[:, None], now)

    def _show_places(self, count: int) -> None:
        points = self.run.data.felt_point.values[:count].reshape(-1, 3)
        weights = self.run.data.felt_weight.values[:count].reshape(-1)
        there = np.isfinite(points).all(axis=1)
        self.places.set_verts(list(self.view.appear(points[there])[:, None] + _ROUND))
        self.places.set_facecolor([(*to_rgb(COLOURS.felt), place_alpha(w)) for w in weights[there]])

    def _middle(self, now: Now) -> np.ndarray:
        """(3,) the likeliest place of the latest touch; the tool where there is none [m]."""
        points = self.run.data.felt_point.values
        if now.number and points.shape[1] and np.isfinite(points[now.number - 1, 0]).all():
            return points[now.number - 1, 0]
        return self.run.data.tool_position.values[now.row]
