"""Gears that give: what recordings tell of a real arm's, and how honest places on the arm are with them.

    python scripts/friction_study.py --real 4 --out docs/lab/friction.md
    hopfield-nav bench scripts/suites/whole_arm_gears.yaml --trust --out FOLDER
    python scripts/friction_study.py --weights FOLDER docs/figures/weights_of_places.png

``--real``: so many seeds of the bundled worlds of a real arm, with the detector that worlds have by
default. What the tool and the whole arm feel with such gears is in the suites ``gears_tool``,
``gears_whole_arm``, ``gears_periods``, ``gears_stiff``, ``gears_free`` and ``whole_arm_gears`` of
``scripts/suites``.
"""

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import typer
from bench_columns import Rows
from bench_tables import read
from madsen2020.real_data import RUNS, STEP, log, options
from matplotlib.axes import Axes
from measured_part import table, tell
from scipy.signal import savgol_filter
from suite_tables.arm import NEAR

from dynamics import load_arm
from dynamics.identification import identify
from hopfield_nav import load_world
from hopfield_nav.experiment import Simulation
from hopfield_nav.figures import CENTIMETRE, COLOURS, PAGE, new_figure, paper_style, save_figure
from hopfield_nav.record import contact_delays, is_reached, share_interval

# of a ripple in a turn that are tried: multiples of the gear's ratio, and near
CYCLES = (101, 202, 203, 204)
# [rad/s] faster than FASTEST the samples are too few for a ripple
MOVING, FASTEST, RESTING = (0.05, 1.5, 1e-3)
SMOOTHED = 25  # samples over which everything slower is taken off
WORLDS = ("ragazzon2012_real", "whole_arm_real")
MODELS = {"wrong": [], "known": ["controller.model_error={}"]}
DEFAULT = "detection={}"
HEAD = ("world, model", "reached", "touches", "false alarms", "delay [ms]", "peak force [N]")
BINS = 10
PANELS = {"model known": "known", "masses, friction and stiffness off": "wrong"}


def recordings_table() -> str:
    """What ``identify`` tells of a real arm's gears, from all recordings of free motion and from parts."""
    rows = []
    for runs in (RUNS, RUNS[:2], RUNS[2:]):
        gears = identify([log(run, RUNS) for run in runs], load_arm("ur5_full"), options()).gears
        cells = [
            f"{s:.1g} [{low:.1g}, {high:.1g}]" if turns else "-"
            for s, (low, high), turns in zip(
                gears.stiffness, gears.interval, gears.turns, strict=True
            )
        ]
        rows.append([", ".join(runs), *cells])
    return table(["σ [N·m/rad]", *(f"joint {j}" for j in range(1, 7))], rows)


def motors_table() -> str:
    """What lies above a smooth torque in the recordings without holes: ripple, and white noise beside it."""
    logs = [log(run, RUNS) for run in RUNS[1:]]
    head = ("ripple [N·m]", "cycles in a turn", "white, moving [N·m]", "white, resting [N·m]")
    rows = [[name] for name in head]
    for j in range(6):
        speed = np.concatenate([np.abs(np.gradient(one.q[:, j], STEP)) for one in logs])
        tau = np.concatenate([_above_smooth(one.tau[:, j]) for one in logs])
        moving, found = (speed > MOVING) & (speed < FASTEST), []
        for cycles in CYCLES:
            waves = [
                _above_smooth(f(cycles * one.q[:, j])) for f in (np.sin, np.cos) for one in logs
            ]
            columns = np.concatenate(waves).reshape(2, -1).T[moving]
            share = np.linalg.lstsq(columns, tau[moving], rcond=None)[0]
            found.append((tau[moving] - columns @ share, np.hypot(*share), cycles))
        left, ripple, cycles = min(found, key=lambda one: float(one[0].std()))
        numbers = ripple, cycles, _white(left), _white(tau[speed < RESTING])
        for row, number in zip(rows, numbers, strict=True):
            row.append(f"{number:.2g}" if number < 100 else f"{number}")
    return table(["", *(f"joint {j}" for j in range(1, 7))], rows)


def _white(signal: np.ndarray) -> float:
    """Standard deviation of what is new in every sample, from second differences."""
    return float(np.std(np.diff(signal, 2)) / np.sqrt(6.0))


def _above_smooth(signal: np.ndarray) -> np.ndarray:
    return signal - savgol_filter(signal, SMOOTHED, 2)


def felt(world: str, changes: list[str], seed: int) -> tuple[dict[str, Any], list[float]]:
    """A run's summary, and the delay of the first alarm on each contact that was felt [s]."""
    simulation = Simulation(load_world(world, [DEFAULT, "record.signals=none", *changes]), seed)
    run = simulation.run()
    found = contact_delays(
        *np.array([(d.time, d.touch_time) for d in simulation.detections]).reshape(-1, 2).T
    )
    return run.summary, found[np.isfinite(found)].tolist()


def real_table(count: int) -> str:
    """By world and model: goals, alarms, and median and largest delay over ``count`` seeds."""
    rows = []
    for world, (words, changes) in product(WORLDS, MODELS.items()):
        found = [felt(world, changes, seed) for seed in range(1, count + 1)]
        summaries, delays = [s for s, _ in found], 1e3 * np.concatenate([d for _, d in found])
        rows.append([
            f"`{world}`, {words}", f"{sum(map(is_reached, summaries))} of {count}", f"{len(delays)}",
            f"{sum(s['false_alarm_count'] for s in summaries)}", f"{np.median(delays):.0f}, {delays.max():.0f}",
            f"{max(s['peak_contact_force_N'] for s in summaries):.0f}",
        ])  # fmt: skip
        print(rows[-1], flush=True)
    return table(HEAD, rows)


def draw_weights(rows: Rows, path: Path) -> None:
    """How often a place is right that is said to be with some probability, with the model known and wrong."""
    with paper_style():
        figure = new_figure(PAGE, 7.2 * CENTIMETRE)
        panels = figure.subplots(1, len(PANELS), sharey=True)
        for ax, (title, way) in zip(panels, PANELS.items(), strict=True):
            texts = [
                str(row["weighed"] or "[]") for row in rows if str(row["condition"]).endswith(way)
            ]
            ax.plot([0, 1], [0, 1], color=COLOURS.ink, linewidth=0.5, zorder=0)
            _draw_bins(
                ax,
                *np.array([pair for text in texts for pair in json.loads(text)]).reshape(-1, 2).T,
            )
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
            str(len(right)),
            (said, high),
            (0, 2),
            textcoords="offset points",
            ha="center",
            fontsize=5,
        )


def main(out: Path | None = None, real: int = 0, weights: tuple[Path, Path] | None = None) -> None:
    """Print the tables, and write them to a page; or draw the weights alone: results, picture."""
    if weights:
        draw_weights(read(weights[0]), weights[1])
        return
    tell(recordings_table(), out, "recordings")
    tell(motors_table(), out, "motors")
    if real:
        tell(real_table(real), out, "real")


if __name__ == "__main__":
    typer.run(main)
