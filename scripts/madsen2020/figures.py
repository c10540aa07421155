"""Figures 5 to 18: exciting motion, filters, residuals, torques of both models, and the curve of CAD errors.

The document's figures 5 and 6 are lost; the exciting motion and the filters stand in their places.
"""

from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from reproduction import picture, pictures_of

from dynamics.identification import autocorrelation, motion
from hopfield_nav.figures import COLOURS, COLUMN, PAGE
from madsen2020 import bench
from madsen2020.validation import SHARE, SHARES, Equations, cad_unknowns, curve, fitted, judge

MEASURED, MODEL, LEFT = COLOURS.true, COLOURS.felt, COLOURS.goal
THREE = ((COLOURS.felt, "o"), (COLOURS.goal, "s"), (COLOURS.start, "^"))
_STEP = 0.02  # [s] between decimated samples
_EDGE = 0.1  # [s] that observations leave out
draw = pictures_of(__name__, dpi=200)


@picture("figure_5_excitation", COLUMN, 0.9 * COLUMN, 2, 1, sharex=True, sharey=True)
def excitation_figure(figure: Figure, *axes: Axes) -> None:
    """Joint angles of the exciting motion, as logged."""
    log = bench.identification_log()
    for j in range(6):
        ax, (colour, _) = axes[j // 3], THREE[j % 3]
        ax.plot(log.time[::20], log.q[::20, j], color=colour, label=f"joint {j + 1}", linewidth=0.9)
    for ax in axes:
        ax.set(ylabel="angle [rad]", xlim=(0, bench.DURATION))
        ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3, borderaxespad=0.1)
    axes[1].set_xlabel("time [s]")


@picture("figure_6_filters", COLUMN, 0.95 * COLUMN, 2, 1, sharex=True)
def filter_figure(figure: Figure, top: Axes, bottom: Axes) -> None:
    """Joint 3 for two seconds: acceleration and torque, raw and filtered."""
    log, j = bench.identification_log(), 2
    first, last = (round(t * bench.RATE) for t in (4.0, 6.0))
    time = log.time[first:last]
    raw = np.gradient(np.gradient(log.q[:, j], log.time), log.time)[first:last]
    smooth = motion(log.q, log.rate, 10.0)[2][first:last, j]
    top.plot(time, raw, color=COLOURS.obstacle, linewidth=0.5, label="differences of the angle")
    top.plot(time, smooth, color=MODEL, label="after the zero-phase filter")
    top.set(ylabel="acceleration [rad/s²]", ylim=3.5 * np.array([-1, 1]) * np.abs(smooth).max())
    bottom.plot(time, log.tau[first:last, j], color=COLOURS.obstacle, linewidth=0.5, label="logged")
    thin = np.arange(len(judge(-1, True).measured)) * _STEP + _EDGE
    shown = (thin >= 4.0) & (thin < 6.0)
    bottom.plot(thin[shown], judge(-1, True).measured[shown, j], ".", markersize=2.5, color=MODEL,
                label="filtered, decimated")  # fmt: skip
    bottom.set(ylabel="torque [N·m]", xlabel="time [s]", xlim=(4, 6))
    for ax in (top, bottom):
        ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, borderaxespad=0.1)


def draw_torques(figure: Figure, axes: np.ndarray, unknowns: np.ndarray) -> None:
    """Measured and modelled torque of every joint on the first trajectory, and their difference."""
    case: Equations = judge(0, True)
    time = np.arange(len(case.measured)) * _STEP + _EDGE
    model = case.model(unknowns)
    for j, ax in enumerate(axes.ravel()):
        ax.plot(time, case.measured[:, j], color=MEASURED, linewidth=1.1, label="measured")
        ax.plot(time, model[:, j], "--", color=MODEL, linewidth=0.9, label="model")
        ax.plot(
            time, case.measured[:, j] - model[:, j], color=LEFT, linewidth=0.7, label="difference"
        )
        ax.set(xlim=(0, time[-1]))
        ax.set_title(f"joint {j + 1}", loc="left", pad=5)
    for ax in axes[-1]:
        ax.set_xlabel("time [s]")
    figure.supylabel("torque [N·m]", fontsize="medium")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=3)


for _name, _unknowns in {
    "figures_7_12_calibrated": lambda: fitted(True).estimate.values,
    "figures_13_18_cad": lambda: cad_unknowns(SHARE, 1),
}.items():

    @picture(_name, PAGE, 0.62 * PAGE, 3, 2, sharex=True)
    def _(figure: Figure, axes: np.ndarray, unknowns: Callable[[], np.ndarray] = _unknowns) -> None:
        draw_torques(figure, axes, unknowns())


@picture("residuals", COLUMN, 0.95 * COLUMN, 2, 1)
def residual_figure(figure: Figure, top: Axes, bottom: Axes) -> None:
    """What the fit leaves, with and without rotor compensation, and how it is correlated."""
    joints = np.arange(1, 7)
    for on, (colour, mark) in zip((True, False), THREE, strict=False):
        label = "rotor compensation " + ("on" if on else "off")
        top.plot(joints, fitted(on).estimate.noise, mark, color=colour, label=label, markersize=4)
        lags = autocorrelation(fitted(on).estimate.residual, 50).mean(axis=1)
        bottom.plot(np.arange(len(lags)) * _STEP, lags, color=colour)
    top.set(yscale="log", xlabel="joint", ylabel="left by the fit [N·m]", xticks=joints)
    bottom.axhline(0, color=COLOURS.grid, linewidth=0.6, zorder=0)
    bottom.set(xlabel="lag [s]", ylabel="autocorrelation [1]", xlim=(0, 1))
    top.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=1, borderaxespad=0.1)


@picture("cad_error", COLUMN, 1.2 * COLUMN, 2, 1, sharex=True)
def curve_figure(figure: Figure, *axes: Axes) -> None:
    """Improvement over the CAD model against its error: median and extremes of 20 draws."""
    errors = 100 * np.array(SHARES)
    for ax, on in zip(axes, (True, False), strict=True):
        values = 100 * curve(on)
        for k, (colour, mark) in enumerate(THREE):
            low, middle, high = np.percentile(values[:, :, k], [0, 50, 100], axis=1)
            ax.fill_between(errors, low, high, color=colour, alpha=0.15, linewidth=0)
            ax.plot(
                errors, middle, mark + "-", color=colour, markersize=3, label=f"trajectory {k + 1}"
            )
        ax.axhline(0, color=COLOURS.ink, linewidth=0.6)
        ax.set_title("rotor compensation " + ("on" if on else "off"), loc="left", pad=5)
        ax.set_ylabel("improvement [%]")
    axes[0].axhline(
        16.5, color=COLOURS.ink, linewidth=0.6, linestyle="--", label="Madsen 2020, least: 16.5 %"
    )
    axes[0].set(ylim=(-5, 105), xlim=(0, 20))
    axes[1].set_xlabel("CAD error [%]")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
