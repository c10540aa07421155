"""Straight motion beside motion from centre to centre, in the worlds of ``whole_arm/frozen.csv``.

python scripts/whole_arm_straight.py --first 3 --worlds 20 --out PAGE

Every run is kept in a folder, and is not made again while it lies there.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from measured_part import table, tell
from whole_arm.frozen import frozen
from whole_arm.runs import Ran, run_kept, run_one
from whole_arm.worlds import FAMILIES

from hopfield_nav.record import share_interval

BEFORE, NOW = "felt_points", "straight"
HEAD = (
    "", "worlds", "reached, step by step", "straight", "touches, median", "90 %", "straight, median", "90 %",
    "time, straight / step by step", "joint path", "peak force", "replan, median", "straight",
)  # fmt: skip


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    parser.add_argument("--first", type=int, default=0, help="worlds a family that are left out")
    parser.add_argument("--worlds", type=int, default=20, help="worlds a family")
    parser.add_argument("--touches", type=int, default=200, help="after which a run ends")
    parser.add_argument(
        "--keep", type=Path, default=Path("runs/whole_arm_straight"), help="folder of the runs"
    )
    parser.add_argument("--out", type=Path, help="Markdown file; default: print only")
    options = parser.parse_args()
    found: dict[str, list[tuple[Ran, Ran]]] = {family: [] for family in options.families}
    warm = False
    for number in range(options.first, options.first + options.worlds):
        for family in options.families:
            for drawn in frozen(family)[number : number + 1]:
                warm = warm or all(run_one(drawn, setting, 1) for setting in (BEFORE, NOW))
                both = [run_kept(drawn, setting, options.touches, options.keep) for setting in (BEFORE, NOW)]
                found[family].append((both[0], both[1]))
                print(*(_line(ran) for ran in both), sep="\n", flush=True)
    rows = [_row(family, pairs) for family, pairs in found.items() if pairs]
    tell(table(HEAD, rows), options.out, "straight")


def _line(ran: Ran) -> str:
    return (
        f"{ran.family} {ran.seed} {ran.setting}: {ran.outcome}, {ran.alarms} touches, {ran.time:.0f} s, "
        f"{ran.path:.1f} rad, {ran.peak_force:.0f} N, {ran.spent:.0f} s of processor {ran.reason}"
    )


def _row(name: str, pairs: list[tuple[Ran, Ran]]) -> list[str]:
    """Costs where both reached the goal, as medians of the ratios world by world."""
    both = [pair for pair in pairs if all(ran.outcome == "reached" for ran in pair)]
    reached = [[ran for ran in runs if ran.outcome == "reached"] for runs in zip(*pairs, strict=True)]
    touches = [
        f"{np.quantile([r.alarms for r in runs] or [np.nan], q):.0f}" for runs in reached for q in (0.5, 0.9)
    ]
    spent = [[t for ran in runs for t in ran.replan] for runs in zip(*pairs, strict=True)]
    replan = [f"{np.median(times):.2f} s" if times else "-" for times in spent]
    ratios = [_ratio(both, key) for key in ("time", "path", "peak_force")]
    return [
        name,
        str(len(pairs)),
        *(_share(len(runs), len(pairs)) for runs in reached),
        *touches,
        *ratios,
        *replan,
    ]


def _ratio(both: list[tuple[Ran, Ran]], key: str) -> str:
    """Median with its quartiles."""
    ratios = [getattr(now, key) / getattr(before, key) for before, now in both if getattr(before, key) > 0.0]
    if not ratios:
        return "-"
    low, middle, high = np.quantile(ratios, [0.25, 0.5, 0.75])
    return f"{middle:.2f} ({low:.2f}–{high:.2f})"


def _share(part: int, whole: int) -> str:
    low, high = share_interval(part, whole)
    return f"{part} ({100 * low:.0f}–{100 * high:.0f} %)"


if __name__ == "__main__":
    main()
