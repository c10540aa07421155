"""Planned paths in the picture of a cell: the tool's line, its points and axes, start, via points, goal.

First what a picture needs of a path: evenly fine poses of the joints, where the tool is, how far
along.
"""

from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.patheffects import withStroke

from dynamics import Arm, forward_kinematics
from hopfield_nav.extensions.known_world.task import SAMPLING, PlannedPath
from hopfield_nav.figures import COLOURS
from hopfield_nav.figures.solid import GRID, CellView, mark_goal, mark_start, solid_colour

AXIS = 0.06  # [m] drawn length of the tool's axes
_TURN = 0.02  # [rad] of a joint between two of the fine poses, at most
_MAX_SAMPLES = 4000
_SAME = 1e-3  # [m] a leg of the tool that is shorter counts as a turn on the spot
_OVER = 6.0  # above the solids, with which lines would otherwise have to be sorted
_CASING = 1.1  # [pt] of white on both sides of a line, which sets it off from the arm


def fine_path(q: np.ndarray, step: float = _TURN) -> np.ndarray:
    """Rows (m, n) on the straight joint motions between the rows (k, n) of a path [rad], these among them.

    From row to row a joint changes by ``step`` [rad] at most, by more where the path is very long.
    """
    change = np.abs(np.diff(q, axis=0)).max(axis=1, initial=0.0)
    pieces = np.maximum(1, np.ceil(change / max(step, change.sum() / _MAX_SAMPLES))).astype(int)
    places = [k + np.arange(count) / count for k, count in enumerate(pieces)]
    return _at_places(q, np.concatenate([*places, [len(q) - 1.0]]))


def joint_travel(q: np.ndarray) -> np.ndarray:
    """(k,) sum of all joints' changes from the first row of q (k, n) on [rad]."""
    return np.concatenate([[0.0], np.cumsum(np.abs(np.diff(q, axis=0)).sum(axis=1))])


def tool_points(arm: Arm, q: np.ndarray) -> np.ndarray:
    """(..., 3) of the tool at joint angles (..., n) [m]."""
    return forward_kinematics(arm, q)[..., :3, 3]


def tool_travel(arm: Arm, q: np.ndarray) -> np.ndarray:
    """(k,) distance that the tool has gone from the first row of q (k, n) on [m]."""
    steps = np.linalg.norm(np.diff(tool_points(arm, q), axis=0), axis=1)
    return np.concatenate([[0.0], np.cumsum(steps)])


def corner_poses(path: PlannedPath) -> np.ndarray:
    """(c, n) joint angles at start, via points and goal, and a sampled path's milestones [rad]."""
    return path.q[path.corners]


def travel_of(arm: Arm, path: PlannedPath, q: np.ndarray) -> tuple[np.ndarray, str]:
    """What rows (m, n) along a path are plotted against (m,), and the label of that axis with its unit.

    The distance that the tool goes, where it goes on straight lines; else the change of the joints.
    """
    legs = np.linalg.norm(np.diff(tool_points(arm, corner_poses(path)), axis=0), axis=1)
    if path.is_of_tool and len(legs) and legs.min() > _SAME:
        return tool_travel(arm, q), "path of the tool (m)"
    return joint_travel(q), "path of the joints, summed (rad)"


def poses_between(arm: Arm, path: PlannedPath, count: int) -> np.ndarray:
    """(count, n) poses [rad], evenly spaced along a path, without its ends; none where nothing moves."""
    q = fine_path(path.q)
    travel, _ = travel_of(arm, path, q)
    if travel[-1] <= 0.0:
        return np.empty((0, q.shape[1]))
    wanted = travel[-1] * np.arange(1, count + 1) / (count + 1)
    return _at_places(q, np.interp(wanted, travel, np.arange(len(q))))


def fitting_count(arm: Arm, path: PlannedPath, most: int, spacing: float) -> int:
    """How many poses between the ends, at least ``spacing`` [m] of the tool's path apart, up to ``most``."""
    return int(np.clip(tool_travel(arm, fine_path(path.q))[-1] / spacing - 1.0, 1, most))


def _at_places(q: np.ndarray, places: np.ndarray) -> np.ndarray:
    rows = np.arange(len(q))
    return np.column_stack([np.interp(places, rows, column) for column in q.T])


def add_tool_line(ax: Axes, view: CellView, q: np.ndarray, **how: Any) -> Line2D:
    """Where the tool goes along rows of joint angles (k, n), over the solids: it is what the picture shows."""
    style: dict[str, Any] = {"color": COLOURS.planned, "lw": 1.4, "zorder": _OVER, **how}
    (line,) = ax.plot(*view.appear(tool_points(view.arm, fine_path(q))).T, **style)
    if line.get_linestyle() == "-":  # around dashes it would look like dashes of its own
        line.set_path_effects(
            [withStroke(linewidth=line.get_linewidth() + 2 * _CASING, foreground="white")]
        )
    return line


def add_tool_points(ax: Axes, view: CellView, poses: np.ndarray) -> Line2D:
    """The tool at poses between start and goal (k, n), as dots."""
    points = view.appear(tool_points(view.arm, poses))
    how = {
        "color": COLOURS.planned,
        "markersize": 2.8,
        "mec": "white",
        "mew": 0.3,
        "zorder": _OVER + 0.3,
    }
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


def _add_name(ax: Axes, ends: np.ndarray, name: str) -> None:
    at = ends[1] + 0.022 * (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
    text = ax.text(*at, name, ha="center", va="center", fontsize="x-small", zorder=_OVER + 0.7)
    text.set_path_effects([withStroke(linewidth=1.2, foreground="white")])


def corner_for_names(view: CellView, corners: np.ndarray, between: np.ndarray) -> int:
    """At which of two ends the names of the tool's axes have more room: 0 or -1.

    ``corners`` (c, n) are poses at start, via points and goal, ``between`` (k, n) other poses with
    axes.
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
    return view.appear(
        np.concatenate([point, point + 1.3 * AXIS * T[:, :3, :3].transpose(0, 2, 1)], axis=1)
    )


def add_ends(ax: Axes, view: CellView, path: PlannedPath, size: float = 6.0) -> None:
    """Start, goal, and between them via points, or the milestones of a sampled path."""
    points = view.appear(tool_points(view.arm, corner_poses(path)))
    mark_start(ax, points[0], size).set_zorder(_OVER + 0.6)
    mark_goal(ax, points[-1], size).set_zorder(_OVER + 0.6)
    if len(points) > 2:
        ax.plot(*points[1:-1].T, **_via(0.75 * size), zorder=_OVER + 0.5)


def end_handles() -> list[Artist]:
    """Legend of start and goal."""
    how = {"mec": "white", "mew": 0.4, "ls": ""}
    return [
        Line2D([], [], marker="o", color=COLOURS.start, markersize=5, label="start", **how),
        Line2D([], [], marker="D", color=COLOURS.goal, markersize=4, label="goal", **how),
    ]


def path_handles(path: PlannedPath) -> list[Artist]:
    """Legend of the markers of one path."""
    handles = end_handles()
    if len(path.corners) > 2:
        handles.append(
            Line2D([], [], **_via(4), label="milestone" if path.kind == SAMPLING else "via point")
        )
    return [*handles, Patch(color=COLOURS.housing, alpha=0.5, lw=0, label="arm on the path")]


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
    return {
        "marker": "o",
        "ls": "",
        "mfc": "white",
        "mec": COLOURS.planned,
        "mew": 1.2,
        "markersize": size,
    }
