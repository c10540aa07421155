"""How often a place is right that is said to be right with some probability."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from hopfield_nav.figures import CENTIMETRE, COLOURS, PAGE, new_figure, paper_style, save_figure
from hopfield_nav.record import share_interval
from whole_arm.giving import NEAR, Runs

BINS = 10
PANELS = {"model known": "known", "masses, friction and stiffness off": "wrong"}


def draw_weights(found: Runs, path: Path) -> None:
    """Said against true, ten bins a panel: with the model known, and with a wrong one."""
    with paper_style():
        figure = new_figure(PAGE, 7.2 * CENTIMETRE)
        panels = figure.subplots(1, len(PANELS), sharey=True)
        for ax, (title, way) in zip(panels, PANELS.items(), strict=True):
            runs = [run for (_, setting), of in found.items() if setting.endswith(way) for run in of]
            ax.plot([0, 1], [0, 1], color=COLOURS.ink, linewidth=0.5, zorder=0)
            _draw_bins(ax, *np.array([row for run in runs for row in run.weighed]).reshape(-1, 2).T)
            ax.set(xlabel="weight of a place", xlim=(0, 1), ylim=(0, 1.08))
            ax.set_title(title, loc="left")
        panels[0].set_ylabel(f"within {100 * NEAR:g} cm of the truth")
        save_figure(figure, path.parent, path.stem)


def _draw_bins(ax: Axes, weight: np.ndarray, error: np.ndarray) -> None:
    """The share of right places of each bin with its 95 % interval, and their number above."""
    bins = np.minimum((BINS * weight).astype(int), BINS - 1)
    for k in np.unique(bins):
        right = error[bins == k] <= NEAR
        said, (low, high) = weight[bins == k].mean(), share_interval(int(right.sum()), len(right))
        ax.plot([said, said], [low, high], color=COLOURS.felt, linewidth=1.0)
        ax.plot(said, right.mean(), "o", color=COLOURS.felt, markersize=3, clip_on=False)
        ax.annotate(
            str(len(right)), (said, high), (0, 2), textcoords="offset points", ha="center", fontsize=5
        )
