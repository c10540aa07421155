"""Figures 3.5, 3.6 and 6.1; those of chapter 7 come from ``hopfield_nav.figures.run``."""

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from reproduction import JOINT_COLOURS, picture, pictures_of

from dynamics import link_frames, load_arm
from hopfield_nav.figures import COLUMN, PAGE
from hopfield_nav.planning import plan_path
from hopfield_nav.record import Run
from ragazzon2012.experiment import run
from ragazzon2012.fall import AS_PRINTED, LONG, REST_TIME, RIGHT
from ragazzon2012.planner import Example, examples

JOINTS = tuple(zip(JOINT_COLOURS, ("-", "-", "--", "-.", "-", ":"), strict=True))  # colour and dash of q1…q6
WALL, PATH, START, GOAL = "#222222", "#A8A8A8", "#009E73", "#D55E00"
draw = pictures_of(__name__)


@picture("figure_3_5_fall", PAGE, 0.5 * PAGE, 2, 2, sharex=True, sharey="row")
def fall_figure(figure: Figure, axes: np.ndarray) -> None:
    """Figure 3.5: joint angles and velocities of the fall, as printed and right."""
    for column, (name, title) in enumerate(((AS_PRINTED, "dynamics as printed"), (RIGHT, "right dynamics"))):
        draw_fall(axes[:, column], run(name))
        axes[0, column].set_title(title)
    axes[0, 0].set_ylabel("joint angle $q$ [°]")
    axes[1, 0].set_ylabel(r"joint velocity $\dot q$ [rad/s]")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=7)


def draw_fall(axes: np.ndarray, fall: Run) -> None:
    """Angles above, velocities below."""
    time, q, qd = fall.data.time.values, np.degrees(fall.data.q.values), fall.data.qd.values
    for j, (colour, dash) in enumerate(JOINTS):
        axes[0].plot(time, q[:, j], dash, color=colour, label=f"$q_{j + 1}$")
        axes[1].plot(time, qd[:, j], dash, color=colour)
    for ax in axes:
        ax.axvline(REST_TIME, color="#888888", linewidth=0.6, label="published: at rest", zorder=0)
    axes[0].set(yticks=range(-90, 136, 45), xlim=(0, 15))
    axes[1].set(xlabel="time [s]")


@picture("figure_3_6_rest_pose", COLUMN, 0.72 * COLUMN, 1, 2, sharey=True)
def rest_figure(figure: Figure, *axes: Axes) -> None:
    """Figure 3.6: the pose in which the fall ends, from the side."""
    runs = (run(AS_PRINTED), "as printed, 15 s"), (run(RIGHT, *LONG), "right, 200 s")
    for ax, (fall, title) in zip(axes, runs, strict=True):
        draw_pose(ax, fall.data.q.values[-1])
        ax.set(xlim=(-0.27, 0.55), ylim=(-0.95, 0.25), xticks=(-0.2, 0, 0.2, 0.4))
        ax.set(title=title, xlabel="x [m]", aspect="equal")
    axes[0].set_ylabel("z [m]")


def draw_pose(ax: Axes, q: np.ndarray) -> None:
    """Side view: each link from the origin of the frame before it, and the joint angles as text."""
    arm = load_arm("ur5_ragazzon2012")
    frames = link_frames(arm, q)
    x, z = frames[:, 0, 3], frames[:, 2, 3]
    ax.plot(x, z, color="#8494A6", linewidth=3.5, solid_joinstyle="round", zorder=1)
    ax.plot(x[:-1], z[:-1], "o", color="#222222", markersize=2.5, zorder=2)
    ax.plot(x[-1], z[-1], "D", color=GOAL, markersize=4, zorder=3)
    ax.axhline(0, color="#B0B0B0", linewidth=0.6, zorder=0)
    degrees = np.round(np.degrees(q), 1) + 0.0  # no minus sign before a zero
    text = "\n".join(f"$q_{i + 1}$ = {degrees[i]:.1f}°".replace("-", "−") for i in range(1, 5))
    ax.text(0.97, 0.5, text, transform=ax.transAxes, ha="right", va="center", linespacing=1.3)


@picture("figure_6_1_paths", COLUMN, 0.64 * COLUMN, 2, 4)
def planner_figure(figure: Figure, axes: np.ndarray) -> None:
    """Figure 6.1: four maps; of each pair the set-up and the path of the summing network."""
    for pair, example in zip(axes.reshape(4, 2), examples(), strict=True):
        cells = plan_path(example.blocked, example.start, example.goal, "sum", 0.1).cells
        draw_map(pair[0], example, np.zeros((0, 2), int))
        draw_map(pair[1], example, cells)
    marks = axes[0, 0].get_legend_handles_labels()
    patch = matplotlib.patches.Patch
    handles = [*marks[0], patch(color=WALL), patch(color=PATH)]
    labels = [*marks[1], "obstruction", "path"]
    figure.legend(handles, labels, loc="outside lower center", ncols=4, handlelength=1.0, columnspacing=1.2)


def draw_map(ax: Axes, example: Example, path: np.ndarray) -> None:
    """A map with u to the right and v upwards, the path in grey."""
    picture = example.blocked.astype(int)
    picture[tuple(path.T)] = 2
    ax.imshow(picture.T, origin="lower", cmap=ListedColormap(["white", WALL, PATH]), vmin=0, vmax=2)
    ax.plot(*example.start, "o", color=START, markersize=3, label="start", linestyle="none")
    ax.plot(*example.goal, "D", color=GOAL, markersize=2.8, label="destination", linestyle="none")
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
