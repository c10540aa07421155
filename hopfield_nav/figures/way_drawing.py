"""Planned ways in the picture of a cell: the tool's line, its points and axes, start, via points, goal."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.patheffects import withStroke

from dynamics.kinematics import forward_kinematics
from hopfield_nav.figures.cell_view import GRID, CellView, solid_colour
from hopfield_nav.figures.map_layers import mark_goal, mark_start
from hopfield_nav.figures.way_points import corner_poses, fine_way, tool_points
from hopfield_nav.known_world.way import SAMPLING, JointWay
from hopfield_nav.style import COLOURS

AXIS = 0.06  # [m] drawn length of the tool's axes
_OVER = 6.0  # above the solids, with which lines would otherwise have to be sorted
_CASING = 1.1  # [pt] of white on both sides of a line, which sets it off from the arm


def add_tool_line(ax: Axes, view: CellView, q: np.ndarray, **how: Any) -> Line2D:
    """Where the tool goes along rows of joint angles (k, n), over everything."""
    style: dict[str, Any] = {"color": COLOURS.planned, "lw": 1.4, "zorder": _OVER, **how}
    line = ax.plot(*view.appear(tool_points(view.arm, fine_way(q))).T, **style)[0]
    if line.get_linestyle() == "-":  # around dashes it would look like dashes of its own
        line.set_path_effects([withStroke(linewidth=line.get_linewidth() + 2 * _CASING, foreground="white")])
    return line


def add_tool_points(ax: Axes, view: CellView, poses: np.ndarray) -> Line2D:
    """The tool at poses between start and goal (k, n), as dots."""
    points = view.appear(tool_points(view.arm, poses))
    how = {"color": COLOURS.planned, "markersize": 2.8, "mec": "white", "mew": 0.3, "zorder": _OVER + 0.3}
    return ax.plot(*points.T, "o", **how)[0]


def add_tool_axes(ax: Axes, view: CellView, q: np.ndarray, names: bool = False) -> list[Line2D]:
    """The tool's axes at one pose (n,): x and y thin, z thick; on request with their names."""
    T = forward_kinematics(view.arm, q)
    drawn = []
    for k, width in enumerate((0.7, 0.7, 1.3)):
        ends = view.appear(np.stack([T[:3, 3], T[:3, 3] + AXIS * T[:3, k]]))
        line = ax.plot(*ends.T, color=COLOURS.ink, lw=width, zorder=_OVER + 0.2)[0]
        line.set_path_effects([withStroke(linewidth=width + _CASING, foreground="white")])
        drawn.append(line)
        if names and np.linalg.norm(ends[1] - ends[0]) > 0.3 * AXIS:
            _add_name(ax, ends, "xyz"[k])
    return drawn


def corner_for_names(view: CellView, corners: np.ndarray, between: np.ndarray) -> int:
    """At which of two ends the names of the tool's axes have more room: 0 or -1.

    Args:
        view: of the cell.
        corners: (c, n) poses at start, via points and goal.
        between: (k, n) other poses with axes.
    """
    room = []
    for end, rest in ((0, corners[1:]), (-1, corners[:-1])):
        taken = _axis_ends(view, np.concatenate([rest, between])).reshape(-1, 1, 2)
        names = _axis_ends(view, corners[[end]])[0, 1:]
        room.append(np.linalg.norm(taken - names, axis=-1).min(initial=np.inf))
    return 0 if room[0] >= room[1] else -1


def _axis_ends(view: CellView, q: np.ndarray) -> np.ndarray:
    """(k, 4, 2) tool point and a little beyond the ends of its axes, as they appear [m]."""
    T = forward_kinematics(view.arm, q)
    point = T[:, None, :3, 3]
    return view.appear(np.concatenate([point, point + 1.3 * AXIS * T[:, :3, :3].transpose(0, 2, 1)], axis=1))


def add_ends(ax: Axes, view: CellView, way: JointWay, size: float = 6.0) -> None:
    """Start, goal, and between them via points, or the milestones of a sampled way."""
    points = view.appear(tool_points(view.arm, corner_poses(way)))
    mark_start(ax, points[0], size).set_zorder(_OVER + 0.6)
    mark_goal(ax, points[-1], size).set_zorder(_OVER + 0.6)
    if len(points) > 2:
        ax.plot(*points[1:-1].T, **_via(0.75 * size), zorder=_OVER + 0.5)


def way_handles(way: JointWay, ghosts: bool = True) -> list[Artist]:
    """Legend of the markers of one way."""
    how = {"mec": "white", "mew": 0.4, "ls": ""}
    handles: list[Artist] = [
        Line2D([], [], marker="o", color=COLOURS.start, markersize=5, label="start", **how),
        Line2D([], [], marker="D", color=COLOURS.goal, markersize=4, label="goal", **how),
    ]
    if len(way.corners) > 2:
        handles.append(Line2D([], [], **_via(4), label="milestone" if way.kind == SAMPLING else "via point"))
    if ghosts:
        handles.append(Patch(color=COLOURS.housing, alpha=0.5, lw=0, label="arm on the way"))
    return handles


def point_handles() -> list[Artist]:
    """Legend of the points of a straight line with the tool's axes."""
    how = {"color": COLOURS.planned, "mec": "white", "mew": 0.3}
    return [
        Line2D([], [], marker="o", lw=1.4, markersize=3.5, label="tool on its line", **how),
        Line2D([], [], color=COLOURS.ink, lw=1.3, label="tool's z, x and y thin"),
    ]


def known_handles(view: CellView) -> list[Artist]:
    """Legend of the known solids, if there are any, and of the lines on the ground."""
    grid = f"grid {100 * GRID:.0f} cm"
    if not view.solids:
        return [Line2D([], [], color=COLOURS.grid, lw=0.8, label=grid)]
    return [Patch(color=solid_colour(), lw=0, label=f"known ({grid})")]


def _via(size: float) -> dict[str, Any]:
    return {"marker": "o", "ls": "", "mfc": "white", "mec": COLOURS.planned, "mew": 1.2, "markersize": size}


def _add_name(ax: Axes, ends: np.ndarray, name: str) -> None:
    at = ends[1] + 0.022 * (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
    text = ax.text(*at, name, ha="center", va="center", fontsize="x-small", zorder=_OVER + 0.7)
    text.set_path_effects([withStroke(linewidth=1.2, foreground="white")])
