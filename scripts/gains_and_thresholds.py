"""Gains and thresholds of ragazzon2012: what its choice costs, and what a better one would be.

    python scripts/gains_and_thresholds.py [RESULT_FOLDER]

draws time, peak force, false alarms and delay over the scale of ω and f_min, marks the document's
choice and the better one, and prints both. Without a folder it runs worlds/sweeps/omega_threshold.yaml.

The criterion: among the settings that reach the goal without a false alarm, and whose neighbours on the grid do so too,
the one where the largest peak force of itself and its neighbours is smallest; of equals the fastest.

Neighbours count because one run decides a cell and the peak force jumps between near settings: within 6 % in ω and 8 %
in f_min of a good one, single runs reach almost twice its force and more. Settings at the edge of the grid lack
neighbours and are left out. The least peak force without regard to neighbours is printed too.
"""

from itertools import product
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from hopfield_nav.figures import CENTIMETRE, PAGE, add_legend, new_figure, paper_style, save_figure
from hopfield_nav.figures import sweep as pictures
from hopfield_nav.figures.sweep import ALARMS, DELAY, MAIN, PEAK, TIME, Points

ROOT = Path(__file__).resolve().parent.parent
SCALE, THRESHOLD = "controller.omega*", "detection.threshold"
DOCUMENT = (1.0, 12.0)
Setting = tuple[float, float]


def main(result: Annotated[Path | None, typer.Argument()] = None, out: Path | None = None, workers: int = 2) -> None:
    """Read or run the sweep, choose, print, draw; by default into the folder of the results."""
    folder = result or run_sweep(workers)
    data = pictures.read_table(folder)
    rows = table(data)
    better, lone = robust_choice(rows), lone_choice(rows)
    for name, setting in (("document", DOCUMENT), ("better", better), ("least force alone", lone)):
        print(line(name, setting, rows))
    with paper_style():
        for path in save_figure(draw(data, better), out or Path(folder), "gains_and_thresholds", True):
            print(path)


def run_sweep(workers: int) -> Path:
    """Run the sweep beside the document's other results."""
    from hopfield_nav.sweeps import execute, load_sweep

    sweep = load_sweep("omega_threshold")
    return execute(sweep, ROOT / "runs" / "gains_and_thresholds", workers=workers)


def table(data: xr.Dataset) -> dict[Setting, dict[str, float]]:
    """Medians at each setting, and under ``reached`` the share of its runs that reached the goal."""
    points = Points(data)
    scale, threshold = points.values(SCALE), points.values(THRESHOLD)
    columns = {name: points.numbers(name) for name in MAIN}
    rows = {}
    for group in points.settings():
        setting = float(scale[group[0]]), float(threshold[group[0]])
        rows[setting] = {name: pictures.median(column[group]) for name, column in columns.items()}
        rows[setting]["reached"] = float(points.reached[group].mean())
    return rows


def is_good(row: dict[str, float]) -> bool:
    """Whether the goal is always reached and nothing was felt where nothing is."""
    return row["reached"] == 1 and row[ALARMS] == 0


def lone_choice(rows: dict[Setting, dict[str, float]]) -> Setting | None:
    """The smallest peak force of all good settings, whatever stands around it."""
    good = [setting for setting in rows if is_good(rows[setting])]
    return min(good, key=lambda s: (rows[s][PEAK], rows[s][TIME]), default=None)


def robust_choice(rows: dict[Setting, dict[str, float]]) -> Setting | None:
    """The smallest peak force of the worst neighbour; None where no setting has good ones all around."""
    worst = {s: max(rows[n][PEAK] for n in around) for s, around in surrounded(rows).items()}
    return min(worst, key=lambda s: (worst[s], rows[s][TIME]), default=None)


def surrounded(rows: dict[Setting, dict[str, float]]) -> dict[Setting, list[Setting]]:
    """Settings inside the grid that are good with all eight neighbours, and these nine."""
    scales, thresholds = (sorted({setting[k] for setting in rows}) for k in (0, 1))
    found = {}
    for i, j in product(range(1, len(scales) - 1), range(1, len(thresholds) - 1)):
        around = list(product(scales[i - 1 : i + 2], thresholds[j - 1 : j + 2]))
        if all(n in rows and is_good(rows[n]) for n in around):
            found[scales[i], thresholds[j]] = around
    return found


def line(name: str, setting: Setting | None, rows: dict[Setting, dict[str, float]]) -> str:
    """One setting and what comes of it."""
    if setting is None or setting not in rows:
        return f"{name:18} not in the sweep"
    row = rows[setting]
    around = surrounded(rows).get(setting)
    worst = f"{max(rows[n][PEAK] for n in around):.1f} N" if around else "some neighbour fails, or at the edge"
    return (
        f"{name:18} scale {setting[0]:.3g}, f_min {setting[1]:.3g}: {row[TIME]:.1f} s, peak {row[PEAK]:.1f} N,"
        f" {row[ALARMS]:.0f} false alarms, delay {1000 * row[DELAY]:.0f} ms; worst peak of the neighbours: {worst}"
    )


def draw(data: xr.Dataset, better: Setting | None) -> Figure:
    """Four heat maps with both choices marked."""
    figure = new_figure(PAGE, 12.5 * CENTIMETRE)
    marks: list[tuple[str, str, Setting]] = [("o", "ragazzon2012", DOCUMENT)]
    if better is not None:
        marks.append(("*", "better", better))
    for k, quantity in enumerate(MAIN):
        ax = pictures.draw_heat_map(figure.add_subplot(2, 2, k + 1), data, quantity, SCALE, THRESHOLD)
        ax.set_xlabel("scale of ω (1)")
        ax.set_ylabel(r"$f_\mathrm{min}$ (N and N m)")
        ax.set_title(f"({'abcd'[k]})", loc="left")
        for marker, _, setting in marks:
            mark(ax, data, marker, setting)
    handles = [Line2D([], [], label=label, **look(marker)) for marker, label, _ in marks]
    return add_legend(figure, [*handles, *pictures.heat_map_handles(data)], 4)


def mark(ax: Axes, data: xr.Dataset, marker: str, setting: Setting) -> None:
    """A mark in the cell of a setting."""
    points = Points(data)
    place = [pictures.swept_axis(points, name).place(v) for name, v in zip((SCALE, THRESHOLD), setting, strict=True)]
    if np.isfinite(place).all():
        ax.plot(*place, **look(marker))


def look(marker: str) -> dict[str, object]:
    """White with a dark edge: seen on every colour."""
    size = {"o": 5.0, "*": 8.0}[marker]
    return {"ls": "", "marker": marker, "ms": size, "mfc": "white", "mec": "black", "mew": 0.7}


if __name__ == "__main__":
    typer.run(main)
