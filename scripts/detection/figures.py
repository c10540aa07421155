"""Pictures of the comparison: ROC curves, and the delays of every method."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from hopfield_nav.figures import COLOURS, COLUMN, paper_style

if TYPE_CHECKING:
    from detection.evaluation import Result

SHOWN = {  # method: colour, line
    "joint error, wrench norm": (COLOURS.ink, "-"),
    "joint error, joint torques": (COLOURS.ink, ":"),
    "tracking error and its rate": ("#999999", "-"),
    "disturbance observer, joint torques": ("#56B4E9", "-"),
    "momentum observer, joint torques": ("#0072B2", "--"),
    "energy observer": ("#E69F00", ":"),
    "…, high-passed": ("#009E73", "-"),
    "…, adaptive": ("#CC79A7", "-"),
    "…, adaptive, default thresholds": ("#CC79A7", "--"),
    "…, adaptive and high-passed": ("#D55E00", "-"),
}
KINDS = {"tool": COLOURS.travelled, "arm": COLOURS.felt, "early": COLOURS.start}
SHORT = {
    "…, high-passed": "momentum, high-passed",
    "…, adaptive": "momentum, adaptive",
    "…, adaptive, default thresholds": "momentum, adaptive, default",
    "…, adaptive and high-passed": "momentum, adaptive and high-passed",
    "momentum observer, joint torques": "momentum observer",
    "…, for 5 ms": "momentum observer, for 5 ms",
    "disturbance observer, joint torques": "disturbance observer",
}


def draw_roc(results: dict[str, list[Result]], folder: Path) -> Path:
    """Share of the contacts felt within 30 ms over false alarms per hour, one panel a condition."""
    path = folder / "roc.png"
    with paper_style():
        figure = Figure(figsize=(2 * COLUMN, 1.25 * COLUMN), layout="constrained")
        panels = figure.subplots(2, 2, sharex=True, sharey=True).ravel()
        for ax, (name, rows) in zip(panels, results.items(), strict=False):
            least = 0.5 / max(row.free_hours for row in rows)
            for row in rows:
                if row.name in SHOWN:
                    colour, line = SHOWN[row.name]
                    alarms, share = _rising(row.roc)
                    alarms, share = np.maximum(alarms, least), 100 * share
                    label = SHORT.get(row.name, row.name)
                    ax.plot(alarms, share, line, color=colour, linewidth=1.1, label=label)
            ax.set(xscale="log", xlim=(0.8 * least, 3e3), ylim=(-2, 102))
            ax.set_title(name, loc="left")
            ax.grid(visible=True, color=COLOURS.grid, linewidth=0.4)
        for ax in panels[2:]:
            ax.set_xlabel("false alarms per hour of free motion [1/h]")
        for ax in panels[::2]:
            ax.set_ylabel("felt within 30 ms [%]")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3)
        figure.savefig(path, dpi=200)
    return path


def _rising(roc: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The curve from high thresholds down, as far as lower ones still raise more alarms.

    Below that the level never falls far enough for a second alarm: the alarm stands.
    """
    order = roc[::-1]
    last = int(np.argmax(order[:, 0])) + 1
    return order[:last, 0], order[:last, 1]


def draw_delays(results: dict[str, list[Result]], folder: Path) -> Path:
    """Delay of each contact with the calibrated thresholds; missed ones stand at the right edge."""
    path = folder / "delays.png"
    with paper_style():
        figure = Figure(figsize=(2 * COLUMN, 1.7 * COLUMN), layout="constrained")
        panels = figure.subplots(2, 2, sharex=True, sharey=True).ravel()
        for ax, (name, rows) in zip(panels, results.items(), strict=False):
            _strips(ax, rows)
            ax.set_title(name, loc="left")
        panels[0].invert_yaxis()
        marks = [Line2D([], [], color=c, marker=".", linestyle="") for c in KINDS.values()]
        names = ["pushes of the tool", "collisions of the links", "the same in the first tenth of a motion"]
        figure.legend(marks, names, loc="outside lower center", ncols=3)
        for ax in panels[2:]:
            ax.set_xlabel("delay [ms]; right of the line: not felt")
        figure.savefig(path, dpi=200)
    return path


def _strips(ax, rows: list[Result]) -> None:
    rng = np.random.default_rng(0)
    for k, row in enumerate(rows):
        for (kind, colour), shift in zip(KINDS.items(), (-0.26, 0.0, 0.26), strict=True):
            delay = 1e3 * np.array([c.delay for c in row.contacts[kind]])
            shown = np.where(np.isnan(delay), 1300.0, np.maximum(delay, 0.7))
            y = k + shift + 0.08 * rng.uniform(-1, 1, len(shown))
            ax.plot(shown, y, ".", color=colour, markersize=1.6, alpha=0.6)
            if np.isfinite(delay).any():
                ax.plot(max(np.nanmedian(delay), 0.7), k + shift, "|", color=COLOURS.ink, markersize=6)
    ax.axvline(1000, color=COLOURS.ink, linewidth=0.6)
    ax.set(xscale="log", xlim=(0.6, 1700))
    ax.set_xticks([1, 10, 100, 1000], ["≤ 1", "10", "100", "1000"])
    ax.set_yticks(range(len(rows)), [SHORT.get(row.name, row.name) for row in rows])
    ax.minorticks_off()
    ax.grid(visible=True, axis="x", color=COLOURS.grid, linewidth=0.4)
