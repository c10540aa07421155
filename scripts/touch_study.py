"""Whole runs under real conditions: what a touch teaches, and what each part of it is worth.

python scripts/touch_study.py --default 1000 --each 200 --gaps 50 --out docs/touches.md

Random worlds in every setting; the same without episodes, with beliefs taken as facts, with no touch
passed by; gaps that are believed to be closed; what is met on the way back; enclosed goals beside the
smallest cut; the detector of Ragazzon 2012 beside the default.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from measured_part import write
from touches.runs import ENCLOSED, HEAD, SETTINGS, VARIANTS, row, run_one
from touches.second import SOON, delay_of_second
from touches.worlds import smallest_cut

from hopfield_nav import load_world, simulate
from hopfield_nav.experiment import Simulation
from hopfield_nav.record import share_interval
from hopfield_nav.world import parse_world

FIRST = 10_000  # seed; others than those that the method was made with
OWN_WORLDS = (
    "ragazzon2012", "u_trap", "narrow_gap", "enclosed_goal", "over_the_wall", "shelf", "free_rotation",
    "ragazzon2012_real",
)  # fmt: skip
DOCUMENT = ["detection={estimator: joint_error, measure: wrench_norm, threshold: 12}"]
DEFAULT = ["detection={}"]


def settings(default: int, each: int) -> str:
    """Every setting."""
    lines = [HEAD]
    for name, change in SETTINGS.items():
        count = default if name == "default" else each
        lines.append(row(name, [run_one(FIRST + k, change) for k in range(count)]))
        print(lines[-1], flush=True)
    return "\n".join(lines)


def variants(each: int) -> str:
    """What episodes and beliefs are worth, in the settings that need them most."""
    lines = [HEAD]
    for setting in ("default", "period of 8 ms", "`ur5_full`"):
        for name, change in VARIANTS.items():
            runs = [run_one(FIRST + k, [*SETTINGS[setting], *change]) for k in range(each)]
            lines.append(row(f"{setting}: {name}", runs))
            print(lines[-1], flush=True)
    return "\n".join(lines)


def gaps(count: int) -> str:
    """A wall with one gap of a cell, which is wrongly believed to be occupied."""
    generator, found = np.random.default_rng(FIRST), 0
    for _ in range(count):
        column, gap = int(generator.integers(5, 14)), int(generator.integers(0, 20))
        x = 0.1501 + 0.0263 * column
        others = [-0.2499 + 0.0263 * k for k in range(20) if k != gap]
        wall = ", ".join(f"{{cylinder: {{center: [{x:.4f}, {y:.4f}], radius: 0.02}}}}" for y in others)
        text = f"format: 1\ngoal: {{cell: [17, 6]}}\nobstacles: [{wall}]\nrecord: {{signals: none}}\n"
        simulation = Simulation(parse_world(text))
        simulation.navigator.beliefs.believe_occupied((column, gap), float(generator.uniform(0.3, 0.95)))
        found += simulation.run().outcome == "reached"
    low, high = share_interval(found, count)
    return f"{found} of {count} reached ({100 * low:.0f}–{100 * high:.0f} %)."


def second(count: int) -> str:
    """A second obstacle, met while the arm retreats from the first."""
    lines = ["| | touches | delay, median | largest | within 30 ms |", "|---|---|---|---|---|"]
    for name, change in SETTINGS.items():
        generator = np.random.default_rng(FIRST)
        delays = 1e3 * np.array([delay_of_second(generator, change) for _ in range(count)])
        delays = delays[~np.isnan(delays)]
        soon, n = int((delays <= 1e3 * SOON).sum()), len(delays)
        low, high = share_interval(soon, n)
        share = f"{soon} of {n} ({100 * low:.0f}–{100 * high:.0f} %)"
        lines.append(f"| {name} | {n} | {np.median(delays):.0f} ms | {delays.max():.0f} ms | {share} |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def enclosed() -> str:
    """Goals without a path, in the plane and in space: collisions beside the smallest cut."""
    lines = [
        "| world | outcome | collisions | facts | smallest cut | of steps that can be touched |",
        "|---|---|---|---|---|---|",
    ]
    for name, (world, change) in ENCLOSED.items():
        run = simulate(load_world(world, [*change, "record.signals=none"]))
        cuts = [smallest_cut(run.world, touchable) for touchable in (False, True)]
        counts = run.summary["collision_count"], run.summary["closed_step_count"]
        lines.append("| " + " | ".join(str(v) for v in (name, f"`{run.outcome}`", *counts, *cuts)) + " |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def detectors() -> str:
    """The bundled worlds with the document's detector and with the default one, otherwise alike."""
    lines = [
        "| world | outcome | time | collisions on contacts | largest force |",
        "|---|---|---|---|---|",
    ]
    total = np.zeros((2, 2))
    for name in OWN_WORLDS:
        pair = [
            simulate(load_world(name, [*change, "record.signals=none"])).summary
            for change in (DOCUMENT, DEFAULT)
        ]
        total += [[s["simulated_time_s"], s["peak_contact_force_N"]] for s in pair]
        cells = [
            ", ".join(f"`{s['outcome']}`" for s in pair),
            " / ".join(f"{s['simulated_time_s']:.1f}" for s in pair) + " s",
            " / ".join(f"{s['collision_count']} on {s['contact_count']}" for s in pair),
            " / ".join(f"{s['peak_contact_force_N']:.0f}" for s in pair) + " N",
        ]
        lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    time, force = (" / ".join(f"{v:.0f}" for v in total[:, k]) for k in range(2))
    lines.append(f"| sum | | {time} s | | {force} N |")
    return "\n".join(lines)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--default", type=int, default=1000, help="worlds with the default")
    parser.add_argument("--each", type=int, default=200, help="worlds in every other setting")
    parser.add_argument("--variants", type=int, default=100, help="worlds for every variant")
    parser.add_argument("--gaps", type=int, default=50)
    parser.add_argument("--second", type=int, default=50, help="second obstacles in every setting")
    parser.add_argument("--out", type=Path, help="Markdown file; default: print only")
    options = parser.parse_args()
    parts = {
        "Settings": settings(options.default, options.each),
        "What each part is worth": variants(options.variants),
        "A gap that is believed to be closed": gaps(options.gaps),
        "What is met on the way back": second(options.second),
        "Goals that cannot be reached": enclosed(),
        "The detector of Ragazzon 2012 and the default": detectors(),
    }
    text = "\n\n".join(f"### {title}\n\n{part}" for title, part in parts.items())
    if options.out:
        write(text, options.out)
    else:
        print(text)


if __name__ == "__main__":
    main()
