"""The payload of a world at the arm's flange, as a ball at its centre of mass."""

from collections.abc import Callable

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Circle

from dynamics import link_frames
from hopfield_nav.build import build_arm
from hopfield_nav.figures.palette import COLOURS
from hopfield_nav.record import Run

_DENSITY = 2700.0  # [kg/m³] aluminium: the file says no size


def add_payload(
    ax: Axes, run: Run, q: np.ndarray, appear: Callable[[np.ndarray], np.ndarray]
) -> list[Artist]:
    """Draw the payload of a world at joint angles (n,), as large as a ball of aluminium; its legend.

    Points (3,) [m] ``appear`` on the axes. A world without a payload has no legend.
    """
    payload = run.world.tool.payload
    if payload.mass == 0.0:
        return []
    flange = link_frames(build_arm(run.world), q)[-1]
    center = flange[:3, :3] @ np.array(payload.center_of_mass) + flange[:3, 3]
    radius = (3.0 * payload.mass / (4.0 * np.pi * _DENSITY)) ** (1.0 / 3.0)
    how = {"facecolor": COLOURS.travelled, "edgecolor": COLOURS.ink, "linewidth": 0.6}
    place = appear(center)
    ax.plot(*np.array([appear(flange[:3, 3]), place]).T, color=COLOURS.ink, lw=0.6, zorder=5.9)
    ax.add_patch(Circle(tuple(place), radius, alpha=0.85, zorder=5.95, **how))
    label = f"payload, {payload.mass:g} kg"
    mark = {"mfc": COLOURS.travelled, "mec": COLOURS.ink, "mew": 0.6, "markersize": 6}
    return [Line2D([], [], marker="o", ls="", label=label, **mark)]
