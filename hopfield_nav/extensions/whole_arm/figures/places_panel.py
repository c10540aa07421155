"""The film of a run on a map of joint angles: the arm, and the places that it has felt so far."""

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgb

from hopfield_nav.extensions.whole_arm.figures.places import BALL, place_alpha, scene_of
from hopfield_nav.figures import COLOURS, path_rows
from hopfield_nav.figures.run import Now, show_halo
from hopfield_nav.figures.solid import CellPose, PaintedFaces, frame_cell, mark_goal
from hopfield_nav.record import Run

_ROUND = BALL * np.stack([f(np.linspace(0.0, 2.0 * np.pi, 25)[:-1]) for f in (np.cos, np.sin)], axis=1)


class PlacesPanel:
    """Arm and obstacles from one side, the tool's path, and where each touch may have been."""

    def __init__(self, ax: Axes, run: Run) -> None:
        self.ax, self.run, self.view = ax, run, scene_of(run)
        frame_cell(ax, self.view)
        if run.world.goal_point is not None:
            mark_goal(ax, self.view.appear(np.array(run.world.goal_point)), 8).set_zorder(6.7)
        trail = run.data.tool_position.values
        self._trail_rows = path_rows(trail, 1e-3)
        self._trail = self.view.appear(trail[self._trail_rows])
        self.solids = PaintedFaces(ax)
        self.trail = ax.plot([], [], color=COLOURS.travelled, zorder=6)[0]
        self.places = ax.add_collection(PolyCollection([], linewidths=0, zorder=6.3), autolim=False)
        self.halo = ax.plot([], [], "o", ms=34, mfc="none", mew=4, zorder=7)[0]

    @property
    def artists(self) -> list[Artist]:
        """What changes, from back to front."""
        return [self.solids, self.trail, self.places, self.halo]

    settled: tuple[Artist, ...] = ()  # everything is in front of the arm

    def show(self, now: Now, new_plan: bool) -> None:
        """Go to a moment; ``new_plan`` says that there are other places than before."""
        data = self.run.data
        if new_plan:
            self._show_places(now.number)
        self.trail.set_data(*self._trail[: np.searchsorted(self._trail_rows, now.row, side="right")].T)
        q = data.q.values[now.row]
        self.solids.set_visible(bool(np.isfinite(q).all()))
        if self.solids.get_visible():
            self.solids.set_faces(*self.view.seen([CellPose(q)], pale=True))
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
