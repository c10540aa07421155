"""Joints over time: control error (ragazzon2012 figure 7.9), angles and torques with their limits."""

from collections.abc import Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes

from hopfield_nav.build import build_arm
from hopfield_nav.figures.palette import COLOURS
from hopfield_nav.figures.run.signals import add_signal, frame_time
from hopfield_nav.figures.run.touches import after_touch
from hopfield_nav.figures.sheets import keep_scale
from hopfield_nav.figures.thinned import envelope
from hopfield_nav.plugin import NO_REFERENCE
from hopfield_nav.record import Run

_ERROR = 0.02  # [mrad] that every scale spans
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


# of what is drawn over time: variables of the record, with that which it should be; field of the
# arm with its limits, (n,) or (n, 2); unit; width of the line [pt]; what its scale spans at least
JOINT_SIGNALS: dict[str, tuple[list[str], str, str, float, float]] = {
    "angle": (["q", "q_ref"], "position_limits", "rad", 1.6, 0.01),
    "speed": (["qd", "qd_ref"], "speed_limits", "rad/s", 1.2, 0.01),
    "torque": (["tau"], "torque_limits", "N·m", 0.7, 0.1),
}


def draw_joint(ax: Axes, run: Run, joint: int, name: str) -> Axes:
    """One of ``JOINT_SIGNALS`` of one joint, counted from 0, its reference and its limits, of a run with signals."""
    (measured, *references), field, unit, width, least = JOINT_SIGNALS[name]
    own = {"linewidth": width, "label": "joint, motor"}
    add_signal(ax, run, run.data[measured].values[:, joint], COLOURS.travelled, **own)
    for reference in references if _follows(run) else ():
        add_signal(
            ax,
            run,
            run.data[reference].values[:, joint],
            COLOURS.true,
            label="reference",
            **_REFERENCE,
        )
    keep_scale(ax, least)
    limits = _limits(run, field)[joint]
    _add_limits(ax, limits)
    known = f" (limits {_interval(limits)} {unit})" if np.isfinite(limits).all() else ""
    ax.set_title(f"joint {joint + 1}{known}")
    ax.set_ylabel(f"{name} ({unit})")
    return frame_time(ax, run)


def _follows(run: Run) -> bool:
    """Whether the control law follows a reference; of one that nobody looks into it is taken that it does."""
    world, law = run.world, run.world.controller.law
    if not world.trust.looks_into("controller", law):
        return True
    return world.trust.find("controller", law, world.folder).needs != NO_REFERENCE


# variable, sign on the axis, field of the arm with its limit (k,) or (k, 2), None: it has none
REFERENCES = (
    ("q_ref", r"$q_{\mathrm{ref}}$ (rad)", "position_limits"),
    ("qd_ref", r"$\dot q_{\mathrm{ref}}$ (rad/s)", "speed_limits"),
    ("qdd_ref", r"$\ddot q_{\mathrm{ref}}$ (rad/s²)", None),
)


def reference_of_a_plan(run: Run) -> tuple[slice, str]:
    """Rows of the longest stretch from a plan to the next touch or to the end, of a run with signals; its title."""
    time, events = run.data.time.values, run.data.event_time.values
    ends = np.concatenate([[time[0]], events, [time[-1]]])
    k = int(np.argmax(np.diff(ends)))
    first, last = np.searchsorted(time, ends[k : k + 2])
    title = after_touch(k)
    return slice(int(first), int(last) + 1), f"{title}, from {ends[k]:.1f} to {ends[k + 1]:.1f} s"


def draw_reference(ax: Axes, run: Run, rows: slice, quantity: tuple[str, str, str | None]) -> Axes:
    """One of ``REFERENCES`` for all joints over a plan; limits where they are near."""
    name, label, limits = quantity
    time, values = run.data.time.values[rows], run.data[name].values[rows]
    for k, colour in enumerate(joint_colours(values.shape[1])):
        ax.plot(*envelope(time, values[:, k]), color=colour, linewidth=0.9, label=f"joint {k + 1}")
    if limits is not None:
        bounds = _limits(run, limits)
        _add_limits(ax, np.unique(bounds))
        bounds = bounds[np.isfinite(bounds)]
        label += f"\nlimits {_interval((bounds.min(), bounds.max()))}" if bounds.size else ""
    ax.set_ylabel(label)
    ax.set_xlim(time[0], time[-1])
    return ax


def joint_colours(count: int) -> list[tuple[float, ...]]:
    """From the base's joint, dark, to the hand's, light."""
    return [tuple(colormaps["viridis"](s)[:3]) for s in np.linspace(0.0, 0.92, count)]


def _limits(run: Run, field: str) -> np.ndarray:
    """(n, 2) lowest and highest value of every joint, from a field of the arm."""
    limits = np.asarray(getattr(build_arm(run.world), field))
    return limits if limits.ndim == 2 else np.stack([-limits, limits], axis=1)


def _add_limits(ax: Axes, limits: np.ndarray) -> None:
    """Dashed lines at the limits (k,) that are near the data."""
    bottom, top = ax.get_ylim()
    room = _NEAR * (top - bottom)
    for limit in limits[np.isfinite(limits) & (limits >= bottom - room) & (limits <= top + room)]:
        ax.axhline(limit, color=COLOURS.goal, lw=0.8, ls=(0, (4, 2)))


def _interval(ends: Sequence[float] | np.ndarray) -> str:
    low, high = ends
    return f"±{high:.3g}" if low == -high else f"{low:.3g} to {high:.3g}"
