"""Figures of a run on a map of joint angles: places of touches and their film, and slices of the map."""

import hopfield_nav.figures  # isort: skip  # noqa: F401  (first: Matplotlib without the settings of the user)

import itertools
from typing import NamedTuple

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Patch

from hopfield_nav.build import all_solids, build_arm
from hopfield_nav.extensions.clearance import scene_of_world
from hopfield_nav.extensions.whole_arm.blocking import block_known
from hopfield_nav.extensions.whole_arm.grid import JointGrid, grid_of
from hopfield_nav.extensions.whole_arm.learning import CollisionBelief
from hopfield_nav.figures import (
    CENTIMETRE,
    COLOURS,
    PAGE,
    add_legend,
    new_figure,
    panels_across,
    path_rows,
    sheet_width,
)
from hopfield_nav.figures.run import Now, show_halo, space_handles
from hopfield_nav.figures.solid import (
    CellPose,
    CellView,
    SpaceLine,
    add_ends,
    add_poses,
    frame_cell,
)
from hopfield_nav.record import Run, felt_places, free_angles

BALL = 0.02  # [m] radius of the circle that a place is drawn as
_GHOSTS, _GHOST = 2, 0.2  # configurations on the way, and how solid they are
_POSES = 60  # that the picture has to hold
_ROUND = BALL * np.stack(
    [f(np.linspace(0.0, 2.0 * np.pi, 25)[:-1]) for f in (np.cos, np.sin)], axis=1
)


def places_page(run: Run) -> Figure | None:
    """The arm at the start, on its way and at the end, the tool's path, and what each touch may have been.

    A place is a circle, the fainter the less likely; a cross is where the arm truly was touched.
    """
    data = run.data
    if not data.sizes["time"]:
        return None
    view, q = _view_of(run), data.q.values
    left, right, low, high = view.limits()
    wide = sheet_width(PAGE)
    tall = min(wide * (high - low) / (right - left), 18 * CENTIMETRE)
    figure = new_figure(wide, tall + 1.0 * CENTIMETRE)
    ax = figure.add_subplot()
    ghosts = np.linspace(0, len(q) - 1, _GHOSTS + 2).astype(int)[:-1]
    solids = add_poses(
        ax, view, [*(CellPose(q[k], _GHOST) for k in ghosts), CellPose(q[-1])], pale=True
    )
    trail = data.tool_position.values
    SpaceLine(solids, trail[path_rows(trail)], color=COLOURS.travelled, lw=1.0, zorder=6)
    for point, weight in zip(data.felt_point.values, data.felt_weight.values, strict=True):
        for place, share in zip(view.appear(point), weight, strict=True):
            if np.isfinite(place).all():
                ax.add_patch(
                    Circle(
                        place, BALL, color=COLOURS.felt, alpha=_place_alpha(share), lw=0, zorder=6.3
                    )
                )
    ax.plot(
        *view.appear(_true_points(run)).T,
        "x",
        color=COLOURS.true,
        markersize=4,
        mew=0.9,
        ls="",
        zorder=6.6,
    )
    for mark in add_ends(ax, run, 6, view.appear):
        mark.set_zorder(6.7)
    frame_cell(ax, view)
    was = Line2D([], [], marker="x", color=COLOURS.true, ls="", label="where it was")
    return add_legend(figure, [*_places_handles(run), was], 6)


def _view_of(run: Run) -> CellView:
    """The arm and all obstacles of a run from the side where the arm is hidden least."""
    q = run.data.q.values
    return CellView(build_arm(run.world), all_solids(run.world), q[:: max(1, len(q) // _POSES)])


def _place_alpha(weight: float) -> float:
    """How solid a place of this weight is drawn."""
    return float(np.clip(0.15 + 0.75 * weight, 0.0, 1.0))


def _true_points(run: Run) -> np.ndarray:
    """(k, 3) where the arm was truly touched when each contact began that was felt, base axes [m]."""
    data = run.data
    began = np.unique(data.touch_time.values[np.isfinite(data.touch_time.values)])
    rows = np.clip(np.searchsorted(data.time.values, began + 1e-9), 0, data.sizes["time"] - 1)
    points = data.contact_point.values[rows]
    return points[np.isfinite(points).all(axis=1)]


def _places_handles(run: Run) -> list[Artist]:
    """Legend of the places, and of what is around them."""
    how = {"ls": "", "mew": 0}
    return [
        *(handle for handle in space_handles(run) if handle.get_label() != "excluded"),
        Line2D([], [], color=COLOURS.travelled, label="path of the tool"),
        Line2D(
            [],
            [],
            marker="o",
            color=COLOURS.felt,
            alpha=0.7,
            label="where a touch may have been",
            **how,
        ),
    ]


class PlacesPanel:
    """Arm and obstacles from one side, the tool's path, and where each touch may have been."""

    def __init__(self, ax: Axes, run: Run) -> None:
        self.ax, self.run, self.view = ax, run, _view_of(run)
        frame_cell(ax, self.view)
        trail = run.data.tool_position.values
        self._trail_rows = path_rows(trail, 1e-3)
        self._trail = trail[self._trail_rows]
        self.solids = add_poses(ax, self.view, [], pale=True)
        self.trail = SpaceLine(self.solids, [], color=COLOURS.travelled)
        self.places = ax.add_collection(PolyCollection([], linewidths=0, zorder=6.3), autolim=False)
        self.ends = add_ends(ax, run, 8, self.view.appear)
        self.halo = ax.plot([], [], "o", ms=34, mfc="none", mew=4, zorder=7)[0]
        # what changes, from back to front
        self.artists = [self.solids, self.trail, self.places, *self.ends, self.halo]
        self.handles = _places_handles(run)  # legend of what is here

    settled: tuple[Artist, ...] = ()  # everything is in front of the arm

    def show(self, now: Now, new_plan: bool) -> None:
        """Go to a moment; ``new_plan`` says that there are other places than before."""
        data = self.run.data
        if new_plan:
            points, weights = (
                felt.values[: now.number] for felt in (data.felt_point, data.felt_weight)
            )
            there = np.isfinite(points).all(axis=2)
            self.places.set_verts(list(self.view.appear(points[there])[:, None] + _ROUND))
            self.places.set_facecolor(
                [(*to_rgb(COLOURS.felt), _place_alpha(w)) for w in weights[there]]
            )
        self.trail.set_points(
            self._trail[: np.searchsorted(self._trail_rows, now.row, side="right")]
        )
        q = data.q.values[now.row]
        self.solids.show(self.view.parts([CellPose(q)] if np.isfinite(q).all() else [], pale=True))
        # its likeliest place
        latest = data.felt_point.values[now.number - 1][:1] if now.number else np.zeros((0, 3))
        middle = (
            latest[0]
            if np.isfinite(latest).all() and len(latest)
            else data.tool_position.values[now.row]
        )
        show_halo(self.halo, self.view.appear(middle)[:, None], now)


class FeltMap(NamedTuple):
    """A map of joint angles as a run has felt it."""

    grid: JointGrid  # its cells
    known: np.ndarray  # bool grid, where the arm touches itself or what is known
    certainty: np.ndarray  # float grid, 0 to 1, that a cell is blocked by something felt


def felt_map(run: Run) -> FeltMap:
    """The map of a run with ``map.space: joints``, made anew from its record."""
    arm = build_arm(run.world)
    grid = grid_of(run.world, arm, np.array(run.world.start.joints))
    doubts = CollisionBelief(arm, grid)
    for places in felt_places(run):
        doubts.add(places)
    doubts.passed([], free_angles(run))
    return FeltMap(
        grid, block_known(arm, scene_of_world(run.world), grid), -np.expm1(-doubts.evidence())
    )


def slices_page(run: Run) -> Figure | None:
    """A panel for every two neighbouring joints, through where the arm went on after its last touch."""
    if not run.data.sizes["time"]:
        return None
    made = felt_map(run)
    joints = [j for j, count in enumerate(made.grid.shape) if count > 1]
    pairs = list(itertools.pairwise(joints))
    if not pairs:
        return None
    columns = panels_across(2, PAGE)
    rows = -(-len(pairs) // columns)
    wide = sheet_width(PAGE)
    figure = new_figure(wide, wide / columns * rows * 0.8 + CENTIMETRE)
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for ax in axes[len(pairs) :]:
        ax.set_visible(False)
    for ax, (across, up) in zip(axes, pairs, strict=False):
        draw_slice(ax, run, made, across, up)
    return add_legend(figure, _handles(), 3)


def draw_slice(ax: Axes, run: Run, made: FeltMap, across: int, up: int) -> Axes:
    """The map over two joints, counted from 0, the others as when the arm went on after its last touch.

    The way that the arm went is bold where it runs in the slice, and thin where another joint is
    elsewhere.
    """
    began, q = last_configuration(run, made), run.data.q.values
    at: list[int | slice] = [
        c % n for c, n in zip(made.grid.cell_of(began), made.grid.shape, strict=True)
    ]
    at[across], at[up] = slice(None), slice(None)
    known, certainty = made.known[tuple(at)], made.certainty[tuple(at)]
    image = np.zeros((*known.shape, 4))
    image[..., :3], image[..., 3] = to_rgb(COLOURS.felt), certainty
    image[known] = (*to_rgb(COLOURS.obstacle), 1.0)
    (columns, *wide), (rows, *high) = (_shown(made, joint, q[:, joint]) for joint in (across, up))
    image = image[np.ix_(columns, rows)].swapaxes(0, 1)
    ax.imshow(image, origin="lower", extent=(*wide, *high), aspect="auto", interpolation="nearest")
    others = [j for j in range(q.shape[1]) if j not in (across, up) and made.grid.shape[j] > 1]
    away = made.grid.beside(q, began) - began
    beside = (np.abs(away)[:, others] > 0.5 * made.grid.spacing[others]).any(axis=1)
    ax.plot(q[:, across], q[:, up], color=COLOURS.travelled, lw=0.7, zorder=3)
    inside = np.where(beside[:, None], np.nan, q)
    ax.plot(inside[:, across], inside[:, up], color=COLOURS.travelled, lw=2.2, zorder=4)
    for row, colour in ((q[0], COLOURS.start), (began, COLOURS.felt), (q[-1], COLOURS.goal)):
        ax.plot(row[across], row[up], "o", ms=4.5, mec="white", mew=0.6, color=colour, zorder=5)
    ax.set(xlabel=f"joint {across + 1} (rad)", ylabel=f"joint {up + 1} (rad)")
    return ax


def _shown(made: FeltMap, joint: int, angles: np.ndarray) -> tuple[np.ndarray, float, float]:
    """The cells of an axis that a panel shows, and its ends [rad]: a closed axis goes on where the arm went."""
    count, low, width = made.grid.shape[joint], made.grid.lower[joint], made.grid.spacing[joint]
    first, last = np.floor((np.array([angles.min(), angles.max()]) - low) / width).astype(int)
    if not made.grid.turn[joint] or (first >= 0 and last < count):
        first, last = 0, count - 1
    spare = max(count - 1 - (last - first), 0)
    first, last = first - spare // 2, last + spare - spare // 2
    return np.arange(first, last + 1) % count, low + first * width, low + (last + 1) * width


def last_configuration(run: Run, made: FeltMap) -> np.ndarray:
    """(n,) joint angles [rad] from which the arm went on after its last touch; at the start without one."""
    q, cells = run.data.q.values, run.data.event_start.values
    if not len(cells):
        return q[0]
    like = q[min(np.searchsorted(run.data.time.values, run.data.event_time.values[-1]), len(q) - 1)]
    return made.grid.beside(
        np.where(np.array(made.grid.shape) > 1, made.grid.centre(cells[-1]), like), like
    )


def _handles() -> list[Line2D | Patch]:
    dot = {"marker": "o", "ls": "", "mec": "white"}
    return [
        Patch(color=COLOURS.obstacle, label="the arm itself, known obstacles"),
        Patch(color=COLOURS.felt, label="felt, the darker the more certain"),
        Line2D(
            [], [], color=COLOURS.travelled, lw=2.2, label="path of the arm; thin: beside the slice"
        ),
        Line2D([], [], color=COLOURS.start, label="start", **dot),
        Line2D([], [], color=COLOURS.felt, label="where the last path begins", **dot),
        Line2D([], [], color=COLOURS.goal, label="end", **dot),
    ]


PAGES = {"places": places_page, "slices": slices_page}
