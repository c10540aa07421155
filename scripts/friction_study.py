"""Gears that give before they slip: false alarms and goals of the tool, and places that the whole arm feels.

python scripts/friction_study.py --tool 4 --whole 4 --recordings --out docs/friction.md

The tool moves through ``random_cylinders``; the control computer knows the stiffness, or is off by a factor.
Motors have the ripple and the noise that the recordings show, and a constant that is 2 % off. Runs of the
whole arm are kept in a folder, as by ``whole_arm_study.py``, whose worlds they share.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from madsen2020.real_data import RUNS, log, options
from measured_part import table, tell
from whole_arm.runs import run_kept
from whole_arm.tables import FELT, felt_row
from whole_arm.worlds import FAMILIES, worlds

from dynamics import load_arm
from dynamics.identification import identify
from hopfield_nav import load_world, simulate

STIFFNESS = ("1e4", "2e4", "5e4", "1e5", "3e5", "1e6")  # [N·m/rad]
FACTORS = (1, 0.5, 2, 0.2, 5)  # believed stiffness a true one
PERIODS = (0.001, 0.002, 0.008)  # [s]
FIRST = 500  # seed; others than those that the method was made with
MOST = 60  # touches of a run of the whole arm
REAL = [
    "plant.dynamics=ur5_full",
    "controller.model=ur5_full",
    "plant.friction=arm",
    "sensors.encoder_resolution=1e-5",
    "sensors.velocity_noise=1e-3",
    "sensors.torque_noise=[1, 1, 1, 0.2, 0.2, 0.2]",
    "plant.torque_ripple.amplitude=[0, 0.7, 0.7, 0, 0, 0]",
    "controller.model_error.motor_constant_scale=1.02",
]


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


def whole_table(count: int, keep: Path) -> str:
    """Where the whole arm felt its touches, by family, stiffness and model."""
    rows = []
    for family in FAMILIES:
        drawn = list(worlds(family, count, FIRST))
        for gear in ("ideal", "2e4", "1e5"):
            for model in ("known", "wrong"):
                setting = f"gear {gear}, {model}"
                runs = [run_kept(world, setting, MOST, keep) for world in drawn]
                reached = sum(run.outcome == "reached" for run in runs)
                rows.append(felt_row(f"{family}, σ {gear}, {model}: {reached} of {count} reached", runs))
                print(rows[-1], flush=True)
    return "\n".join([FELT, *rows])


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


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", type=int, default=4, help="worlds of the tool a cell of the table")
    parser.add_argument("--whole", type=int, default=4, help="worlds of the whole arm a family")
    parser.add_argument("--recordings", action="store_true", help="also what recordings tell of a real arm")
    parser.add_argument("--keep", type=Path, default=Path("runs/friction"), help="folder of the single runs")
    parser.add_argument("--out", type=Path, help="page; default: print only")
    given = parser.parse_args()
    if given.tool:
        tell(tool_table(given.tool), given.out, "tool")
    if given.recordings:
        tell(recordings_table(), given.out, "recordings")
    if given.whole:
        tell(whole_table(given.whole, given.keep), given.out, "whole")


if __name__ == "__main__":
    main()
