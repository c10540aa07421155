"""Closed boxes about the goal, and the same boxes with an opening that the arm fits through.

python scripts/whole_arm_boxes.py --out docs/whole_arm.md

The boxes are those of ``whole_arm/closed_boxes.csv``. Every run is kept in a folder, and is not made again
while it lies there.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from measured_part import table, tell
from whole_arm.closed_boxes import FAMILIES, boxes
from whole_arm.runs import Ran, run_kept, run_one
from whole_arm.worlds import Drawn

from hopfield_nav.record import share_interval

HEAD = (
    "", "boxes", "closed: `no_path`", "touches, median", "most", "largest bound",
    "processor time, median", "most", "one opening: reached", "touches, median", "most",
    "processor time, median", "most",
)  # fmt: skip


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0, help="boxes a family that are left out")
    parser.add_argument("--boxes", type=int, default=5, help="boxes a family")
    parser.add_argument("--touches", type=int, default=60, help="after which a run in a closed box ends")
    parser.add_argument("--through", type=int, default=200, help="after which one in an open box ends")
    parser.add_argument("--setting", default="straight", help="what the controller is told")
    parser.add_argument("--keep", type=Path, default=Path("runs/whole_arm_boxes"), help="folder of the runs")
    parser.add_argument("--out", type=Path, help="Markdown file; default: print only")
    options = parser.parse_args()
    found: dict[str, list[tuple[Ran, Ran]]] = {family: [] for family in FAMILIES}
    for number in range(options.first, options.first + options.boxes):
        for family in FAMILIES:
            box = boxes(family)[number]
            closed = Drawn(f"closed, {family}", box.seed, box.closed, 0.0)
            opened = closed._replace(family=f"open, {family}", text=box.open)
            if not any(found.values()):
                run_one(opened, options.setting, 1)
            most = zip((closed, opened), (options.touches, options.through), strict=True)
            both = [run_kept(drawn, options.setting, limit, options.keep) for drawn, limit in most]
            found[family].append((both[0], both[1]))
            print(*(_line(ran) for ran in both), sep="\n", flush=True)
    rows = [_row(family, pairs) for family, pairs in found.items() if pairs]
    rows.append(_row("all", [pair for pairs in found.values() for pair in pairs]))
    tell(table(HEAD, rows), options.out, "boxes")


def _line(ran: Ran) -> str:
    return (
        f"{ran.family} {ran.seed}: {ran.outcome} {ran.grade or ''}, {ran.alarms} touches, {ran.time:.0f} s, "
        f"{ran.total:.0f} s of processor {ran.reason}"
    )


def _row(name: str, pairs: Sequence[tuple[Ran, Ran]]) -> list[str]:
    closed, opened = zip(*pairs, strict=True)
    bounds = [ran.error_bound for ran in closed if ran.error_bound is not None]
    return [
        name,
        str(len(pairs)),
        *_cells(closed, "no_path", [f"{max(bounds):.1g}" if bounds else "-"]),
        *_cells(opened, "reached", []),
    ]


def _cells(runs: Sequence[Ran], outcome: str, between: list[str]) -> list[str]:
    """How many ended so, and with how many touches; then the time of all."""
    ended = [ran.alarms for ran in runs if ran.outcome == outcome]
    touches = [f"{np.median(ended):.0f}", str(max(ended))] if ended else ["-", "-"]
    low, high = share_interval(len(ended), len(runs))
    spent = [ran.total for ran in runs]
    share = f"{len(ended)} of {len(runs)} ({100 * low:.0f}–{100 * high:.0f} %)"
    return [share, *touches, *between, f"{np.median(spent):.0f} s", f"{max(spent):.0f} s"]


if __name__ == "__main__":
    main()
