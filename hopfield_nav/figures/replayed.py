"""A replay as a picture: alarm level, estimated force, and every alarm."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from hopfield_nav.figures.palette import COLOURS
from hopfield_nav.figures.sheets import add_legend, envelope, save_figure
from hopfield_nav.figures.style import CENTIMETRE, PAGE, paper_style


def draw_replay(
    time: np.ndarray, level: np.ndarray, wrench: np.ndarray, detected: np.ndarray, path: Path, note: str = ""
) -> Path:
    """Draw level and force of a replay over time, with the alarms, as a PNG.

    Args:
        time: (k,) [s], k at least 2.
        level: (k,) alarm level as a share of the threshold.
        wrench: (k, 6) on the tool [N, N·m].
        detected: (k,) bool, where an alarm was raised.
        path: of the file.
        note: what stands below the figure.

    Raises:
        OSError: it cannot be written.
    """
    with paper_style():
        figure = Figure((PAGE, 9 * CENTIMETRE), layout="constrained")
        above, below = figure.subplots(2, 1, sharex=True)
        above.plot(*envelope(time, level), color=COLOURS.felt)
        threshold = above.axhline(1.0, color=COLOURS.ink, lw=0.7, ls=(0, (4, 2)), label="threshold")
        above.set_ylim(0.0, 1.15 * max(1.0, float(level.max())))
        above.set_ylabel("alarm level (1)")
        force = np.linalg.norm(wrench[:, :3], axis=1)
        below.plot(*envelope(time, force), color=COLOURS.felt)
        below.set_ylim(0.0, 1.15 * max(1.0, float(force.max())))
        below.set(ylabel="estimated force (N)", xlabel="time (s)")
        alarms = [ax.axvline(alarm, color=COLOURS.goal, lw=0.6, zorder=0, label="alarm")
                  for ax in (above, below) for alarm in time[detected]]  # fmt: skip
        add_legend(figure, [threshold, *alarms[:1]], 2)
        return save_figure(figure, path.parent, path.stem, note=note)[0]
