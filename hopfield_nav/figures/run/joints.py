"""Joints over time: control error (ragazzon2012 figure 7.9), angles and torques with their limits."""

from typing import NamedTuple

import numpy as np
from matplotlib import colormaps
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from hopfield_nav.build import build_arm
from hopfield_nav.figures.palette import COLOURS
from hopfield_nav.figures.run.signals import add_signal, frame_time, is_flat
from hopfield_nav.figures.sheets import envelope, keep_scale
from hopfield_nav.record import Run

_ERROR, _ANGLE, _SPEED, _TORQUE = 0.02, 0.01, 0.01, 0.1  # [mrad], [rad], [rad/s], [N·m] that every scale spans
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


def draw_joint_speed(ax: Axes, run: Run, joint: int) -> Axes:
    """Velocity of one joint, counted from 0, its reference and its limit, of a run with signals."""
    add_signal(ax, run, run.data.qd.values[:, joint], COLOURS.travelled, linewidth=1.2)
    add_signal(ax, run, run.data.qd_ref.values[:, joint], COLOURS.true, **_REFERENCE)
    keep_scale(ax, _SPEED)
    limit = float(build_arm(run.world).speed_limits[joint])
    _add_limits(ax, f"joint {joint + 1}", -limit, limit, "rad/s")
    ax.set_ylabel("speed (rad/s)")
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


class ReferencePart(NamedTuple):
    """The reference over one plan."""

    time: np.ndarray  # (m,) [s]
    rows: slice  # of the record
    title: str


REFERENCES = (  # variable, sign on the axis, field of the arm with its limit (k,) or (k, 2), None: it has none
    ("q_ref", r"$q_{\mathrm{ref}}$ (rad)", "position_limits"),
    ("qd_ref", r"$\dot q_{\mathrm{ref}}$ (rad/s)", "speed_limits"),
    ("qdd_ref", r"$\ddot q_{\mathrm{ref}}$ (rad/s²)", None),
)


def reference_of_a_plan(run: Run) -> ReferencePart:
    """The longest stretch from a plan to the next touch or to the end, of a run with signals."""
    time, events = run.data.time.values, run.data.event_time.values
    ends = np.concatenate([[time[0]], events, [time[-1]]])
    k = int(np.argmax(np.diff(ends)))
    first, last = np.searchsorted(time, ends[k : k + 2])
    title = f"plan {k}, from {ends[k]:.1f} to {ends[k + 1]:.1f} s"
    return ReferencePart(time[first : last + 1], slice(int(first), int(last) + 1), title)


def draw_reference(ax: Axes, run: Run, part: ReferencePart, quantity: tuple[str, str, str | None]) -> Axes:
    """One of ``REFERENCES`` for all joints over a plan; limits where they are near."""
    name, label, limits = quantity
    values = run.data[name].values[part.rows]
    for k, colour in enumerate(joint_colours(values.shape[1])):
        ax.plot(*envelope(part.time, values[:, k]), color=colour, linewidth=0.9)
    bottom, top = ax.get_ylim()
    if limits is not None:
        bounds = np.asarray(getattr(build_arm(run.world), limits))
        bounds = bounds if bounds.ndim == 2 else np.stack([-bounds, bounds], axis=1)
        ends = {float(x) for x in bounds.ravel() if np.isfinite(x)}
        room = _NEAR * (top - bottom)
        for limit in (x for x in ends if bottom - room <= x <= top + room):
            ax.axhline(limit, color=COLOURS.goal, lw=0.8, ls=(0, (4, 2)))
        if ends:
            label += f"\nlimits {_interval(min(ends), max(ends))}"
    ax.set_ylabel(label)
    ax.set_xlim(part.time[0], part.time[-1])
    return ax


def reference_handles(run: Run, part: ReferencePart) -> list[Artist]:
    """Legend of the joints."""
    colours = joint_colours(run.data.sizes["joint"])
    return [Line2D([], [], color=c, label=f"joint {k + 1}") for k, c in enumerate(colours)]


def joint_colours(count: int) -> list[tuple[float, ...]]:
    """From the base's joint, dark, to the hand's, light."""
    return [tuple(colormaps["viridis"](s)[:3]) for s in np.linspace(0.0, 0.92, count)]


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
