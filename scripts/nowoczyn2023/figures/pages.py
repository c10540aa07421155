"""Whole figures of planned paths in a known cell (nowoczyn2023 figures 3.1 and 3.2)."""

from collections.abc import Sequence

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dynamics import Arm
from hopfield_nav.extensions.clearance import Scene
from hopfield_nav.extensions.known_world.task import SAMPLING, PlannedPath
from hopfield_nav.figures import CENTIMETRE, COLOURS, COLUMN
from hopfield_nav.figures.solid import CellPose, CellView, add_poses, frame_cell
from hopfield_nav.world import Solid
from nowoczyn2023.figures import drawing
from nowoczyn2023.figures.signals import (
    clearance_handles,
    clearances,
    draw_angles,
    draw_clearance,
)

GHOST = 0.26  # opacity of the arm between start and goal
# arms between start and goal at most, and how far the tool goes between [m]
_GHOSTS, _GHOST_GAP = (4, 0.12)
_POINTS, _POINT_GAP = 9, 0.12  # points of a line, as above
_MOST_PATHS = 5
_LINE = 0.42 * CENTIMETRE  # of a legend [inch]


def shortest_page(arm: Arm, scene: Scene, solids: Sequence[Solid], path: PlannedPath) -> Figure:
    """A tool that goes straight: the arm on its path, joint angles, clearance (nowoczyn2023 figure 3.1).

    ``solids`` are those of the scene, as a world file has them.
    """
    view = CellView(arm, solids, drawing.fine_path(path.q, 0.1))
    handles = [*drawing.path_handles(path), *drawing.point_handles(), *drawing.known_handles(view)]
    figure, panels = _panels(view, handles)
    draw_shortest(panels[0], view, path)
    _draw_signals(panels[1:], arm, scene, path)
    return figure


def direct_page(
    arm: Arm, scene: Scene, solids: Sequence[Solid], paths: Sequence[PlannedPath]
) -> Figure:
    """Joints that go straight: the tool's arcs of the best paths, the arm on the best (figure 3.2).

    The best of the paths is the first; up to five are drawn.
    """
    paths = list(paths)[:_MOST_PATHS]
    view = CellView(arm, solids, np.concatenate([drawing.fine_path(path.q, 0.1) for path in paths]))
    handles = [
        *_length_handles(arm, paths),
        *drawing.path_handles(paths[0]),
        *drawing.known_handles(view),
    ]
    figure, panels = _panels(view, handles)
    draw_direct(panels[0], view, paths)
    _draw_signals(panels[1:], arm, scene, paths[0])
    return figure


def draw_shortest(ax: Axes, view: CellView, path: PlannedPath) -> Axes:
    """Start, goal, arms and points between them, and the tool's axes at each point."""
    frame_cell(ax, view)
    add_poses(ax, view, ends_and_ghosts(view.arm, path))
    drawing.add_tool_line(ax, view, path.q)
    count = drawing.fitting_count(view.arm, path, _POINTS, _POINT_GAP)
    between = drawing.poses_between(view.arm, path, count)
    drawing.add_tool_points(ax, view, between)
    corners = drawing.corner_poses(path)
    named = corners[drawing.corner_for_names(view, corners, between)]
    for q in [*corners, *between]:
        drawing.add_tool_axes(ax, view, q, names=np.array_equal(q, named))
    drawing.add_ends(ax, view, path)
    return ax


def draw_direct(ax: Axes, view: CellView, paths: Sequence[PlannedPath]) -> Axes:
    """The tool's arcs over the arm at start and goal, that of the best path, the first one, over the others."""
    frame_cell(ax, view)
    add_poses(ax, view, [CellPose(paths[0].q[0]), CellPose(paths[0].q[-1])])
    for arc, style in reversed(list(zip(_arcs(view.arm, paths), _ARC_STYLES, strict=False))):
        drawing.add_tool_line(ax, view, paths[arc[0]].q, **style)
    drawing.add_ends(ax, view, paths[0])
    return ax


def ends_and_ghosts(arm: Arm, path: PlannedPath) -> list[CellPose]:
    """The arm at start and goal, and paler between them."""
    count = drawing.fitting_count(arm, path, _GHOSTS, _GHOST_GAP)
    ghosts = [CellPose(q, GHOST) for q in drawing.poses_between(arm, path, count)]
    return [CellPose(path.q[0]), *ghosts, CellPose(path.q[-1])]


def _tint(share: float) -> tuple[float, ...]:
    """The planned colour, darkened by a share."""
    return tuple((1.0 - share) * c for c in to_rgb(COLOURS.planned))


_ARC_STYLES: tuple[dict, ...] = (
    {"color": COLOURS.planned, "lw": 1.8},
    {"color": _tint(0.35), "lw": 1.1, "ls": (0, (5, 1.5)), "dash_capstyle": "butt"},
    {"color": _tint(0.35), "lw": 1.1, "ls": (0, (2.5, 1.2)), "dash_capstyle": "butt"},
    {"color": _tint(0.6), "lw": 1.1, "ls": (0, (5, 1.2, 1, 1.2)), "dash_capstyle": "butt"},
    {"color": _tint(0.6), "lw": 1.1, "ls": (0, (1, 1)), "dash_capstyle": "butt"},
)


def _arcs(arm: Arm, paths: Sequence[PlannedPath]) -> list[list[int]]:
    """Paths by number, those together whose tool goes the same way: an open start leaves their turns open."""
    groups: list[list[int]] = []
    arcs = [drawing.tool_points(arm, drawing.poses_between(arm, path, 20)) for path in paths]
    for k, path in enumerate(paths):
        for group in groups:
            first = paths[group[0]]
            same = arcs[k].shape == arcs[group[0]].shape and np.allclose(
                arcs[k], arcs[group[0]], atol=1e-4
            )
            if same and abs(first.length - path.length) < 1e-6:
                group.append(k)
                break
        else:
            groups.append([k])
    return groups


def _length_handles(arm: Arm, paths: Sequence[PlannedPath]) -> list[Artist]:
    """Each arc with the length of its path, and how many paths take it."""
    handles: list[Artist] = []
    for arc, style in zip(_arcs(arm, paths), _ARC_STYLES, strict=False):
        path = paths[arc[0]]
        name = "sampled" if path.kind == SAMPLING else _numbered(arc)
        handles.append(Line2D([], [], **style, label=f"{name}: {path.length:.2f} rad"))
    return handles


def _numbered(arc: Sequence[int]) -> str:
    """Paths that count from 0 in words that count from 1: path 2, paths 1–5, paths 1, 3."""
    if len(arc) == 1:
        return f"path {arc[0] + 1}"
    if arc[-1] - arc[0] == len(arc) - 1:
        return f"paths {arc[0] + 1}–{arc[-1] + 1}"
    return "paths " + ", ".join(str(k + 1) for k in arc)


def _panels(view: CellView, handles: list[Artist]) -> tuple[Figure, list[Axes]]:
    """A column's width: legend, scene, joint angles, legend of the clearance, clearance."""
    columns = 3
    head = -(-len(handles) // columns) * _LINE + 0.05 * CENTIMETRE
    left, right, low, high = view.limits()
    tall = min(COLUMN * (high - low) / (right - left), 9.0 * CENTIMETRE)
    angles, between, clear, foot = (c * CENTIMETRE for c in (2.7, 1.05, 2.0, 0.95))
    height = head + tall + 0.15 * CENTIMETRE + angles + between + clear + foot
    figure = Figure((COLUMN, height))
    x, wide = 1.15 * CENTIMETRE / COLUMN, 1.0 - 1.75 * CENTIMETRE / COLUMN
    places = [
        (0.0, (height - head - tall) / height, 1.0, tall / height),
        (x, (foot + clear + between) / height, wide, angles / height),
        (x, foot / height, wide, clear / height),
    ]
    figure.legend(
        handles=handles, loc="upper center", ncols=columns, borderaxespad=0.1, columnspacing=0.8
    )
    return figure, [figure.add_axes(place) for place in places]


def _draw_signals(panels: Sequence[Axes], arm: Arm, scene: Scene, path: PlannedPath) -> None:
    q = drawing.fine_path(path.q)
    travel, label = drawing.travel_of(arm, path, q)
    distances, margin = clearances(arm, scene, q), float(scene.margin[0])
    draw_angles(panels[0], travel, q)
    draw_clearance(panels[1], travel, distances, margin)
    panels[0].tick_params(labelbottom=False)
    panels[1].set_xlabel(label)
    for ax in panels:
        for via in travel_at(travel, q, drawing.corner_poses(path)[1:-1]):
            ax.axvline(via, color=COLOURS.grid, lw=0.7, zorder=0)
    panels[0].figure.align_ylabels(panels)
    panels[1].legend(
        handles=clearance_handles(distances, margin), loc="lower right", bbox_to_anchor=(1.07, 1.0),
        ncols=4, borderaxespad=0.2, columnspacing=0.7, handlelength=1.3, handletextpad=0.4,
    )  # fmt: skip


def travel_at(travel: np.ndarray, q: np.ndarray, corners: np.ndarray) -> list[float]:
    """How far along the rows q (k, n) the corners (c, n), which are among them, come up in order."""
    row, found = 0, []
    for corner in corners:
        row += int(np.argmin(np.abs(q[row:] - corner).max(axis=1)))
        found.append(float(travel[row]))
    return found
