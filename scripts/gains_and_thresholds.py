"""Gains and thresholds of ragazzon2012: what its choice costs, and what a better one would be.

    python scripts/gains_and_thresholds.py [RESULT_FOLDER]

draws time, peak force, false alarms and delay over the scale of ω and f_min, marks the choice of the document (○, the
base world's) and the best by the rule of sweeps (★, docs/sweeps_running.md), and prints both. Without a folder it runs
worlds/sweeps/omega_threshold.yaml.
"""

from pathlib import Path
from typing import Annotated

import typer
import xarray as xr
from matplotlib.figure import Figure

from hopfield_nav.figures import CENTIMETRE, PAGE, add_legend, new_figure, paper_style, save_figure
from hopfield_nav.figures import sweep as pictures
from hopfield_nav.figures.sweep import ALARMS, DELAY, MAIN, PEAK, TIME, Points

ROOT = Path(__file__).resolve().parent.parent
SCALE, THRESHOLD = "controller.omega*", "detection.threshold"
NAMES = {"base_run": "document", "best_run": "best"}


def main(result: Annotated[Path | None, typer.Argument()] = None, out: Path | None = None, workers: int = 2) -> None:
    """Read or run the sweep, print, draw; by default into the folder of the results."""
    folder = result or run_sweep(workers)
    data = pictures.read_table(folder)
    for mark, name in NAMES.items():
        print(line(name, Points(data), mark))
    with paper_style():
        for path in save_figure(draw(data), out or Path(folder), "gains_and_thresholds", True):
            print(path)


def run_sweep(workers: int) -> Path:
    """Run the sweep beside the document's other results."""
    from hopfield_nav.sweeps import execute, load_sweep

    sweep = load_sweep("omega_threshold")
    return execute(sweep, ROOT / "runs" / "gains_and_thresholds", workers=workers)


def line(name: str, points: Points, mark: str) -> str:
    """The base world's setting or the best, and what comes of it."""
    row = points.row_of(mark)
    if row is None:
        return f"{name:10} not in the sweep"
    scale, threshold = (points.values(key)[row] for key in (SCALE, THRESHOLD))
    time, peak, alarms, delay = (points.numbers(key)[row] for key in (TIME, PEAK, ALARMS, DELAY))
    return (
        f"{name:10} scale {scale:.3g}, f_min {threshold:.3g}: {time:.1f} s, peak {peak:.1f} N,"
        f" {alarms:.0f} false alarms, delay {delay:.0f} ms"
    )


def draw(data: xr.Dataset) -> Figure:
    """Four heat maps."""
    figure = new_figure(PAGE, 12.5 * CENTIMETRE)
    for k, quantity in enumerate(MAIN):
        ax = pictures.draw_heat_map(figure.add_subplot(2, 2, k + 1), data, quantity, SCALE, THRESHOLD)
        ax.set_xlabel("scale of ω (1)")
        ax.set_ylabel(r"$f_\mathrm{min}$ (N and N m)")
        ax.set_title(f"({'abcd'[k]})", loc="left")
    return add_legend(figure, pictures.heat_map_handles(data, MAIN), 5)


if __name__ == "__main__":
    typer.run(main)
