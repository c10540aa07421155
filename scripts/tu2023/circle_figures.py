"""Figures 16 to 18 of tu2023 from the simulated arm, and the accelerations beside the truth."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from reproduction import picture, pictures_of

from hopfield_nav.figures import COLOURS, COLUMN, PAGE
from tu2023.circle import FASTEST, PUBLISHED_CONSTANT
from tu2023.circle_motion import SPEEDS, Case, lap_time, samples
from tu2023.circle_signals import (
    METHODS,
    currents,
    exact_abscissa,
    low_pass,
    model_torque,
    printed_abscissa,
)

LINES = (COLOURS.start, COLOURS.goal, COLOURS.felt)  # of the three speeds
READINGS_SHOWN = (
    ("(57) joint by joint", COLOURS.travelled),
    ("(58) joint by joint", COLOURS.planned),
)
# whose acceleration is drawn, counted from 0; [s] shown of the fastest drive
JOINT, RAMP_AND_LAP = (1, 4.6)
draw = pictures_of(__name__)


@picture("figure_16_angles_and_velocities", PAGE, 1.15 * PAGE, 6, 2, sharex=True)
def joints_figure(figure: Figure, axes: np.ndarray) -> None:
    """Figure 16: measured joint angles and velocities over time, three speeds."""
    for speed, colour in zip(SPEEDS, LINES, strict=True):
        found = samples(Case(speed))
        for j in range(6):
            axes[j, 0].plot(
                found.time,
                found.q[:, j],
                color=colour,
                linewidth=0.7,
                label=f"{1e3 * speed:.0f} mm/s",
            )
            axes[j, 1].plot(found.time, found.qd[:, j], color=colour, linewidth=0.7)
    for j in range(6):
        axes[j, 0].set_ylabel(f"$q_{j + 1}$ [rad]")
        axes[j, 1].set_ylabel(rf"$\dot q_{j + 1}$ [rad/s]")
        middle = np.mean(axes[j, 0].get_ylim())
        if np.ptp(axes[j, 0].get_ylim()) < 0.06:  # joints 4 and 5 on a scale of their own
            axes[j, 0].set_ylim(middle - 0.03, middle + 0.03)
    for ax in axes[3:5, 1]:
        ax.set_ylim(-0.06, 0.06)
    for ax in axes[-1]:
        ax.set(xlabel="time [s]", xlim=(0, 3 * lap_time(SPEEDS[0]) + 0.5))
    figure.align_ylabels()
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=3)


@picture("figure_17_torques_and_currents", PAGE, 0.72 * PAGE, 3, 2, sharex=True)
def torque_figure(figure: Figure, axes: np.ndarray) -> None:
    """Figure 17: the model's torque and the current of each joint at 150 mm/s."""
    found = samples(FASTEST)
    tau, current = model_torque(found, "(60), low-pass"), currents(found.tau)
    for j, ax in enumerate(axes.flat):
        other = ax.twinx()
        other.spines["right"].set_visible(True)
        (a,) = ax.plot(
            found.time, tau[:, j], color=COLOURS.felt, label="torque of the model, (60) smoothed"
        )
        (b,) = other.plot(
            found.time,
            current[:, j],
            color=COLOURS.goal,
            linewidth=0.6,
            label="current of the motor",
        )
        ax.set_ylabel(rf"$\tau_{j + 1}$ [N m]", color=COLOURS.felt)
        other.set_ylabel(f"$I_{j + 1}$ [A]", color=COLOURS.goal)
        ax.set_zorder(other.get_zorder() + 1)
        ax.patch.set_visible(False)
    axes[2, 1].ticklabel_format(axis="y", style="sci", scilimits=(-2, 2), useMathText=True)
    for ax in axes[-1]:
        ax.set(xlabel="time [s]", xlim=(0, found.time[-1]))
    figure.legend(handles=[a, b], loc="outside upper center", ncols=2)


@picture("figure_18_stability", COLUMN, 0.72 * COLUMN)
def stability_figure(figure: Figure, ax: Axes) -> None:
    """Figure 18: largest real part along the laps, exact and by the formulas as printed."""
    found = samples(FASTEST)
    kinds = [
        ("exact", COLOURS.true, "-", exact_abscissa(found)),
        (
            f"exact, τ = {PUBLISHED_CONSTANT} I",
            COLOURS.felt,
            "--",
            exact_abscissa(found, PUBLISHED_CONSTANT),
        ),
    ]
    kinds += [(name, colour, "-", printed_abscissa(name, found)) for name, colour in READINGS_SHOWN]
    for name, colour, dash, values in kinds:
        ax.plot(found.time, values, linestyle=dash, color=colour, linewidth=0.8, label=name)
    ax.axhline(0, color=COLOURS.ink, linewidth=0.5, zorder=0)
    ax.set(xlabel="time [s]", ylabel="max Re λ [1/s]", xlim=(0, found.time[-1]), ylim=(-0.5, 6.5))
    figure.legend(loc="outside upper center", ncols=2)


@picture("circle_accelerations", COLUMN, 0.72 * COLUMN)
def acceleration_figure(figure: Figure, ax: Axes) -> None:
    """Acceleration of a joint by (60) and by a filter, beside the true one."""
    found = samples(FASTEST)
    first = found.time < RAMP_AND_LAP
    for name, colour, width in (
        ("(60)", COLOURS.excluded, 0.5),
        ("Savitzky–Golay", COLOURS.felt, 1.1),
    ):
        values = METHODS[name](found.q, found.qd)[first, JOINT]
        ax.plot(found.time[first], values, color=colour, linewidth=width, label=name)
    truth = low_pass(found.qdd_true, 20.0)[first, JOINT]
    ax.plot(
        found.time[first], truth, "--", color=COLOURS.goal, linewidth=0.8, label="true, below 20 Hz"
    )
    ax.set(xlabel="time [s]", ylabel=rf"$\ddot q_{JOINT + 1}$ [rad/s²]", xlim=(0, RAMP_AND_LAP))
    figure.legend(loc="outside upper center", ncols=3)
