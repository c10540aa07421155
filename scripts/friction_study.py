r"""Gears that give before they slip: what the tool and the whole arm feel with them, and free motion.

python scripts/friction_study.py --tool 7 --periods 7 --stiff 12 --free 30 --recordings --whole 4 \
    --weights docs/figures/weights_of_places.png --out docs/friction.md

The tool moves through ``random_cylinders``; the control computer knows the stiffness, or is off by a factor.
Motors have the ripple and the noise that the recordings show, and a constant that is 2 % off. Runs of free
motion and of the whole arm are kept in a folder; the latter share the worlds of ``whole_arm_study.py``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from friction.conditions import FIRST, REAL, STIFFNESS
from friction.free_motion import free_table
from friction.periods import periods_table
from friction.stiff_gears import stiff_table
from madsen2020.real_data import RUNS, STEP, log, options
from measured_part import table, tell
from scipy.signal import savgol_filter
from whole_arm.giving import Runs, joined_giving, runs_giving, whole_table
from whole_arm.weights import draw_weights

from dynamics import load_arm
from dynamics.identification import identify
from hopfield_nav import load_world, simulate

FACTORS = (1, 0.5, 2, 0.2, 5)  # believed stiffness a true one
PERIODS = (0.001, 0.002, 0.008)  # [s]
CYCLES = (101, 202, 203, 204)  # of a ripple in a turn that are tried: multiples of the gear's ratio, and near
MOVING, FASTEST, RESTING = 0.05, 1.5, 1e-3  # [rad/s] faster than FASTEST the samples are too few for a ripple
SMOOTHED = 25  # samples over which everything slower is taken off


def tool_cell(count: int, *changes: str) -> str:
    """Goals reached of ``count`` worlds, and false alarms of all."""
    summaries = [
        simulate(load_world("random_cylinders", [*REAL, *changes, f"seed={FIRST + k}"])).summary
        for k in range(count)
    ]
    reached = sum(s["outcome"] == "reached" for s in summaries)
    blocked = sum(s["outcome"] == "no_path" for s in summaries)
    cell = f"{reached}, {sum(s['false_alarm_count'] for s in summaries)}"
    return f"{cell} ({blocked} `no_path`)" if blocked else cell


def tool_table(count: int) -> str:
    """By stiffness: the stiffness known and not, at 1 ms; known, at longer periods."""
    head = [
        "σ [N·m/rad]",
        "known",
        *(f"× {f}" for f in FACTORS[1:]),
        *(f"{1e3 * p:g} ms" for p in PERIODS[1:]),
    ]
    rows = []
    for gear in ("ideal", *STIFFNESS):
        plant = f"plant.presliding={gear}"
        factors = FACTORS[:1] if gear == "ideal" else FACTORS
        cells = [
            tool_cell(count, plant, f"controller.model_error.presliding_scale={factor}") for factor in factors
        ]
        cells += ["-"] * (len(FACTORS) - len(factors))
        cells += [tool_cell(count, plant, f"controller.period={period}") for period in PERIODS[1:]]
        rows.append([gear, *cells])
        print(rows[-1], flush=True)
    return table(head, rows)


def recordings_table() -> str:
    """What ``identify`` tells of a real arm's gears, from all recordings of free motion and from parts."""
    rows = []
    for runs in (RUNS, RUNS[:2], RUNS[2:]):
        gears = identify([log(run, RUNS) for run in runs], load_arm("ur5_full"), options()).gears
        cells = [
            f"{s:.1g} [{low:.1g}, {high:.1g}]" if turns else "-"
            for s, (low, high), turns in zip(gears.stiffness, gears.interval, gears.turns, strict=True)
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
            waves = [_above_smooth(f(cycles * one.q[:, j])) for f in (np.sin, np.cos) for one in logs]
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


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", type=int, default=0, help="worlds of the tool a cell of the table")
    parser.add_argument(
        "--periods", type=int, default=0, help="worlds of the tool a control period and model"
    )
    parser.add_argument("--stiff", type=int, default=0, help="pushes a cell of the table of stiff gears")
    parser.add_argument("--free", type=int, default=0, help="runs of free motion a stiffness and factor")
    parser.add_argument("--whole", type=int, default=0, help="worlds of the whole arm a family")
    parser.add_argument("--conditions", type=int, default=2, help="of these in all conditions")
    parser.add_argument("--join", action="store_true", help="make no run of the whole arm: join what is kept")
    parser.add_argument("--weights", type=Path, help="picture of the weights of places beside what is true")
    parser.add_argument("--recordings", action="store_true", help="also what recordings tell of a real arm")
    parser.add_argument("--keep", type=Path, default=Path("runs/friction"), help="folder of the single runs")
    parser.add_argument("--out", type=Path, help="page; default: print only")
    given = parser.parse_args()

    def arms() -> Runs:
        if given.join:
            return joined_giving(given.keep)
        return runs_giving(given.whole, given.conditions, given.keep)

    parts = {
        "tool": given.tool and (lambda: tool_table(given.tool)),
        "periods": given.periods and (lambda: periods_table(given.periods)),
        "stiff": given.stiff and (lambda: stiff_table(given.stiff)),
        "free": given.free and (lambda: free_table(given.free, given.keep)),
        "recordings": given.recordings and recordings_table,
        "motors": given.recordings and motors_table,
        "whole": (given.whole or given.join) and (lambda: whole_table(arms())),
    }
    for name, make in parts.items():
        if make:
            tell(make(), given.out, name)
    if given.weights:
        draw_weights(arms(), given.weights)


if __name__ == "__main__":
    main()
