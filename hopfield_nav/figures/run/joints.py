"""Joints over time: control error (ragazzon2012 figure 7.9), angles and torques with their limits."""

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from hopfield_nav.build import build_arm
from hopfield_nav.figures.palette import COLOURS
from hopfield_nav.figures.run.signals import add_signal, frame_time, is_flat
from hopfield_nav.figures.sheets import envelope, keep_scale
from hopfield_nav.record import Run

_ERROR, _ANGLE, _TORQUE = 0.02, 0.01, 0.1  # [mrad], [rad], [N·m] that every scale spans
_REFERENCE = {"linewidth": 0.7, "linestyle": (0, (2.5, 1.5))}  # over the joint, which is wider
_NEAR = 0.5  # a limit is drawn where the axis need not grow by more than this share to hold it


def draw_joint_error(ax: Axes, run: Run, joint: int) -> Axes:
    """Error q − q_ref of one joint, counted from 0, of a run with signals (ragazzon2012 figure 7.9)."""
    error = run.data.q.values[:, joint] - run.data.q_ref.values[:, joint]
    ax.axhline(0.0, color=COLOURS.grid, lw=0.6, zorder=1)
    add_signal(ax, run, 1e3 * error, COLOURS.travelled)
    ax.set_title(f"joint {joint + 1}")
    ax.set_ylabel(r"$q - q_{\mathrm{ref}}$ (mrad)")
    return frame_time(keep_scale(ax, _ERROR), run)


def draw_joint_angle(ax: Axes, run: Run, joint: int) -> Axes:
    """Angle of one joint, counted from 0, its reference and its limits, of a run with signals."""
    add_signal(ax, run, run.data.q.values[:, joint], COLOURS.travelled, linewidth=1.6)
    add_signal(ax, run, run.data.q_ref.values[:, joint], COLOURS.true, **_REFERENCE)
    keep_scale(ax, _ANGLE)
    low, high = build_arm(run.world).position_limits[joint]
    _add_limits(ax, f"joint {joint + 1}", low, high, "rad")
    ax.set_ylabel("angle (rad)")
    return frame_time(ax, run)


def draw_joint_torque(ax: Axes, run: Run, joint: int) -> Axes:
    """Motor torque of one joint, counted from 0, with its limits, of a run with signals."""
    ax.plot(*envelope(run.data.time.values, run.data.tau.values[:, joint]), color=COLOURS.travelled, linewidth=0.7)
    keep_scale(ax, _TORQUE)
    limit = float(build_arm(run.world).torque_limits[joint])
    _add_limits(ax, f"joint {joint + 1}", -limit, limit, "N·m")
    ax.set_ylabel("torque (N·m)")
    return frame_time(ax, run)


def driven_joints(run: Run) -> list[int]:
    """The joints, from 0, whose torque is not zero throughout."""
    return [k for k, tau in enumerate(run.data.tau.values.T) if not is_flat(tau, _TORQUE)]


def joint_handles() -> list[Artist]:
    """Legend of angles and torques."""
    return [
        Line2D([], [], color=COLOURS.travelled, lw=1.6, label="joint, motor"),
        Line2D([], [], color=COLOURS.true, label="reference", **_REFERENCE),
    ]


def _add_limits(ax: Axes, name: str, low: float, high: float, unit: str) -> None:
    """Dashed lines at the limits that are near the data; the numbers stand in the title."""
    bottom, top = ax.get_ylim()
    room = _NEAR * (top - bottom)
    for limit in (low, high):
        if np.isfinite(limit) and bottom - room <= limit <= top + room:
            ax.axhline(limit, color=COLOURS.goal, lw=0.8, ls=(0, (4, 2)))
    ax.set_title(f"{name} (limits {_interval(low, high)} {unit})" if np.isfinite([low, high]).all() else name)


def _interval(low: float, high: float) -> str:
    return f"±{high:.3g}" if low == -high else f"{low:.3g} to {high:.3g}"
