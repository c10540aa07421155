"""Where one branch of the inverse kinematics stops on a straight line, and the layered graph goes on."""

import textwrap
from collections.abc import Sequence

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from dynamics import Arm
from hopfield_nav.extensions.clearance import Scene
from hopfield_nav.extensions.known_world import SHORTEST, PlannedPath, path_length
from hopfield_nav.figures import CENTIMETRE, COLOURS, PAGE
from hopfield_nav.figures.solid import CellPose, CellView, add_poses, frame_cell
from hopfield_nav.world import Solid
from nowoczyn2023.figures import drawing
from nowoczyn2023.figures.pages import GHOST, ends_and_ghosts
from nowoczyn2023.figures.signals import draw_angles, name_joints, touched_links

_AHEAD = (0, (2, 1.6))
_LETTERS = 62  # a line of the reason
_GHOSTS = 3


def stopped_page(
    arm: Arm,
    scene: Scene,
    solids: Sequence[Solid],
    q_branch: np.ndarray,
    reason: str,
    path: PlannedPath,
) -> Figure:
    """Two arms side by side: one that keeps to a branch up to its stop, one that follows the graph.

    The branch stops for a ``reason`` at the last of ``q_branch`` (k, n) [rad]; the path goes on
    along the line.
    """
    q_branch = np.asarray(q_branch, dtype=float)
    poses = np.concatenate([drawing.fine_path(q, 0.1) for q in (q_branch, path.q)])
    view = CellView(arm, solids, poses)
    words = textwrap.wrap(reason, _LETTERS)
    figure, (left, right, *angles) = _panels(view, len(words))
    draw_stop(left, view, scene, q_branch, path)
    frame_cell(right, view)
    add_poses(right, view, ends_and_ghosts(arm, path))
    drawing.add_tool_line(right, view, path.q)
    drawing.add_ends(right, view, path)
    left.set_title("\n".join(["one branch stops:", *words]))
    right.set_title("the layered graph goes on")
    _draw_both_angles(angles, arm, q_branch, path)
    figure.legend(handles=_handles(view, path), loc="upper center", ncols=8, borderaxespad=0.1)
    return figure


def draw_stop(
    ax: Axes, view: CellView, scene: Scene, q_branch: np.ndarray, path: PlannedPath
) -> Axes:
    """The arm on one branch (k, n) [rad] up to its stop; the rest of the path's line is dashed."""
    frame_cell(ax, view)
    branch = PlannedPath(
        q_branch, SHORTEST, np.array([0, len(q_branch) - 1]), path_length(q_branch)
    )
    ghosts = [CellPose(q, GHOST) for q in drawing.poses_between(view.arm, branch, _GHOSTS)]
    stop = CellPose(q_branch[-1], touched=touched_links(view.arm, scene, q_branch[-1]))
    add_poses(ax, view, [CellPose(q_branch[0]), *ghosts, stop])
    drawing.add_tool_line(ax, view, path.q, lw=1.0, ls=_AHEAD)
    drawing.add_tool_line(ax, view, q_branch)
    drawing.add_ends(ax, view, path)
    here = view.appear(drawing.tool_points(view.arm, q_branch[-1]))
    ax.plot(*here, **_STOP, zorder=7)
    return ax


_STOP = {
    "marker": "X",
    "ls": "",
    "color": COLOURS.true,
    "markersize": 7,
    "mec": "white",
    "mew": 0.7,
}


def _handles(view: CellView, path: PlannedPath) -> list[Artist]:
    return [
        *drawing.path_handles(path),
        Line2D([], [], **_STOP, label="stop"),
        Patch(color=COLOURS.goal, lw=0, label="touching link"),
        Line2D([], [], color=COLOURS.planned, lw=1.4, label="tool"),
        Line2D([], [], color=COLOURS.planned, lw=1.0, ls=_AHEAD, label="not reached"),
        *drawing.known_handles(view),
    ]


def _draw_both_angles(
    panels: Sequence[Axes], arm: Arm, q_branch: np.ndarray, path: PlannedPath
) -> None:
    """Angles over the tool's path; both panels have the same axes, the stop is a dashed line."""
    rows, travels = [], []
    for ax, q in zip(panels, (q_branch, path.q), strict=True):
        rows.append(drawing.fine_path(q))
        travels.append(drawing.tool_travel(arm, rows[-1]))
        draw_angles(ax, travels[-1], rows[-1], named=False)
        ax.set_xlabel("path of the tool (m)")
    low, high = min(ax.get_ylim()[0] for ax in panels), max(ax.get_ylim()[1] for ax in panels)
    for ax in panels:
        ax.set(xlim=(0.0, max(*travels[0], *travels[1], 1e-3)), ylim=(low, high))
        ax.axvline(travels[0][-1], color=COLOURS.true, lw=0.8, ls=_AHEAD)
    name_joints(panels[1], rows[1][-1])
    late = travels[0][-1] > 0.5 * panels[0].get_xlim()[1]
    words = f" stop at {travels[0][-1]:.3f} m "
    panels[0].text(
        travels[0][-1], high, words, ha="right" if late else "left", va="top", fontsize="small"
    )
    panels[1].set_ylabel("")
    panels[1].tick_params(labelleft=False)


def _panels(view: CellView, lines: int) -> tuple[Figure, list[Axes]]:
    """Two scenes, the reason above the left one, two panels of angles."""
    left, right, low, high = view.limits()
    wide = PAGE / 2
    tall = wide * (high - low) / (right - left)
    head, foot, angles, between = (c * CENTIMETRE for c in (0.95 + 0.34 * lines, 0.95, 3.4, 0.35))
    height = head + tall + between + angles + foot
    figure = Figure((PAGE, height))
    x, across = 1.15 * CENTIMETRE, wide - 1.55 * CENTIMETRE
    places = [(k * wide, foot + angles + between, wide, tall) for k in (0, 1)]
    places += [(x + k * (across + 0.6 * CENTIMETRE), foot, across, angles) for k in (0, 1)]
    return figure, [
        figure.add_axes((a / PAGE, b / height, c / PAGE, d / height)) for a, b, c, d in places
    ]
