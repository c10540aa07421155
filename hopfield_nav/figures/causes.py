"""A detection as a picture: the torques about it, and what could have caused it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from hopfield_nav.figures.palette import COLOURS
from hopfield_nav.figures.sheets import envelope, save_figure
from hopfield_nav.figures.style import CENTIMETRE, PAGE, paper_style

WINDOW = 1.0  # [s] before and after the alarm


def draw_causes(
    time: np.ndarray,
    torque: np.ndarray,
    alarm: float,
    joint: int,
    causes: Sequence[tuple[str, float]],
    path: Path,
    note: str = "",
) -> Path:
    """Draw the torques of the joints about an alarm, and the share of it that each cause explains, as a PNG.

    Args:
        time: (k,) [s], k at least 2.
        torque: (k, n) taken for contact [N·m].
        alarm: its time [s].
        joint: on which most is felt, counted from 1.
        causes: names and shares.
        path: of the file.
        note: what stands below the figure.

    Raises:
        OSError: it cannot be written.
    """
    near = np.abs(time - alarm) <= WINDOW
    with paper_style():
        figure = Figure((PAGE, 6 * CENTIMETRE), layout="constrained")
        left, right = figure.subplots(1, 2, width_ratios=[2, 1])
        for k in (*(k for k in range(torque.shape[1]) if k + 1 != joint), joint - 1):
            main = k + 1 == joint
            how: dict[str, Any] = {"color": COLOURS.felt if main else COLOURS.ink, "lw": 1.4 if main else 0.5}
            left.plot(*envelope(time[near], torque[near, k]), **how, label=f"joint {joint}" if main else "_")
        left.plot([], color=COLOURS.ink, lw=0.5, label="other joints")
        left.axvline(alarm, color=COLOURS.goal, lw=0.8, label="detection")
        left.set(xlabel="time (s)", ylabel="torque taken for contact (N·m)", xlim=time[near][[0, -1]])
        left.legend()
        names = [name for name, _ in causes]
        right.barh(names[::-1], [100 * share for _, share in causes][::-1], color=COLOURS.felt)
        right.set(xlim=(0, 100), xlabel="explained (%)")
        return save_figure(figure, path.parent, path.stem, note=note)[0]
