"""False alarms against the force that is felt, as a picture."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from hopfield_nav.figures.palette import COLOURS
from hopfield_nav.figures.sheets import save_figure
from hopfield_nav.figures.style import CENTIMETRE, COLUMN, paper_style


def draw_rates(
    force: np.ndarray, rate: np.ndarray, most: np.ndarray, chosen: float, path: Path, note: str = ""
) -> Path:
    """Draw the rate of false alarms against the force that reaches the threshold, as a PNG.

    Args:
        force: (k,) [N].
        rate: (k,) an hour; ``most``: the upper end of its interval.
        most: (k,) an hour.
        chosen: the force of the threshold that was chosen [N].
        path: of the file.
        note: what stands below the figure.

    Raises:
        OSError: it cannot be written.
    """
    with paper_style():
        figure = Figure((COLUMN, 6.5 * CENTIMETRE), layout="constrained")
        axes = figure.subplots()
        axes.plot(force, rate, color=COLOURS.felt, label="counted")
        axes.plot(force, most, color=COLOURS.felt, ls=(0, (4, 2)), label="at most (95 %)")
        axes.axvline(chosen, color=COLOURS.goal, lw=0.8, label="chosen")
        axes.set_yscale("symlog", linthresh=10.0)
        axes.set(xlabel="force on the tool that is felt (N)", ylabel="false alarms (1/h)")
        axes.set_ylim(bottom=0.0)
        axes.legend()
        return save_figure(figure, path.parent, path.stem, note=note)[0]
