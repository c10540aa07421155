"""An arm with its frames: the axes of the links' frames, and the joints' turns.

The frames are those of ``dynamics.link_frames``, by the arm's standard Denavit-Hartenberg rows:
joint i turns about the z axis of frame i − 1.
"""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dynamics import Arm, link_frames
from hopfield_nav.figures.palette import COLOURS
from hopfield_nav.figures.sheets import new_figure
from hopfield_nav.figures.solid.faces import arm_outline, pose_outline
from hopfield_nav.figures.solid.picture import Solids, View, make_view, project
from hopfield_nav.figures.style import CENTIMETRE, COLUMN, paper_style

AXES = {"x": COLOURS.goal, "y": COLOURS.start, "z": COLOURS.felt}  # of a frame, with their colours
POSE = (0.4, -0.9, 1.0, -0.9, -1.2, 0.3)  # [rad] of the first joints of a figure; others: 0.4
_PALE = 0.35  # how opaque the arm is
_LONG = 0.085  # of the axes of a frame, of the arm's length
_TURN = np.linspace(-0.6, 1.2, 24) * np.pi  # of the arc about a joint's axis [rad]


def default_pose(arm: Arm) -> np.ndarray:
    """Joint angles (n,) [rad] at which the frames of an arm lie apart, within its limits."""
    count = len(arm.dh)
    q = np.full(count, 0.4)
    q[: len(POSE)] = POSE[:count]
    return np.clip(q, arm.position_limits[:, 0], arm.position_limits[:, 1])


def add_frames(ax: Axes, arm: Arm, q: np.ndarray, view: View | None = None) -> None:
    """The arm, pale, at joint angles (n,) [rad], with its frames 0 to n and its joints' turns.

    Of a frame the axes are drawn, of a joint the sense in which it turns.
    """
    seen = view or make_view()
    frames = link_frames(arm, q)
    outline = arm_outline(arm)
    solids = Solids(ax, seen, zorder=1.0)
    colours = outline.colours.copy()
    colours[:, 3] = _PALE
    solids.show([(pose_outline(arm, outline, q), colours)])
    size = _LONG * length_of(frames)
    for number, frame in enumerate(frames):
        add_frame(ax, seen, frame, size, str(number))
    for joint, frame in enumerate(frames[:-1], start=1):
        add_turn(ax, seen, frame, 0.5 * size, f"q{joint}")
    corners = project(seen, pose_outline(arm, outline, q).reshape(-1, 3))
    low = corners.min(axis=0) - size
    high = corners.max(axis=0) + size
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
    ax.set_axis_off()


def length_of(frames: np.ndarray) -> float:
    """The length of the chain through the origins of frames (n + 1, 4, 4) [m]."""
    return float(np.linalg.norm(np.diff(frames[:, :3, 3], axis=0), axis=1).sum())


def add_frame(ax: Axes, view: View, frame: np.ndarray, size: float, name: str) -> None:
    """The three axes of a frame (4, 4), of a length [m], with its number at its origin."""
    origin = frame[:3, 3]
    for k, colour in enumerate(AXES.values()):
        ends = project(view, np.stack([origin, origin + size * frame[:3, k]]))
        _add_head(ax, ends[0], ends[1], colour, head=6, zorder=3.0)
    place = project(view, origin)
    box = {"boxstyle": "circle,pad=0.08", "fc": "white", "ec": COLOURS.ink, "lw": 0.5}
    ax.text(*place, name, ha="center", va="center", fontsize="x-small", bbox=box, zorder=4.0)


def add_turn(ax: Axes, view: View, frame: np.ndarray, radius: float, name: str) -> None:
    """The positive sense of a joint: an arc with a head about the z axis of its frame, and its name.

    ``radius`` of the arc [m].
    """
    origin = frame[:3, 3]
    x, y, z = frame[:3, :3].T
    around = np.cos(_TURN)[:, None] * x + np.sin(_TURN)[:, None] * y
    arc = project(view, origin + 1.2 * radius * z + radius * around)
    ax.plot(*arc[:-1].T, color=COLOURS.planned, lw=1.1, zorder=3.5)
    _add_head(ax, arc[-4], arc[-1], COLOURS.planned, head=7, zorder=3.5)
    place = project(view, origin + 2.4 * radius * z)
    box = {"boxstyle": "round,pad=0.05", "fc": "white", "ec": "none", "alpha": 0.75}
    ax.text(
        *place,
        name,
        ha="center",
        va="center",
        color=COLOURS.planned,
        fontsize="x-small",
        bbox=box,
        zorder=4.5,
    )


def _add_head(
    ax: Axes, start: np.ndarray, end: np.ndarray, colour: str, head: float, zorder: float
) -> None:
    """An arrow from ``start`` to ``end`` (2,), with a head of a size."""
    style = {
        "arrowstyle": "-|>",
        "color": colour,
        "lw": 1.1,
        "shrinkA": 0,
        "shrinkB": 0,
        "mutation_scale": head,
    }
    ax.annotate("", end, start, zorder=zorder, annotation_clip=False, arrowprops=style)


def frames_handles(dh: bool = True) -> list[Line2D]:
    """Legend of the axes, of a joint's turn, and of a frame's number.

    ``dh``: the arm's file gives DH rows.
    """
    name = "DH frame of the link" if dh else "frame of the link"
    axes = [Line2D([], [], color=colour, label=axis) for axis, colour in AXES.items()]
    turn = Line2D([], [], color=COLOURS.planned, label="joint, turning positively")
    circle = Line2D([], [], marker="o", ls="", mfc="white", mec=COLOURS.ink, label=name)
    return [*axes, turn, circle]


def plot_frames(arm: Arm, q: np.ndarray | None = None, title: str = "", dh: bool = True) -> Figure:
    """An arm with its frames as a figure of a column.

    ``q`` (n,) [rad], by default a pose that shows them apart; ``dh``: whether the arm's file gives
    Denavit-Hartenberg rows, by which the frames are then called.
    """
    with paper_style():
        figure = new_figure(COLUMN, COLUMN + 1.2 * CENTIMETRE)
        ax = figure.add_subplot()
        add_frames(ax, arm, default_pose(arm) if q is None else np.asarray(q, float))
        ax.set_title(title)
        figure.legend(
            handles=frames_handles(dh), loc="outside lower center", ncols=5, handlelength=1.0
        )
        return figure
