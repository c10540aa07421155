"""Figures 8 and 9: the workspace with its true bounds, and the circle."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from reproduction import JOINT_COLOURS, picture, pictures_of

from dynamics import forward_kinematics, load_arm
from hopfield_nav.figures import COLOURS, PAGE
from tu2023.kinematics import NAME, PUBLISHED_DIAMETER, circle, cloud, exact_extent, follow_circle

DENSITY = LinearSegmentedColormap.from_list("density", ["#E4EDF5", COLOURS.felt])
draw = pictures_of(__name__)


@picture("figure_8_workspace", PAGE, 0.5 * PAGE, 1, 2, width_ratios=(1.75, 1))
def workspace_figure(figure: Figure, above: Axes, section: Axes) -> None:
    """Figure 8: the cloud from above, and its half section, with the bounds it cannot cross."""
    arm = load_arm(NAME)
    tool = forward_kinematics(arm, cloud())[:, :3, 3]
    exact, shoulder = exact_extent(arm), arm.dh[0, 1]
    radius = np.hypot(tool[:, 0], tool[:, 1])
    _density(above, tool[:, 0], tool[:, 1])
    _density(section, radius, tool[:, 2])
    for ax, center in ((above, (0, 0)), (section, (0, shoulder))):
        _circle(ax, center, exact.reach, COLOURS.true, "-", f"reach {exact.reach:.3f} m")
        _circle(ax, center, PUBLISHED_DIAMETER / 2, COLOURS.goal, "--", "published: diameter 1 m")
        ax.set(aspect="equal")
    section.axvline(
        exact.hole, color=COLOURS.start, label=f"nearest to axis 1: {1e3 * exact.hole:.0f} mm"
    )
    section.axvline(0.1, color=COLOURS.goal, linestyle=":", label="published: hole of 200 mm")
    _circle(above, (0, 0), exact.hole, COLOURS.start, "-", None)
    _circle(above, (0, 0), 0.1, COLOURS.goal, ":", None)
    above.set(xlabel="$x$ [m]", ylabel="$y$ [m]", xlim=(-1, 1), ylim=(-1, 1))
    section.set(xlabel="distance from axis 1 [m]", ylabel="$z$ [m]", xlim=(0, 1), ylim=(-0.93, 1.1))
    figure.legend(*section.get_legend_handles_labels(), loc="outside upper center", ncols=4)


def _density(ax: Axes, x: np.ndarray, y: np.ndarray) -> None:
    """Number of points in squares of 2 cm; none is white."""
    counts, xs, ys = np.histogram2d(
        x, y, bins=(np.arange(-1.1, 1.1, 0.02), np.arange(-1.1, 1.2, 0.02))
    )
    counts[counts == 0] = np.nan
    ax.pcolormesh(
        xs, ys, counts.T, cmap=DENSITY, vmin=1, vmax=np.nanpercentile(counts, 98), rasterized=True
    )


def _circle(
    ax: Axes, center: tuple, radius: float, colour: str, dash: str, label: str | None
) -> None:
    ax.add_patch(
        Circle(center, radius, fill=False, edgecolor=colour, linestyle=dash, linewidth=0.9)
    )
    if label:
        ax.plot([], [], dash, color=colour, label=label)


@picture("figure_9_circle", PAGE, 0.38 * PAGE, 1, 2)
def circle_figure(figure: Figure, left: Axes, right: Axes) -> None:
    """Figure 9: the circle given and generated, and the joint angles along it."""
    arm = load_arm(NAME)
    q, given = follow_circle(arm), circle()[:, :3, 3]
    reached = forward_kinematics(arm, q)[:, :3, 3]
    left.plot(
        *np.vstack([given, given[:1]])[:, :2].T, color=COLOURS.planned, linewidth=2.5, label="given"
    )
    left.plot(*reached[:, :2].T, ".", color=COLOURS.true, markersize=3, label="generated")
    left.set(
        xlabel="$x$ [m]",
        ylabel="$y$ [m]",
        aspect="equal",
        xticks=[-0.5, -0.4, -0.3],
        yticks=[-0.4, -0.3, -0.2],
    )
    left.legend(loc="center")
    dashes = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (2, 2)))
    for j in range(6):
        style = {
            "linestyle": dashes[j],
            "color": JOINT_COLOURS[j],
            "linewidth": 2.4 if j == 0 else 0.9,
        }
        right.plot(np.degrees(q[:, j] - q[0, j]), label=f"$q_{j + 1}$", **style)
    right.set(xlabel="point", ylabel="joint angle, from its first [°]")
    right.legend(loc="upper left", bbox_to_anchor=(1, 1))
