"""Figures of section V: the arm, the tool's pose over time, and the joint error."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from reproduction import JOINT_COLOURS, picture
from scipy.spatial.transform import Rotation

from hopfield_nav.figures import COLOURS, COLUMN, PAGE
from hopfield_nav.figures.solid import Solids, arm_outline, make_view, pose_outline, project
from kebria2016.validation_run import DURATION, FIRST_ERROR, analytic_error, arm, follow, profile

_SHOWN = 3.0  # [s] moment at which figure 10 shows the arm


@picture("figure_10_arm", COLUMN, 0.78 * COLUMN)
def picture_figure(figure: Figure, ax: Axes) -> None:
    """Figure 10: the simulated arm on its way, with the desired path of the tool."""
    run = follow()
    view, outline = make_view(azimuth=-105.0, elevation=22.0), arm_outline(arm())
    k = int(np.searchsorted(run.time, _SHOWN))
    faces = pose_outline(arm(), outline, run.q[k])
    _draw_floor(ax, view)
    Solids(ax, view, zorder=3).show([(faces, outline.colours)])
    ax.update_datalim(project(view, faces.reshape(-1, 3)))
    path = project(view, run.T_ref[:, :3, 3])
    ax.plot(
        *path.T, color=COLOURS.planned, linewidth=1.1, zorder=4, label="desired path of the tool"
    )
    trace = project(view, run.T[: k + 1, :3, 3])
    ax.plot(*trace.T, color=COLOURS.travelled, linewidth=1.1, zorder=5, label="path so far")
    ax.plot(*trace[-1], "o", color=COLOURS.ink, markersize=3, zorder=6, label="tool")
    ax.set_aspect("equal")
    ax.axis("off")
    ax.margins(0.02)
    figure.legend(loc="outside lower center", ncols=3)


def _draw_floor(ax: Axes, view: object) -> None:
    """Squares of 0.2 m on the plane on which the arm stands."""
    ends = np.arange(-0.4, 0.41, 0.2)
    for value in ends:
        for line in ([[value, -0.4, 0], [value, 0.4, 0]], [[-0.4, value, 0], [0.4, value, 0]]):
            ax.plot(*project(view, np.array(line)).T, color=COLOURS.grid, linewidth=0.5, zorder=1)
    place = project(view, np.array([-0.4, -0.43, 0.0]))
    ax.text(*place, "squares of 0.2 m", ha="left", va="top")


@picture("figure_11_tracking", PAGE, 0.42 * PAGE, 2, 3, sharex=True)
def tracking_figure(figure: Figure, axes: np.ndarray) -> None:
    """Figure 11: position and orientation of the tool, simulated and desired."""
    run = follow()
    for k, name in enumerate("xyz"):
        _draw_pair(axes[0, k], run.time, run.T_ref[:, k, 3], run.T[:, k, 3], f"${name}$ [m]")
    for k, name in enumerate(("roll", "pitch", "yaw")):
        _draw_pair(
            axes[1, k], run.time, _angles(run.T_ref)[:, k], _angles(run.T)[:, k], f"{name} [°]"
        )
        axes[1, k].set_xlabel("time [s]")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=2)


def _draw_pair(
    ax: Axes, time: np.ndarray, desired: np.ndarray, simulated: np.ndarray, label: str
) -> None:
    ax.plot(time, simulated, color=COLOURS.travelled, linewidth=1.4, label="simulated by MuJoCo")
    ax.plot(time, desired, "--", color=COLOURS.ink, linewidth=0.8, label="desired")
    ax.set(ylabel=label, xlim=(0, DURATION))


def _angles(T: np.ndarray) -> np.ndarray:
    """Roll, pitch, yaw [°] relative to the tool's first desired orientation, (k, 3)."""
    first = profile(np.zeros(1))[0, :3, :3]
    return Rotation.from_matrix(T[:, :3, :3] @ first.T).as_euler("xyz", degrees=True)


@picture("equation_12_error", COLUMN, 1.05 * COLUMN, 2, 1, sharex=True, height_ratios=(1, 1.2))
def error_figure(figure: Figure, above: Axes, below: Axes) -> None:
    """Joint errors as measured and by (12), and how far they differ."""
    run = follow()
    error, exact = run.q - run.q_ref, analytic_error(run.time)
    for j, colour in enumerate(JOINT_COLOURS):
        above.plot(run.time, error[:, j], color=colour, linewidth=1.4, label=f"$e_{j + 1}$")
        above.plot(run.time, exact[:, j], "--", color="white", linewidth=0.6)
    above.set_ylabel("joint error [rad]")
    above.text(0.98, 0.06, "dashes: solution of (12)", transform=above.transAxes, ha="right")
    above.legend(ncols=3, loc="upper right")
    held = follow(hold=True)
    below.semilogy(run.time, _share(error), color=COLOURS.ink, label="error")
    below.semilogy(held.time[1:], _share(held.q - held.q_ref - exact)[1:], "--", color=COLOURS.felt,
                   label="difference from (12), torque held for 1 ms")  # fmt: skip
    below.semilogy(run.time[1:], _share(error - exact)[1:], color=COLOURS.goal,
                   label="difference from (12), continuous law")  # fmt: skip
    below.axhline(0.01, color=COLOURS.excluded, linewidth=0.5, zorder=0)
    below.text(0.1, 0.012, "1 %", va="bottom")
    below.set(ylabel="share of first error", xlabel="time [s]", xlim=(0, DURATION), ylim=(1e-13, 3))
    below.legend(loc="lower right", bbox_to_anchor=(1.0, 0.22))


def _share(error: np.ndarray) -> np.ndarray:
    """Largest joint error (k,), each joint's as a share of its first error."""
    return np.abs(error / FIRST_ERROR).max(axis=1)
