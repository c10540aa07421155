"""Figures of a log: a replay over time, why an alarm came, false alarms against the force that is felt.

Each is a PNG with a note below; ``OSError`` where it cannot be written.
"""

import hopfield_nav.figures  # isort: skip  # noqa: F401  (first: Matplotlib without the settings of the user)

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from hopfield_nav.figures import (
    CENTIMETRE,
    COLOURS,
    COLUMN,
    PAGE,
    add_legend,
    envelope,
    paper_style,
    save_figure,
)

WINDOW = 1.0  # [s] before and after the alarm
_DASHES = (0, (4, 2))


def draw_replay(
    time: np.ndarray,
    level: np.ndarray,
    wrench: np.ndarray,
    detected: np.ndarray,
    path: Path,
    note: str = "",
) -> Path:
    """Draw alarm level (k,), a share of the threshold, and force of a wrench (k, 6) [N] over time (k,) [s].

    There is a line where an alarm was raised, ``detected`` (k,); k is 2 at least.
    """
    with paper_style():
        figure = Figure((PAGE, 9 * CENTIMETRE), layout="constrained")
        above, below = figure.subplots(2, 1, sharex=True)
        threshold = above.axhline(1.0, color=COLOURS.ink, lw=0.7, ls=_DASHES, label="threshold")
        force = np.linalg.norm(wrench[:, :3], axis=1)
        for ax, values, label in (
            (above, level, "alarm level (1)"),
            (below, force, "estimated force (N)"),
        ):
            ax.plot(*envelope(time, values), color=COLOURS.felt)
            ax.set_ylim(0.0, 1.15 * max(1.0, float(values.max())))
            ax.set_ylabel(label)
        below.set_xlabel("time (s)")
        alarms = [ax.axvline(alarm, color=COLOURS.goal, lw=0.6, zorder=0, label="alarm")
                  for ax in (above, below) for alarm in time[detected]]  # fmt: skip
        add_legend(figure, [threshold, *alarms[:1]], 2)
        return save_figure(figure, path.parent, path.stem, note=note)[0]


def draw_causes(
    time: np.ndarray,
    torque: np.ndarray,
    alarm: float,
    joint: int,
    causes: Sequence[tuple[str, float]],
    path: Path,
    note: str = "",
) -> Path:
    """Draw torques taken for contact (k, n) [N·m] over time (k,) about an alarm [s], and what explains it.

    Most is felt on ``joint``, counted from 1. Causes are names and shares; k is 2 at least.
    """
    near = np.abs(time - alarm) <= WINDOW
    with paper_style():
        figure = Figure((PAGE, 6 * CENTIMETRE), layout="constrained")
        left, right = figure.subplots(1, 2, width_ratios=[2, 1])
        for k in (*(k for k in range(torque.shape[1]) if k + 1 != joint), joint - 1):
            main = k + 1 == joint
            how: dict[str, Any] = {
                "color": COLOURS.felt if main else COLOURS.ink,
                "lw": 1.4 if main else 0.5,
            }
            left.plot(
                *envelope(time[near], torque[near, k]),
                **how,
                label=f"joint {joint}" if main else "_",
            )
        left.plot([], color=COLOURS.ink, lw=0.5, label="other joints")
        left.axvline(alarm, color=COLOURS.goal, lw=0.8, label="detection")
        left.set(
            xlabel="time (s)", ylabel="torque taken for contact (N·m)", xlim=time[near][[0, -1]]
        )
        left.legend()
        names, shares = zip(*reversed(causes), strict=True)
        right.barh(names, 100 * np.array(shares), color=COLOURS.felt)
        right.set(xlim=(0, 100), xlabel="explained (%)")
        return save_figure(figure, path.parent, path.stem, note=note)[0]


def draw_rates(
    force: np.ndarray, rate: np.ndarray, most: np.ndarray, chosen: float, path: Path, note: str = ""
) -> Path:
    """Draw false alarms an hour (k,), and ``most`` of their interval, against the force that is felt [N].

    ``chosen`` is the force of the threshold that was chosen [N].
    """
    with paper_style():
        figure = Figure((COLUMN, 6.5 * CENTIMETRE), layout="constrained")
        axes = figure.subplots()
        axes.plot(force, rate, color=COLOURS.felt, label="counted")
        axes.plot(force, most, color=COLOURS.felt, ls=_DASHES, label="at most (95 %)")
        axes.axvline(chosen, color=COLOURS.goal, lw=0.8, label="chosen threshold")
        axes.set_yscale("symlog", linthresh=10.0)
        axes.set(xlabel="force on the tool that is felt (N)", ylabel="false alarms (1/h)")
        axes.set_ylim(bottom=0.0)
        axes.legend()
        return save_figure(figure, path.parent, path.stem, note=note)[0]
