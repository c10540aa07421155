"""Figures 5 to 18: exciting motion, filters, residuals, torques of both models, and the curve of CAD errors.

The document's figures 5 and 6 are lost; the exciting motion and the filters stand in their places.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from reproduction import save_figures

from dynamics.identification import autocorrelation, motion
from hopfield_nav.figures import COLOURS, COLUMN, PAGE
from madsen2020 import bench
from madsen2020.validation import SHARE, SHARES, DetectorStream, cad_unknowns, curve, fitted, judge

MEASURED, MODEL, LEFT = COLOURS.true, COLOURS.felt, COLOURS.goal
THREE = ((COLOURS.felt, "o"), (COLOURS.goal, "s"), (COLOURS.start, "^"))
_STEP = 0.02  # [s] between decimated samples
_EDGE = 0.1  # [s] that observations leave out


def draw(folder: Path) -> list[Path]:
    """Write the figures; returns their paths."""
    figures = {
        "figure_5_excitation": excitation_figure,
        "figure_6_filters": filter_figure,
        "figures_7_12_calibrated": lambda: torque_figure(fitted(True).estimate.values),
        "figures_13_18_cad": lambda: torque_figure(cad_unknowns(SHARE, 1)),
        "residuals": residual_figure,
        "cad_error": curve_figure,
    }
    return save_figures(folder, figures, dpi=200)


def excitation_figure() -> Figure:
    """Joint angles of the exciting motion, as logged."""
    log = bench.identification_log()
    figure = Figure(figsize=(COLUMN, 0.9 * COLUMN), layout="constrained")
    axes = figure.subplots(2, 1, sharex=True, sharey=True)
    for j in range(6):
        ax, (colour, _) = axes[j // 3], THREE[j % 3]
        ax.plot(log.time[::20], log.q[::20, j], color=colour, label=f"joint {j + 1}", linewidth=0.9)
    for ax in axes:
        ax.set(ylabel="angle [rad]", xlim=(0, bench.DURATION))
        ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3, borderaxespad=0.1)
    axes[1].set_xlabel("time [s]")
    return figure


def filter_figure() -> Figure:
    """Joint 3 for two seconds: acceleration and torque, raw and filtered."""
    log, j = bench.identification_log(), 2
    first, last = (round(t * bench.RATE) for t in (4.0, 6.0))
    time = log.time[first:last]
    raw = np.gradient(np.gradient(log.q[:, j], log.time), log.time)[first:last]
    smooth = motion(log.q, log.rate, 10.0)[2][first:last, j]
    figure = Figure(figsize=(COLUMN, 0.95 * COLUMN), layout="constrained")
    top, bottom = figure.subplots(2, 1, sharex=True)
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
    return figure


def torque_figure(unknowns: np.ndarray, trajectory: int = 0) -> Figure:
    """Figures 7 to 12, or 13 to 18: measured and modelled torque of every joint, and their difference."""
    case: DetectorStream = judge(trajectory, True)
    time = np.arange(len(case.measured)) * _STEP + _EDGE
    model = case.model(unknowns)
    figure = Figure(figsize=(PAGE, 0.62 * PAGE), layout="constrained")
    axes = figure.subplots(3, 2, sharex=True)
    for j, ax in enumerate(axes.ravel()):
        ax.plot(time, case.measured[:, j], color=MEASURED, linewidth=1.1, label="measured")
        ax.plot(time, model[:, j], "--", color=MODEL, linewidth=0.9, label="model")
        ax.plot(time, case.measured[:, j] - model[:, j], color=LEFT, linewidth=0.7, label="difference")
        ax.set(xlim=(0, time[-1]))
        ax.set_title(f"joint {j + 1}", loc="left", pad=2)
    for ax in axes[-1]:
        ax.set_xlabel("time [s]")
    figure.supylabel("torque [N·m]", fontsize="medium")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return figure


def residual_figure() -> Figure:
    """What the fit leaves, with and without rotor compensation, and how it is correlated."""
    figure = Figure(figsize=(COLUMN, 0.95 * COLUMN), layout="constrained")
    top, bottom = figure.subplots(2, 1)
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
    return figure


def curve_figure() -> Figure:
    """Improvement over the CAD model against its error: median and extremes of 20 draws."""
    figure = Figure(figsize=(COLUMN, 1.2 * COLUMN), layout="constrained")
    axes = figure.subplots(2, 1, sharex=True)
    errors = 100 * np.array(SHARES)
    for ax, on in zip(axes, (True, False), strict=True):
        values = 100 * curve(on)
        for k, (colour, mark) in enumerate(THREE):
            low, middle, high = np.percentile(values[:, :, k], [0, 50, 100], axis=1)
            ax.fill_between(errors, low, high, color=colour, alpha=0.15, linewidth=0)
            ax.plot(errors, middle, mark + "-", color=colour, markersize=3, label=f"trajectory {k + 1}")
        ax.axhline(0, color=COLOURS.ink, linewidth=0.6)
        ax.set_title("rotor compensation " + ("on" if on else "off"), loc="left", pad=2)
        ax.set_ylabel("improvement [%]")
    axes[0].axhline(16, color=COLOURS.ink, linewidth=0.6, linestyle="--", label="16 %")
    axes[0].set(ylim=(-5, 105), xlim=(0, 20))
    axes[1].set_xlabel("CAD error [%]")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return figure
